/**
 * Holds the rows of the specifications against the tests: every row has a test whose title begins with its
 * id, or a reason in test/not-followed.md. The titles are those that the test files declare when they are loaded; nothing is run.
 * Arguments are test files to look at instead of all.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { collectTitles } from '../test/support/suite.ts'
import { excusedIn, ROWS, rowOf, rowProblems } from './rows/rows.ts'

const folder = fileURLToPath(new URL('../test', import.meta.url))
const named = process.argv.slice(2).map((file) => resolve(file))
const files =
  named.length > 0
    ? named
    : readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((file) => file.endsWith('.test.ts'))
        .map((file) => join(folder, file))
        // to load them all takes a minute
        .filter((file) => /['"`][A-Z][0-9]+b?['"` ]/.test(readFileSync(file, 'utf8')))

const titles = collectTitles()
for (const file of files) await import(pathToFileURL(file).href)
const excused = excusedIn(readFileSync(join(folder, 'not-followed.md'), 'utf8'))
const problems = rowProblems(titles, excused)
for (const problem of problems) process.stdout.write(`${problem}\n`)
const tested = new Set(titles.flatMap((title) => rowOf(title) ?? []))
process.stdout.write(`${ROWS.length} rows: ${tested.size} tested, ${excused.length} with a reason\n`)
process.exitCode = problems.length > 0 ? 1 : 0
