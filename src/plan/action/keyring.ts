import type { Key, Keyring, World } from '../../core/index.ts'
import { type ActionKeyring, isActionKeyring, validate } from '../../kinds/index.ts'
import { type Finding, isError } from '../../krm/finding/index.ts'
import { describe } from '../../krm/identity.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { finding } from './codes.ts'
import { readKeyring, type UsableKey } from './keys.ts'

/** The keys of a run. */
export interface RunKeys {
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
