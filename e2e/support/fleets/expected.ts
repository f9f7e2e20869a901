import { daemonEligibility, type Labels, matchesNode, type PodTemplateSpec } from '../../../src/kube/index.ts'
import { CORDONED, type FleetNode, NOT_READY, withTaints } from './nodes.ts'
import { groupLabelsOf, type Policy } from './policy.ts'
import type { DaemonSet } from './template.ts'

/** The combinations of label values that a render knew of. */
export type Known = ReadonlySet<string>

const STATES = new Set([...NOT_READY, CORDONED].map(({ key }) => key))
const INT64 = 1n << 63n

/** The node without the taints that only say in what state it is. */
export function inAnyState(node: FleetNode): FleetNode {
  return withTaints(
    node,
    (node.spec.taints ?? []).filter(({ key }) => !STATES.has(key)),
  )
}

/** The template with the tolerations that the policy adds: where its pods may run, but for what the policy leaves out. */
export function judgedBy(template: DaemonSet, { spec }: Policy): DaemonSet {
  const judge = structuredClone(template)
  const pod = judge.spec.template.spec
  if (spec.tolerations !== undefined) pod.tolerations = [...(pod.tolerations ?? []), ...spec.tolerations]
  return judge
}

/** Whether pods of a DaemonSet may stay on a node, whatever its state is; it is then one that groups are made of. */
export function mayStay(template: PodTemplateSpec, node: FleetNode): boolean {
  return daemonEligibility(template, inAnyState(node)).shouldContinueRunning
}

/** The combinations of label values of the nodes that a policy groups by label. */
export function knownTo(nodes: readonly FleetNode[], template: DaemonSet, policy: Policy): Known {
  const { template: pod } = judgedBy(template, policy).spec
  const grouped = nodes.filter(
    (node) => mayStay(pod, node) && isAbout(policy, node) && !isExplicit(policy, node.metadata.labels),
  )
  return new Set(grouped.map(({ metadata }) => combination(policy, metadata.labels)))
}

/** Why a policy leaves a node without an agent on purpose, in its own words; undefined where it does not. */
export function leftOut(node: FleetNode, policy: Policy, known: Known): string | undefined {
  const { labels } = node.metadata
  if (!isAbout(policy, node)) return 'the policy is not about it'
  if (isExplicit(policy, labels)) return undefined
  const { defaultNodeGroup, remainder, nodeGroupRanges } = policy.spec
  const values = groupLabelsOf(policy.spec).map((label) => labels[label])
  if (values.includes(undefined)) return defaultNodeGroup === '' ? 'no default group' : undefined
  if (nodeGroupRanges !== undefined) return isInteger(values[0] ?? '') ? undefined : 'no integer'
  return remainder === false && !known.has(combination(policy, labels)) ? 'no remainder' : undefined
}

function isAbout({ spec }: Policy, { metadata: { name, labels } }: FleetNode): boolean {
  return matchesNode({ name, labels }, { nodeSelector: spec.nodeSelector, affinity: spec.affinity })
}

function isExplicit({ spec }: Policy, labels: Labels): boolean {
  return (spec.groups ?? []).some(({ nodeSelector }) =>
    Object.entries(nodeSelector).every(([key, value]) => labels[key] === value),
  )
}

function combination({ spec }: Policy, labels: Labels): string {
  return JSON.stringify(groupLabelsOf(spec).map((label) => labels[label] ?? null))
}

/** Whether Gt and Lt can compare a value, as Go's ParseInt reads it. */
function isInteger(value: string): boolean {
  return /^[+-]?[0-9]+$/.test(value) && BigInt(value) < INT64 && BigInt(value) >= -INT64
}
