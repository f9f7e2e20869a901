import { createHmac } from 'node:crypto'
import { type Finding, isError } from '../finding/index.ts'
import { describe } from '../krm/identity.ts'
import { isMap } from '../krm/map.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { type ActionKeyring, isActionKeyring, validate } from '../policy/index.ts'
import type { Key, Keyring, World } from '../world/index.ts'
import { finding } from './codes.ts'
import { decodedBase64, readKeyring, type UsableKey } from './keys.ts'
import type { Action } from './read-action.ts'

/** The keys of a run. */
export interface RunKeys {
  readonly keys: ReadonlyMap<string, UsableKey>
  /** Whether the keyring is from outside the package, and may have secrets. */
  readonly hasSecrets: boolean
  readonly findings: readonly Finding[]
}

/**
 * Returns the keys that verify a package's actions: those given with the run, else those of its ActionKeyring, which
 * may be public keys only. Whoever may add a key can sign, so a keyring from outside replaces that of the package.
 */
export function keysOf({ items, keyring }: World, subject: KubernetesObject): RunKeys {
  const inPackage = items.filter(({ object }) => isActionKeyring(object))
  const [item, second] = inPackage
  const read = inPackage.map(({ object }) => readItem(object))
  const findings = read.flatMap((one) => one.findings)
  if (keyring === undefined && item !== undefined && second !== undefined) {
    const sentence = `${describe(second.object)} is a second keyring beside ${describe(item.object)}`
    findings.push(finding('KeyringInvalid', sentence, { subject: second.object }))
  }
  const { keys, problems } = readKeyring(keyring ?? read[0]?.value ?? {})
  const source = keyring === undefined ? (item?.object ?? subject) : subject
  const unusable = problems.map(({ keyId, problem }) =>
    finding('KeyringInvalid', `${source.metadata.name}: key ${keyId} cannot be used: ${problem}`, { subject: source }),
  )
  return { keys, hasSecrets: keyring !== undefined, findings: [...findings, ...unusable] }
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
  const entries = keys.map(({ keyId, alg, public: key = '', notBefore, notAfter, types }): [string, Key] => [
    keyId,
    { alg, key, notBefore, notAfter, types },
  ])
  return { value: Object.fromEntries(entries), findings: [] }
}

/** Reports each item that holds a secret key, raw or encoded: one of the keyring, or one that signed an action. */
export function keysInPackage({ items, keyring = {} }: World, actions: readonly Action[]): Finding[] {
  const forms = Object.entries(keyring).flatMap(([keyId, { alg, key }]) =>
    alg === 'HMAC-SHA256' ? formsOf(key).map((form) => ({ keyId, form })) : [],
  )
  return items.flatMap((item) => {
    const text = forms.length === 0 ? '' : (item.text ?? JSON.stringify(item.object, plainNumbers))
    const keyId = forms.find(({ form }) => text.includes(form))?.keyId ?? signerIn(item, actions)
    if (keyId === undefined) return []
    const { object: subject } = item
    return [finding('KeyInPackage', `${describe(subject)} holds the secret key ${keyId}`, { subject })]
  })
}

/** Returns a secret in each form in which a file may hold it; without padding, so that what follows does not matter. */
function formsOf(key: string): string[] {
  const bytes = decodedBase64(key)
  if (bytes === undefined || bytes.length < 16) return []
  const bare = (encoded: string) => encoded.replace(/=+$/, '')
  const texts = [bytes.toString('base64'), bytes.toString('base64url'), bytes.toString('hex'), key]
  // the data of a Secret is the base64 of what its file holds; the last characters depend on what follows
  const twice = texts.map((text) => Buffer.from(bare(text)).toString('base64').replace(/.?=*$/, ''))
  const raw = bytes.toString('utf8')
  const isText = /^[\x20-\x7e]+$/.test(raw)
  return [...new Set([...texts.map(bare), bytes.toString('hex').toUpperCase(), ...twice, ...(isText ? [raw] : [])])]
}

/** Returns the id of the key under which a value of a Secret or ConfigMap signed one of the actions. */
function signerIn({ object }: Item, actions: readonly Action[]): string | undefined {
  if (object.apiVersion !== 'v1' || !['Secret', 'ConfigMap'].includes(object.kind)) return undefined
  const values = ['data', 'stringData', 'binaryData'].flatMap((part) => {
    const map = object[part]
    return isMap(map) ? Object.values(map).filter((value) => typeof value === 'string') : []
  })
  const candidates = values.flatMap((value) => {
    const decoded = decodedBase64(value.trim())
    const twice = decoded === undefined ? undefined : decodedBase64(decoded.toString('utf8').trim())
    return [Buffer.from(value.trim()), decoded, twice].filter((bytes) => bytes !== undefined && bytes.length >= 16)
  }) as Buffer[]
  const signed = actions.filter(({ signature }) => signature?.alg === 'HMAC-SHA256')
  return signed.find(({ text, signature }) =>
    candidates.some((key) => createHmac('sha256', key).update(text).digest('base64url') === signature?.value),
  )?.signature?.keyId
}

function plainNumbers(_: string, value: unknown): unknown {
  return typeof value === 'bigint' ? String(value) : value
}
