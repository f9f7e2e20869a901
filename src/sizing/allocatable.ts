import { Quantity } from '../kube/index.ts'
import type { Resource } from '../policy/index.ts'
import type { Member } from './membership.ts'

/** What percentages are taken of. */
export type Basis = Readonly<Record<Resource, Quantity>>

/** Both amounts, above zero; an inventory whose amounts are no quantities was refused when it was read. */
export function allocatableOf({ shape }: Member): Basis | undefined {
  const { cpu, memory } = shape.allocatable
  if (cpu === undefined || memory === undefined) return undefined
  const own = { cpu: Quantity.parse(cpu), memory: Quantity.parse(memory) }
  return own.cpu.nanoValue() > 0n && own.memory.nanoValue() > 0n ? own : undefined
}

/** Whether any of the members says what it has. */
export function doesReport(members: readonly Member[]): boolean {
  return members.some((member) => allocatableOf(member) !== undefined)
}
