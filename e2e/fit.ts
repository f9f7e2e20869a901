/**
 * Drawn pods, nodes and limits against a real API server and scheduler: `npm run e2e:fit -- [COUNT | FIRST-LAST]`
 * (docs/daemonset/fit.md).
 */
import { setTimeout as pause } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { type PodObject, toSnapshot } from '../src/facts/inventory/index.ts'
import type { KubernetesObject } from '../src/krm/types.ts'
import type { ResourceQuantities } from '../src/kube/index.ts'
import { SCHEDULED, startCluster } from './support/cluster.ts'
import { podFor, scheduled } from './support/fit/cluster-verdict.ts'
import { type Case, drawCase, PRIORITY } from './support/fit/draw-case.ts'
import { byPlan, byRules, type Verdict } from './support/fit/verdict.ts'
import { Api } from './support/fleets/api.ts'
import { has } from './support/program.ts'

/** Cases of the whole suite. */
const COUNT = 200
/** How long the API server's own watches may take. */
const SETTLE_MILLISECONDS = 1500

/** What was compared, and where Kubernetes said something else. */
export interface FitReport {
  readonly refused: number
  readonly fits: number
  readonly pending: number
  readonly ambiguous: number
  /** Cases that a run refused for another reason, by its code. */
  readonly notRendered: readonly string[]
  readonly differences: readonly string[]
}

/** One pod that is tried: as it was drawn, or as a run rendered it. */
interface Trial {
  readonly one: Case
  readonly namespace: string
  readonly verdict: Verdict
}

/** Changes what nodefit says, so that a test sees that it is noticed. */
export type Fault = (verdict: Verdict) => Verdict

/** Tries the cases of the seeds on a cluster of their own. */
export async function runFit(seeds: readonly number[], fault: Fault = (verdict) => verdict): Promise<FitReport> {
  const cluster = await startCluster({ scheduler: true })
  const api = new Api(cluster.folder)
  try {
    return await compare(api, seeds, fault)
  } finally {
    api.close()
    await cluster.stop()
  }
}

async function compare(api: Api, seeds: readonly number[], fault: Fault): Promise<FitReport> {
  const bare = { apiVersion: 'v1', kind: 'Namespace' }
  await api.create({ ...bare, metadata: { name: 'others' } })
  await api.create({
    apiVersion: 'scheduling.k8s.io/v1',
    kind: 'PriorityClass',
    metadata: { name: PRIORITY },
    value: 0,
    preemptionPolicy: 'Never',
  })
  // each node twice: what was drawn is tried on one, what is rendered on the other
  const cases = seeds.map(drawCase).flatMap((one) => [twin(one, 'rules'), twin(one, 'plan')])
  const made = await each(cases, (one) => prepare(api, one))
  await pause(SETTLE_MILLISECONDS)
  const { items } = (await api.get('/api/v1/namespaces/others/pods')) as { items: PodObject[] }
  const nodes = cases.map(({ name }) => name)
  const snapshot = toSnapshot(items, { name: 'fit', cluster: 'fit', nodes }) as unknown as KubernetesObject
  const used = new Map((snapshot.spec as { nodes: Used[] }).nodes.map((node) => [node.name, node.used]))
  const notRendered: string[] = []
  const trials = made.flatMap((one): Trial[] => {
    const isRules = one.name.endsWith('-rules')
    const verdict = isRules ? byRules(one, one.name, used.get(one.name) ?? {}) : byPlan(one, one.name, snapshot)
    if (typeof verdict !== 'string') return [{ one, namespace: one.name, verdict: fault(verdict) }]
    notRendered.push(verdict)
    return []
  })
  return { ...(await judge(api, trials)), notRendered }
}

interface Used {
  readonly name: string
  readonly used: ResourceQuantities
}

/** The same case under a name of its own. */
function twin(one: Case, suffix: string): Case {
  const text = JSON.stringify(one).replaceAll(new RegExp(`"${one.name}(?=["-])`, 'g'), `"${one.name}-${suffix}`)
  return JSON.parse(text) as Case
}

