/** Size cells: ranges of cpu and memory that make a class, in exact arithmetic (DESIGN, "Classes"). */
import type { Fraction, Resource } from '../../kinds/index.ts'
import type { Basis } from './basis.ts'

/** One core and one GiB, in nano units. */
const UNIT: Record<Resource, bigint> = { cpu: 1_000_000_000n, memory: 1024n ** 3n * 1_000_000_000n }
/** The units in names of cells: a whole, and the part of it that cells below one are named by. */
const NAMES: Record<Resource, { parts: bigint; part: string; whole: string }> = {
  cpu: { parts: 1000n, part: 'm', whole: 'cpu' },
  memory: { parts: 1024n, part: 'mi', whole: 'gi' },
}
const RESOURCES: readonly Resource[] = ['cpu', 'memory']
const HUNDRED = 100n
/** No node has 2 to this power cores or GiB. */
const HIGHEST = 64

/** The exponent k of each resource: its cell begins at 3/4 ratio^k cores or GiB. */
export type Cell = Readonly<Record<Resource, number>>

/**
 * The cell [3/4 r^k, 3/4 r^(k+1)) of a basis, for each resource. The lowest cell that has a name takes all smaller
 * amounts.
 */
export function cellOf(basis: Basis, ratio: bigint): Cell {
  const power = (resource: Resource) => {
    const nano = basis[resource].nanoValue()
    let k = 0
    while (isAtLeast(nano, resource, ratio, k + 1)) k++
    while (k > lowest(resource, ratio) && !isAtLeast(nano, resource, ratio, k)) k--
    return k
  }
  return { cpu: power('cpu'), memory: power('memory') }
}

/** The name of a cell: `2cpu-8gi`; below one in millicores and Mi. */
export function cellName(cell: Cell, ratio: bigint): string {
  return RESOURCES.map((resource) => powerText(resource, ratio, cell[resource])).join('-')
}

/** The cell with a name; undefined where no cell of this ratio has it. */
export function cellFromName(name: string, ratio: bigint): Cell | undefined {
  const texts = name.split('-')
  const [cpu, memory] = RESOURCES.map((resource, index) => {
    for (let k = lowest(resource, ratio); k <= HIGHEST; k++)
      if (powerText(resource, ratio, k) === texts[index]) return k
    return undefined
  })
  return cpu === undefined || memory === undefined ? undefined : { cpu, memory }
}

/** Whether a basis is in a cell, or beyond its edge by less than a percentage of that edge. */
export function isNear(basis: Basis, cell: Cell, ratio: bigint, { numerator, denominator }: Fraction): boolean {
  const whole = HUNDRED * denominator
  return RESOURCES.every((resource) => {
    const nano = basis[resource].nanoValue()
    const k = cell[resource]
    if (k > lowest(resource, ratio) && !isAtLeast(nano, resource, ratio, k)) {
      const { edge, scale } = edgeOf(resource, ratio, k)
      return (edge - nano * scale) * whole < edge * numerator
    }
    if (!isAtLeast(nano, resource, ratio, k + 1)) return true
    const { edge, scale } = edgeOf(resource, ratio, k + 1)
    return (nano * scale - edge) * whole < edge * numerator
  })
}

function powerText(resource: Resource, ratio: bigint, k: number): string {
  const { parts, part, whole } = NAMES[resource]
  return k >= 0 ? `${ratio ** BigInt(k)}${whole}` : `${parts / ratio ** BigInt(-k)}${part}`
}

function isAtLeast(nano: bigint, resource: Resource, ratio: bigint, k: number): boolean {
  const { edge, scale } = edgeOf(resource, ratio, k)
  return nano * scale >= edge
}

/** 3/4 r^k of the resource as edge / scale. */
function edgeOf(resource: Resource, ratio: bigint, k: number): { edge: bigint; scale: bigint } {
  const edge = 3n * UNIT[resource]
  return k >= 0 ? { edge: edge * ratio ** BigInt(k), scale: 4n } : { edge, scale: 4n * ratio ** BigInt(-k) }
}

/** The smallest exponent whose name is at least one millicore or one Mi. */
function lowest(resource: Resource, ratio: bigint): number {
  let k = 0
  while (ratio ** BigInt(1 - k) <= NAMES[resource].parts) k--
  return k
}
