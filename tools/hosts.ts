/**
 * Builds the host programs that tests run and Go modules provide, into .cache/hosts: all, or those that are named, by program or
 * by module. A module of tools/hosts that is as it was when its programs were built is left alone.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { nodeBinary } from './executables/node-binary.ts'
import { runsHere, TARGETS } from './executables/targets.ts'
import { type HostModule, hostModules } from './host-modules.ts'

const OUT = fileURLToPath(new URL('../.cache/hosts', import.meta.url))
const FLAGS = ['-trimpath', '-ldflags=-s -w']
const SOURCES = /\.(go|mod|sum)$/

const asked = process.argv.slice(2)
const all = hostModules()
const known = new Set(all.flatMap(({ name, programs }) => [name, ...programs.map((program) => program.name)]))
const unknown = asked.filter((name) => !known.has(name))
if (unknown.length > 0) {
  process.stderr.write(`there is no ${unknown.join(', ')}: ${[...known].sort().join(', ')}\n`)
  process.exit(1)
}
const isAsked = (name: string) => asked.length === 0 || asked.includes(name)
mkdirSync(OUT, { recursive: true })
for (const module of all) {
  const programs = module.programs.filter(({ name }) => isAsked(module.name) || isAsked(name))
  for (const program of programs) build(module, program)
}
// Argo CD runs the single executable as its plugin, in a network where nothing can be fetched
const here = TARGETS.find((target) => target.os === 'linux' && runsHere(target, process))
if (isAsked('argocd') && here !== undefined) nodeBinary(here.node)

function build(module: HostModule, { name, path }: HostModule['programs'][number]): void {
  const output = join(OUT, name)
  // beside the programs, where PATH finds no program of that name
  const stamp = join(OUT, `.${name}.built`)
  const wanted = fingerprint(module.folder)
  if (existsSync(output) && existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) {
    process.stdout.write(`${name} is built already\n`)
    return
  }
  process.stdout.write(`${name} is being built${module.about === '' ? '' : `: ${module.about}`}\n`)
  const start = performance.now()
  rmSync(stamp, { force: true })
  execFileSync('go', ['build', ...FLAGS, '-o', output, path], { cwd: module.folder, stdio: 'inherit' })
  writeFileSync(stamp, wanted)
  process.stdout.write(`${name} is built, in ${((performance.now() - start) / 1000).toFixed(0)} s\n`)
}

/** What a program is made of: its module's own files, which pin all others, the compiler and how it is called. */
function fingerprint(folder: string): string {
  const hash = createHash('sha256')
  hash.update(execFileSync('go', ['env', 'GOVERSION', 'GOOS', 'GOARCH', 'CGO_ENABLED'], { encoding: 'utf8' }))
  hash.update(FLAGS.join(' '))
  const files = readdirSync(folder).filter((file) => SOURCES.test(file))
  for (const file of files.sort()) hash.update(`\n${file}\n`).update(readFileSync(join(folder, file)))
  return hash.digest('hex')
}
