/**
 * This tree side by side with another commit of it, on nine inputs: builds the commit in a folder of its own, runs both
 * functions in interleaved pairs, and prints medians and the medians of the ratios.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { policiesOnOneTemplate, policiesWithTemplates, sizedOrderGroups } from './doubled.ts'
import { inventoryList, kubescapeList, nodesList } from './inputs.ts'
import { interleave, median, type Sample } from './measure.ts'
import { poolsWithPods } from './pools.ts'

const INPUTS: Readonly<Record<string, () => string>> = {
  'one node': () => inventoryList(1),
  '5,000 nodes in shapes': () => inventoryList(5000),
  '65,000 nodes in shapes': () => inventoryList(65000),
  '1,000 raw Nodes of 12 KB': () => nodesList(1000),
  '60 groups of Kubescape': () => kubescapeList(60, 'ConfigMap'),
  '400 policies with a template each': () => policiesWithTemplates(400),
  '400 policies on one template': () => policiesOnOneTemplate(400),
  '20 groups of a sized Order, 4,000 nodes': () => sizedOrderGroups(20),
  '2,000 pending pods, 20 pools': () => poolsWithPods(2000, true),
}

/** A bundler follows links, and finds other paths than those of the lock file. */
const COPIED = { recursive: true, verbatimSymlinks: true }

export interface Comparison {
  readonly what: string
  /** Medians of the other commit and of this tree, and of the ratios of their pairs. */
  readonly before: Sample
  readonly after: Sample
  readonly seconds: number
  readonly megabytes: number
}

/** Compares on each input whose name matches. `root` is this tree, built. Throws where the commit cannot be built. */
export function compareWith(commit: string, root: string, runs: number, only: RegExp): Comparison[] {
  const folder = mkdtempSync(join(tmpdir(), 'nodefit-against-'))
  try {
    const other = join(folder, 'other')
    execFileSync('git', ['clone', '--quiet', '--no-checkout', root, other])
    execFileSync('git', ['checkout', '--quiet', '--detach', commit], { cwd: other })
    if (isSameLock(commit, root)) cpSync(join(root, 'node_modules'), join(other, 'node_modules'), COPIED)
    else execFileSync('npm', ['ci', '--silent', '--no-audit', '--no-fund'], { cwd: other, stdio: 'inherit' })
    execFileSync('npm', ['run', '--silent', 'build'], { cwd: other, stdio: 'inherit' })
    return Object.entries(INPUTS)
      .filter(([what]) => only.test(what))
      .map(([what, text]) => {
        const input = join(folder, 'input.yaml')
        writeFileSync(input, text())
        const programs = [other, root].map((tree) => {
          return { name: tree, command: [process.execPath, join(tree, 'dist/fn.cjs')], input }
        })
        return comparisonOf(what, interleave(programs, runs))
      })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function comparisonOf(what: string, pairs: readonly (readonly Sample[])[]): Comparison {
  const of = (index: number, key: keyof Sample) => pairs.map((pair) => pair[index]?.[key] ?? Number.NaN)
  const ratio = (key: keyof Sample) =>
    median(pairs.map(([a, b]) => (b?.[key] ?? Number.NaN) / (a?.[key] ?? Number.NaN)))
  const sample = (index: number) => {
    return { seconds: median(of(index, 'seconds')), megabytes: median(of(index, 'megabytes')) }
  }
  return { what, before: sample(0), after: sample(1), seconds: ratio('seconds'), megabytes: ratio('megabytes') }
}

/** Whether the commit has the packages that are installed here. */
function isSameLock(commit: string, root: string): boolean {
  if (!existsSync(join(root, 'node_modules'))) return false
  try {
    execFileSync('git', ['diff', '--quiet', commit, '--', 'package-lock.json'], { cwd: root })
    return true
  } catch {
    return false
  }
}

/** The comparisons as a table in Markdown. */
export function comparisonTable(commit: string, all: readonly Comparison[]): string {
  const rows = all.map(({ what, before, after, seconds, megabytes }) => {
    const amounts = ({ seconds: time, megabytes: memory }: Sample) => `${time.toFixed(3)} s, ${memory.toFixed(0)} MB`
    return `| ${what} | ${amounts(before)} | ${amounts(after)} | ${seconds.toFixed(2)} | ${megabytes.toFixed(2)} |`
  })
  return [`| What | ${commit} | This tree | CPU ratio | Memory ratio |`, '|---|---|---|---|---|', ...rows].join('\n')
}
