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
  highest: ReadonlyMap<string, number>,
): number {
  return Math.max(1, recorded, (highest.get(prefix) ?? 0) + 1)
}

/** Returns the highest number among names of machines, by the prefix that they have; other names do not count. */
export function highestNumbers(names: Iterable<string>): ReadonlyMap<string, number> {
  const highest = new Map<string, number>()
  for (const name of names) {
    const end = name.lastIndexOf('-')
    const digits = name.slice(end + 1)
    if (end < 0 || !/^[0-9]{1,15}$/.test(digits)) continue
    const prefix = name.slice(0, end)
    highest.set(prefix, Math.max(highest.get(prefix) ?? 0, Number(digits)))
  }
  return highest
}

/** Returns the name of a machine, which is also that of its node. */
export function machineName({ prefix }: Pick<PoolSettings, 'prefix'>, number: number): string {
  return `${prefix}-${String(number).padStart(DIGITS, '0')}`
}

/** Returns what stands for a machine that its provider names, once it is there. */
export function namelessMachine(
  { name }: Pick<PoolSettings, 'name'>,
  number: number,
  state: 'to add' | 'to come',
): string {
  return `${name} (machine ${number} ${state})`
}
