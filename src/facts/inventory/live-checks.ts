import type { Finding, Subject } from '../../krm/finding.ts'
import { isTime, KubeError, Quantity, type ResourceQuantities } from '../../kube/index.ts'
import { finding } from './codes.ts'

/** Finds fields of an entry at a path that are set and no RFC 3339 time. */
export function timeFindings<T extends object>(
  subject: Subject,
  entry: T,
  names: ReadonlyArray<keyof T & string>,
  path: string,
): Finding[] {
  return names.flatMap((name) => {
    const text = entry[name]
    if (text === undefined || (typeof text === 'string' && isTime(text))) return []
    return [invalidEntry(subject, `${path}.${name}`, text, (at) => `${at} is "${text}", not an RFC 3339 time`)]
  })
}

/** Finds amounts at a path that are not quantities. */
export function amountFindings(
  subject: Subject,
  amounts: ResourceQuantities | null | undefined,
  path: string,
): Finding[] {
  return Object.entries(amounts ?? {}).flatMap(([name, text]) => {
    try {
      Quantity.parse(text)
      return []
    } catch (error) {
      if (!(error instanceof KubeError)) throw error
      return [invalidEntry(subject, `${path}.${name}`, text, (at) => `${at}: ${error.message}`)]
    }
  })
}

/** Returns the finding for a field of a snapshot whose value cannot be read. */
export function invalidEntry(
  subject: Subject,
  path: string,
  currentValue: unknown,
  problem: (path: string) => string,
): Finding {
  const sentence = `${subject.metadata.name}: ${problem(path)}`
  return finding('InvalidField', sentence, { subject, field: { path, currentValue } })
}

/** Finds entries of a part that are listed twice, by the name of each. */
export function duplicateFindings(subject: Subject, part: string, names: readonly string[]): Finding[] {
  const seen = new Set<string>()
  const twice = new Set(names.filter((name) => seen.has(name) || !seen.add(name)))
  return [...twice].sort().map((name) => {
    const sentence = `WorkloadSnapshot ${subject.metadata.name} lists ${name} twice in ${part}`
    return finding('SnapshotDuplicate', sentence, { subject, field: { path: `spec.${part}` } })
  })
}

/** Returns a time of a snapshot; undefined if it is missing or malformed. */
export function timeOf(text: string | undefined): Date | undefined {
  return text === undefined || !isTime(text) ? undefined : new Date(text)
}

/** Returns a text that is not empty; undefined for any other value. */
export function filledText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined
}

/** Returns an RFC 3339 time; undefined for any other value. */
export function validTime(value: unknown): string | undefined {
  return typeof value === 'string' && isTime(value) ? value : undefined
}

/** Returns an integer that is exact; undefined for any other value. */
export function exactInteger(value: unknown): number | undefined {
  return Number.isSafeInteger(value) ? (value as number) : undefined
}

/** Returns the members that are set. */
export function present<T extends object>(members: T): Partial<T> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Partial<T>
}

/** Compares entries by namespace and name, for sorting. */
export function byName(
  left: { namespace?: string; name: string },
  right: { namespace?: string; name: string },
): number {
  const key = ({ namespace = '', name }: typeof left) => `${namespace}/${name}`
  const [a, b] = [key(left), key(right)]
  return a === b ? 0 : a < b ? -1 : 1
}
