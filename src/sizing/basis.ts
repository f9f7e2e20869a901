import { type Finding, finding, listNames } from '../finding/index.ts'
import { KubeError, Quantity } from '../kube/index.ts'
import type { Resource } from '../policy/index.ts'
import type { Group } from './group.ts'
import type { Member } from './membership.ts'

/** What percentages are taken of. */
export type Basis = Readonly<Record<Resource, Quantity>>

/**
 * The smallest allocatable amount of each resource over the group's nodes: those where a pod may start, if there are
 * any; declared shapes only where no node can be read. Nodes that report nothing do not count.
 */
export function basisOf(group: Group): { basis?: Basis; findings: Finding[] } {
  const findings: Finding[] = []
  const read = group.members.map((member) => ({ member, own: readAllocatable(member, findings) }))
  const real = read.filter(({ member }) => !member.declared)
  const starting = (all: typeof read) => all.filter(({ member }) => member.mayStart)
  const tiers = group.id === 'remainder' ? [starting(read), read] : [starting(real), real, starting(read), read]
  const known = tiers.map((tier) => tier.flatMap(({ own }) => own ?? [])).find((tier) => tier.length > 0)
  const names = listNames(real.filter(({ own }) => own === undefined).flatMap(({ member }) => member.nodes))
  if (known === undefined) {
    return {
      findings: [
        ...findings,
        finding(
          'NoAllocatable',
          `group ${group.id}: ${names || 'its declared shapes'} report no allocatable cpu and memory`,
        ),
      ],
    }
  }
  if (names !== '' && group.id !== 'remainder')
    findings.push(finding('NodesNotSized', `group ${group.id}: ${names} report no allocatable cpu and memory`))
  const basis = { cpu: extreme(known, 'cpu', -1), memory: extreme(known, 'memory', -1) }
  if (group.id !== 'remainder' && isSpread(known, basis)) {
    const sentence = `group ${group.id}: allocatable cpu ${basis.cpu} to ${extreme(known, 'cpu', 1)}, memory ${basis.memory} to ${extreme(known, 'memory', 1)}`
    findings.push(finding('GroupSpread', sentence))
  }
  return { basis, findings }
}

function readAllocatable({ shape, nodes }: Member, findings: Finding[]): Basis | undefined {
  const { cpu, memory } = shape.allocatable
  if (cpu === undefined || memory === undefined) return undefined
  try {
    const own = { cpu: Quantity.parse(cpu), memory: Quantity.parse(memory) }
    return own.cpu.nanoValue() > 0n && own.memory.nanoValue() > 0n ? own : undefined
  } catch (error) {
    if (!(error instanceof KubeError)) throw error
    findings.push(finding('InventoryInvalid', `allocatable of ${listNames(nodes)}: ${error.message}`))
    return undefined
  }
}

function extreme(all: readonly Basis[], resource: Resource, direction: 1 | -1): Quantity {
  return all.map((basis) => basis[resource]).reduce((best, own) => (own.compare(best) === direction ? own : best))
}

function isSpread(all: readonly Basis[], smallest: Basis): boolean {
  const quarterMore = (resource: Resource) =>
    extreme(all, resource, 1).nanoValue() * 4n > smallest[resource].nanoValue() * 5n
  return quarterMore('cpu') || quarterMore('memory')
}
