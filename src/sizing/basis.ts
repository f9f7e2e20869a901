import type { Finding, Read } from '../finding/index.ts'
import { mergeNodes, nodesText } from '../inventory/index.ts'
import type { Quantity } from '../kube/index.ts'
import type { Resource, SizingSettings } from '../policy/index.ts'
import { allocatableOf, type Basis } from './allocatable.ts'
import { finding } from './codes.ts'
import { type Group, nameOfGroup } from './group.ts'
import type { Member } from './membership.ts'

export type SizedBy = Pick<Group, 'id' | 'members' | 'sizedLike'>

/** A member, and what it has. */
export interface Weighed {
  readonly member: Member
  readonly own: Basis
}

/**
 * The smallest or the median allocatable amount of each resource over the group's nodes: those where a pod may start, if there
 * are any; declared shapes only where no node can be read. Nodes that report nothing do not count. A group that is sized by all of
 * the policy, for nodes that nobody has seen, gets the smallest.
 */
export function basisOf(group: SizedBy, statistic: SizingSettings['basis'] = 'smallest'): Read<Basis> {
  const who = nameOfGroup(group)
  const known = weighed(group)
  const { members } = group.sizedLike ?? group
  const silent = mergeNodes(members.filter((member) => !member.declared && allocatableOf(member) === undefined))
  const said = silent.nodeCount === 0 ? 'its declared shapes' : nodesText(silent)
  if (known.length === 0) {
    const sentence = `${who}: ${said} report no allocatable cpu and memory`
    return { findings: [finding('NoAllocatable', sentence)] }
  }
  const of = statisticOf(group, statistic) === 'median' ? median : smallest
  const basis = { cpu: of(known, 'cpu'), memory: of(known, 'memory') }
  if (group.sizedLike !== undefined) return { value: basis, findings: [] }
  const findings: Finding[] =
    silent.nodeCount === 0 ? [] : [finding('NodesNotSized', `${who}: ${said} report no allocatable cpu and memory`)]
  return { value: basis, findings }
}

/** Which amount of its nodes a group is sized by, where its policy asks for this one. */
export function statisticOf({ sizedLike }: SizedBy, asked: SizingSettings['basis']): SizingSettings['basis'] {
  return sizedLike?.of === 'policy' ? 'smallest' : asked
}

/** The members that a group is sized by, each with what it has. */
export function weighed({ members: own, sizedLike }: SizedBy): Weighed[] {
  const { members, of } = sizedLike ?? { members: own, of: 'group' }
  const read = members.flatMap((member) => {
    const basis = allocatableOf(member)
    return basis === undefined ? [] : [{ member, own: basis }]
  })
  const real = read.filter(({ member }) => !member.declared)
  const starting = (all: typeof read) => all.filter(({ member }) => member.mayStart)
  const tiers = of === 'policy' ? [starting(read), read] : [starting(real), real, starting(read), read]
  return tiers.find((tier) => tier.length > 0) ?? []
}

function smallest(all: readonly Weighed[], resource: Resource): Quantity {
  return all.map(({ own }) => own[resource]).reduce((best, own) => (own.compare(best) < 0 ? own : best))
}

/** The amount of the node in the middle; of two the lower. A declared shape is one node that may come. */
function median(all: readonly Weighed[], resource: Resource): Quantity {
  const sorted = [...all].sort((left, right) => left.own[resource].compare(right.own[resource]))
  const weights = sorted.map(({ member }) => Math.max(1, member.nodeCount))
  const total = weights.reduce((sum, weight) => sum + weight, 0)
  let passed = 0
  const middle = sorted.find((_, index) => {
    passed += weights[index] ?? 0
    return passed * 2 >= total
  })
  return middle?.own[resource] ?? smallest(all, resource)
}
