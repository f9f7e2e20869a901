import { isMap } from '../krm/map.ts'

/** Why a value has no canonical form, and the path of the member that is to blame. */
export interface CanonicalProblem {
  readonly code: 'NonIntegerNumber' | 'UnsafeInteger' | 'InvalidField'
  readonly path: string
  readonly value: unknown
}

/** The canonical form of a value, or why it has none. */
export type Canonical = { readonly text: string } | { readonly problem: CanonicalProblem }

/**
 * Returns a JSON value in the canonical form of RFC 8785: no white space, members sorted by UTF-16 code units. Of its
 * numbers only integers from -(2^53 - 1) to 2^53 - 1 are taken, since others are read differently elsewhere; minus zero
 * and unpaired surrogates are refused. A member that is undefined counts as absent.
 */
export function canonicalJson(value: unknown): Canonical {
  const problems: CanonicalProblem[] = []
  const text = write(value, [], problems)
  const [problem] = problems
  return problem === undefined ? { text } : { problem }
}

/** Writes a value. `path` leads to it, and is as it was when the function returns: hardly a value has a problem. */
function write(value: unknown, path: Array<string | number>, problems: CanonicalProblem[]): string {
  const refuse = (code: CanonicalProblem['code']) => {
    problems.push({ code, path: path.join('.'), value })
    return ''
  }
  if (typeof value === 'string') return value.isWellFormed() ? JSON.stringify(value) : refuse('InvalidField')
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'bigint') return refuse('UnsafeInteger')
  if (typeof value === 'number') {
    if (!Number.isInteger(value) || Object.is(value, -0)) return refuse('NonIntegerNumber')
    return Number.isSafeInteger(value) ? String(value) : refuse('UnsafeInteger')
  }
  const below = (key: string | number, member: unknown) => {
    path.push(key)
    const text = write(member, path, problems)
    path.pop()
    return text
  }
  if (Array.isArray(value)) return `[${value.map((entry, index) => below(index, entry)).join(',')}]`
  if (!isMap(value)) return refuse('InvalidField')
  const members = Object.keys(value)
    .sort()
    .filter((key) => value[key] !== undefined)
    .map((key) => `${below(key, key)}:${below(key, value[key])}`)
  return `{${members.join(',')}}`
}
