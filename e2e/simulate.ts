/**
 * Simulates a pool under pods that come and go: each step a snapshot, a render of Git with it, and Git applied.
 * `npm run simulate -- [RUNS]` (docs/reliability.md).
 */
import { pathToFileURL } from 'node:url'
import type { AnyPlanner } from '../src/core/index.ts'
import { newItem } from '../src/krm/index.ts'
import { NEXT_CLAIM, OPENED_FOR } from '../src/krm/remembered.ts'
import type { KubernetesObject } from '../src/krm/types.ts'
import { poolPlanner } from '../src/plan/pool/planner.ts'
import { planPools, poolObjects, provider } from '../test/support/pools.ts'
import { Draw } from './support/fleets/draw.ts'
import { type Scheduler, SimulatedCluster, timeOf } from './support/pools/cluster.ts'

export const RUNS = 300
const STEPS = 420
/** After how many steps a slow scheduler binds pods to a new node: well within the time to settle. */
export const SLOW = 3
/** How old the snapshots of a run are, in steps. */
const LAGS = [0, 5, 8]

/** What a mechanism prevents, with it switched off, so that a test sees that the simulation notices. */
export type Fault =
  | 'no next claim'
  | 'since forgotten'
  | 'claims forgotten'
  | 'pods forgotten'
  | 'limits forgotten'
  | 'cordon not kept'
  | 'settle forgotten'

export interface Report {
  readonly runs: number
  readonly machines: number
  readonly removed: number
  namesUsedTwice: number
  busyRemoved: number
  limitsPassed: number
  /**
   * Pods that never run for which more than one machine was opened and came; those on which others ran do not count,
   * unless the pod is limited by something that is not planned with.
   */
  openedAgain: number
  /** Machines that came for pods that never run alone. */
  openedForPoison: number
  readonly poison: number
  /** Pods that a node would have helped, and that get no machine because one came for them. */
  readonly misjudged: number
  readonly errors: readonly string[]
}

export function simulate(runs: readonly number[], fault?: Fault, scheduler?: Partial<Scheduler>): Report {
  const reports = runs.map((run) => simulateOne(run, fault, scheduler))
  const sum = (of: (one: Report) => number) => reports.reduce((all, one) => all + of(one), 0)
  return {
    runs: runs.length,
    machines: sum((one) => one.machines),
    removed: sum((one) => one.removed),
    namesUsedTwice: sum((one) => one.namesUsedTwice),
    busyRemoved: sum((one) => one.busyRemoved),
    limitsPassed: sum((one) => one.limitsPassed),
    openedAgain: sum((one) => one.openedAgain),
    openedForPoison: sum((one) => one.openedForPoison),
    poison: sum((one) => one.poison),
    misjudged: sum((one) => one.misjudged),
    errors: [...new Set(reports.flatMap((one) => one.errors))],
  }
}

