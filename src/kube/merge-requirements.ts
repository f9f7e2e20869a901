import type { RequirementKey, Requirements } from './requirements.ts'
import { ValueSet } from './value-set.ts'

/**
 * The same nodes in fewer alternatives: those that differ in one key alone become one, with the values of all. Three
 * hundred groups of one value each, and what remains beside them, are one alternative then. Alternatives that share no
 * node still share none.
 */
export function mergeRequirements(all: readonly Requirements[]): readonly Requirements[] {
  const keys = keysByUse(all)
  let left = all
  for (const key of [...keys, ...keys]) left = mergedOn(key, left)
  return left
}

interface Use {
  readonly key: RequirementKey
  readonly count: number
  readonly different: number
}

/** Every key that is asked about: first those that most alternatives ask about, then those with most sets of values. */
export function keysByUse(all: readonly Requirements[]): RequirementKey[] {
  const uses = new Map<RequirementKey, string[]>()
  for (const one of all)
    for (const key of one.keys) {
      const texts = uses.get(key)
      if (texts === undefined) uses.set(key, [one.valuesOf(key).text])
      else texts.push(one.valuesOf(key).text)
    }
  return [...uses]
    .map(([key, texts]): Use => ({ key, count: texts.length, different: new Set(texts).size }))
    .sort((a, b) => b.count - a.count || b.different - a.different || (String(a.key) < String(b.key) ? -1 : 1))
    .map(({ key }) => key)
}

function mergedOn(key: RequirementKey, all: readonly Requirements[]): readonly Requirements[] {
  if (all.length < 2) return all
  const alike = new Map<string, Requirements[]>()
  for (const one of all) {
    const text = one.textWithout(key)
    const members = alike.get(text)
    if (members === undefined) alike.set(text, [one])
    else members.push(one)
  }
  return [...alike.values()].flatMap((members) => {
    const [first, ...more] = members
    if (first === undefined || more.length === 0) return members
    const values = members.map((one) => one.valuesOf(key))
    return [first.with(key, ValueSet.union(values, values[0]?.domain))]
  })
}
