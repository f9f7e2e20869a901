/** What Karpenter itself counts, what really runs, and what nodefit says of both. */
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { daemonEligibility, type PodTemplateSpec, podRequests, Quantity } from '../../../src/kube/index.ts'
import { plan } from '../../../src/rules/run.ts'
import { config, inventory, listOf, shape } from '../../../test/support/objects.ts'
import { run } from '../hosts.ts'
import {
  CAPACITIES,
  type InstanceType,
  launches,
  NEW_TYPE,
  nodePool,
  type PoolSpec,
  TYPES,
  takes,
  WELL_KNOWN,
  ZONES,
} from './scenario.ts'

export interface Scenario {
  readonly name: string
  readonly pools: readonly PoolSpec[]
  /** A policy and its template. */
  readonly objects: readonly KubernetesObject[]
}

interface Sum {
  readonly pods: number
  readonly cpu: bigint
  readonly memory: bigint
}

/** What nodefit says of a pool and type. */
interface Said {
  readonly least: string
  readonly most: string
  readonly runs: readonly string[]
}

/** What Karpenter counts, by pool and type. */
export type Counts = ReadonlyMap<string, Sum>

export interface Rendering {
  readonly daemonSets: readonly KubernetesObject[]
  readonly sentences: readonly string[]
}

/** The fleet of the pools: a node of each kind that may come of them. */
export function fleetOf(pools: readonly PoolSpec[]): KubernetesObject {
  const filled = pools.filter(({ isAtZero }) => isAtZero !== true)
  const shapes = filled.flatMap((pool) =>
    TYPES.filter((type) => takes(pool, type)).flatMap((type) =>
      launches(pool, type).map((labels, index) =>
        shape(
          labels,
          [`${pool.name}-${type.name}-${index}`],
          String(type.cpu),
          `${Number(type.labels['karpenter.k8s.aws/instance-memory'])}Mi`,
          {
            taints: pool.taints ?? [],
            capacity: { cpu: String(type.cpu) },
          },
        ),
      ),
    ),
  )
  return inventory(shapes)
}

/** What nodefit renders for each policy, and what it says of the autoscaler. */
export function render({ pools, objects }: Scenario): Rendering[] {
  const all = [fleetOf(pools), ...objects, ...pools.map(nodePool)]
  const made = plan(listOf(all, config({ autoscaler: { kind: 'karpenter', version: '1.14.1' } })))
  if (made.failed) throw new Error(made.findings.map(({ code, sentence }) => `${code}: ${sentence}`).join('\n'))
  return made.packages.flatMap(({ planned, findings }) =>
    planned.map((one) => {
      const isOwn = (sentence: string) => sentence.startsWith(`${one.subject.object.metadata.name}: `)
      const said = findings.filter(({ code, sentence }) => code === 'AutoscalerCounts' && isOwn(sentence))
      return { daemonSets: one.objects.map(({ object }) => object), sentences: said.map(({ sentence }) => sentence) }
    }),
  )
}

/** The orders in which Karpenter may come to pools and types. */
const ORDERS = [(one: unknown[]) => one, (one: unknown[]) => [...one].reverse()] as const

/** What Karpenter counts, in each order, by pool and type. */
export function ask(cases: ReadonlyArray<{ scenario: Scenario; rendering: Rendering }>): Counts[][] {
  const types = [...TYPES, NEW_TYPE].map(instanceType)
  const questions = cases.flatMap(({ scenario: { pools }, rendering: { daemonSets } }) =>
    ORDERS.map((inOrder) => ({
      wellKnown: WELL_KNOWN,
      nodePools: inOrder(pools.map(nodePool)),
      instanceTypes: inOrder(types),
      daemonSets,
    })),
  )
  const { stdout, stderr, status } = run('karpenter-counts', [], {
    input: questions.map((question) => `${JSON.stringify(question)}\n`).join(''),
  })
  if (status !== 0) throw new Error(stderr)
  const answers = stdout.trim().split('\n').map(readAnswer)
  return cases.map((_, index) => answers.slice(index * ORDERS.length, (index + 1) * ORDERS.length))
}

