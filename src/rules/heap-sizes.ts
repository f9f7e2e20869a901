import type { Container } from '../kube/index.ts'
import { amountIn, type Pair } from './beside-amounts.ts'

/** A heap size that is written in a container, in bytes. */
export interface Heap {
  /** As it is written: `GOMEMLIMIT=900MiB`, `-Xmx2g`. */
  readonly text: string
  readonly bytes: bigint
}

const GO_UNITS: Readonly<Record<string, bigint>> = {
  B: 1n,
  KiB: 1n << 10n,
  MiB: 1n << 20n,
  GiB: 1n << 30n,
  TiB: 1n << 40n,
}
/** Go's runtime takes whole numbers with one of these units, and bytes without a unit (`parseByteCount`). */
const GO = /^([0-9]{1,18})(B|KiB|MiB|GiB|TiB)?$/
/** `-Xmx` and its long form: bytes, or k, m, g or t of either case. */
const JAVA = /(?:^|[\s"'=])(-Xmx|-XX:MaxHeapSize=)([0-9]{1,15})([kKmMgGtT]?)(?=$|[\s"'])/g
const JAVA_UNITS: Readonly<Record<string, bigint>> = { '': 1n, k: 1n << 10n, m: 1n << 20n, g: 1n << 30n, t: 1n << 40n }
/** Node counts in MiB; V8 takes dashes and underscores alike. */
const NODE = /--max[-_]old[-_]space[-_]size[= ]([0-9]{1,12})(?=$|[\s"'])/g

/**
 * Returns the fixed heap sizes of Go, the JVM and Node in a container's variables, command and arguments. A value that
 * refers to another variable or to the limit itself is not fixed.
 */
export function heapsIn({ env, command, args }: Container & { command?: unknown; args?: unknown }): Heap[] {
  const variables = (env ?? []).filter(({ value }) => typeof value === 'string')
  const texts = [[...words(command), ...words(args)].join(' '), ...variables.map(({ value }) => value ?? '')]
  return [
    ...variables.flatMap(({ name, value = '' }) => (name === 'GOMEMLIMIT' ? goHeap(value) : [])),
    ...texts.flatMap(flagHeaps),
  ]
}

/** Returns the heaps that exceed a container's memory limit, where that limit differs from the template's. */
export function heapsAboveLimit({ template, container }: Pair): Heap[] {
  const limit = amountIn(container, 'limits.memory')
  const before = amountIn(template, 'limits.memory')
  if (limit === undefined || before?.compare(limit) === 0) return []
  return heapsIn(container).filter(({ bytes }) => bytes > limit.value())
}

function goHeap(value: string): Heap[] {
  const [, digits, unit = 'B'] = GO.exec(value) ?? []
  return digits === undefined ? [] : [{ text: `GOMEMLIMIT=${value}`, bytes: BigInt(digits) * (GO_UNITS[unit] ?? 1n) }]
}

function flagHeaps(text: string): Heap[] {
  const java = [...text.matchAll(JAVA)].map(([, flag = '', digits = '0', unit = '']) => ({
    text: `${flag}${digits}${unit}`,
    bytes: BigInt(digits) * (JAVA_UNITS[unit.toLowerCase()] ?? 1n),
  }))
  const node = [...text.matchAll(NODE)].map(([match, digits = '0']) => ({
    text: match,
    bytes: BigInt(digits) << 20n,
  }))
  return [...java, ...node]
}

function words(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((word): word is string => typeof word === 'string') : []
}
