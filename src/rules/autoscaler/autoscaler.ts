import { indexBy, type Planned, type World } from '../../core/index.ts'
import type { Fleet } from '../../facts/inventory/index.ts'
import type { AutoscalerOptions } from '../../kinds/index.ts'
import { codesAbout, type Finding, findingOf, listNames, plural, type Subject } from '../../krm/finding.ts'
import type { Item } from '../../krm/types.ts'
import type { Examples, Rule } from '../rule.ts'
import { type Agent, agentOf, sumText } from './agent.ts'
import { type Count, countsOf, type Undecided } from './counts.ts'
import { unique, valueIn } from './instance-type.ts'
import { asKarpenter, HOSTNAME, isWellKnown, NODE_POOL } from './label-keys.ts'
import { isNodePool, type Pool, poolsOf } from './node-pool.ts'

const CODES = codesAbout('Autoscalers', {
  AutoscalerCounts: {
    severity: 'warning',
    meaning:
      'The autoscaler counts other requests of the rendered DaemonSets on a new node than will run there. Too high: it creates larger nodes than needed, or none; too low: pods do not fit.',
    mend: 'Group by labels that the autoscaler knows before a node exists (docs/daemonset/karpenter.md): instance type, architecture, NodePool, ranges or classes; or a label that each NodePool sets to one value.',
  },
  AutoscalerUnknown: {
    severity: 'warning',
    meaning:
      'The package does not show whether the autoscaler knows a label that selects groups: its count is not checked.',
    mend: 'Add the NodePools to the package of the policy.',
  },
  AutoscalerNotNamed: {
    roles: ['shown', 'package'],
    severity: 'info',
    meaning:
      'No RenderConfig names the autoscaler whose labels nodes have: how it counts the rendered DaemonSets is not checked.',
    mend: 'Write the version that runs in the cluster; docs/daemonset/karpenter.md.',
  },
  AutoscalerSlow: {
    severity: 'warning',
    meaning: 'The autoscaler needs a second or more to count so many DaemonSets in a simulation.',
    mend: 'Render fewer DaemonSets: group by ranges (nodeGroupRanges) or by classes.',
  },
})
const finding = findingOf(CODES)

export const autoscaler = {
  codes: CODES,
  check: ({ planned, items, world, fleets }) => autoscalerFindings(planned, items, world, fleets),
} satisfies Rule

export const EXAMPLES: Examples<typeof CODES> = {
  AutoscalerCounts: `
kind: NodeInventory
spec:
  nodeCount: 2
  shapes:
    - labels: { node.kubernetes.io/instance-type: a, topology.kubernetes.io/zone: '1' }
      ready: 'True'
      allocatable: { cpu: '4', memory: 16Gi }
      nodes: [a]
    - labels: { node.kubernetes.io/instance-type: a, topology.kubernetes.io/zone: '2' }
      ready: 'True'
      allocatable: { cpu: '4', memory: 16Gi }
      nodes: [b]
---
kind: SizingPolicy
spec: { nodeGroupLabel: topology.kubernetes.io/zone }
---
apiVersion: nodefit.dev/v1alpha1
kind: RenderConfig
metadata: { name: config }
spec: { autoscaler: { kind: karpenter } }
`,
  AutoscalerUnknown: `
kind: NodeInventory
spec:
  shapes:
    - labels: { team: a }
      ready: 'True'
      allocatable: { cpu: '4', memory: 16Gi }
      nodes: [a]
---
kind: SizingPolicy
spec: { nodeGroupLabel: team }
---
apiVersion: nodefit.dev/v1alpha1
kind: RenderConfig
metadata: { name: config }
spec: { autoscaler: { kind: karpenter } }
`,
  AutoscalerNotNamed: `
kind: NodeInventory
spec:
  shapes:
    - labels: { node.kubernetes.io/instance-type: m5.large, karpenter.sh/nodepool: p }
      ready: 'True'
      allocatable: { cpu: '4', memory: 16Gi }
      nodes: [a]
`,
  AutoscalerSlow: { why: 'it takes more than a hundred groups' },
}

/** With ten NodePools and 700 instance types, Karpenter takes a second to count more DaemonSets than this. */
const MOST_GROUPS = 100

/** The prefix of the labels that Karpenter gives its nodes, and the newest version whose count is known. */
const [KARPENTER, NEWEST] = ['karpenter.sh/', '1.14']

