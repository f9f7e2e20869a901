import { createPrivateKey, generateKeyPairSync, randomBytes } from 'node:crypto'
import { existsSync, writeFileSync } from 'node:fs'
import { isNodeInventory } from '../../kinds/index.ts'
import { newItem } from '../../krm/item.ts'
import { isMap, memberOf } from '../../krm/map.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { isLabelValue, isTime, timeText } from '../../kube/index.ts'
import { cutShort } from '../../plan/action/acts.ts'
import { decodedBase64 } from '../../plan/action/keys.ts'
import { formFindings } from '../../plan/action/parameters.ts'
import { type Action, readAction } from '../../plan/action/read-action.ts'
import { addSignature, type SigningKey, signAction } from '../../plan/action/sign.ts'
import { targetText } from '../../plan/action/verify.ts'
import { manifestTexts } from '../files/manifest.ts'
import { readObjects } from '../files/read-objects.ts'
import { writeOutput } from '../files/stdio.ts'
import { textAt } from '../files/trust.ts'
import { UserError } from '../files/user-error.ts'
import { type Command, millisecondsOf, type Options, readArguments } from './command.ts'

const HELP = `nodefit sign [PATH...|-] --key FILE|env:NAME --key-id ID [--valid 1h]
nodefit sign --new-key FILE --key-id ID [--alg Ed25519|HMAC-SHA256]

Signs the NodeActions of the files, and prints them. An action without them gets
sequence and issuedAt from the clock, and expiresAt; and clusterUid from a
NodeInventory of its cluster among the files, so that no other cluster of that
name takes it. --key - reads the key from stdin. A key is never an argument.

  --key FILE       a private key of Ed25519 (PEM), or the base64 of a secret
  --key-id ID      the name of the key in keyrings
  --add            sign beside others: each signs the spec alone, and all count
                   where a trust asks for several (signatures)
  --valid TIME     from issuedAt to expiresAt, where the action has none (1h)
  --new-key FILE   write a new key, and print its entry of an ActionKeyring
  --alg NAME       of the new key: Ed25519 (the default), or HMAC-SHA256, whose
                   key verifies and signs

  nodefit sign --new-key optimizer.pem --key-id optimizer > entry.yaml
  nodefit sign cordon.yaml inventory.yaml --key optimizer.pem --key-id optimizer
`

const ALGORITHMS = ['Ed25519', 'HMAC-SHA256'] as const
const OPTIONS = {
  key: { type: 'string', about: 'the key that signs', value: 'file' },
  'key-id': { type: 'string', about: 'the name of the key' },
  add: { type: 'boolean', about: 'sign beside others' },
  valid: { type: 'string', about: 'how long the action is valid' },
  'new-key': { type: 'string', about: 'write a new key', value: 'file' },
  alg: { type: 'string', about: 'the algorithm of the new key', value: ALGORITHMS },
} as const satisfies Options

/** `nodefit sign`: signs NodeActions, or makes a key. */
export const SIGN: Command = {
  about: 'sign node actions, or make a key',
  help: HELP,
  options: OPTIONS,
  operands: 'files',
  run: signFiles,
}

function signFiles(args: string[]): void {
  const { values, positionals } = readArguments('nodefit sign', args, OPTIONS)
  const keyId = values['key-id']
  if (keyId === undefined) throw new UserError('--key-id is missing: the name of the key in keyrings')
  // a keyring takes no other
  if (keyId === '' || !isLabelValue(keyId))
    throw new UserError(`--key-id ${keyId} is not a name of at most 63 letters, digits, -, _ and .`)
  if (values['new-key'] !== undefined) {
    writeOutput(newKey(values['new-key'], keyId, values.alg ?? 'Ed25519'))
    return
  }
  if (values.key === undefined) throw new UserError('--key is missing: a file, env:NAME, or - for stdin')
  const paths = positionals.length === 0 ? ['-'] : positionals
  if (values.key === '-' && paths.includes('-')) throw new UserError('stdin cannot be both the key and an action')
  const signer = readSigner(values.key, keyId)
  const objects = readObjects(paths).map(({ object }) => object)
  const isAdded = values.add === true
  // what others have signed stays as it is
  const isKept = (action: KubernetesObject) => isAdded && isSigned(action)
  const actions = objects
    .filter(({ kind }) => kind === 'NodeAction')
    .map((action) => (isKept(action) ? action : withClusterUid(action, objects)))
  if (actions.length === 0) throw new UserError(`${paths.join(', ')} has no NodeAction`)
  const now = Date.now()
  const valid = millisecondsOf('--valid', values.valid ?? '1h', '1h')
  const filled = actions.map((action, index) =>
    isKept(action) ? jointly(action) : completed(action, now + index, valid),
  )
  refuseAlike(filled.map(readable))
  const signed = filled.map((action) => {
    const made = isAdded ? addSignature(action, signer) : signAction(action, signer)
    if ('problem' in made) throw new UserError(`${action.metadata.name}: it has no canonical form`)
    return newItem(made.action)
  })
  writeOutput(manifestTexts(signed).join('---\n'))
}

/**
 * Fills in the uid of an action's cluster from the inventories beside it. Throws `UserError` where they do not agree
 * with each other or with the action.
 */
