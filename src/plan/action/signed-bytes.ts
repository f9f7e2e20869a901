import { sha256 } from '../../core/object/index.ts'
import { isMap } from '../../krm/map.ts'

/** The algorithms of signatures; the message never chooses another. */
export const ALGORITHMS = ['HMAC-SHA256', 'Ed25519'] as const
export type Algorithm = (typeof ALGORITHMS)[number]

/** Separates these signatures from others made with the same key, and this form of the signed text from later ones. */
const PREFIX = 'krm-node-action:v1\n'
/** The same where several sign: their text names no key, so that all sign one, and one more changes no digest. */
const JOINT_PREFIX = 'krm-node-action:v2\n'
/** How many hex digits of the digest identify an action: in the names of Jobs, in records and outcomes. */
const DIGITS = 10

/** What a signature covers; metadata is not part of it, since hosts rename and annotate what they pass on. */
interface SignedPart {
  readonly alg: unknown
  readonly keyId: unknown
  readonly spec: unknown
}

/** A signed text, and that of its spec alone; or why the spec has none. */
type SignedText = { readonly text: string; readonly specText: string } | Exclude<Canonical, { text: unknown }>

/** Returns the text whose UTF-8 bytes are signed. */
export function signedText({ alg, keyId, spec }: SignedPart): SignedText {
  const head = canonicalJson({ alg, keyId })
  return 'problem' in head ? head : withSpec(spec, (text) => `${PREFIX}${head.text.slice(0, -1)},"spec":${text}}`)
}

/** Returns the text that several sign. */
export function jointText(spec: unknown): SignedText {
  return withSpec(spec, (text) => `${JOINT_PREFIX}{"spec":${text}}`)
}

function withSpec(spec: unknown, textOf: (text: string) => string): SignedText {
  const form = canonicalJson(spec)
  if ('text' in form) return { text: textOf(form.text), specText: form.text }
  const { code, path, value } = form.problem
  return { problem: { code, path: path === '' ? 'spec' : `spec.${path}`, value } }
}

/** Returns the first ten hex digits of the SHA-256 of a signed text. */
export function digestOf(text: string): string {
  return sha256(text).slice(0, DIGITS)
}

/** Why a value has no canonical form, and the path of the member that is to blame. */
interface CanonicalProblem {
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