/** How many instance types a message names. */
const MOST_TYPES = 20

/**
 * Reports where the cluster's autoscaler counts other pods than will run, if a RenderConfig names the autoscaler, and
 * too many DaemonSets, also where the package has a NodePool of Karpenter, or its nodes have labels of Karpenter.
 */
export function autoscalerFindings(
  planned: readonly Planned[],
  items: readonly Item[],
  world: World,
  fleets: readonly Fleet[],
): Finding[] {
  const { autoscaler } = world.options
  const cases = planned.flatMap((one) => {
    const objects = one.objects.filter(({ object }) => object.kind === 'DaemonSet').map(({ object }) => object)
    return one.isEnabled && objects.length > 0 ? [{ one, objects }] : []
  })
  const slow = () => slowFindings(cases.map(({ one, objects }) => ({ one, count: objects.length })))
  if (autoscaler === undefined) {
    const seen = seenKarpenter(cases, fleets)
    const isSeen = seen !== undefined || items.some(({ object }) => isNodePool(object))
    return [...(isSeen ? slow() : []), ...(seen === undefined ? [] : [notNamedFinding(seen)])]
  }
  return [
    ...slow(),
    ...cases.flatMap(({ one, objects }) => {
      const agents = objects.flatMap((object) => agentOf(object) ?? [])
      return countFindings(one, agents, { items, fleets }, autoscaler)
    }),
  ]
}

/** A policy in whose cluster nodes have a label of Karpenter. */
interface SeenKarpenter {
  readonly one: Planned
  readonly label: readonly [key: string, value: string]
}

/**
 * Returns the first policy in whose cluster nodes of Karpenter are, also where it selects none of them: Karpenter may
 * count its pods there.
 */
function seenKarpenter(cases: ReadonlyArray<{ one: Planned }>, fleets: readonly Fleet[]): SeenKarpenter | undefined {
  for (const { one } of cases) {
    const shapes = fleetsOf(one, fleets).flatMap((fleet) => fleet.shapes)
    const all = shapes.flatMap(({ labels }) => Object.entries(labels))
    const [label] = all.filter(([key]) => key.startsWith(KARPENTER)).sort()
    if (label !== undefined) return { one, label }
  }
  return undefined
}

/** Reports nodes of Karpenter where no RenderConfig names the autoscaler: what it counts is not checked. */
function notNamedFinding({ one, label }: SeenKarpenter): Finding {
  const subject = one.subject.object
  const sentence = `${subject.metadata.name}: nodes of the fleet have labels of Karpenter (${label.join('=')}), but no RenderConfig names the autoscaler, so its count of the DaemonSets is not checked; write in a RenderConfig: spec.autoscaler: { kind: karpenter, version: "${NEWEST}" }`
  return finding('AutoscalerNotNamed', sentence, { subject })
}

/** Reports too many DaemonSets: those of all policies count, and the policy with the most is named. */
function slowFindings(cases: ReadonlyArray<{ one: Planned; count: number }>): Finding[] {
  const total = cases.reduce((sum, { count }) => sum + count, 0)
  const [largest] = [...cases].sort((left, right) => right.count - left.count)
  if (largest === undefined || total <= MOST_GROUPS) return []
  const subject = largest.one.subject.object
  const sentence = `${plural(total, 'DaemonSet')} are rendered, ${largest.count} of them for ${subject.metadata.name}: Karpenter compares each with every instance type of every NodePool in every scheduling simulation`
  return [finding('AutoscalerSlow', sentence, { subject })]
}

function countFindings(
  planned: Planned,
  agents: readonly Agent[],
  { items, fleets }: { readonly items: readonly Item[]; readonly fleets: readonly Fleet[] },
  autoscaler: AutoscalerOptions,
): Finding[] {
  const isByType = countsByType(autoscaler)
  const shapes = fleetsOf(planned, fleets).flatMap((fleet) => fleet.shapes)
  const pools = poolsOf(items, unique(shapes.flatMap(({ labels }) => valueIn(labels, NODE_POOL) ?? [])), isByType)
  const subject = planned.subject.object
  const { name } = subject.metadata
  const unknown = unknownKeys(agents, pools)
  if (unknown.length > 0) {
    const sentence = `${name}: the package has no NodePool, so nobody can tell whether Karpenter knows ${listNames(unknown)} before the node exists`
    return [finding('AutoscalerUnknown', sentence, { subject })]
  }
  const { counts, undecided } = countsOf(agents, pools, shapes, isByType)
  const wrong = counts.filter(({ isExact }) => !isExact)
  const open = undecided.map((one) => undecidedFinding(one, subject))
  const miscounted = [...indexBy(wrong, ({ launch }) => launch.pool)].map(([pool, counts]) => {
    const more = counts.length > MOST_TYPES ? [`and ${plural(counts.length - MOST_TYPES, 'more type')}`] : []
    const texts = [...counts.slice(0, MOST_TYPES).map(countText), ...more].join('; ')
    const sentence = `${name}: Karpenter miscounts DaemonSet requests${inPool(pool)}${becauseOf(agents, counts, isByType)}: ${texts}`
    return finding('AutoscalerCounts', sentence, { subject })
  })
  return [...miscounted, ...open]
}

