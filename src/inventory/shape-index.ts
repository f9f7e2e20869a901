import type { Shape } from './fleet.ts'

/** The shapes that have a label, by its key and then its value. */
type Labelled = ReadonlyMap<string, ReadonlyMap<string, readonly Shape[]>>

const known = new WeakMap<readonly Shape[], Labelled>()
const NONE: readonly Shape[] = []

/**
 * Of a list of shapes those that may match a nodeSelector, in order: all that have the one of its labels that fewest have. A list
 * is looked through once, however many ask. A selector that says nothing leaves the list as it is.
 */
export function shapesThatMayMatch(
  shapes: readonly Shape[],
  nodeSelector: Readonly<Record<string, unknown>>,
): readonly Shape[] {
  const pairs = Object.entries(nodeSelector)
  if (pairs.length === 0) return shapes
  const index = known.get(shapes) ?? indexOf(shapes)
  known.set(shapes, index)
  return pairs
    .map(([key, value]) => index.get(key)?.get(value as string) ?? NONE)
    .reduce((few, own) => (own.length < few.length ? own : few))
}

function indexOf(shapes: readonly Shape[]): Labelled {
  const index = new Map<string, Map<string, Shape[]>>()
  for (const shape of shapes)
    for (const [key, value] of Object.entries(shape.labels)) {
      const values = index.get(key) ?? new Map<string, Shape[]>()
      index.set(key, values)
      const own = values.get(value)
      if (own === undefined) values.set(value, [shape])
      else own.push(shape)
    }
  return index
}
