import { createHmac, createPublicKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto'
import { isTime } from '../kube/index.ts'
import type { Key, Keyring } from '../world/index.ts'
import { ALGORITHMS, type Algorithm } from './signed-bytes.ts'

/** A key that can verify actions. */
export interface UsableKey {
  readonly alg: Algorithm
  /** Undefined: any time. An action is signed with the key within its window, both ends included. */
  readonly notBefore?: Date
  readonly notAfter?: Date
  /** The types of actions that it may sign; undefined for all. */
  readonly types?: readonly string[]
  /** Whether the bytes are the signature of the text; compares in constant time. */
  verifies(text: string, signature: Uint8Array): boolean
}

/** How many bytes a signature has. */
export const SIGNATURE_BYTES: Readonly<Record<Algorithm, number>> = { 'HMAC-SHA256': 32, Ed25519: 64 }
/** How many bytes a key has: a shared secret at least, a public key exactly. */
const KEY_BYTES = 32

/** Reads a key; returns in words what is wrong with it. */
export function readKey({ alg, key, notBefore, notAfter, types }: Key): UsableKey | { readonly problem: string } {
  if (!ALGORITHMS.includes(alg)) return { problem: `its alg is ${alg}, not ${ALGORITHMS.join(' or ')}` }
  const bytes = decodedBase64(key)
  if (bytes === undefined) return { problem: 'it is not base64' }
  if (alg === 'Ed25519' ? bytes.length !== KEY_BYTES : bytes.length < KEY_BYTES)
    return { problem: `it has ${bytes.length} bytes, not ${alg === 'Ed25519' ? '' : 'at least '}${KEY_BYTES}` }
  const times = { notBefore, notAfter }
  const malformed = Object.entries(times).find(([, text]) => text !== undefined && !isTime(text))
  if (malformed !== undefined) return { problem: `its ${malformed[0]} is not an RFC 3339 time` }
  const instant = (text: string | undefined) => (text === undefined ? undefined : new Date(text))
  return {
    alg,
    notBefore: instant(notBefore),
    notAfter: instant(notAfter),
    types,
    verifies: alg === 'Ed25519' ? ed25519Verifier(bytes) : hmacVerifier(bytes),
  }
}

/** Reads the keys of a keyring by their ids; `problems` says in words what is wrong with each unusable one. */
export function readKeyring(keyring: Keyring): {
  readonly keys: ReadonlyMap<string, UsableKey>
  readonly problems: ReadonlyArray<{ readonly keyId: string; readonly problem: string }>
} {
  const keys = new Map<string, UsableKey>()
  const problems: Array<{ keyId: string; problem: string }> = []
  for (const [keyId, key] of Object.entries(keyring)) {
    const read = readKey(key)
    if ('problem' in read) problems.push({ keyId, problem: read.problem })
    else keys.set(keyId, read)
  }
  return { keys, problems }
}

/** Decodes base64 of either alphabet, with or without padding; undefined where the text is no such encoding. */
export function decodedBase64(text: string): Buffer | undefined {
  const bare = text
    .replace(/={0,2}$/, '')
    .replaceAll('+', '-')
    .replaceAll('/', '_')
  const bytes = Buffer.from(bare, 'base64url')
  return bare !== '' && bytes.toString('base64url') === bare ? bytes : undefined
}

function hmacVerifier(secret: Buffer): UsableKey['verifies'] {
  return (text, signature) => {
    const expected = createHmac('sha256', secret).update(text).digest()
    // timingSafeEqual throws on unequal lengths
    return signature.length === expected.length && timingSafeEqual(signature, expected)
  }
}

function ed25519Verifier(bytes: Buffer): UsableKey['verifies'] {
  let key: KeyObject | undefined
  return (text, signature) => {
    key ??= createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: bytes.toString('base64url') }, format: 'jwk' })
    return verify(null, Buffer.from(text), key, signature)
  }
}
