import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { filesOf, functionsIn, inFolder, ROOT, run } from '../support/hosts.ts'
import { has } from '../support/program.ts'
import { isSampled } from '../support/sampled.ts'

/** One call of kpt, and what must come of it. `overlay` is copied over the package before, `remove` taken away. */
interface Step {
  command?: 'render' | 'eval'
  args?: string[]
  folder?: string
  exit?: number
  overlay?: string
  remove?: string[]
}

interface Case {
  description: string
  package?: string
  steps?: Step[]
}

/** How many packages each area has at least. */
const AREAS = { golden: 10, kubescape: 10, reservation: 10, pools: 5, actions: 1 }
const UPDATE = process.env.UPDATE_GOLDEN === '1'
const HAS_KPT = has('kpt')
/** The packages whose pipeline has a function of the catalog. */
const OF_CATALOG = ['namespace-before', 'set-namespace']
const HAS_CATALOG = has('set-namespace')

suite('golden packages, rendered twice by kpt', (test) => {
  for (const [area, least] of Object.entries(AREAS)) {
    const cases = readdirSync(join(ROOT, 'testdata', area))
      .filter((name) => existsSync(join(ROOT, 'testdata', area, name, 'case.json')))
      .sort()
    test(`there are packages in ${area}`, () => assert.ok(cases.length >= least))
    const tried = HAS_KPT ? cases.filter((one) => HAS_CATALOG || !OF_CATALOG.includes(one)) : []
    for (const [number, name] of tried.entries())
      test(`${area}/${name}`, () =>
        inFolder((folder) => check(join(ROOT, 'testdata', area, name), folder, isSampled(number))))
  }
})

/** Renders each step; with `isTwice` once more, which changes nothing: in a sampled run of every third package. */
function check(golden: string, folder: string, isTwice: boolean): void {
  const { package: source = 'package', steps = [{}] } = JSON.parse(
    readFileSync(join(golden, 'case.json'), 'utf8'),
  ) as Case
  const work = join(folder, 'package')
  cpSync(join(golden, source), work, { recursive: true })
  const bin = functionsIn(folder)
  for (const [index, step] of steps.entries()) {
    if (step.overlay !== undefined) cpSync(join(golden, step.overlay), work, { recursive: true })
    for (const path of step.remove ?? []) rmSync(join(work, path))
    const before = filesOf(work)
    const results = call(step, work, bin, join(folder, `results-${index}`))
    const once = filesOf(work)
    if (step.exit) assert.equal(once, before, 'a failed run changes nothing')
    if (isTwice) {
      call(step, work, bin, join(folder, `results-again-${index}`))
      assert.equal(filesOf(work), once, 'the second run changes nothing')
    }
    compare(join(golden, `expected-${index + 1}`), once, join(golden, `results-${index + 1}.txt`), results)
  }
}

/** Runs kpt and gives its results, one a line. */
function call(
  { command = 'render', args = [], folder = '', exit = 0 }: Step,
  work: string,
  bin: string,
  results: string,
): string {
  const target = join(work, folder)
  const own = command === 'render' ? ['--allow-exec'] : ['--exec', 'nodefit-fn']
  const { status, stderr } = run(
    'kpt',
    ['fn', command, target, ...own, '--truncate-output=false', '--results-dir', results, ...args],
    { bin, cwd: work },
  )
  assert.is(status, exit, stderr)
  const { items = [] } = parse(readFileSync(join(results, 'results.yaml'), 'utf8')) as {
    items?: Array<{ results?: Array<{ severity: string; message: string }> }>
  }
  return items
    .flatMap((item) => item.results ?? [])
    .map(({ severity, message }) => `${severity} ${message}\n`)
    .join('')
}

function compare(expected: string, files: Record<string, string>, resultsFile: string, results: string): void {
  if (UPDATE) {
    rmSync(expected, { recursive: true, force: true })
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(join(expected, path, '..'), { recursive: true })
      writeFileSync(join(expected, path), text)
    }
    writeFileSync(resultsFile, results)
    return
  }
  assert.ok(existsSync(expected), `${expected} is missing: run with UPDATE_GOLDEN=1 and read the diff`)
  const wanted = filesOf(expected)
  assert.equal(Object.keys(files), Object.keys(wanted))
  for (const [path, text] of Object.entries(wanted)) assert.is(files[path], text, path)
  assert.is(results, readFileSync(resultsFile, 'utf8'))
}
