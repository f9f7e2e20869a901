import { type Finding, listNames, type Read } from '../finding/index.ts'
import { Quantity } from '../kube/index.ts'
import type { Resource } from '../policy/index.ts'
import { finding } from './codes.ts'
import { type Group, nameOfGroup } from './group.ts'
import type { Member } from './membership.ts'

/** What percentages are taken of. */
export type Basis = Readonly<Record<Resource, Quantity>>

/**
 * The smallest allocatable amount of each resource over the group's nodes: those where a pod may start, if there are
 * any; declared shapes only where no node can be read. Nodes that report nothing do not count.
 */
export function basisOf(group: Group): Read<Basis> {
  const who = nameOfGroup(group)
  const read = group.members.map((member) => ({ member, own: allocatableOf(member) }))
  const real = read.filter(({ member }) => !member.declared)
  const starting = (all: typeof read) => all.filter(({ member }) => member.mayStart)
  const tiers = group.kind === 'remainder' ? [starting(read), read] : [starting(real), real, starting(read), read]
  const known = tiers.map((tier) => tier.flatMap(({ own }) => own ?? [])).find((tier) => tier.length > 0)
  const names = listNames(real.filter(({ own }) => own === undefined).flatMap(({ member }) => member.nodes))
  if (known === undefined) {
    const sentence = `${who}: ${names || 'its declared shapes'} report no allocatable cpu and memory`
    return { findings: [finding('NoAllocatable', sentence)] }
  }
  const basis = { cpu: extreme(known, 'cpu', -1), memory: extreme(known, 'memory', -1) }
  if (group.kind === 'remainder') return { value: basis, findings: [] }
  const findings: Finding[] =
    names === '' ? [] : [finding('NodesNotSized', `${who}: ${names} report no allocatable cpu and memory`)]
  return { value: basis, findings: [...findings, ...spreadFindings(known, basis, who)] }
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

function spreadFindings(all: readonly Basis[], smallest: Basis, who: string): Finding[] {
  const [cpu, memory] = [extreme(all, 'cpu', 1), extreme(all, 'memory', 1)]
  const isQuarterMore = (largest: Quantity, least: Quantity) => largest.nanoValue() * 4n > least.nanoValue() * 5n
  if (!isQuarterMore(cpu, smallest.cpu) && !isQuarterMore(memory, smallest.memory)) return []
  const sentence = `${who}: allocatable cpu ${smallest.cpu} to ${cpu}, memory ${smallest.memory} to ${memory}`
  return [finding('GroupSpread', sentence)]
}
