/** Mutations of the vectors of signed actions over bytes, fields, keys and notation, each with whether it says the same. */
import { Draw } from '../../e2e/support/fleets/draw.ts'
import type { Keyring } from '../../src/core/index.ts'
import { isDeepEqual } from '../../src/krm/map.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { readKeyring } from '../../src/plan/action/keys.ts'
import { readAction } from '../../src/plan/action/read-action.ts'
import { verifyAction } from '../../src/plan/action/verify.ts'
import { KEYRING, PUBLIC_KEY, signedAction, T, VECTORS, vectorAction } from './actions.ts'

/** The keys of the vectors, and one of Ed25519. */
export const KEYS: Keyring = { ...KEYRING, e1: { alg: 'Ed25519', key: PUBLIC_KEY } }
const { keys } = readKeyring(KEYS)
const ORIGINALS: readonly KubernetesObject[] = [
  ...(Object.keys(VECTORS) as Array<keyof typeof VECTORS>).map((name) => vectorAction(name)),
  signedAction({ id: 'act-0007', type: 'cordonNode', sequence: 14 }),
]

/** A mutated action as text, read as an object, and whether what is signed and its signature are as they were. */
export interface Mutation {
  readonly name: string
  readonly object: KubernetesObject
  readonly isSame: boolean
}

// biome-ignore lint/suspicious/noExplicitAny: any part of an action
type Any = any

/** Every container within a value with the key of one of its members, spec and signature alone. */
function places(object: KubernetesObject): Array<readonly [container: Any, key: string]> {
  const found: Array<readonly [Any, string]> = []
  const walk = (value: Any) => {
    if (typeof value !== 'object' || value === null) return
    for (const key of Object.keys(value)) {
      found.push([value, key])
      walk(value[key])
    }
  }
  walk({ spec: object.spec, signature: object.signature })
  return found.slice(1).filter(([, key]) => key !== 'signature')
}

const VALUES: readonly unknown[] = [
  '',
  'x',
  0,
  1,
  -1,
  2 ** 53,
  1.5,
  true,
  null,
  [],
  {},
  'cordonNode',
  'k1',
  'k2',
  'e1',
  'ä',
]

const CHANGES: Readonly<Record<string, (object: Any, draw: Draw) => void>> = {
  'a value is another one': (object, draw) => {
    const [container, key] = draw.one(places(object))
    container[key] = draw.one(VALUES)
  },
  'a character is another one': (object, draw) => {
    const [container, key] = draw.one(places(object).filter(([of, at]) => typeof of[at] === 'string' && of[at] !== ''))
    const text = container[key] as string
    const at = draw.integer(0, text.length - 1)
    const code = text.charCodeAt(at) ^ (1 << draw.integer(0, 6))
    container[key] = `${text.slice(0, at)}${String.fromCharCode(code)}${text.slice(at + 1)}`
  },
  'a member is gone': (object, draw) => {
    const [container, key] = draw.one(places(object))
    delete container[key]
  },
  'a member has another name': (object, draw) => {
    const [container, key] = draw.one(places(object))
    container[`${key}${draw.one(['', 'x', '\u0000', '́'])}`] = container[key]
    if (draw.percent(50)) delete container[key]
  },
  'there is a member more': (object, draw) => {
    const [container] = draw.one(places(object))
    if (!Array.isArray(container)) container[draw.one(['extra', 'reason', 'requester', 'force'])] = draw.one(VALUES)
  },
  'a number is another one': (object, draw) => {
    const [container, key] = draw.one(places(object).filter(([of, at]) => typeof of[at] === 'number'))
    container[key] += draw.one([-1, 0, 1, 0.5, 2 ** 53])
  },
  'a time is written or is another one': (object, draw) => {
    const name = draw.one(['issuedAt', 'expiresAt', 'notBefore'])
    object.spec[name] = draw.one([
      '2026-01-15T09:55:00Z',
      '2026-01-15T09:55:00.0Z',
      '2026-01-15T11:00:00+00:00',
      '2026-01-15T11:00:00Z',
    ])
  },
  'the key is another one': (object, draw) => {
    object.signature.keyId = draw.one(['k1', 'k2', 'k9', 'e1'])
    if (draw.percent(50)) object.signature.alg = draw.one(['HMAC-SHA256', 'Ed25519', 'none', 'HMAC-SHA1'])
  },
  'the signature is written otherwise': (object, draw) => {
    const { value } = object.signature
    const bytes = Buffer.from(value, 'base64url')
    object.signature.value = draw.one([
      ...[`${value}=`, value.toLowerCase(), bytes.toString('hex'), bytes.toString('base64'), ` ${value}`],
      ...[bytes.subarray(1).toString('base64url'), `${value.slice(0, -1)}${draw.one(['w', 'x', 'y', 'A'])}`, value],
    ])
  },
  'the order of members is another one': (object, draw) => {
    const turn = (value: Any): Any =>
      typeof value !== 'object' || value === null || Array.isArray(value)
        ? value
        : Object.fromEntries(draw.some(Object.entries(value), 99).map(([key, one]) => [key, turn(one)]))
    object.spec = turn(object.spec)
  },
  'what is not signed is another thing': (object, draw) => {
    object.metadata = { name: draw.one(['a', 'b']), namespace: 'x', labels: { a: 'b' }, annotations: { c: 'd' } }
  },
}

/** Draws a mutation of one of the vectors. */
export function mutation(number: number): Mutation {
  const draw = new Draw(`mutation ${number}`)
  const original = draw.one(ORIGINALS)
  const names = Object.keys(CHANGES)
  const name = names[number % names.length] ?? ''
  const object = structuredClone(original)
  CHANGES[name]?.(object, draw)
  const isSame = isDeepEqual(signedPart(object), signedPart(original))
  return { name, object, isSame }
}

function signedPart({ spec, signature }: KubernetesObject): unknown {
  return { spec, signature }
}

/** What nodefit says: `valid` with the digest, or `refused`; the signature alone, whatever the time. */
export function verdict(object: KubernetesObject): string {
  const { value: action } = readAction(object)
  if (action === undefined) return 'refused'
  const verifier = { keys, hasSecrets: true, requireSignature: true, cluster: 'prod-eu1', now: new Date(T) }
  const result = verifyAction(action, { ...verifier, maxLifetime: 86_400_000 })
  return result.verdict === 'refused' ? 'refused' : `valid ${action.digest}`
}