function simulateOne(run: number, fault?: Fault, scheduler?: Partial<Scheduler>): Report {
  const draw = new Draw(`pool ${run}`)
  const cluster = new SimulatedCluster(draw, {
    ...{ keepsCordons: fault !== 'cordon not kept', bindsAfter: fault === 'settle forgotten' ? SLOW : 0 },
    ...scheduler,
  })
  const lag = LAGS[run % LAGS.length] ?? 0
  const limits = {
    minNodes: draw.integer(0, 2),
    maxNodes: draw.one([0, 4, 8]),
    cpuCores: draw.one([0, 16, 32]),
    memoryMiB: draw.one([0, 61440]),
  }
  const policy = {
    overhead: {},
    scaleUp: { batchSize: draw.one([0, 1, 3]) },
    scaleDown: { maxConcurrent: draw.integer(1, 3) },
    sizing: draw.one(['Fixed', 'Elastic']),
    ...(fault === 'settle forgotten' ? { times: { settle: '0s' } } : {}),
  }
  const rate = draw.one([20, 60, 150])
  let git: readonly KubernetesObject[] = [...poolObjects({ limits, policy }), provider()]
  const applied: Array<readonly KubernetesObject[]> = [git]
  const snapshots: KubernetesObject[][] = []
  const opened = new Map<string, Set<string>>()
  const misjudged = new Set<string>()
  const report = { removed: 0, limitsPassed: 0, errors: new Set<string>(), machines: 0 }
  for (let step = 0; step < STEPS; step++) {
    // what was committed a minute ago is applied now
    cluster.apply(applied.at(-1) ?? git, step)
    cluster.tick(step, draw.integer(0, 99) < rate % 100 ? 1 + Math.floor(rate / 100) : Math.floor(rate / 100))
    snapshots.push(cluster.export(step))
    const snapshot = snapshots[step - lag]
    if (snapshot === undefined) continue
    const input = faulty(git, cluster, fault)
    const {
      objects,
      run: decided,
      errors,
    } = render([
      ...input,
      ...(fault === 'since forgotten' ? snapshot.map((one) => withoutAge(one, step - lag)) : snapshot),
    ])
    for (const error of errors) report.errors.add(error)
    if (errors.length > 0) break
    const before = namesIn(git)
    git = fault === 'claims forgotten' ? [...objects] : objects
    const after = namesIn(git)
    report.machines += after.filter((name) => !before.includes(name)).length
    report.removed += before.filter((name) => !after.includes(name)).length
    for (const { kind, metadata } of git)
      if (kind === 'NodeSmithClaim' && !opened.has(metadata.name))
        opened.set(metadata.name, podsOf(metadata.annotations?.[OPENED_FOR] ?? ''))
    for (const [{ id, group }, { kind }] of decided?.packing.outcomes ?? [])
      if (kind === 'not helped' && group.like.limits.length === 0 && !isPoison(cluster, id)) misjudged.add(id)
    report.limitsPassed += limitsPassed(git, cluster, limits)
    applied.push(git)
  }
  return {
    ...{ runs: 1, machines: report.machines, removed: report.removed, limitsPassed: report.limitsPassed },
    ...cluster.faults,
    ...countPoison(cluster, opened),
    misjudged: misjudged.size,
    errors: [...report.errors],
  }
}

/** Renders a package with the pool planner, and returns the objects of Git after it. */
function render(objects: readonly KubernetesObject[]) {
  const { plan, run } = planPools(objects.map(withoutPath), [poolPlanner as unknown as AnyPlanner])
  const errors = plan.findings.filter(({ severity }) => severity === 'error').map(({ message }) => message)
  const kept = plan.items
    .map(({ object }) => object)
    .filter(({ kind }) => kind !== 'NodeInventory' && kind !== 'WorkloadSnapshot')
  return { objects: kept, run, errors }
}

function withoutPath(object: KubernetesObject): KubernetesObject {
  const { annotations = {}, ...metadata } = object.metadata
  const kept = Object.fromEntries(Object.entries(annotations).filter(([key]) => !key.startsWith('internal.')))
  return newItem({ ...object, metadata: { ...metadata, annotations: kept } }).object
}

/** How long a pod is pending at most where its age is forgotten, in steps: longer than the scheduler is doubted. */
const FORGOTTEN = 11

/** A snapshot that does not remember how long pods have been pending, so that every node seems older than they are. */
function withoutAge(object: KubernetesObject, step: number): KubernetesObject {
  const spec = object.spec as { pending?: ReadonlyArray<{ pods: ReadonlyArray<{ since: string }> }> }
  if (spec.pending === undefined) return object
  const least = timeOf(step - FORGOTTEN)
  const young = <P extends { since: string }>(pod: P) => ({ ...pod, since: [pod.since, least].sort().at(-1) ?? least })
  const pending = spec.pending.map((one) => ({ ...one, pods: one.pods.map(young) }))
  return { ...object, spec: { ...spec, pending } }
}

const namesIn = (git: readonly KubernetesObject[]) =>
  git.filter(({ kind }) => kind === 'NodeSmithClaim').map(({ metadata }) => metadata.name)

const podsOf = (text: string) => new Set(text.split(' ').filter(Boolean))
const podNamed = ({ pods }: SimulatedCluster, id: string) => pods.get(id.replace('default/', ''))
const isPoison = (cluster: SimulatedCluster, id: string) => podNamed(cluster, id)?.isPoison === true

