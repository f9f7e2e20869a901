/** The figures that `init` and `build` print, read back, and the same worked out from nodes and pods alone. */
import * as assert from 'uvu/assert'
import type { Run } from '../support/hosts.ts'
import type { DaemonSet, Node } from './kubernetes.ts'
import type { Made, Tried } from './pair.ts'
import { comesBack, getsLess, podRequests, type Standing, type Sum, servedBy, standingOn } from './recompute.ts'

/** What the pods on a fleet request. */
export interface Total extends Sum {
  /** Pods that run: where one starts. */
  readonly pods: number
  /** Nodes where none starts, and one that runs already may stay. */
  readonly staying: number
  /** Nodes where a pod that runs and is deleted does not come back while the node is as it is. */
  readonly lost: number
}

/** The totals of a package, and where a node's pod asks for most against the template. */
export interface Figures {
  readonly before: Total
  readonly after: Total
  /** The largest of requested now / requested by the template, over nodes and both resources; 1 where nothing is requested. */
  readonly worstRatio: number
}

const SERVED: readonly Standing[] = ['start', 'stay']

/** Before: the template where it may run. After: the one rendered DaemonSet that serves the node. */
export function figuresOf({ nodes, template }: Tried, { rendered }: Made): Figures {
  const pod = template.spec.template.spec
  const own = podRequests(pod)
  let worstRatio = 1
  for (const node of nodes) {
    const now = servedBy(rendered, node, ['start'])
    if (now === undefined) continue
    const { cpu, memory } = podRequests(now.spec.template.spec)
    if (own.cpu > 0n) worstRatio = Math.max(worstRatio, Number(cpu) / Number(own.cpu))
    if (own.memory > 0n) worstRatio = Math.max(worstRatio, Number(memory) / Number(own.memory))
  }
  return { before: totalOn(nodes, [template]), after: totalOn(nodes, rendered), worstRatio }
}

function totalOn(nodes: readonly Node[], daemonSets: readonly DaemonSet[]): Total {
  const total = { cpu: 0n, memory: 0n, pods: 0, staying: 0, lost: 0 }
  for (const node of nodes) {
    const daemonSet = servedBy(daemonSets, node, SERVED)
    if (daemonSet === undefined) continue
    const pod = daemonSet.spec.template.spec
    if (standingOn(pod, node) === 'stay') {
      total.staying++
      continue
    }
    if (!comesBack(pod, node)) total.lost++
    const { cpu, memory } = podRequests(pod)
    total.cpu += cpu
    total.memory += memory
    total.pods++
  }
  return total
}

const SUMMARY =
  /requesting ([\d.]+)(?: -> ([\d.]+))? cores and ([\d.]+)(?: -> ([\d.]+))? GiB on (\d+) pods?(?:, (\d+) more if (?:it runs|they run) there already)?/

/** Holds the summary of `build`, and the total below its table, against the recomputed figures. */
export function holdSummary({ build }: Made, { before, after }: Figures): void {
  const found = SUMMARY.exec(build.stderr)
  assert.ok(found, `no totals in:\n${build.stderr}`)
  const [, cpu = '', cpuNow = cpu, memory = '', memoryNow = memory, pods, staying = '0'] = found
  assert.equal(
    { before: [cpu, memory], after: [cpuNow, memoryNow], pods: Number(pods), staying: Number(staying) },
    {
      before: [hundredths(before.cpu, 1n), hundredths(before.memory, GIB)],
      after: [hundredths(after.cpu, 1n), hundredths(after.memory, GIB)],
      pods: after.pods,
      staying: after.staying,
    },
  )
  assert.is(before.pods, after.pods)
  const total = /^total +(\d+)(?: \(\+(\d+)\))? +(.*)$/m.exec(build.stderr)
  assert.ok(total, build.stderr)
  assert.equal([Number(total[1]), Number(total[2] ?? 0)], [after.pods, after.staying])
  const change = (was: bigint, is: bigint, unit: bigint) =>
    [...new Set([hundredths(was, unit), hundredths(is, unit)])].join(' -> ')
  const lost = after.lost === 0 ? [] : [`${after.lost} lost`]
  const words = [
    `${change(before.cpu, after.cpu, 1n)} cores`,
    `${change(before.memory, after.memory, GIB)} GiB`,
    ...lost,
  ]
  assert.equal((total[3] ?? '').trim().split(/ {2,}/), words)
}

const GIB = 1n << 30n
const NANO = 1_000_000_000n

/** An amount in units, rounded to hundredths, a half up, as short as it can be written. */
export function hundredths(amount: bigint, unit: bigint): string {
  const rounded = (amount * 100n * 2n + unit * NANO) / (2n * unit * NANO)
  return String(Number(rounded) / 100)
}

const FIRST_RENDER = /first render: all pods: (requesting .*)$/m
/** What `init` allows the requests of all nodes to grow by. */
const BUDGET = { numerator: 5n, denominator: 4n }

/** Holds what `init` says of all nodes against the summary of `build`, and the recomputed sums against its budget. */
export function holdFirstRender({ init, build }: Made, { before, after }: Figures): void {
  const [, words = ''] = FIRST_RENDER.exec(init.stderr) ?? []
  assert.match(build.stderr, `; ${words}`)
  for (const resource of ['cpu', 'memory'] as const)
    assert.ok(after[resource] * BUDGET.denominator <= before[resource] * BUDGET.numerator, `${resource}: ${words}`)
  assert.not.match(build.stderr, 'TotalGrows')
}

const FEWER = /BelowEarlier: \S+: (\d+) nodes? gets? less than /

const UNKNOWN = /\(before: unknown, since earlier output selects nodes by (\S+), which the inventory does not export\)/

/** The label that the inventory lacks to tell which node had what, as `build` says; its figures are then of the run alone. */
export function unknownLabel({ build }: Regrouped): string | undefined {
  const label = UNKNOWN.exec(build.stderr)?.[1]
  if (label !== undefined) assert.not.match(build.stderr, /requesting \S+ ->|BelowEarlier/)
  return label
}

/** Holds what `build` says beside the output of an earlier build against what each node's pod had and has. */
export function holdRegrouped(
  nodes: readonly Node[],
  earlier: readonly DaemonSet[],
  { build, rendered }: Regrouped,
): void {
  const [before, after] = [totalOn(nodes, earlier), totalOn(nodes, rendered)]
  const found = SUMMARY.exec(build.stderr)
  assert.ok(found, `no totals in:\n${build.stderr}`)
  const [, cpu = '', cpuNow = cpu, memory = '', memoryNow = memory, pods, staying = '0'] = found
  assert.equal(
    [cpu, cpuNow, memory, memoryNow, Number(pods), Number(staying)],
    [
      hundredths(before.cpu, 1n),
      hundredths(after.cpu, 1n),
      hundredths(before.memory, GIB),
      hundredths(after.memory, GIB),
      after.pods,
      after.staying,
    ],
  )
  const losing = nodes.filter((node) => {
    const [had, has] = [earlier, rendered].map((all) => servedBy(all, node, ['start'])?.spec.template.spec)
    return had !== undefined && has !== undefined && getsLess(had, has)
  })
  assert.is(Number(FEWER.exec(build.stderr)?.[1] ?? 0), losing.length, build.stderr)
}

/** A build beside earlier output. */
export interface Regrouped {
  readonly build: Run
  readonly rendered: readonly DaemonSet[]
}
