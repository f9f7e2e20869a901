/** docs/reference/action-vectors.json: the canonical form of what is signed, with vectors, for other signers. */
import { canonicalJson, digestOf, signedText } from '../../src/plan/action/signed-bytes.ts'
import { KEYRING, PUBLIC_KEY, signedAction, VECTORS } from './actions.ts'

const FORM = [
  'signed bytes: UTF-8 of the prefix, then the canonical JSON of {"alg", "keyId", "spec"}; metadata is not covered',
  'canonical JSON: RFC 8785: no white space, members sorted by UTF-16 code units, strings escaped as JSON.stringify does',
  'numbers: integers from -(2^53 - 1) to 2^53 - 1 only; no fraction, exponent or -0; no unpaired surrogate, no doubled key',
  'absent and null differ; lists keep their order; times are strings and are signed as written',
  'HMAC-SHA256: the MAC of the signed bytes with a key of at least 32 bytes; Ed25519: the signature of them (RFC 8032)',
  'value: base64url without padding, which encodes to itself again: 43 characters for HMAC-SHA256, 86 for Ed25519',
  'digest: the first ten hex digits of the SHA-256 of the signed bytes',
]
/** Values and their canonical form; undefined where they have none. */
const VALUES: readonly unknown[] = [
  { b: 1, a: [true, null, 'x'] },
  { '\u{1f600}': 1, '\ufb33': 2 },
  { ä: '\u2028"\\/\u0007', n: -9007199254740991 },
  9007199254740993n,
  1.5,
  -0,
  '\ud800',
]

/** The text of the file. */
export function vectorsFile(): string {
  const vector = (spec: unknown, alg: string, keyId: string, value: string) => {
    const form = signedText({ alg, keyId, spec })
    if ('problem' in form) throw new Error(form.problem.code)
    return { spec, alg, keyId, signed: form.text, value, digest: digestOf(form.text) }
  }
  const hmac = Object.values(VECTORS).map(({ spec, keyId, value }) => vector(spec, 'HMAC-SHA256', keyId, value))
  const { spec, signature } = signedAction({ id: 'act-0007', type: 'cordonNode', sequence: 14 }) as unknown as {
    spec: object
    signature: { value: string }
  }
  const file = {
    form: FORM,
    prefix: 'krm-node-action:v1\n',
    keys: [
      ...Object.entries(KEYRING).map(([keyId, { alg, key }]) => ({ keyId, alg, secret: key })),
      { keyId: 'e1', alg: 'Ed25519', public: PUBLIC_KEY },
    ],
    vectors: [...hmac, vector(spec, 'Ed25519', 'e1', signature.value)],
    canonical: VALUES.map((value) => {
      const form = canonicalJson(value)
      const shown = typeof value === 'bigint' ? String(value) : Object.is(value, -0) ? '-0' : JSON.stringify(value)
      return 'text' in form ? { json: shown, canonical: form.text } : { json: shown, refused: form.problem.code }
    }),
  }
  return `${JSON.stringify(file, null, 2)}\n`
}