/** Counts the machines that were opened for pods that never run. A machine that never came helps nobody. */
function countPoison(cluster: SimulatedCluster, opened: ReadonlyMap<string, ReadonlySet<string>>) {
  const came = [...opened].filter(([name]) => cluster.joined.has(name))
  const poison = [...cluster.pods.values()].filter((pod) => pod.isPoison)
  const again = poison.filter(({ name, isLimited }) => {
    const own = came.filter(
      ([machine, pods]) => pods.has(`default/${name}`) && (isLimited || !cluster.ran.has(machine)),
    )
    return own.length > 1
  })
  const alone = came.filter(([, pods]) => pods.size > 0 && [...pods].every((id) => isPoison(cluster, id)))
  return { openedAgain: again.length, openedForPoison: alone.length, poison: poison.length }
}

function limitsPassed(
  git: readonly KubernetesObject[],
  cluster: SimulatedCluster,
  limits: { minNodes: number; maxNodes: number; cpuCores: number; memoryMiB: number },
): number {
  const claims = git.filter(({ kind }) => kind === 'NodeSmithClaim')
  const sizes = new Map(
    claims.map(({ metadata, spec }) => {
      const { cpuCores, memoryMiB } = (spec as { requirements: { cpuCores: number; memoryMiB: number } }).requirements
      return [metadata.name, { cpuCores, memoryMiB: memoryMiB + 2048 }] as const
    }),
  )
  for (const { name, cpu, memory, isFailed } of cluster.machines.values())
    if (!sizes.has(name) && !isFailed) sizes.set(name, { cpuCores: (cpu + 100) / 1000, memoryMiB: memory + 2048 })
  const failed = [...cluster.machines.values()].filter((one) => one.isFailed).map(({ name }) => name)
  for (const name of failed) sizes.delete(name)
  const sum = (of: (one: { cpuCores: number; memoryMiB: number }) => number) =>
    [...sizes.values()].reduce((all, one) => all + of(one), 0)
  const passed = [
    limits.maxNodes > 0 && sizes.size > limits.maxNodes,
    limits.cpuCores > 0 && sum(({ cpuCores }) => cpuCores) > limits.cpuCores,
    limits.memoryMiB > 0 && sum(({ memoryMiB }) => memoryMiB) > limits.memoryMiB,
  ]
  return passed.filter(Boolean).length
}

/** The faults that are in what Git remembers. */
const OF_GIT: readonly Fault[] = ['no next claim', 'claims forgotten', 'pods forgotten', 'limits forgotten']

/** Git as it would be without one of the mechanisms. */
function faulty(
  git: readonly KubernetesObject[],
  cluster: SimulatedCluster,
  fault?: Fault,
): readonly KubernetesObject[] {
  if (fault === undefined || !OF_GIT.includes(fault)) return git
  if (fault === 'limits forgotten') return git.map((one) => (one.kind === 'NodeSmithPool' ? withoutLimits(one) : one))
  const without = (object: KubernetesObject, key: string): KubernetesObject => {
    const { [key]: _, ...annotations } = object.metadata.annotations ?? {}
    return { ...object, metadata: { ...object.metadata, annotations } }
  }
  if (fault === 'pods forgotten') return git.map((one) => without(one, OPENED_FOR))
  if (fault === 'no next claim') return git.map((one) => (one.kind === 'PoolPolicy' ? without(one, NEXT_CLAIM) : one))
  // a machine that has not joined yet is not remembered
  return git.filter(
    ({ kind, metadata }) => kind !== 'NodeSmithClaim' || cluster.machines.get(metadata.name)?.isReady === true,
  )
}

function withoutLimits(pool: KubernetesObject): KubernetesObject {
  const limits = { ...(pool.spec as { limits: object }).limits, maxNodes: 0, cpuCores: 0, memoryMiB: 0 }
  return { ...pool, spec: { ...(pool.spec as object), limits } }
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const runs = Number(process.argv[2] ?? RUNS)
  const start = process.cpuUsage()
  const report = simulate(Array.from({ length: runs }, (_, index) => index))
  const { user, system } = process.cpuUsage(start)
  process.stdout.write(`${JSON.stringify({ ...report, cpuSeconds: Math.round((user + system) / 1e6) }, null, 2)}\n`)
  const { namesUsedTwice, busyRemoved, limitsPassed: passed, openedAgain, misjudged, errors } = report
  const faults = namesUsedTwice + busyRemoved + passed + openedAgain + misjudged + errors.length
  process.exitCode = faults > 0 ? 1 : 0
}
