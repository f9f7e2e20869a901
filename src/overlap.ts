import type { DaemonSet } from './daemonset/index.ts'
import { type Finding, finding } from './finding/index.ts'
import { describe } from './krm/identity.ts'
import { ownerOf } from './krm/ownership.ts'
import type { Item } from './krm/types.ts'
import { KubeError, matchesNode, type PodSpec } from './kube/index.ts'
import type { GroupPlan, PolicyPlan } from './plan-policy.ts'
import type { Scope } from './scope/index.ts'
import { areCompatible, type Member, requiredTerms } from './sizing/index.ts'

/** Two policies of one target must not meet on a node, nor their remainders on one that may come: it would get two agents. */
export function overlaps(policies: readonly PolicyPlan[]): Finding[] {
  const findings: Finding[] = []
  for (const [index, policy] of policies.entries()) {
    for (const other of policies.slice(0, index)) {
      if (policy.target === undefined || policy.target !== other.target) continue
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
      const node = nodeOn(other, policy)
      if (node === undefined) continue
      const { subject, target } = policy.settings
      const sentence = `${subject.metadata.name} sizes ${target.kind} ${target.name} on node ${node}, and so does ${describe(other)} of ${ownerOf(other)}`
      return [finding('PolicyOverlap', sentence, { subject })]
    }
    return []
  })
}

/** A node of the policy on which the pods of a DaemonSet may be. */
function nodeOn(daemonSet: DaemonSet, policy: PolicyPlan): string | undefined {
  const pod = (daemonSet.spec as DaemonSet['spec'] | null | undefined)?.template?.spec ?? {}
  for (const { shape, nodes } of membersOf(policy)) {
    const node = nodes.find((name) => mayBeOn(name, shape.labels, pod))
    if (node !== undefined) return node
  }
  return undefined
}

/** A malformed affinity admits no node, as the DaemonSet controller has it. */
function mayBeOn(name: string, labels: Record<string, string>, pod: PodSpec): boolean {
  try {
    return matchesNode({ name, labels }, pod)
  } catch (error) {
    if (error instanceof KubeError) return false
    throw error
  }
}

/** Output that two policies take for their own, by name or former name, would be removed by one of them. */
export function rivalClaims(policies: readonly PolicyPlan[], scope: Scope): Finding[] {
  const owners = new Map<Item, PolicyPlan>()
  for (const policy of policies) {
    const { subject } = policy.settings
    for (const item of policy.earlier) {
      const other = owners.get(item)
      if (other !== undefined && other !== policy) {
        return [
          finding(
            'DuplicatePolicy',
            `${other.settings.subject.metadata.name} and ${subject.metadata.name} both take ${describe(item.object)} for their own`,
            { subject },
          ),
        ]
      }
      owners.set(item, policy)
    }
  }
  return policies.flatMap((policy) => rivalsInFiles(policy, scope))
}

/** A policy of the package that has, in the same namespace, the name or a former name of this one, and sizes something else. */
function rivalsInFiles({ settings, template }: PolicyPlan, { items }: Scope): Finding[] {
  const { subject, target, formerNames } = settings
  const { name, namespace } = subject.metadata
  const rendersTo = namespace ?? template?.daemonSet.metadata.namespace
  const rival = items.find(({ object }) => {
    if (object.apiVersion !== subject.apiVersion || object.kind !== subject.kind) return false
    const other = object.metadata
    if (other.name === name && other.namespace === namespace) return false
    if (other.namespace !== rendersTo && (other.namespace !== undefined || namespace !== undefined)) return false
    const wanted = (object.spec as { targetRef?: { name?: unknown } } | undefined)?.targetRef?.name
    return other.name === name ? wanted !== target.name : formerNames.includes(other.name)
  })
  if (rival === undefined) return []
  return [
    finding('DuplicatePolicy', `${name} would take the output of ${describe(rival.object)} for its own`, { subject }),
  ]
}

function sharedNode(policy: PolicyPlan, other: PolicyPlan): string | undefined {
  const taken = new Set(nodesOf(other))
  const node = nodesOf(policy).find((name) => taken.has(name))
  if (node !== undefined) return `node ${node}`
  const declared = new Set(declaredBy(other))
  const shape = declaredBy(policy).find((labels) => declared.has(labels))
  return shape === undefined ? undefined : `the declared shape ${shape}`
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

function placeOf({ pod }: GroupPlan) {
  const { nodeSelector = {}, affinity } = pod
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

/** The declared shapes of a policy, told apart by their labels. */
function declaredBy(policy: PolicyPlan): string[] {
  const declared = membersOf(policy).filter((member) => member.declared)
  return declared.map(({ shape }) =>
    Object.entries(shape.labels)
      .sort()
      .map(([key, value]) => `${key}=${value}`)
      .join(','),
  )
}

function nodesOf(policy: PolicyPlan): string[] {
  return membersOf(policy).flatMap(({ nodes }) => nodes)
}

/** The members of the groups; the remainder has none of its own. */
function membersOf({ groups }: PolicyPlan): Member[] {
  return groups.flatMap(({ group }) => (group.id === 'remainder' ? [] : group.members))
}
