import type { DaemonSet } from './daemonset/index.ts'
import { type Finding, finding } from './finding/index.ts'
import { describe } from './krm/identity.ts'
import { ownerOf } from './krm/ownership.ts'
import { matchesNode } from './kube/index.ts'
import type { GroupPlan, PolicyPlan } from './plan-policy.ts'
import type { Scope } from './scope/index.ts'
import { areCompatible, requiredTerms } from './sizing/index.ts'

/** Two policies of one target must not meet on a node, nor their remainders on one that may come: it would get two agents. */
export function overlaps(policies: readonly PolicyPlan[]): Finding[] {
  const findings: Finding[] = []
  for (const [index, policy] of policies.entries()) {
    for (const other of policies.slice(0, index)) {
      if (policy.template === undefined || policy.template.item !== other.template?.item) continue
      const where = sharedNode(policy, other) ?? sharedFuture(policy, other)
      if (where === undefined) continue
      const { subject, target } = policy.settings
      const sentence = `${other.settings.subject.metadata.name} and ${subject.metadata.name} both size ${target.kind} ${target.name} on ${where}`
      findings.push(finding('PolicyOverlap', sentence, { subject }))
    }
  }
  return findings
}

/** What another run rendered from the same target is in the package too, though its policy may not be: it counts as well. */
export function overlapsWithOthers(policies: readonly PolicyPlan[], { items }: Scope): Finding[] {
  const claimed = new Set(policies.flatMap(({ earlier }) => earlier))
  const others = items
    .filter((item) => ownerOf(item.object) !== undefined && !claimed.has(item))
    .map(({ object }) => object as DaemonSet)
  return policies.flatMap((policy) => {
    for (const other of others.filter((object) => isFromTemplate(object, policy))) {
      const node = nodesOf(policy).find((name) =>
        matchesNode({ name, labels: labelsOf(policy, name) }, other.spec.template.spec ?? {}),
      )
      if (node === undefined) continue
      const { subject, target } = policy.settings
      const sentence = `${subject.metadata.name} sizes ${target.kind} ${target.name} on node ${node}, and so does ${describe(other)} of ${ownerOf(other)}`
      return [finding('PolicyOverlap', sentence, { subject })]
    }
    return []
  })
}

function sharedNode(policy: PolicyPlan, other: PolicyPlan): string | undefined {
  const taken = new Set(nodesOf(other))
  const node = nodesOf(policy).find((name) => taken.has(name))
  return node === undefined ? undefined : `node ${node}`
}

/** A remainder takes nodes that nobody has seen; no group of the other policy may want the same. */
function sharedFuture(policy: PolicyPlan, other: PolicyPlan): string | undefined {
  const pairs = policy.groups.flatMap((group) => other.groups.map((rival) => [group, rival] as const))
  const meeting = pairs.find(
    ([group, rival]) => (isRemainder(group) || isRemainder(rival)) && areCompatible(placeOf(group), placeOf(rival)),
  )
  return meeting === undefined
    ? undefined
    : `nodes that may come, by ${meeting[1].name.name} and ${meeting[0].name.name}`
}

function placeOf({ daemonSet }: GroupPlan) {
  const { nodeSelector = {}, affinity } = daemonSet.spec.template.spec ?? {}
  return { nodeSelector, terms: requiredTerms(affinity) }
}

function isRemainder({ group }: GroupPlan): boolean {
  return group.id === 'remainder'
}

function isFromTemplate(object: DaemonSet, { template }: PolicyPlan): boolean {
  const wanted = template?.daemonSet
  if (wanted === undefined || object.kind !== wanted.kind || object.metadata.namespace !== wanted.metadata.namespace)
    return false
  const labels = object.spec?.selector?.matchLabels ?? {}
  return Object.entries(wanted.spec.selector.matchLabels ?? {}).every(([key, value]) => labels[key] === value)
}

function labelsOf({ groups }: PolicyPlan, node: string): Record<string, string> {
  return groups.flatMap(({ group }) => group.members).find(({ nodes }) => nodes.includes(node))?.shape.labels ?? {}
}

function nodesOf({ groups }: PolicyPlan): string[] {
  return groups.flatMap(({ group }) => (group.id === 'remainder' ? [] : group.members.flatMap(({ nodes }) => nodes)))
}
