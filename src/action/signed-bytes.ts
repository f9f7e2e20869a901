import { sha256 } from '../object/index.ts'
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

/** Returns the text whose UTF-8 bytes are signed, or why the spec has none. */
export function signedText({ alg, keyId, spec }: SignedPart): Canonical {
  const form = canonicalJson({ alg, keyId, spec })
  return 'problem' in form ? form : { text: `${PREFIX}${form.text}` }
}

/** Returns the text that several sign. */
export function jointText(spec: unknown): Canonical {
  const form = canonicalJson({ spec })
  return 'problem' in form ? form : { text: `${JOINT_PREFIX}${form.text}` }
}

/** Returns the first ten hex digits of the SHA-256 of a signed text. */
export function digestOf(text: string): string {
  return sha256(text).slice(0, DIGITS)
}
