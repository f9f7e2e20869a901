/**
 * Puts one deliberate fault at a time into the sources, in memory, and runs the tests that can see it. Each must be killed or stand
 * in the table of those that nobody could see. `--only PATH` tries all faults that the syntax of the matching files offers with `--all`,
 * or N a file with `--each N`, else those of the full run; `--sample N --seed TEXT` N of the named ones and N others.
 */
import { readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT } from './build/bundle.ts'
import { byHash, choose, hasRules, quotaOf } from './mutants/choose.ts'
import { Crew } from './mutants/crew.ts'
import type { Seen } from './mutants/messages.ts'
import { filesIn, Modules } from './mutants/modules.ts'
import { applied, keyOf, type Mutant } from './mutants/mutant.ts'
import { NAMED } from './mutants/named.ts'
import { namedMutants } from './mutants/named-mutants.ts'
import { placesIn } from './mutants/places.ts'
import { reachOf } from './mutants/reach.ts'
import { UNSEEN } from './mutants/unseen.ts'

const SEED = 'nodefit'
/** Suites that start programs, compare pages, or try thousands of cases: too slow for what they see. */
const NOT_TRIED =
  /test\/(fuzz|growth|docs|house|package|quickstart|inherited-names|krm\/hostile|cli\/first-hostile|inventory\/counted|inventory\/counted-fleets)\.test\.ts$/
/** As many faults of the chosen ones may live without a reason. */
const MOST_ALIVE = 2
/** Tests that fail with few cases: those that ask whether enough were drawn. */
const MOST_FAILED = 3

const { values: asked } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    all: { type: 'boolean', default: false },
    named: { type: 'boolean', default: false },
    sample: { type: 'string' },
    seed: { type: 'string', default: SEED },
    workers: { type: 'string', default: '2' },
    limit: { type: 'string', default: '3000' },
    each: { type: 'string' },
    verbose: { type: 'boolean', default: false },
  },
})

const began = performance.now()
const modules = new Modules(ROOT, {})
const sources = filesIn(join(ROOT, 'src'))
  .map((path) => ({ path, file: relative(ROOT, path), text: readFileSync(path, 'utf8') }))
  .filter(({ file }) => isTried(file) || NAMED.some((one) => one.file === file))
  .filter(({ file }) => asked.only.split(',').some((one) => file.includes(one)))
  .map((source) => ({ ...source, ...placesIn(source.file, source.text) }))
const textOf = new Map(sources.map(({ file, text }) => [file, text]))
const firsts: Record<string, number> = {}
let count = 0
for (const { file, blocks } of sources) {
  firsts[file] = count
  count += blocks.length
}
const mutants = chosen()
if (mutants.length === 0)
  throw new Error(
    `no fault is tried in ${asked.only}: files that the full run leaves out are tried with --all or --each N`,
  )
const crew = new Crew()
const { seen, onLoad, answers } = await look()
const alive: Mutant[] = []
const seenBySomebody: string[] = []
const reasons = new Map(UNSEEN)
const queue = [...mutants]
const lookedAt = performance.now()
if (asked.verbose) slowest()
await Promise.all(Array.from({ length: Number(asked.workers) }, tryAll))
crew.end()
report()

/** With `--all` or `--each` also what the full run leaves out. */
function isTried(file: string): boolean {
  return asked.all || asked.each !== undefined ? hasRules(file) : quotaOf(file) > 0
}

function chosen(): Mutant[] {
  const named = namedMutants(sources)
  if (asked.named) return named
  const drawn = sources.flatMap(({ file, mutants }) =>
    asked.all ? mutants : choose(mutants, asked.each === undefined ? quotaOf(file) : Number(asked.each), SEED),
  )
  if (asked.sample === undefined) return [...named, ...drawn]
  return [named, drawn].flatMap((all) => byHash(all, asked.seed).slice(0, Number(asked.sample)))
}

async function look(): Promise<{ seen: Seen[]; onLoad: Set<number>; answers: Record<string, string> }> {
  const needed = new Set(sources.flatMap(({ path }) => [...modules.importersOf(path)]))
  const tests = [...filesIn(join(ROOT, 'test')), join(ROOT, 'tools/mutants/golden.ts')]
    .filter((path) => (path.endsWith('.test.ts') || path.endsWith('golden.ts')) && !NOT_TRIED.test(path))
    .filter((path) => needed.has(path))
  const parts = Array.from({ length: Number(asked.workers) }, (_, part) =>
    tests.filter((_path, index) => index % Number(asked.workers) === part),
  )
  const looked = await Promise.all(parts.map((files) => crew.look({ kind: 'look', files, firsts })))
  const failed = looked.flatMap((one) => one.failed)
  for (const line of failed) say(`not tried, since it fails without a fault: ${line}`)
  if (failed.length > MOST_FAILED) throw new Error('the tests fail without a fault')
  return {
    seen: looked.flatMap((one) => one.seen).filter(({ milliseconds }) => milliseconds < Number(asked.limit)),
    onLoad: new Set(looked.flatMap((one) => one.onLoad)),
    answers: Object.assign({}, ...looked.map((one) => one.answers)),
  }
}

async function tryAll(): Promise<void> {
  for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
    const path = join(ROOT, mutant.file)
    const block = (firsts[mutant.file] ?? 0) + mutant.block
    const isSeenByAll = mutant.block < 0 || onLoad.has(block)
    const { tests, milliseconds } = reachOf(
      mutant,
      isSeenByAll ? undefined : block,
      modules.importersOf(path),
      seen,
      ROOT,
    )
    const text = applied(textOf.get(mutant.file) ?? '', mutant)
    const from = performance.now()
    const { killedBy } = await crew.attempt({ kind: 'try', path, text, tests, answers }, milliseconds)
    const took = Math.round(performance.now() - from)
    const tried = tests.length
    if (asked.verbose || killedBy === 'does not end')
      say(
        `${killedBy === undefined ? 'lives ' : 'killed'} ${took} ms ${mutant.line} ${keyOf(mutant)} (${killedBy ?? `${tried} tests`})`,
      )
    if (killedBy === undefined) alive.push(mutant)
    else seenBySomebody.push(keyOf(mutant))
  }
}

function report(): void {
  const unexplained = alive.filter((mutant) => !reasons.has(keyOf(mutant)))
  for (const mutant of unexplained) say(`lives: ${mutant.file}:${mutant.line} ${keyOf(mutant)}`)
  const stale = [...reasons.keys()].filter((key) => seenBySomebody.includes(key))
  for (const key of stale) say(`is killed, and stands among those that nobody could see: ${key}`)
  const seconds = (from: number, to: number) => `${Math.round((to - from) / 1000)} s`
  const explained = alive.length - unexplained.length
  say(
    `${mutants.length} faults: ${mutants.length - alive.length} killed, ${explained} that nobody could see, ${unexplained.length} alive; ` +
      `${seconds(began, performance.now())}, of these ${seconds(began, lookedAt)} without a fault`,
  )
  process.exitCode = unexplained.length > MOST_ALIVE || stale.length > 0 ? 1 : 0
}

function say(line: string): void {
  process.stdout.write(`${line}\n`)
}

function slowest(): void {
  const ofFile = new Map<string, number>()
  for (const { file, milliseconds } of seen) ofFile.set(file, (ofFile.get(file) ?? 0) + milliseconds)
  const ranked = [...ofFile].sort(([, a], [, b]) => b - a).slice(0, 12)
  for (const [file, milliseconds] of ranked) say(`${Math.round(milliseconds)} ms ${relative(ROOT, file)}`)
}