function instanceType({ name, labels, cpu }: InstanceType): object {
  const lacking = WELL_KNOWN.filter((key) => labels[key] === undefined)
  const offerings = ZONES.flatMap((zone) => CAPACITIES.map((capacityType) => ({ zone, capacityType })))
  return {
    name,
    capacity: { cpu: String(cpu), memory: '512Gi', pods: '110' },
    offerings,
    requirements: [
      ...Object.entries(labels).map(([key, value]) => ({ key, operator: 'In', values: [value] })),
      ...lacking.map((key) => ({ key, operator: 'DoesNotExist' })),
      { key: 'topology.kubernetes.io/zone', operator: 'In', values: ZONES },
      { key: 'karpenter.sh/capacity-type', operator: 'In', values: CAPACITIES },
    ],
  }
}

function readAnswer(line: string): Map<string, Sum> {
  const counts = JSON.parse(line) as Array<{ nodePool: string; type: string; sum: Record<string, string> | null }>
  return new Map(
    counts.map(({ nodePool: pool, type, sum }) => [
      `${pool} ${type}`,
      {
        pods: Number(sum?.pods ?? 0),
        cpu: Quantity.parse(sum?.cpu ?? 0).milliValue(),
        memory: Quantity.parse(sum?.memory ?? 0).value(),
      },
    ]),
  )
}

/** What runs on each node that may come of the pool and type, by the DaemonSet controller's own rules. */
export function runningOn(daemonSets: readonly KubernetesObject[], pool: PoolSpec, type: InstanceType): Sum[] {
  return launches(pool, type).map((labels) => {
    const node = { metadata: { name: 'new', labels }, spec: { taints: [...(pool.taints ?? [])] } }
    const templates = daemonSets.map(({ spec }) => (spec as { template: PodTemplateSpec }).template)
    const requests = templates
      .filter((template) => daemonEligibility(template, node).shouldRun)
      .map(({ spec = {} }) => podRequests(spec))
    return {
      pods: requests.length,
      cpu: requests.reduce((sum, { cpu }) => sum + (cpu?.milliValue() ?? 0n), 0n),
      memory: requests.reduce((sum, { memory }) => sum + (memory?.value() ?? 0n), 0n),
    }
  })
}

/** What is said of a pool and type; undefined where nothing is. */
export function saidOf(sentences: readonly string[], pool: string, type: string): Said | undefined {
  const sentence = sentences.find(
    (one) => one.includes(` in NodePool ${pool},`) || one.includes(` in NodePool ${pool}:`),
  )
  const name = type === NEW_TYPE.name ? 'an instance type that no node has' : type
  const part = sentence?.split(/: |; /).find((text) => text.startsWith(`${name} counted `))
  const match = / counted (?:(.+) to )?(.+?)(?:, depending on the order of instance types)?, running (.+)$/.exec(
    part ?? '',
  )
  if (match === null) return undefined
  const [, least, most = '', runs = ''] = match
  return { least: least ?? most, most, runs: runs.split(' or ') }
}

/** A sum as nodefit writes it. */
export function textOf({ pods, cpu, memory }: Sum): string {
  const amounts = pods === 0 ? [] : [`cpu ${Quantity.ofMilli(cpu)}`, `memory ${Quantity.of(memory, 'BinarySI')}`]
  const count = `${pods} pod${pods === 1 ? '' : 's'}`
  return amounts.length === 0 ? count : `${count} (${amounts.join(', ')})`
}

/** What is wrong with what is said of a pool and type, given what is counted in each order and what runs; undefined where nothing is. */
export function faultOf(said: Said | undefined, counted: readonly Sum[], running: readonly Sum[]): string | undefined {
  const [counts, runs] = [counted, running].map((sums) => [...new Set(sums.map(textOf))].sort())
  if (counts === undefined || runs === undefined) return undefined
  const truth = `Karpenter counts ${counts.join(' or ')} where ${runs.join(' or ')} run`
  const isExact = counts.length === 1 && runs.length === 1 && counts[0] === runs[0]
  if (said === undefined) return isExact ? undefined : `nothing is said: ${truth}`
  const figures = said.least === said.most ? [said.most] : undefined
  const isCounted =
    figures === undefined ? counts.every((text) => isBetween(text, said)) : counts.join() === figures.join()
  // by another order than the two that were tried it may well be otherwise
  if (isExact && figures !== undefined) return `said without need: ${truth}`
  const isRunning = runs.join() === [...said.runs].sort().join()
  return isCounted && isRunning ? undefined : `said ${JSON.stringify(said)}: ${truth}`
}

function isBetween(text: string, { least, most }: Said): boolean {
  const pods = (one: string) => Number.parseInt(one, 10)
  return pods(least) <= pods(text) && pods(text) <= pods(most)
}
