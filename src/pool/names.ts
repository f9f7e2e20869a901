import type { PoolSettings } from './settings.ts'

/** The digits of a claim's name, as KubeNodeSmith writes them; more where they are needed. */
const DIGITS = 6

/**
 * Returns the number of the next claim: never one that a name of today has, and never below the recorded one, since a
 * machine that is gone leaves its name in the cluster (k3s keeps a password for each node name).
 */
export function nextNumber(
  { prefix }: Pick<PoolSettings, 'prefix'>,
  recorded: number,
  names: Iterable<string>,
): number {
  let next = Math.max(1, recorded)
  for (const name of names) {
    const number = numberOf(prefix, name)
    if (number !== undefined && number >= next) next = number + 1
  }
  return next
}

/** Returns the number in the name of a machine; undefined if the name is of another pool, or a user's. */
function numberOf(prefix: string, name: string): number | undefined {
  if (!name.startsWith(`${prefix}-`)) return undefined
  const digits = name.slice(prefix.length + 1)
  return /^[0-9]{1,15}$/.test(digits) ? Number(digits) : undefined
}

/** Returns the name of a machine, which is also that of its node. */
export function machineName({ prefix }: Pick<PoolSettings, 'prefix'>, number: number): string {
  return `${prefix}-${String(number).padStart(DIGITS, '0')}`
}
