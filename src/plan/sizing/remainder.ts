import type { NodeSelectorRequirement } from '../../kube/index.ts'
import type { Draft } from './explicit-groups.ts'
import { digestOf } from './name.ts'

const REMAINDER = 'remainder'
const ID_DIGITS = 10

/** Values of the first labels whose combinations all occur with the same values of the next label. */
interface Product {
  readonly before: ReadonlyArray<readonly string[]>
  readonly next: readonly string[]
  /** The text that its name hashes; undefined for new values of the first label. */
  readonly identity?: string
}

/**
 * The groups for nodes with every label in a new combination: one for new values of the first label, then one for each
 * full product of known values with the same known next values (DESIGN, "Remainder"). Each needs one term.
 */
export function remainderGroups(labels: readonly string[], combinations: ReadonlyArray<readonly string[]>): Draft[] {
  const depths = labels.map((_, depth) => productsAt(depth, combinations))
  return depths.flat().map((product) => remainderGroup(labels, product))
}

function remainderGroup(labels: readonly string[], { before, next, identity }: Product): Draft {
  const [label = '', ...rest] = labels.slice(before.length)
  const requirements: NodeSelectorRequirement[] = [
    ...before.map((values, index) => ({ key: labels[index] ?? '', operator: 'In', values: [...values] })),
    { key: label, operator: 'Exists' },
    ...(next.length > 0 ? [{ key: label, operator: 'NotIn', values: [...next] }] : []),
    ...rest.map((key) => ({ key, operator: 'Exists' })),
  ]
  const draft = { kind: 'remainder', namePart: REMAINDER, nodeSelector: {}, requirements, members: [] } as const
  if (identity === undefined) return { ...draft, id: REMAINDER, aliases: [REMAINDER], family: REMAINDER }
  const id = `${REMAINDER}:${digestOf(identity, ID_DIGITS)}`
  return { ...draft, id, hashOf: identity, aliases: [`${REMAINDER}-${digestOf(identity)}`], family: REMAINDER }
}

/** The products of known values of the first `depth` labels, sorted by the next values. */
function productsAt(depth: number, combinations: ReadonlyArray<readonly string[]>): Product[] {
  const nexts = new Map<string, Set<string>>()
  for (const values of combinations) {
    const before = JSON.stringify(values.slice(0, depth))
    const next = values[depth] ?? ''
    const known = nexts.get(before)
    if (known === undefined) nexts.set(before, new Set([next]))
    else known.add(next)
  }
  if (depth === 0) return [{ before: [], next: [...(nexts.get('[]') ?? [])].sort() }]
  const alike = new Map<string, string[][]>()
  for (const [before, values] of nexts) {
    const next = JSON.stringify([...values].sort())
    alike.set(next, [...(alike.get(next) ?? []), JSON.parse(before) as string[]])
  }
  return [...alike].sort(byKey).flatMap(([key, prefixes]) => {
    const next = JSON.parse(key) as string[]
    const products = fullProducts(prefixes)
    return products.map((before) => {
      const identity = JSON.stringify(products.length === 1 ? [depth, next] : [depth, next, before])
      return { before, next, identity }
    })
  })
}

/** Divides tuples into full products: first members with equal rests are in one. */
function fullProducts(tuples: readonly string[][]): string[][][] {
  if ((tuples[0]?.length ?? 0) === 0) return [[]]
  const rests = new Map<string, string[][]>()
  for (const [first = '', ...rest] of tuples) rests.set(first, [...(rests.get(first) ?? []), rest])
  const alike = new Map<string, string[]>()
  for (const [first, tails] of rests) {
    const key = JSON.stringify(tails.map((rest) => JSON.stringify(rest)).sort())
    alike.set(key, [...(alike.get(key) ?? []), first])
  }
  return [...alike].sort(byKey).flatMap(([, firsts]) => {
    const tails = rests.get(firsts[0] ?? '') ?? []
    return fullProducts(tails).map((product) => [[...firsts].sort(), ...product])
  })
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}