/** Reports a NodePool whose types no node has, and which leaves labels open that decide what is counted. */
function undecidedFinding({ pool, types, openKeys }: Undecided, subject: Subject): Finding {
  const which = types.length === 0 ? 'its instance types' : listNames(types)
  const open = openKeys.length === 0 ? 'their labels' : listNames(openKeys)
  const sentence = `${subject.metadata.name}: no node shows ${which} of NodePool ${pool.name}, and the NodePool leaves ${open} open, so nobody can tell whether Karpenter counts what will run`
  const mend = `Declare the types in the inventory (shapes with their labels, ${NODE_POOL}: ${pool.name}, and nodes: []), or require one value of each label in the NodePool.`
  return finding('AutoscalerUnknown', sentence, { subject, mend })
}

/** Returns labels that nodes have and of which only a NodePool shows whether a node has them from the start. */
function unknownKeys(agents: readonly Agent[], pools: readonly Pool[]): string[] {
  if (pools.some(({ isShown }) => isShown)) return []
  const keys = unique(agents.flatMap(({ keys }) => keys)).filter((key) => !isWellKnown(asKarpenter(key)))
  return keys.filter((key) => key !== HOSTNAME && !key.startsWith('karpenter.sh/')).sort()
}

/** Whether Karpenter counts by instance type, as 1.14 and later do; assumed where no version is given. */
function countsByType({ version = '1.14' }: AutoscalerOptions): boolean {
  const [major = 0, minor = 0] = version.replace('v', '').split('.').map(Number)
  return major > 1 || (major === 1 && minor >= 14)
}

function fleetsOf({ cluster }: Planned, fleets: readonly Fleet[]): readonly Fleet[] {
  const own = fleets.filter((fleet) => fleet.cluster === cluster)
  return own.length > 0 ? own : fleets
}

function inPool({ name }: Pool): string {
  return name === '' ? '' : ` in NodePool ${name}`
}

function countText({ launch, least, most, runs }: Count): string {
  const { name } = launch.type
  const [low, high] = [sumText(least), sumText(most)]
  const counted = low === high ? high : `${low} to ${high}, depending on the order of instance types`
  return `${name === '' ? 'an instance type that no node has' : name} counted ${counted}, running ${unique(runs.map(sumText)).join(' or ')}`
}

/** Explains why the counts differ, where it is for a known reason. */
function becauseOf(agents: readonly Agent[], counts: readonly Count[], isByType: boolean): string {
  const keys = unique(agents.flatMap((agent) => agent.keys)).map(asKarpenter)
  const later = unique(counts.flatMap(({ launch }) => launch.later)).filter((key) => keys.includes(key))
  const several = unique(keys).filter((key) =>
    counts.some(({ launch }) => (launch.values.get(key)?.length ?? 0) > 1 && !later.includes(key)),
  )
  const lacked = unique(keys).filter((key) =>
    counts.some(({ launch }) => launch.values.get(key)?.every((value) => value === undefined)),
  )
  const reasons = [
    ...(isByType ? [] : ['Karpenter before 1.14 ignores the instance type']),
    ...several.map((key) => `${key} has several values there`),
    ...lacked.map((key) => `nodes without ${key} are counted as if they had another value`),
    ...later.map((key) => `nodes get ${key} after their launch`),
    ...(agents.some(({ terms }) => terms.length > 1)
      ? ['Karpenter drops a term of the required affinity when an instance type does not match it']
      : []),
  ]
  return reasons.length === 0 ? '' : `, because ${reasons.join(' and ')}`
}
