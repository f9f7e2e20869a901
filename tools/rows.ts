/**
 * Holds the rows of the Kubescape and korder specifications against the tests: every row has a test of its id or a reason in
 * test/not-followed.md. Fails on a row with neither, on one with both, and on a reason for a row that does not exist.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const TABLES: Record<string, number> = { N: 20, G: 12, R: 24, C: 24, F: 9, T: 23, O: 8, H: 41, M: 22, L: 20, V: 5 }

const folder = fileURLToPath(new URL('../test', import.meta.url))
const rows = Object.entries(TABLES).flatMap(([letter, count]) =>
  Array.from({ length: count }, (_, index) => `${letter}${index + 1}`),
)
const tests = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.test.ts'))
const source = tests.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n')
const tested = new Set([...source.matchAll(/['"`]([NGRCFTOHMLV][0-9]+)(?=['"` ])/g)].map(([, id]) => id ?? ''))
const excused = new Set(
  [...readFileSync(join(folder, 'not-followed.md'), 'utf8').matchAll(/^\| ([NGRCFTOHMLV][0-9]+) \| \S/gm)].map(
    ([, id]) => id ?? '',
  ),
)

const problems = [
  ...rows.filter((id) => !tested.has(id) && !excused.has(id)).map((id) => `${id} has neither a test nor a reason`),
  ...rows.filter((id) => tested.has(id) && excused.has(id)).map((id) => `${id} has both a test and a reason`),
  ...[...excused].filter((id) => !rows.includes(id)).map((id) => `${id} is no row`),
]
for (const problem of problems) process.stdout.write(`${problem}\n`)
process.stdout.write(`${rows.length} rows: ${tested.size} tested, ${excused.size} with a reason\n`)
process.exitCode = problems.length > 0 ? 1 : 0
