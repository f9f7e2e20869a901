/**
 * Builds the host programs that tests run and Go modules provide, into .cache/hosts: kustomize, kpt's apply-setters, and
 * the control plane of a cluster. The last takes five minutes the first time.
 */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const modules = join(root, 'tools/hosts')
const out = join(root, '.cache/hosts')
mkdirSync(out, { recursive: true })
for (const module of readdirSync(modules)) {
  const cwd = join(modules, module)
  const tools = execFileSync('go', ['list', 'tool'], { cwd, encoding: 'utf8' }).trim().split('\n')
  for (const path of tools) {
    const name = tools.length === 1 ? module : basename(path)
    execFileSync('go', ['build', '-trimpath', '-ldflags=-s -w', '-o', join(out, name), path], { cwd, stdio: 'inherit' })
    process.stdout.write(`${name} is built\n`)
  }
}
