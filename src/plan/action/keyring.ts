import { createHmac, createPrivateKey, createPublicKey } from 'node:crypto'
import type { Key, Keyring, World } from '../../core/index.ts'
import { type ActionKeyring, isActionKeyring, isNodeAction, validate } from '../../kinds/index.ts'
import { type Finding, isError } from '../../krm/finding.ts'
import { describe } from '../../krm/identity.ts'
import { isMap } from '../../krm/map.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { finding } from './codes.ts'
import { decodedBase64, readKeyring, type UsableKey } from './keys.ts'
import type { Action } from './read-action.ts'

/** The keys of a run. */
interface RunKeys {
  readonly keys: ReadonlyMap<string, UsableKey>
  /** The same as they were given. */
  readonly keyring: Keyring
  /** Whether the keyring is from outside the package, and may have secrets. */
  readonly hasSecrets: boolean
  readonly findings: readonly Finding[]
}

/**
 * Returns the keys that verify a package's actions: those given with the run, else those of its ActionKeyring, which
 * may be public keys only. Whoever may add a key can sign, so a keyring from outside replaces that of the package.
 */
export function keysOf({ items, trust }: Pick<World, 'items' | 'trust'>, subject: KubernetesObject): RunKeys {
  const keyring = trust?.keys
  const inPackage = items.filter(({ object }) => isActionKeyring(object))
  const [item, second] = inPackage
  const read = inPackage.map(({ object }) => readItem(object))
  const findings = read.flatMap((one) => one.findings)
  if (keyring === undefined && item !== undefined && second !== undefined) {
    const sentence = `${describe(second.object)} is a second keyring beside ${describe(item.object)}`
    findings.push(finding('KeyringInvalid', sentence, { subject: second.object }))
  }
  const given = keyring ?? read[0]?.value ?? {}
  const { keys, problems } = readKeyring(given)
  const source = keyring === undefined ? (item?.object ?? subject) : subject
  const unusable = problems.map(({ keyId, problem, isWeak }) =>
    finding(isWeak ? 'WeakKey' : 'KeyringInvalid', `${source.metadata.name}: key ${keyId} cannot be used: ${problem}`, {
      subject: source,
    }),
  )
  return { keys, keyring: given, hasSecrets: keyring !== undefined, findings: [...findings, ...unusable] }
}

function readItem(object: KubernetesObject): { value: Keyring; findings: Finding[] } {
  const invalid = validate('ActionKeyring', object)
  if (invalid.some(isError)) return { value: {}, findings: invalid }
  const { keys } = object as unknown as ActionKeyring
  const withSecret = keys.find(
    ({ alg, secretFile, secret }) => alg !== 'Ed25519' || (secretFile ?? secret) !== undefined,
  )
  if (withSecret !== undefined) {
    const sentence = `${describe(object)} has the secret key ${withSecret.keyId}; a keyring of a package has public keys only`
    return { value: {}, findings: [finding('KeyInPackage', sentence, { subject: object })] }
  }
  const twice = keys.find(({ keyId }, index) => keys.findIndex((other) => other.keyId === keyId) !== index)
  if (twice !== undefined) {
    const sentence = `${describe(object)} has the key ${twice.keyId} twice`
    return { value: {}, findings: [finding('KeyringInvalid', sentence, { subject: object })] }
  }
  const entries = keys.map(({ keyId, alg, public: key = '', notBefore, notAfter, types }): [string, Key] => [
    keyId,
    { alg, key, notBefore, notAfter, types },
  ])
  return { value: Object.fromEntries(entries), findings: [] }
}

/** The fewest bytes that are taken for a key. */
const KEY_BYTES = 16
/** What every private key of Ed25519 has in base64, with or without the lines of a PEM file around it. */
const PRIVATE_MARK = 'BQYDK2VwBCIEI'
/** A header of 16 bytes, of one of two versions, and the 32 bytes of the key. */
const PRIVATE_KEY = new RegExp(`(?:MC4CAQAw|MFECAQEw)${PRIVATE_MARK}[\\w+/]{43}`, 'g')
const [HEADER, HEADER_BYTES] = ['302e020100300506032b657004220420', 16]

/**
 * Reports each item that holds a secret key, raw or encoded: a secret of the keyring, one that signed an action, or the
 * private key of a public one.
 */
export function keysInPackage(items: readonly Item[], keyring: Keyring, actions: readonly Action[]): Finding[] {
  const forms = Object.entries(keyring).flatMap(([keyId, { alg, key }]) =>
    alg === 'HMAC-SHA256' ? formsOf(key).map((form) => ({ keyId, form })) : [],
  )
  const publics = Object.entries(keyring).filter(([, { alg }]) => alg === 'Ed25519')
  return items.flatMap((item) => {
    const keyId = secretIn(item, forms) ?? signerIn(item, actions) ?? privateKeyIn(item, publics)
    if (keyId === undefined) return []
    const { object: subject } = item
    return [finding('KeyInPackage', `${describe(subject)} holds the secret key ${keyId}`, { subject })]
  })
}

