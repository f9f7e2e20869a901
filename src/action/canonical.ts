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
export function canonicalJson(value: unknown, path = ''): Canonical {
  const problems: CanonicalProblem[] = []
  const text = write(value, path, problems)
  const [problem] = problems
  return problem === undefined ? { text } : { problem }
}

function write(value: unknown, path: string, problems: CanonicalProblem[]): string {
  const refuse = (code: CanonicalProblem['code']) => {
    problems.push({ code, path, value })
    return ''
  }
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'bigint') return refuse('UnsafeInteger')
  if (typeof value === 'number') {
    if (!Number.isInteger(value) || Object.is(value, -0)) return refuse('NonIntegerNumber')
    return Number.isSafeInteger(value) ? String(value) : refuse('UnsafeInteger')
  }
  if (typeof value === 'string') return value.isWellFormed() ? JSON.stringify(value) : refuse('InvalidField')
  const below = (key: string | number) => (path === '' ? String(key) : `${path}.${key}`)
  if (Array.isArray(value)) return `[${value.map((entry, index) => write(entry, below(index), problems)).join(',')}]`
  if (!isMap(value)) return refuse('InvalidField')
  const members = Object.keys(value)
    .sort()
    .filter((key) => value[key] !== undefined)
    .map((key) => `${write(key, below(key), problems)}:${write(value[key], below(key), problems)}`)
  return `{${members.join(',')}}`
}