/** Makes all that a case needs; limits that the API server refuses are left out. */
async function prepare(api: Api, one: Case): Promise<Case> {
  await api.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: one.name } })
  await api.create(one.node)
  await api.status(one.node, one.node.status as object)
  const limits: KubernetesObject[] = []
  for (const limit of one.limits) {
    if ((await api.refusal(limit)) !== undefined) continue
    await api.create(limit)
    limits.push(limit)
    // nothing counts quota here
    const { hard = {} } = (limit.spec ?? {}) as { hard?: Record<string, string> }
    const used = Object.fromEntries(Object.keys(hard).map((name) => [name, '0']))
    if (limit.kind === 'ResourceQuota') await api.status(limit, { hard, used })
  }
  for (const other of one.others) {
    await api.create(other)
    if (other.metadata.annotations?.ended === 'true') await api.status(other, { phase: 'Succeeded' })
  }
  return { ...one, limits }
}

async function judge(api: Api, trials: readonly Trial[]): Promise<Omit<FitReport, 'notRendered'>> {
  const differences: string[] = []
  const refusals = await each(trials, ({ one, namespace, verdict }) =>
    api.refusal(podFor(verdict.pod, namespace, one.node.metadata.name)),
  )
  const taken = trials.filter((_, index) => refusals[index] === undefined)
  for (const [index, { namespace, verdict }] of trials.entries()) {
    const message = refusals[index]
    const isRefused = message !== undefined
    if (isRefused === verdict.refused || (verdict.ambiguous && verdict.refused)) continue
    differences.push(
      `${namespace}: nodefit says ${verdict.refused ? 'refused' : 'taken'}, Kubernetes ${message ?? 'takes it'}`,
    )
  }
  await each(taken, ({ one, namespace, verdict }) => api.create(podFor(verdict.pod, namespace, one.node.metadata.name)))
  const decided = await scheduled(api, new Set(taken.map(({ namespace }) => namespace)))
  let fits = 0
  for (const { namespace, verdict } of taken) {
    const real = decided.get(namespace)
    if (real?.fits === true) fits++
    // a pod that nodefit takes for refused is not held against nodes
    if (verdict.refused || real?.fits === verdict.fits || (verdict.ambiguous && !verdict.fits)) continue
    differences.push(
      `${namespace}: nodefit says ${verdict.fits ? 'fits' : 'does not fit'}, Kubernetes ${real?.message || 'binds it'}`,
    )
  }
  return {
    refused: trials.length - taken.length,
    fits,
    pending: taken.length - fits,
    ambiguous: trials.filter(({ verdict }) => verdict.ambiguous).length,
    differences,
  }
}

/** One after the other in each of a few lanes, with the answers in the order of the members. */
async function each<Member, Answer>(
  members: readonly Member[],
  work: (member: Member) => Promise<Answer>,
): Promise<Answer[]> {
  const answers: Answer[] = []
  let next = 0
  const lane = async () => {
    for (let index = next++; index < members.length; index = next++)
      answers[index] = await work(members[index] as Member)
  }
  await Promise.all(Array.from({ length: 6 }, lane))
  return answers
}

/** The seeds that an argument asks for: a count, or a first and a last. */
export function seedsOf(asked: string): number[] {
  const [first = 1, last = first] = asked.includes('-') ? asked.split('-').map(Number) : [1, Number(asked)]
  return Array.from({ length: last - first + 1 }, (_, index) => first + index)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href && SCHEDULED.every(has)) {
  const start = Date.now()
  const seeds = seedsOf(process.argv[2] ?? String(COUNT))
  const { differences, notRendered, ...counts } = await runFit(seeds)
  for (const line of differences) process.stdout.write(`FAIL ${line}\n`)
  const { refused, fits, pending, ambiguous } = counts
  process.stdout.write(
    `${seeds.length} cases, ${refused + fits + pending} pods: ${refused} refused, ${fits} bound, ${pending} without room, ${ambiguous} ambiguous; ` +
      `${notRendered.length} not rendered (${[...new Set(notRendered)].sort().join(', ') || 'none'}); ` +
      `${Math.round((Date.now() - start) / 1000)} s, ${differences.length} differences\n`,
  )
  process.exitCode = differences.length === 0 ? 0 : 1
}
