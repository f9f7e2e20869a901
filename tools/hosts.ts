/** Builds the host programs that tests run and Go modules provide, into .cache/hosts: kustomize and kpt's apply-setters. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const modules = join(root, 'tools/hosts')
const out = join(root, '.cache/hosts')
mkdirSync(out, { recursive: true })
for (const name of readdirSync(modules)) {
  const cwd = join(modules, name)
  const [path = ''] = execFileSync('go', ['list', 'tool'], { cwd, encoding: 'utf8' }).split('\n')
  execFileSync('go', ['build', '-o', join(out, name), path], { cwd, stdio: 'inherit' })
  process.stdout.write(`${name} is built\n`)
}