/** Returns the id of the key that the text of an item holds in one of its forms, over several lines too. */
function secretIn(item: Item, forms: ReadonlyArray<{ readonly keyId: string; readonly form: string }>) {
  if (forms.length === 0) return undefined
  const text = writtenText(item)
  const isThere = (one: string) => forms.find(({ form }) => one.includes(form))?.keyId
  // an action has no text of several lines
  return isThere(text) ?? (isNodeAction(item.object) ? undefined : isThere(text.replaceAll(/\\n|\s+/g, '')))
}

function writtenText({ text, object }: Item): string {
  return text ?? JSON.stringify(object, (_, value) => (typeof value === 'bigint' ? String(value) : value))
}

/** Returns a secret in each form in which a file may hold it; without padding, so that what follows does not matter. */
function formsOf(key: string): string[] {
  const bytes = decodedBase64(key)
  if (bytes === undefined || bytes.length < KEY_BYTES) return []
  const bare = (encoded: string) => encoded.replace(/=+$/, '')
  const texts = [bytes.toString('base64'), bytes.toString('base64url'), bytes.toString('hex'), key].map(bare)
  const raw = bytes.toString('utf8')
  const isText = /^[\x20-\x7e]+$/.test(raw)
  // the data of a Secret is the base64 of a file, such as a keyring with a secret in it
  const within = [bytes, ...texts.map((text) => Buffer.from(text))].flatMap(base64Within)
  return [...new Set([...texts, bytes.toString('hex').toUpperCase(), ...within, ...(isText ? [raw] : [])])]
}

/** Returns the base64 of bytes within a longer file, by where in a group of three they begin; cut at both ends. */
function base64Within(bytes: Buffer): string[] {
  return [0, 1, 2].map((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64')
    const isWhole = (before + bytes.length) % 3 === 0
    return encoded.slice(Math.ceil((before * 4) / 3), isWhole ? undefined : encoded.replace(/=+$/, '').length - 1)
  })
}

/** Returns the values of a Secret or ConfigMap. */
function valuesOf({ apiVersion, kind, ...object }: KubernetesObject): string[] {
  if (apiVersion !== 'v1' || !['Secret', 'ConfigMap'].includes(kind)) return []
  return ['data', 'stringData', 'binaryData'].flatMap((part) => {
    const map = (object as Record<string, unknown>)[part]
    return isMap(map) ? Object.values(map).filter((value) => typeof value === 'string') : []
  })
}

/** Returns the id of the key under which a value of a Secret or ConfigMap signed one of the actions. */
function signerIn({ object }: Item, actions: readonly Action[]): string | undefined {
  const candidates = valuesOf(object).flatMap((value) => {
    const decoded = decodedBase64(value.trim())
    const twice = decoded === undefined ? undefined : decodedBase64(decoded.toString('utf8').trim())
    return [Buffer.from(value.trim()), decoded, twice].filter((bytes) => bytes !== undefined)
  })
  const keys = candidates.filter(({ length }) => length >= KEY_BYTES)
  if (keys.length === 0) return undefined
  const signed = actions.flatMap(({ text, signatures }) => signatures.map((signature) => ({ ...signature, text })))
  return signed.find(
    ({ alg, text, value }) =>
      alg === 'HMAC-SHA256' && keys.some((key) => createHmac('sha256', key).update(text).digest('base64url') === value),
  )?.keyId
}

/** Returns the id of the public key whose private key an item holds, as it is or as base64. */
function privateKeyIn(item: Item, publics: ReadonlyArray<readonly [keyId: string, key: Key]>): string | undefined {
  const { object } = item
  if (publics.length === 0) return undefined
  const decoded = valuesOf(object).map((value) => decodedBase64(value.replaceAll(/\s/g, ''))?.toString() ?? '')
  const texts = [writtenText(item), ...decoded].filter((text) => text.includes(PRIVATE_MARK))
  const found = texts.flatMap((text) => text.match(PRIVATE_KEY)?.map(publicOf) ?? [])
  return publics.find(([, { key }]) => found.includes(decodedBase64(key)?.toString('base64url')))?.[0]
}

/** Returns the public key of a private one as base64url; undefined where it is none. */
function publicOf(base64: string): string | undefined {
  try {
    const key = Buffer.concat([Buffer.from(HEADER, 'hex'), Buffer.from(base64, 'base64').subarray(HEADER_BYTES)])
    return createPublicKey(createPrivateKey({ key, format: 'der', type: 'pkcs8' })).export({ format: 'jwk' }).x
  } catch {
    return undefined
  }
}
