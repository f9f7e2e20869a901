import type { Finding } from '../finding/index.ts'
import type { Fraction, Resource, SizingSettings } from '../policy/index.ts'
import type { Basis } from './allocatable.ts'
import { finding } from './codes.ts'

const RESOURCES: readonly Resource[] = ['cpu', 'memory']
const HUNDRED = 100n

/** Whether each resource of a basis is within so many percent of the one that is remembered. */
export function isNear(now: Basis, remembered: Basis, { numerator, denominator }: Fraction): boolean {
  return RESOURCES.every((resource) => {
    const old = remembered[resource].nanoValue()
    const difference = now[resource].nanoValue() - old
    const distance = difference < 0n ? -difference : difference
    return distance * HUNDRED * denominator <= numerator * old
  })
}

/** Whether two bases are the same amounts, however they are written. */
export function isEqual(one: Basis, other: Basis): boolean {
  return RESOURCES.every((resource) => one[resource].compare(other[resource]) === 0)
}

/** Whether a policy keeps a basis that is near. */
export function keepsNear({ hysteresis }: SizingSettings): boolean {
  return hysteresis.numerator > 0n
}

/** A basis can only be kept where the earlier output shows it. */
export function hysteresisFindings(settings: SizingSettings, isSeen: boolean): Finding[] {
  if (isSeen || !keepsNear(settings)) return []
  const { subject } = settings
  const sentence = `${subject.metadata.name}: hysteresisPercent keeps what was rendered before`
  return [finding('NeedsEarlierOutput', sentence, { subject, field: { path: 'spec.hysteresisPercent' } })]
}
