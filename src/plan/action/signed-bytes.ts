import { sha256 } from '../../core/object/index.ts'
import { type Canonical, canonicalJson } from './canonical.ts'

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
export interface SignedPart {
  readonly alg: unknown
  readonly keyId: unknown
  readonly spec: unknown
}

/** A signed text, and that of its spec alone; or why the spec has none. */
export type SignedText = { readonly text: string; readonly specText: string } | Exclude<Canonical, { text: unknown }>

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
