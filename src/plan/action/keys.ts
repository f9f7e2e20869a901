import { createHmac, createPublicKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto'
import type { Key, Keyring } from '../../core/index.ts'
import { isTime } from '../../kube/index.ts'
import { ALGORITHMS, type Algorithm } from './signed-bytes.ts'

/** A key that can verify actions. */
export interface UsableKey {
  readonly alg: Algorithm
  /** Undefined: any time. An action is signed with the key within its window, both ends included. */
  readonly notBefore?: Date
  readonly notAfter?: Date
  /** The types of actions that it may sign; undefined for all. */
  readonly types?: readonly string[]
  /** Whether nothing begins with it any more. */
  readonly isRetired: boolean
  /** Whether the bytes are the signature of the text; compares in constant time. */
  verifies(text: string, signature: Uint8Array): boolean
}

/** How many bytes a signature has. */
export const SIGNATURE_BYTES: Readonly<Record<Algorithm, number>> = { 'HMAC-SHA256': 32, Ed25519: 64 }
/** How many bytes a key has: a shared secret at least, a public key exactly. */
const KEY_BYTES = 32

/** Why a key cannot be used, in words; `isWeak` where signatures of nobody verify with it. */
export interface KeyProblem {
  readonly problem: string
  readonly isWeak?: boolean
}

/** Reads a key; returns what is wrong with it. */
export function readKey({ alg, key, notBefore, notAfter, types, isRetired = false }: Key): UsableKey | KeyProblem {
  if (!ALGORITHMS.includes(alg)) return { problem: `its alg is ${alg}, not ${ALGORITHMS.join(' or ')}` }
  const bytes = decodedBase64(key)
  if (bytes === undefined) return { problem: 'it is not base64' }
  if (alg === 'Ed25519' ? bytes.length !== KEY_BYTES : bytes.length < KEY_BYTES)
    return { problem: `it has ${bytes.length} bytes, not ${alg === 'Ed25519' ? '' : 'at least '}${KEY_BYTES}` }
  const weakness = alg === 'Ed25519' ? weaknessOf(bytes) : isOneByte(bytes) ? 'it is a placeholder' : undefined
  if (weakness !== undefined) return { problem: weakness, isWeak: true }
  const times = { notBefore, notAfter }
  const malformed = Object.entries(times).find(([, text]) => text !== undefined && !isTime(text))
  if (malformed !== undefined) return { problem: `its ${malformed[0]} is not an RFC 3339 time` }
  const instant = (text: string | undefined) => (text === undefined ? undefined : new Date(text))
  return {
    alg,
    notBefore: instant(notBefore),
    notAfter: instant(notAfter),
    types,
    isRetired,
    verifies: alg === 'Ed25519' ? ed25519Verifier(bytes) : hmacVerifier(bytes),
  }
}

/** Reads the keys of a keyring by their ids; `problems` says in words what is wrong with each unusable one. */
export function readKeyring(keyring: Keyring): {
  readonly keys: ReadonlyMap<string, UsableKey>
  readonly problems: ReadonlyArray<KeyProblem & { readonly keyId: string }>
} {
  const keys = new Map<string, UsableKey>()
  const problems: Array<KeyProblem & { keyId: string }> = []
  const ids = new Map<string, string>()
  for (const [keyId, key] of Object.entries(keyring)) {
    const read = readKey(key)
    const material = decodedBase64(key.key)?.toString('base64url') ?? ''
    const other = ids.get(material)
    if ('problem' in read) problems.push({ keyId, ...read })
    else if (other !== undefined) problems.push({ keyId, problem: `it is the same key as ${other}` })
    else {
      keys.set(keyId, read)
      ids.set(material, keyId)
    }
  }
  return { keys, problems }
}

/** The prime of the field of Ed25519, and the d of its curve (RFC 8032, section 5.1). */
const P = 2n ** 255n - 19n
const D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n
/** The y of the points whose order is 1, 2, 4 or 8: with such a key a signature of nobody verifies. */
const SMALL_ORDER = new Set([
  0n,
  1n,
  P - 1n,
  2707385501144840649318225287225658788936804267575313519463743609750303402022n,
  55188659117513257062467267217118295137698188065244968500265048394206261417927n,
])

/** Returns why an Ed25519 key must not be trusted, in words; undefined where it is a point of a large order. */
function weaknessOf(bytes: Buffer): string | undefined {
  if (isOneByte(bytes)) return 'it is a placeholder'
  const number = BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`)
  const y = BigInt.asUintN(255, number)
  if (SMALL_ORDER.has(y % P)) return 'it is a point of small order, with which signatures of nobody verify'
  if (y >= P) return 'it is not in canonical form'
  const [u, v] = [y * y - 1n, D * y * y + 1n]
  // x squared is u/v: a square by Euler's criterion, as u*v is
  if (power(u * v, (P - 1n) / 2n) !== 1n) return 'it is no point of the curve'
  return undefined
}

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n
  let square = base % P
  for (let rest = exponent; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % P
    square = (square * square) % P
  }
  return result
}

function isOneByte(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === bytes[0])
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
