/**
 * Writes the single executables, which need no Node.js, to dist/executables or the folder of `--output`: all, or those
 * that are named, such as linux-amd64. Their sums are in SHA256SUMS. `npm run build` comes first.
 */
import { createHash } from 'node:crypto'
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT } from './build/bundle.ts'
import { writeExecutable } from './executables/executable.ts'
import { TARGETS } from './executables/targets.ts'

const { values, positionals: asked } = parseArgs({ allowPositionals: true, options: { output: { type: 'string' } } })
const out = resolve(values.output ?? join(ROOT, 'dist/executables'))
const unknown = asked.filter((name) => !TARGETS.some((target) => target.name === name))
if (unknown.length > 0) {
  process.stderr.write(`there is no ${unknown.join(', ')}: ${TARGETS.map(({ name }) => name).join(', ')}\n`)
  process.exit(1)
}
rmSync(out, { recursive: true, force: true })
mkdirSync(out, { recursive: true })
for (const target of TARGETS) {
  if (asked.length > 0 && !asked.includes(target.name)) continue
  await writeExecutable(target, join(out, `nodefit-${target.name}`))
  process.stdout.write(`${join(out, `nodefit-${target.name}`)}\n`)
}
const sum = (file: string) =>
  createHash('sha256')
    .update(readFileSync(join(out, file)))
    .digest('hex')
const sums = readdirSync(out)
  .sort()
  .map((file) => `${sum(file)}  ${file}\n`)
writeFileSync(join(out, 'SHA256SUMS'), sums.join(''))
