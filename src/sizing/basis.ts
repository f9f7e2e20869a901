import type { Finding, Read } from '../finding/index.ts'
import { nodesText, together } from '../inventory/index.ts'
import { Quantity } from '../kube/index.ts'
import type { Resource } from '../policy/index.ts'
import { finding } from './codes.ts'
import { type Group, nameOfGroup } from './group.ts'
import type { Member } from './membership.ts'

/** What percentages are taken of. */
export type Basis = Readonly<Record<Resource, Quantity>>

type SizedBy = Pick<Group, 'id' | 'members' | 'sizedLike'>

/**
 * The smallest allocatable amount of each resource over the group's nodes: those where a pod may start, if there are
 * any; declared shapes only where no node can be read. Nodes that report nothing do not count.
 */
export function basisOf(group: SizedBy): Read<Basis> {
  const who = nameOfGroup(group)
  const known = weighed(group).map(({ own }) => own)
  const { members } = group.sizedLike ?? group
  const silent = together(members.filter((member) => !member.declared && allocatableOf(member) === undefined))
  const said = silent.nodeCount === 0 ? 'its declared shapes' : nodesText(silent)
  if (known.length === 0) {
    const sentence = `${who}: ${said} report no allocatable cpu and memory`
    return { findings: [finding('NoAllocatable', sentence)] }
  }
  const basis = { cpu: extreme(known, 'cpu', -1), memory: extreme(known, 'memory', -1) }
  if (group.sizedLike !== undefined) return { value: basis, findings: [] }
  const findings: Finding[] =
    silent.nodeCount === 0 ? [] : [finding('NodesNotSized', `${who}: ${said} report no allocatable cpu and memory`)]
  return { value: basis, findings }
}

/** The members that a group is sized by, each with what it has. */
export function weighed({ members: own, sizedLike }: SizedBy): Array<{ member: Member; own: Basis }> {
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

/** Both amounts, above zero; an inventory whose amounts are no quantities was refused when it was read. */
function allocatableOf({ shape }: Member): Basis | undefined {
  const { cpu, memory } = shape.allocatable
  if (cpu === undefined || memory === undefined) return undefined
  const own = { cpu: Quantity.parse(cpu), memory: Quantity.parse(memory) }
  return own.cpu.nanoValue() > 0n && own.memory.nanoValue() > 0n ? own : undefined
}

function extreme(all: readonly Basis[], resource: Resource, direction: 1 | -1): Quantity {
  return all.map((basis) => basis[resource]).reduce((best, own) => (own.compare(best) === direction ? own : best))
}
