/**
 * Runs test files (tools/test/choose.ts says which), bundled, and closes with `N passed, N failed`. Files of `test/` share two processes;
 * each file of `e2e/`, which starts programs, has one to itself, or one with the other files of its host. A file that adds no test fails, unless it says which program is missing,
 * and so does a run without files: uvu would call all of these a success.
 */
import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { ROOT } from './build/bundle.ts'
import { bundleTests } from './test/bundle.ts'
import { chosenFiles } from './test/choose.ts'
import { Crew, endOnSignals, type Outcome, TIME_IS_UP } from './test/crew.ts'
import { verdictOf } from './test/verdict.ts'

/** Two cores; hosts mostly wait. */
const [LANES, HOST_LANES] = [2, 4]
/** Groups of files with one host that takes long to start: a control plane, an Argo CD. */
const STARTED_ONCE = ['e2e/cluster', 'e2e/sync', 'e2e/argocd', 'e2e/flux']
const SECONDS = join(ROOT, '.cache/test-seconds.json')

if (!existsSync(join(ROOT, 'dist/validators.js'))) {
  process.stderr.write('dist/ is not built: npm run build, or npm test, which builds first\n')
  process.exit(1)
}

const seconds = remembered()
const { files: chosen, isSample, withMutants, milliseconds } = chosenFiles(process.argv.slice(2))
const until = Date.now() + milliseconds
if (isSample) process.env.SAMPLE = 'true'
const files = longestFirst(chosen)
const isForHosts = files.every((file) => !file.startsWith('test/'))
const remarks = new Set<string>()
let passed = 0
let failed = files.length === 0 ? 1 : 0
const bundles = await bundleTests(files)
process.once('exit', bundles.remove)
const crew = new Crew(bundles, until)
endOnSignals(crew)
const jobs = jobsOf(files)
await Promise.all(Array.from({ length: isForHosts ? HOST_LANES : LANES }, (_, lane) => work(lane)))
await crew.end()
remember()
if (withMutants) await tryMutants()
for (const line of remarks) process.stdout.write(`${line}\n`)
process.stdout.write(`${passed} passed, ${failed} failed\n`)
process.exitCode = failed > 0 ? 1 : 0

/** Every fault that is put in on purpose, as one test. */
async function tryMutants(): Promise<void> {
  const status = await crew.program('tools/mutants.ts')
  if (status === 0) passed++
  else failed++
  process.stdout.write(`${status === 0 ? 'ok  ' : 'FAIL'} tools/mutants.ts\n`)
}

/** Files that are run one after another: those of a host that is started once, else each by itself. */
function jobsOf(all: readonly string[]): string[][] {
  const series = STARTED_ONCE.map((folder) => all.filter((file) => file.startsWith(`${folder}/`)))
  const others = all.filter((file) => !series.some((files) => files.includes(file)))
  return [...series.filter((files) => files.length > 0), ...others.map((file) => [file])]
}

async function work(lane: number): Promise<void> {
  for (let job = jobs.shift(); job !== undefined; job = jobs.shift()) {
    let from = performance.now()
    const done = (file: string, { output, isComplete }: Outcome) => {
      seconds[file] = Number(((performance.now() - from) / 1000).toFixed(2))
      from = performance.now()
      report(file, output, isComplete)
    }
    const [file = ''] = job
    if (STARTED_ONCE.some((folder) => file.startsWith(`${folder}/`))) await crew.series(job, done)
    else if (!crew.hasTime) done(file, TIME_IS_UP)
    else done(file, await (file.startsWith('test/') ? crew.shared(file, lane) : crew.alone(file)))
  }
}

function report(file: string, output: string, isComplete: boolean): void {
  const verdict = verdictOf(output, isComplete)
  for (const line of verdict.remarks) remarks.add(line)
  passed += verdict.passed
  failed += verdict.failed
  if (verdict.failed > 0) process.stdout.write(`${output}\n`)
  const why = verdict.why === '' ? '' : `, ${verdict.why}`
  const word = verdict.failed > 0 ? 'FAIL' : 'ok  '
  process.stdout.write(`${word} ${relative('.', join(ROOT, file))}: ${verdict.passed} of ${verdict.total}${why}\n`)
}

/** What each file took when it was last run, so that none is left alone at the end. */
function remembered(): Record<string, number> {
  try {
    return JSON.parse(readFileSync(SECONDS, 'utf8')) as Record<string, number>
  } catch {
    return {}
  }
}

function remember(): void {
  mkdirSync(join(ROOT, '.cache'), { recursive: true })
  writeFileSync(SECONDS, JSON.stringify({ ...remembered(), ...seconds }))
}

/** A file that was never run is as long as its text. */
function longestFirst(names: readonly string[]): string[] {
  const cost = (file: string) => seconds[file] ?? statSync(join(ROOT, file)).size / 10_000
  return names.toSorted((a, b) => cost(b) - cost(a))
}
