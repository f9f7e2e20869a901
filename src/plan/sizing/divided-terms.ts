import { indexBy } from '../../core/index.ts'
import type { NodeSelectorRequirement, NodeSelectorTerm } from '../../kube/index.ts'

/** A label of a selector. */
export type Pair = readonly [key: string, value: string]

/** What a term requires of each label: one of some values, or none of some. */
type Bounds = ReadonlyMap<string, { readonly isIn: boolean; readonly values: readonly string[] }>

/**
 * Disjoint terms that exclude the nodes of some selectors, each a list of labels: the nodes are divided by the values
 * of the label key that most selectors share, and each part by the labels that are left there. n selectors of the same
 * two keys need at most n + 1 terms; selectors without a common key as many as one by one. Undefined for more than
 * `limit` terms.
 */
export function dividedTerms(selectors: ReadonlyArray<readonly Pair[]>, limit: number): NodeSelectorTerm[] | undefined {
  const parts = divide(selectors, new Map(), limit)
  return parts?.map((bounds) => ({ matchExpressions: [...bounds].sort(byKey).map(requirementOf) }))
}

function divide(all: ReadonlyArray<readonly Pair[]>, above: Bounds, limit: number): Bounds[] | undefined {
  const selectors = all.filter((pairs, index) => {
    return !all.some((other, at) => at !== index && covers(other, pairs, at < index))
  })
  const several = selectors.filter(({ length }) => length > 1)
  const bounds = without(above, selectors.filter(({ length }) => length === 1).flat())
  const key = sharedKey(several)
  if (key === undefined) return limit < 1 ? undefined : [bounds]
  const apart = several.filter((pairs) => pairs.every(([own]) => own !== key))
  const having = several.flatMap((pairs) => pairs.filter(([own]) => own === key).map(([, value]) => ({ value, pairs })))
  const values = [...indexBy(having, ({ value }) => value)].sort(byKey)
  // values with the same labels left are one part
  const alike = indexBy(
    values.map(([value, own]) => ({ value, rest: own.map(({ pairs }) => pairs.filter(([other]) => other !== key)) })),
    ({ rest }) => JSON.stringify([...rest].sort()),
  )
  const parts = [...alike.values()].map((same) => ({
    isIn: true,
    values: same.map(({ value }) => value),
    selectors: [...(same[0]?.rest ?? []), ...apart],
  }))
  const others = { isIn: false, values: values.map(([value]) => value), selectors: apart }
  let found: Bounds[] = []
  for (const { isIn, values: own, selectors: left } of [...parts, others]) {
    const inside = isIn
      ? new Map([...bounds, [key, { isIn, values: own }] as const])
      : without(
          bounds,
          own.map((value) => [key, value] as const),
        )
    const more = divide(left, inside, limit - found.length)
    if (more === undefined) return undefined
    found = [...found, ...more]
  }
  return found
}

/** The bounds with some values of labels excluded. */
function without(bounds: Bounds, pairs: readonly Pair[]): Bounds {
  const next = new Map(bounds)
  for (const [key, value] of pairs) {
    const { isIn = false, values = [] } = next.get(key) ?? {}
    if (!isIn) next.set(key, { isIn, values: [...new Set([...values, value])].sort() })
  }
  return next
}

/** The key in most selectors, of equal ones that with the fewest values; undefined without selectors. */
function sharedKey(selectors: ReadonlyArray<readonly Pair[]>): string | undefined {
  const uses = [...indexBy(selectors.flat(), ([key]) => key)].map(([key, pairs]) => {
    return { key, count: pairs.length, values: new Set(pairs.map(([, value]) => value)).size }
  })
  const [first] = uses.sort((a, b) => b.count - a.count || a.values - b.values || (a.key < b.key ? -1 : 1))
  return first?.key
}

function requirementOf([key, { isIn, values }]: readonly [
  string,
  { readonly isIn: boolean; readonly values: readonly string[] },
]): NodeSelectorRequirement {
  return { key, operator: isIn ? 'In' : 'NotIn', values: [...values] }
}

function byKey([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number {
  return a < b ? -1 : 1
}

/**
 * Whether excluding nodes with the `fewer` labels excludes those with `pairs`, too; of two equal selectors the first
 * covers the second.
 */
export function covers(fewer: readonly Pair[], pairs: readonly Pair[], isFirst: boolean): boolean {
  if (fewer.length > pairs.length || (fewer.length === pairs.length && !isFirst)) return false
  return fewer.every(([key, value]) => pairs.some((pair) => pair[0] === key && pair[1] === value))
}
