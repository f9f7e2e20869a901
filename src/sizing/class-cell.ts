/** The cells by which values of similar size are told apart, in exact arithmetic (DESIGN, "Classes"). */
import type { Fraction, Resource } from '../policy/index.ts'
import type { Basis } from './basis.ts'

/** One core and one GiB, in the nano units of quantities. */
const UNIT: Record<Resource, bigint> = { cpu: 1_000_000_000n, memory: 1024n ** 3n * 1_000_000_000n }
/** Into how many parts the name of a cell below one divides it, and how parts and wholes are written. */
const NAMES: Record<Resource, { parts: bigint; part: string; whole: string }> = {
  cpu: { parts: 1000n, part: 'm', whole: 'cpu' },
  memory: { parts: 1024n, part: 'mi', whole: 'gi' },
}
const RESOURCES: readonly Resource[] = ['cpu', 'memory']
const HUNDRED = 100n
/** No node is as large as 2 to this power, in cores or GiB. */
const HIGHEST = 64

/** A ratio's power by which a cell is named, for each resource. */
export type Cell = Readonly<Record<Resource, number>>

/** The cell [3/4 r^k, 3/4 r^(k+1)) of each resource in which a basis lies; the lowest has a name and takes all that is smaller. */
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

/** The nominal size of a cell: `2cpu-8gi`; below one in millicores and Mi. */
export function nameOfCell(cell: Cell, ratio: bigint): string {
  return RESOURCES.map((resource) => powerText(resource, ratio, cell[resource])).join('-')
}

/** The cell of a name, as the ratio has it; undefined where another ratio made the name. */
export function cellOfName(name: string, ratio: bigint): Cell | undefined {
  const texts = name.split('-')
  const [cpu, memory] = RESOURCES.map((resource, index) => {
    for (let k = lowest(resource, ratio); k <= HIGHEST; k++)
      if (powerText(resource, ratio, k) === texts[index]) return k
    return undefined
  })
  return cpu === undefined || memory === undefined ? undefined : { cpu, memory }
}

/** Whether a basis is in a cell, or outside of it by less than so many percent of the edge it crossed. */
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

/** The smallest power whose name is at least one millicore or one Mi. */
function lowest(resource: Resource, ratio: bigint): number {
  let k = 0
  while (ratio ** BigInt(1 - k) <= NAMES[resource].parts) k--
  return k
}