function withClusterUid(action: KubernetesObject, objects: readonly KubernetesObject[]): KubernetesObject {
  const spec = isMap(action.spec) ? action.spec : {}
  const inventories = objects.filter(isNodeInventory).map((one) => (isMap(one.spec) ? one.spec : {}))
  const known = inventories.filter(({ cluster }) => cluster === spec.cluster).map(({ clusterUid }) => clusterUid)
  const uids = [...new Set([spec.clusterUid, ...known].filter((uid) => uid !== undefined))]
  if (uids.length > 1)
    throw new UserError(
      `${action.metadata.name}: cluster ${String(spec.cluster)} has different clusterUids, ${uids.map(String).join(' and ')}: give the inventory of the cluster that it is for`,
    )
  const [clusterUid] = uids
  return clusterUid === undefined ? action : { ...action, spec: { ...spec, clusterUid } }
}

function isSigned(action: KubernetesObject): boolean {
  const signature = memberOf(action, 'signature')
  return signature !== undefined && !(Array.isArray(signature) && signature.length === 0)
}

/** Returns an action that others have signed. Throws `UserError` where their signature covers the key that made it. */
function jointly(action: KubernetesObject): KubernetesObject {
  if (Array.isArray(memberOf(action, 'signature'))) return action
  throw new UserError(
    `${action.metadata.name} is signed by one key alone, which its signature covers: have that key sign it with --add, too`,
  )
}

/** Fills in what an action lacks: a sequence and a time of the clock, in milliseconds, so that later are higher. */
function completed({ signature: _, ...action }: KubernetesObject, now: number, valid: number): KubernetesObject {
  const spec = isMap(action.spec) ? action.spec : {}
  const { issuedAt = new Date(now).toISOString() } = spec
  // what is no time is reported with the fields
  const from = typeof issuedAt === 'string' && isTime(issuedAt) ? Date.parse(issuedAt) : now
  const { expiresAt = new Date(from + valid).toISOString() } = spec
  return { ...action, spec: { sequence: now, ...spec, issuedAt, expiresAt } } as KubernetesObject
}

/** Reads an action that is to be signed. Throws `UserError` where every run would refuse it. */
function readable(object: KubernetesObject): Action {
  const { value: action, findings } = readAction(object)
  const [problem] = action === undefined ? findings : formFindings(action)
  if (action === undefined || problem !== undefined) throw new UserError(problem?.message ?? 'it cannot be read')
  const { issuedAt, notBefore = issuedAt, expiresAt } = action
  if (expiresAt <= issuedAt || expiresAt <= notBefore)
    throw new UserError(`${object.metadata.name}: spec.expiresAt is ${timeText(expiresAt)}, before it is valid`)
  const cut = cutShort(action, notBefore)
  if (cut !== undefined)
    throw new UserError(`${object.metadata.name} ${cut}: give a later expiresAt (--valid), or a smaller timeoutSeconds`)
  return action
}

function refuseAlike(actions: readonly Action[]): void {
  const seen = new Map<string, string>()
  const refuse = (key: string, words: string, { subject }: Action) => {
    const other = seen.get(key)
    if (other !== undefined) throw new UserError(`${subject.metadata.name} and ${other} have the same ${words}`)
    seen.set(key, subject.metadata.name)
  }
  for (const action of actions) {
    const { id, sequence } = action
    refuse(`id ${id}`, `id ${id}`, action)
    refuse(`${targetText(action)} ${sequence}`, `target and sequence ${sequence}`, action)
  }
}

/** Reads the key that signs: PEM is a private key, anything else the base64 of a secret. */
function readSigner(place: string, keyId: string): SigningKey {
  const text = textAt(place, process.env)
  if (text.includes('-----BEGIN')) {
    const key = privateKey(text)
    if (key?.asymmetricKeyType !== 'Ed25519'.toLowerCase()) throw new UserError(`${place} is no private key of Ed25519`)
    return { keyId, alg: 'Ed25519', key }
  }
  const key = decodedBase64(text.trim())
  if (key === undefined || key.length < 32)
    throw new UserError(`${place} is neither PEM nor the base64 of at least 32 bytes`)
  return { keyId, alg: 'HMAC-SHA256', key }
}

function privateKey(text: string) {
  try {
    return createPrivateKey(text)
  } catch {
    return undefined
  }
}

/** Writes a new key, which only its owner may read, and returns its entry of a keyring. */
function newKey(file: string, keyId: string, alg: string): string {
  if (existsSync(file)) throw new UserError(`${file} is there already: a key is never overwritten`)
  const write = (text: string) => writeFileSync(file, text, { mode: 0o600, flag: 'wx' })
  if (alg === 'HMAC-SHA256') {
    write(`${randomBytes(32).toString('base64')}\n`)
    return `- { keyId: ${JSON.stringify(keyId)}, alg: HMAC-SHA256, secretFile: ${JSON.stringify(file)} }\n`
  }
  if (alg !== 'Ed25519') throw new UserError(`--alg ${alg} is not ${ALGORITHMS.join(' or ')}`)
  const pair = generateKeyPairSync('ed25519')
  write(String(pair.privateKey.export({ format: 'pem', type: 'pkcs8' })))
  const { x } = pair.publicKey.export({ format: 'jwk' })
  return `- { keyId: ${JSON.stringify(keyId)}, alg: Ed25519, public: ${String(x)} }\n`
}
