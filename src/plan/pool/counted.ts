import type { MachineClaim } from './machines.ts'
import { namelessMachine } from './names.ts'
import type { ClaimInput } from './output.ts'

/** Returns the machines that are asked for and have no object yet; they are made in any order, and are all alike. */
export function missingClaims(
  { settings: { machines, name }, now, world }: ClaimInput,
  count: number,
): Map<string, MachineClaim> {
  const [size] = machines
  const [item] = world.items
  const names = Array.from({ length: Math.max(0, count) }, (_, index) =>
    namelessMachine({ name }, index + 1, 'to come'),
  )
  const times = { openedAt: now, createdAt: now }
  return new Map(
    names.map((one) => [one, { name: one, item, isOurs: true, requirements: size, openedFor: [], ...times }]),
  )
}
