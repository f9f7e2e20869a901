import { isMap } from '../../krm/map.ts'

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
  const text = write(value)
  if (typeof text === 'string') return { text }
  const { code, path = '', value: wrong } = text
  return { problem: { code, path, value: wrong } }
}

/** A problem whose path is not known yet, or known from some member on. */
type Found = Omit<CanonicalProblem, 'path'> & { readonly path?: string }

/** A text that JSON writes as it is: most of them, and a look is quicker than writing it. */
const PLAIN = /^[ !#-[\]-~]*$/

/** Writes a value; the path to what is wrong is made on the way back, since hardly a value has a problem. */
function write(value: unknown): string | Found {
  if (typeof value === 'string') {
    if (PLAIN.test(value)) return `"${value}"`
    return value.isWellFormed() ? JSON.stringify(value) : { code: 'InvalidField', value }
  }
  if (value === null || typeof value === 'boolean') return String(value)
  if (typeof value === 'bigint') return { code: 'UnsafeInteger', value }
  if (typeof value === 'number') {
    if (!Number.isInteger(value) || Object.is(value, -0)) return { code: 'NonIntegerNumber', value }
    return Number.isSafeInteger(value) ? String(value) : { code: 'UnsafeInteger', value }
  }
  let text = ''
  if (Array.isArray(value)) {
    for (const [index, entry] of value.entries()) {
      const written = write(entry)
      if (typeof written !== 'string') return within(String(index), written)
      text += text === '' ? written : `,${written}`
    }
    return `[${text}]`
  }
  if (!isMap(value)) return { code: 'InvalidField', value }
  for (const key of Object.keys(value).sort()) {
    if (value[key] === undefined) continue
    const name = write(key)
    if (typeof name !== 'string') return within(key, name)
    const written = write(value[key])
    if (typeof written !== 'string') return within(key, written)
    text += text === '' ? `${name}:${written}` : `,${name}:${written}`
  }
  return `{${text}}`
}

function within(key: string, found: Found): Found {
  return { ...found, path: found.path === undefined ? key : `${key}.${found.path}` }
}
