/**
 * npm run bench: nodefit against its peers, each pair in one interleaved run, medians of CPU time and peak memory.
 * Needs kpt, Go and GNU time. With --write the figures go into docs/benchmarks.md. With --against COMMIT it compares this
 * tree with another commit of it instead, on nine inputs.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { firstPaint, inChromium } from '../e2e/browser/browser.ts'
import { actionFile, actionList, actionTrust } from './actions.ts'
import { compareWith, comparisonTable } from './against.ts'
import {
  notReadyNodes,
  ordersForPools,
  policiesOnOneTemplate,
  policiesWithTemplates,
  sizedOrderGroups,
} from './doubled.ts'
import { fleetFile } from './fleet.ts'
import { inventoryFile, inventoryList, kubescapeList, nodesList } from './inputs.ts'
import { interleave, median, type Program, type Sample } from './measure.ts'
import { patternFile } from './patterns.ts'
import { poolsWithPods } from './pools.ts'
import { ticketsTwice } from './tickets.ts'
import { viewPairs } from './views.ts'
import { writeFunction } from './without-coverage.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const RUNS = Number(process.env.BENCH_RUNS ?? 15)
/** Measures some rows only, and leaves the others of the page as they are. */
const ONLY = new RegExp(process.env.BENCH_ONLY ?? '')
const folder = mkdtempSync(join(tmpdir(), 'nodefit-bench-'))
const fn = join(ROOT, 'dist/fn.cjs')
const peer = join(folder, 'peer')
const rows: string[] = []

/** The least that a function written for Node costs. */
const COPY = "#!/usr/bin/env node\nconst fs = require('fs')\nfs.writeSync(1, fs.readFileSync(0))\n"

const at = process.argv.indexOf('--against')
const commit = process.argv[at + 1]
if (at > 0 && commit === undefined) throw new Error('--against needs a commit')
if (at > 0 && commit !== undefined) {
  process.stdout.write(`${comparisonTable(commit, compareWith(commit, ROOT, RUNS, ONLY))}\n`)
  process.exit()
}

