import type { Quantity } from '../kube/index.ts'
import type { Resource } from '../policy/index.ts'
import type { Basis } from './allocatable.ts'
import { basisOf } from './basis.ts'
import { type Group, nodesOfGroup } from './group.ts'

/** The nodes that a first policy is fitted to, and the most that any group has. */
export interface StartGroup {
  readonly group: Group
  readonly basis: Basis
  /** For each resource the largest basis of a node type: nodes without the label may be of any size, virtual ones too. */
  readonly largest: Basis
}

/** The group with the most nodes, of several the first by identity; undefined where none that has nodes reports what they have. */
export function startGroup(groups: readonly Group[]): StartGroup | undefined {
  const sized = groups.flatMap((group) => {
    const { value: basis } = group.sizedLike === undefined ? basisOf(group) : {}
    return basis === undefined ? [] : [{ group, basis, nodes: nodesOfGroup(group).nodeCount }]
  })
  const inUse = sized.filter(({ nodes }) => nodes > 0)
  const [first, ...others] = inUse
  if (first === undefined) return undefined
  const { group, basis } = others.reduce((best, one) => (one.nodes > best.nodes ? one : best), first)
  const most = (resource: Resource): Quantity =>
    sized
      .filter((one) => one.group === group || one.group.kind !== 'default')
      .map((one) => one.basis[resource])
      .reduce((best, own) => (own.compare(best) > 0 ? own : best))
  return { group, basis, largest: { cpu: most('cpu'), memory: most('memory') } }
}
