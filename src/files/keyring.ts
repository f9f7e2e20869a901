import { existsSync, readFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { readYaml } from '../krm/read-yaml.ts'
import type { KubernetesObject } from '../krm/types.ts'
import { type ActionKeyring, validate } from '../policy/index.ts'
import type { Key, Keyring } from '../world/index.ts'
import { UserError } from './user-error.ts'

const FROM_ENVIRONMENT = 'env:'

/**
 * Reads the keyring that a command is given: a file, whose secrets are in files beside it, or `env:NAME` for the text
 * of one in the environment. Throws `UserError`; no message has a secret in it.
 */
export function readKeyringFile(place: string, environment: NodeJS.ProcessEnv): Keyring {
  const text = textAt(place, environment)
  const value = readYaml(text, place) as KubernetesObject
  const [problem] = validate('ActionKeyring', { ...value, metadata: value?.metadata ?? { name: '' } })
  if (problem !== undefined) throw new UserError(`${place}: ${problem.message}`)
  const folder = place.startsWith(FROM_ENVIRONMENT) ? undefined : dirname(place)
  const entries = (value as unknown as ActionKeyring).keys.map((key): [string, Key] => {
    const { keyId, alg, notBefore, notAfter, types } = key
    return [keyId, { alg, key: secretOf(key, place, folder), notBefore, notAfter, types }]
  })
  const twice = entries.find(([keyId], index) => entries.findIndex(([other]) => other === keyId) !== index)
  if (twice !== undefined) throw new UserError(`${place}: key ${twice[0]} is there twice`)
  return Object.fromEntries(entries)
}

/** The same of an option; undefined where it was not given. */
export function givenKeyring(place: string | undefined, environment: NodeJS.ProcessEnv): Keyring | undefined {
  return place === undefined ? undefined : readKeyringFile(place, environment)
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

/** A keyring as a text that is another one where its keys are others, or it cannot be read for another reason. */
export function keyringText(read: (() => Keyring | undefined) | undefined): string {
  try {
    return JSON.stringify(read?.()) ?? ''
  } catch (error) {
    return String(error)
  }
}