try {
  execFileSync('go', ['build', '-o', peer, '.'], { cwd: join(ROOT, 'bench/peer'), stdio: 'inherit' })
  startUp()
  for (const count of [100, 5000, 65000]) throughKpt(count)
  throughKpt(5000, 'a Node script that only copies', file('copy.cjs', COPY))
  wholeRender('65,000 nodes in shapes', file('65000.yaml', inventoryList(65000)))
  wholeRender('1,000 raw Nodes of 12 KB', file('nodes.yaml', nodesList(1000)))
  kubescape(60)
  await coverage(300)
  tickets()
  growth()
  for (const count of [5000, 65000])
    for (const { what, view, build } of viewPairs(join(folder, 'views'), count, (name) => ONLY.test(name)))
      report(what, '`nodefit build` of the same', '', view, build, Math.min(RUNS, 5))
  await page()
  actions()
  patterns()
  doubled('signed actions, on 5,000 nodes', (count) => actionList(count, 5000), 4000)
  doubled('nodes that are not ready, under an Order', notReadyNodes, 20000)
  doubled('groups of a sized Order, on 4,000 nodes', sizedOrderGroups, 40)
  doubled('policies with a template each', policiesWithTemplates, 3200)
  doubled('policies on one template', policiesOnOneTemplate, 1600)
  doubled('Orders, each for a pool of its own', ordersForPools, 3200)
  doubled('pending pods of 50 kinds, 20 pools, half as many nodes', (count) => poolsWithPods(count, true), 10000)
  doubled('pending pods, all different, 20 pools, half as many nodes', (count) => poolsWithPods(count, false), 10000)
  const table = [
    '| What | nodefit | Against | CPU ratio | Memory ratio | Goal |',
    '|---|---|---|---|---|---|',
    ...rows,
  ].join('\n')
  process.stdout.write(`${table}\n`)
  if (process.argv.includes('--write')) writePage(process.env.BENCH_ONLY === undefined ? table : undefined)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

function startUp(): void {
  const input = file('small.yaml', inventoryList(1))
  const bare: Program = { name: 'b', command: [process.execPath, '-e', '0'] }
  const against = 'bare `node -e 0`'
  report(
    'Start-up: the function on one node',
    against,
    'at most 2.5',
    {
      name: 'a',
      command: [process.execPath, fn],
      input,
    },
    bare,
  )
  const alone = file('fn.cjs', readFileSync(fn, 'utf8'))
  file('fn.cjs.program', readFileSync(`${fn}.program`, 'utf8'))
  report(
    'Start-up without its compiled code',
    against,
    '',
    { name: 'a', command: [process.execPath, alone], input },
    bare,
  )
}

/** kpt with nodefit against kpt with cat, both on a package that was rendered before, as it is day after day. */
function throughKpt(count: number, what = 'nodefit', exec = 'nodefit-fn'): void {
  const source = join(folder, `source-${count}-${what.length}`)
  cpSync(join(ROOT, 'testdata/quickstart'), source, { recursive: true })
  writeFileSync(join(source, 'inventory.yaml'), inventoryFile(count))
  const bin = join(folder, `bin-${count}-${what.length}`)
  mkdirSync(bin)
  symlinkSync(fn, join(bin, 'nodefit-fn'))
  const env = { PATH: `${bin}:${process.env.PATH}` }
  execFileSync('kpt', ['fn', 'eval', source, '--exec', 'nodefit-fn'], {
    env: { ...process.env, ...env },
    stdio: 'ignore',
  })
  const program = (name: string, exec: string): Program => {
    const work = join(folder, `work-${count}-${what.length}-${name}`)
    const reset = () => {
      rmSync(work, { recursive: true, force: true })
      cpSync(source, work, { recursive: true })
    }
    return { name, command: ['kpt', 'fn', 'eval', work, '--exec', exec], env, reset }
  }
  report(
    `kpt fn eval${what === 'nodefit' ? '' : ` with ${what}`}, ${count.toLocaleString('en')} nodes in shapes`,
    'the same with `cat`',
    count === 5000 && what === 'nodefit' ? 'at most 1.25' : '',
    program('a', exec),
    program('b', 'cat'),
    count > 5000 ? RUNS : 3 * RUNS,
  )
}

function wholeRender(what: string, input: string): void {
  report(
    `Whole render, ${what}`,
    'a Go function on kyaml that only reads and writes',
    'at most 1.0',
    { name: 'a', command: [process.execPath, fn], input },
    { name: 'b', command: [peer], input },
  )
}

function kubescape(groups: number): void {
  const input = (kind: 'ConfigMap' | 'DaemonSet') => file(`${kind}.yaml`, kubescapeList(groups, kind))
  report(
    `Whole render, the template of Kubescape’s chart, ${groups} groups`,
    'the same from its static DaemonSet',
    '',
    { name: 'a', command: [process.execPath, fn], input: input('ConfigMap') },
    { name: 'b', command: [process.execPath, fn], input: input('DaemonSet') },
  )
}

/** What the proof of coverage takes of a render: the same program with it and without it, neither compiled before. */
async function coverage(groups: number): Promise<void> {
  const input = file('groups.yaml', kubescapeList(groups, 'DaemonSet'))
  const program = async (name: string, isProved: boolean): Promise<Program> => {
    return { name, command: [process.execPath, await writeFunction(join(folder, `${name}.cjs`), { isProved })], input }
  }
  report(
    `Whole render, ${groups} groups`,
    'the same without the proof of coverage',
    'at most 1.1',
    await program('a', true),
    await program('b', false),
  )
}

/** kpt on a package with 15,000 Tickets that were rendered before. */
function tickets(): void {
  const [again, through] = [
    '15,000 Tickets of 5,000 nodes fed back',
    'kpt fn eval, 15,000 Tickets of 5,000 nodes',
  ] as const
  if (!ONLY.test(again) && !ONLY.test(through)) return
  const { evaluate, env, inputs } = ticketsTwice(folder, fn)
  const [first, second] = inputs.map((input): Program => ({ name: input, command: [process.execPath, fn], input })) as [
    Program,
    Program,
  ]
  report(again, 'the same before the first Ticket', 'below 4 s', second, first, Math.min(RUNS, 5))
  report(
    through,
    'the same with `cat`',
    'at most 1.5',
    { name: 'a', command: [...evaluate, 'nodefit-fn'], env },
    { name: 'b', command: [...evaluate, 'cat'], env },
    Math.min(RUNS, 3),
  )
}

function growth(): void {
  const input = (count: number) => file(`${count}.yaml`, inventoryList(count))
  report(
    '65,000 nodes in shapes',
    '6,500 nodes in shapes',
    'at most 12',
    { name: 'a', command: [process.execPath, fn], input: input(65000) },
    { name: 'b', command: [process.execPath, fn], input: input(6500) },
  )
}

/** What signed actions cost: through the function with a public key, through the command with a secret one. */
function actions(): void {
  const env = { TRUST: actionTrust() }
  const build = [process.execPath, join(ROOT, 'dist/nodefit.cjs'), 'build']
  const trusting = [...build, '--trust', 'env:TRUST']
  const against = 'the same without actions'
  const goal = 'at most 0.5 s more, 256 MB'
  const [some, none] = [2000, 0].map((count): Program => {
    return {
      name: String(count),
      command: [process.execPath, fn],
      input: file(`public-${count}.yaml`, actionList(count, 5000)),
    }
  }) as [Program, Program]
  report('2,000 actions by Ed25519, 5,000 nodes', against, goal, some, none)
  const [many, few] = [2000, 0].map((count): Program => {
    const input = file(`secret-${count}.yaml`, actionFile(count, 5000, 'HMAC-SHA256'))
    return { name: String(count), command: [...trusting, input], env }
  }) as [Program, Program]
  report('2,000 actions by HMAC-SHA-256, 5,000 nodes, by the command', against, goal, many, few)
  const own = file('own.yaml', actionFile(2000, 5000, 'Ed25519', true))
  report(
    '2,000 actions by Ed25519, 5,000 nodes, with a trust',
    'the same with the keyring of the package',
    'at most 1.1',
    { name: 'trust', command: [...trusting, own], env },
    { name: 'own', command: [...build, own] },
  )
}

/** What the patterns of somebody who means harm cost. */
function patterns(): void {
  const [hostile, plain] = [true, false].map((isHostile): Program => {
    const input = file(`patterns-${isHostile}.yaml`, patternFile(isHostile))
    return { name: String(isHostile), command: [process.execPath, join(ROOT, 'dist/nodefit.cjs'), 'build', input] }
  }) as [Program, Program]
  report('A rule of 1 MB of patterns that are made to take long', 'the same with names', 'at most 2 s', hostile, plain)
}

/** The page of a large fleet beside the render that it shows, and how soon a browser shows it. */
async function page(): Promise<void> {
  const what = 'nodefit report, 5,000 nodes, 300 groups of each of ten agents'
  if (!ONLY.test(what)) return
  const input = file('fleet.yaml', fleetFile(5000, 300, 10))
  const html = join(folder, 'report.html')
  const command = (name: string, output: string) => [
    process.execPath,
    join(ROOT, 'dist/nodefit.cjs'),
    name,
    input,
    '--output',
    output,
  ]
  report(
    what,
    '`nodefit build` of the same',
    '',
    { name: 'a', command: command('report', html) },
    { name: 'b', command: command('build', join(folder, 'built.yaml')) },
    Math.min(RUNS, 5),
  )
  const paints: number[] = []
  await inChromium(async (browser) => {
    for (let run = 0; run < Math.min(RUNS, 5); run++) paints.push(await firstPaint(browser, html))
  })
  const megabytes = (readFileSync(html).length / 1e6).toFixed(2)
  rows.push(
    `| First paint of that page in Chromium | ${(median(paints) / 1000).toFixed(2)} s, ${megabytes} MB of HTML |  |  |  | below 2 s, 2 MB |`,
  )
}

/** What a render costs must double with its input, and no more. */
function doubled(what: string, listOfSize: (count: number) => string, count: number): void {
  const program = (name: string, size: number): Program => {
    return { name, command: [process.execPath, fn], input: file(`doubled-${name}.yaml`, listOfSize(size)) }
  }
  const half = count / 2
  report(
    `${count.toLocaleString('en')} ${what}`,
    half.toLocaleString('en'),
    'at most 2.1',
    program('a', count),
    program('b', half),
    Math.min(RUNS, 5),
  )
}

function report(what: string, against: string, goal: string, a: Program, b: Program, runs = RUNS): void {
  if (!ONLY.test(what)) return
  const pairs = interleave([a, b], runs)
  const ratio = (pick: (sample: Sample) => number) =>
    median(pairs.map(([left, right]) => pick(left as Sample) / pick(right as Sample))).toFixed(2)
  const [own, other] = [0, 1].map((index) => figures(pairs.map((pair) => pair[index] as Sample)))
  rows.push(
    `| ${what} | ${own} | ${against}: ${other} | ${ratio(({ seconds }) => seconds)} | ${ratio(({ megabytes }) => megabytes)} | ${goal} |`,
  )
  process.stderr.write(`${rows.at(-1)}\n`)
}

function figures(samples: readonly Sample[]): string {
  const seconds = median(samples.map((sample) => sample.seconds))
  const megabytes = median(samples.map((sample) => sample.megabytes))
  return `${seconds.toFixed(seconds < 1 ? 3 : 2)} s, ${megabytes.toFixed(0)} MB`
}

function file(name: string, text: string): string {
  const path = join(folder, name)
  writeFileSync(path, text, { mode: 0o755 })
  return path
}

/** The whole table, or only the rows that were measured; new ones come last. */
function writePage(table: string | undefined): void {
  const page = join(ROOT, 'docs/benchmarks.md')
  const text = readFileSync(page, 'utf8')
  const placed = rows.reduce((lines, row) => {
    const head = row.slice(0, row.indexOf(' | ') + 3)
    const end = lines.indexOf('<!-- /figures -->') - 1
    if (!lines.some((line) => line.startsWith(head))) return lines.toSpliced(end, 0, row)
    return lines.map((line) => (line.startsWith(head) ? row : line))
  }, text.split('\n'))
  const whole = () => text.replace(/(<!-- figures -->\n)[\s\S]*(<!-- \/figures -->)/, `$1\n${table}\n\n$2`)
  writeFileSync(page, table === undefined ? placed.join('\n') : whole())
}
