/** Rows of usage, and for each code about usage a smallest input that brings it about. */
import type { UsageRow } from '../../src/facts/inventory/index.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import type { USAGE_CODES } from '../../src/plan/sizing/index.ts'
import { daemonSet, inventory, policy, shape, TYPE } from './objects.ts'

/** When everything was seen. */
export const NOW = '2026-11-20T12:00:00Z'
const FIRED = '2026-11-17T09:00:00Z'
export const YESTERDAY = '2026-11-19'
const MARGIN = 15

/** A node type of tests, whose nodes are as large as its shape. */
export interface NodeType {
  readonly type: string
  readonly nodes: readonly string[]
  readonly cpu: string
  readonly memory: string
  readonly pods: string
}

export const SMALL_NODES: NodeType = { type: 'small', nodes: ['s1', 's2'], cpu: '2', memory: '8Gi', pods: '29' }
export const MIDDLE_NODES: NodeType = {
  type: 'middle',
  nodes: ['m1', 'm2', 'm3'],
  cpu: '4',
  memory: '16Gi',
  pods: '58',
}
export const LARGE_NODES: NodeType = { type: 'large', nodes: ['l1'], cpu: '16', memory: '64Gi', pods: '234' }

/** An inventory of node types. */
export function nodeTypes(types: readonly NodeType[], observedAt = NOW): KubernetesObject {
  const shapes = types.map(({ type, nodes, cpu, memory, pods }) =>
    shape({ [TYPE]: type }, [...nodes], cpu, memory, { allocatable: { cpu, memory, pods } }),
  )
  return inventory(shapes, { observedAt })
}

type Settled = Partial<NonNullable<UsageRow['settled']>>

/** A row of the agent on nodes of a type, settled regularly. */
export function settledRow(
  { type, cpu, memory, pods }: NodeType,
  settled: Settled | undefined,
  more: object = {},
): UsageRow {
  return {
    ...{ policy: 'agent', container: 'agent', group: `value:${type}`, node: { cpu, memory, pods } },
    ...{ days: 14, newest: YESTERDAY, pods: 20 },
    ...(settled && { settled: { at: FIRED, why: 'Regular', ...settled } }),
    ...more,
  }
}

/** A WorkloadSnapshot with rows of usage, or without any. */
export function usageSnapshot(usage: readonly UsageRow[] | undefined, more: object = {}): KubernetesObject {
  return {
    apiVersion: 'nodefit.dev/v1alpha1',
    kind: 'WorkloadSnapshot',
    metadata: { name: 'usage' },
    spec: { cluster: 'prod', observedAt: NOW, ...(usage && { usage }), ...more },
  }
}

/** A policy that is sized by usage. */
export function usagePolicy(usage: object = {}, spec: Record<string, unknown> = {}): KubernetesObject {
  return policy({ minResources: { cpu: '1m', memory: '1Mi' }, usage: { updateMode: 'Auto', ...usage }, ...spec })
}

/** The template of tests. */
export const AGENT = daemonSet({
  containers: [
    {
      name: 'agent',
      image: 'agent:1',
      resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { cpu: '500m', memory: '256Mi' } },
    },
  ],
})

/** What is used with the usual margin, for requests in tests: whole millicores or Mi. */
export function withMargin(amount: number, margin = MARGIN): number {
  return Math.ceil((amount * (100 + margin)) / 100)
}

type Case = [objects: KubernetesObject[]]
const settled = { cpu: '50m', memory: '100Mi' }
const kills = { count: 3, pods: 1, limit: '256Mi', last: '2026-11-19T10:00:00Z' }
const raisedAt = ['2026-11-12T09:00:00Z', '2026-11-14T09:00:00Z', '2026-11-16T09:00:00Z']
const of = (row: UsageRow | undefined, usage: object = {}, spec: Record<string, unknown> = {}): Case => [
  [nodeTypes([SMALL_NODES]), usagePolicy(usage, spec), AGENT, usageSnapshot(row === undefined ? undefined : [row])],
]

export const USAGE_CASES: Record<keyof typeof USAGE_CODES, Case> = {
  SizedByUsage: of(settledRow(SMALL_NODES, settled)),
  UsageSays: of(settledRow(SMALL_NODES, settled), { updateMode: 'Off' }),
  UsageLearning: of(settledRow(SMALL_NODES, undefined, { days: 3 })),
  OOMKilled: of(settledRow(SMALL_NODES, { ...settled, limitMemory: '512Mi' }, { kills })),
  OOMKilledAgain: of(settledRow(SMALL_NODES, { ...settled, limitMemory: '2Gi', raisedAt }, { kills })),
  UsageFollowsLimit: of(settledRow(SMALL_NODES, { cpu: '50m' }, { follows: { median: '230Mi', limit: '256Mi' } })),
  MinimumAboveUse: of(settledRow(SMALL_NODES, settled), {}, { minResources: { cpu: '1' } }),
  UsageAboveMaximum: of(settledRow(SMALL_NODES, settled), {}, { maxResources: { memory: '90Mi' } }),
  UsageGrowsWithAge: of(settledRow(SMALL_NODES, settled, { ages: { firstDay: '80Mi', weekOld: '120Mi' } })),
  UsageStale: of(settledRow(SMALL_NODES, settled, { newest: '2026-11-16' })),
  UsageNotCollected: of(undefined),
}
