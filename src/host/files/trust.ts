import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { type Key, type Keyring, type Trust, trustOfKeyring } from '../../core/index.ts'
import { sha256 } from '../../core/object/index.ts'
import {
  ACTION_TRUST_DEFAULTS,
  type ActionKeyring,
  type ActionTrust,
  isActionTrust,
  validate,
} from '../../kinds/index.ts'
import { readYaml } from '../../krm/read-yaml.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { KubeError, parseDuration } from '../../kube/index.ts'
import { UserError } from './user-error.ts'

const FROM_ENVIRONMENT = 'env:'

/** Where an operator who fixes the program puts a trust: in the image of the function or of Argo CD's plugin. */
export const TRUST_FILE = '/etc/nodefit/trust.yaml'

/** The options of a command that say whom it trusts. */
export interface TrustOptions {
  readonly trust?: string
  readonly keyring?: string
}

/**
 * Returns whom a command trusts: an ActionTrust, or one of defaults with the keys of a keyring; of the file that the
 * operator of the machine has, where it exists; `standing` is empty where a command takes options alone. Undefined
 * where nothing is given: then the package decides. Throws `UserError` for a file that cannot be used, and where two
 * are given.
 */
export function givenTrust(
  { trust, keyring }: TrustOptions,
  environment: NodeJS.ProcessEnv,
  standing = TRUST_FILE,
): Trust | undefined {
  const file = existsSync(standing) ? standing : undefined
  const given = [
    ...(trust === undefined ? [] : [`--trust ${trust}`]),
    ...(keyring === undefined ? [] : [`--keyring ${keyring}`]),
    ...(file === undefined || file === trust ? [] : [file]),
  ]
  const [first, second] = given
  if (second !== undefined) throw new UserError(`${first} and ${second} both say who is trusted: leave one out`)
  const place = trust ?? file
  if (place !== undefined) return readTrustFile(place, environment)
  return keyring === undefined ? undefined : trustOfKeyring(readKeyringFile(keyring, environment), sha256)
}

/**
 * Reads an ActionTrust: a file, whose secrets are in files beside it, or `env:NAME` for the text of one in the
 * environment. Throws `UserError`; no message has a secret in it.
 */
function readTrustFile(place: string, environment: NodeJS.ProcessEnv): Trust {
  const { value, text } = documentAt(place, environment, 'ActionTrust')
  if (!isActionTrust(value)) throw new UserError(`${place}: it is a ${value.kind}, not an ActionTrust`)
  const { spec } = value as unknown as ActionTrust
  const { job, retired = [], keys: listed, images = [], types, ...limits } = { ...ACTION_TRUST_DEFAULTS, ...spec }
  const unknown = retired.find((keyId) => !listed.some((key) => key.keyId === keyId))
  if (unknown !== undefined) throw new UserError(`${place}: spec.retired has ${unknown}, which is none of spec.keys`)
  const keys = keysFrom(listed, place)
  return {
    ...limits,
    byClock: true,
    digest: sha256(text + JSON.stringify(keys)).slice(0, DIGEST_DIGITS),
    keys: Object.fromEntries(
      Object.entries(keys).map(([keyId, key]) => [keyId, retired.includes(keyId) ? { ...key, isRetired: true } : key]),
    ),
    ...(types === undefined ? {} : { types }),
    maxLifetime: milliseconds(limits.maxLifetime, 'spec.maxLifetime', place),
    maxClockSkew: milliseconds(limits.maxClockSkew, 'spec.maxClockSkew', place),
    namespace: { ...ACTION_TRUST_DEFAULTS.job, ...job }.namespace,
    images,
  }
}

const DIGEST_DIGITS = 12

function milliseconds(text: string, path: string, place: string): number {
  try {
    const nanoseconds = parseDuration(text)
    if (nanoseconds >= 0n) return Number(nanoseconds / 1_000_000n)
  } catch (error) {
    if (!(error instanceof KubeError)) throw error
  }
  throw new UserError(`${place}: ${path} is "${text}", not a duration such as 24h`)
}

/** Reads an ActionKeyring as `readTrustFile` reads a trust. */
function readKeyringFile(place: string, environment: NodeJS.ProcessEnv): Keyring {
  const { value } = documentAt(place, environment, 'ActionKeyring')
  return keysFrom((value as unknown as ActionKeyring).keys, place)
}

function documentAt(place: string, environment: NodeJS.ProcessEnv, kind: Parameters<typeof validate>[0]) {
  const text = textAt(place, environment)
  const value = readYaml(text, place) as KubernetesObject
  const [problem] = validate(kind, { ...value, metadata: value?.metadata ?? { name: '' } })
  if (problem !== undefined) throw new UserError(`${place}: ${problem.message}`)
  return { value, text }
}

function keysFrom(listed: ActionKeyring['keys'], place: string): Keyring {
  const folder = place.startsWith(FROM_ENVIRONMENT) ? undefined : dirname(place)
  const entries = listed.map((key): [string, Key] => {
    const { keyId, alg, notBefore, notAfter, types } = key
    return [keyId, { alg, key: secretOf(key, place, folder), notBefore, notAfter, types }]
  })
  const twice = entries.find(([keyId], index) => entries.findIndex(([other]) => other === keyId) !== index)
  if (twice !== undefined) throw new UserError(`${place}: key ${twice[0]} is there twice`)
  return Object.fromEntries(entries)
}

/** Returns the text of a file, of standard input for `-`, or of the environment for `env:NAME`. */
export function textAt(place: string, environment: NodeJS.ProcessEnv): string {
  if (!place.startsWith(FROM_ENVIRONMENT)) {
    if (place !== '-' && !existsSync(place)) throw new UserError(`${place} does not exist`)
    return readFileSync(place === '-' ? 0 : place, 'utf8')
  }
  const name = place.slice(FROM_ENVIRONMENT.length)
  const text = environment[name]
  if (text === undefined || text === '') throw new UserError(`the environment has no ${name}`)
  return text
}

function secretOf(key: ActionKeyring['keys'][number], place: string, folder: string | undefined): string {
  const { keyId, alg, public: publicKey, secret, secretFile } = key
  if (alg === 'Ed25519') {
    if (publicKey === undefined) throw new UserError(`${place}: key ${keyId} has no public`)
    return publicKey
  }
  if (secret !== undefined) return secret.trim()
  if (secretFile === undefined) throw new UserError(`${place}: key ${keyId} has neither secretFile nor secret`)
  if (folder === undefined)
    throw new UserError(`${place}: key ${keyId} needs secret, since there are no files beside it`)
  const file = resolve(folder, secretFile)
  if (!existsSync(file)) throw new UserError(`${place}: ${secretFile} of key ${keyId} does not exist`)
  return readFileSync(file, 'utf8').trim()
}

/** A trust as a text that is another one where it is another, or it cannot be read for another reason. */
export function trustText(read: (() => Trust | undefined) | undefined): string {
  try {
    return JSON.stringify(read?.()) ?? ''
  } catch (error) {
    return String(error)
  }
}
