import type { PlannedAction } from '../../core/index.ts'
import { isSameUid } from '../../facts/inventory/index.ts'
import type { Finding } from '../../krm/finding.ts'
import { formatDuration, timeText } from '../../kube/index.ts'
import { finding } from './codes.ts'
import { SIGNATURE_BYTES, type UsableKey } from './keys.ts'
import type { Action, Signature } from './read-action.ts'
import { ALGORITHMS, type Algorithm } from './signed-bytes.ts'

/** What actions are verified with. */
export interface Verifier {
  readonly keys: ReadonlyMap<string, UsableKey>
  /** Whether secrets could be among the keys: a keyring was given from outside the package. */
  readonly hasSecrets: boolean
  readonly requireSignature: boolean
  /** How many keys must sign an action of a type; undefined and absent: one. */
  readonly signatures?: Readonly<Record<string, number>>
  /** The cluster of the package's nodes. */
  readonly cluster: string
  /** Its uid; undefined where no inventory has it. */
  readonly clusterUid?: string
  readonly now: Date
  /** The clock of the host, by which an action must be valid too; undefined where only the snapshot's time counts. */
  readonly clock?: Date
  /** How far the clock of a signer may be ahead, in milliseconds. */
  readonly skew?: number
  /** Whether actions must carry the uid of the cluster. */
  readonly requireUid?: boolean
  /** The longest lifetime, in milliseconds. */
  readonly maxLifetime: number
}

/** What became of an action: valid now, expired, of a later time, or refused with an error. */
export type Verdict = 'valid' | 'expired' | 'early' | 'refused'

/** How far the clock of a signer may be ahead of the snapshot's. */
const SKEW = 60_000

/**
 * Verifies an action in a fixed order: algorithm, key, form of the signature, signature; only then its other fields:
 * cluster, window and types of the key, lifetime, times.
 */
export function verifyAction(action: Action, verifier: Verifier): { verdict: Verdict; findings: readonly Finding[] } {
  const { findings, keys } = checkSignatures(action, verifier)
  if (findings.some(({ severity }) => severity === 'error')) return { verdict: 'refused', findings }
  const wrong = checkFields(action, keys, verifier) ?? retiredKey(action, verifier)
  if (wrong !== undefined) return { verdict: 'refused', findings: [...findings, wrong] }
  const { subject, expiresAt } = action
  const [first, last] = timesOf(verifier)
  const report = (code: 'ActionExpired' | 'ActionNotYetValid', words: string) =>
    finding(code, `${subject.metadata.name} (${action.type} ${targetText(action)}) ${words}`, { subject })
  if (expiresAt <= last)
    return { verdict: 'expired', findings: [report('ActionExpired', `expired at ${timeText(expiresAt)}`)] }
  const start = startOf(action, verifier.skew)
  if (start > first) {
    const words = `begins at ${timeText(start)}, after the time of the run, ${timeText(first)}`
    return { verdict: 'early', findings: [report('ActionNotYetValid', words)] }
  }
  return { verdict: 'valid', findings }
}

/**
 * Whether an action verifies what ends: as one that begins does, but for its end, and with a key that is retired, too.
 */
export function verifiesEnds(action: Action, verifier: Verifier): boolean {
  const { findings, keys } = checkSignatures(action, verifier)
  const [, last] = timesOf(verifier)
  return (
    !findings.some(({ severity }) => severity === 'error') &&
    checkFields(action, keys, verifier) === undefined &&
    startOf(action, verifier.skew) <= last
  )
}

/** Formats the target of an action: `Node small-000002`, `Pod shop/web-0`. */
export function targetText({ target }: { readonly target: PlannedAction['target'] }): string {
  const { kind, namespace, name } = target
  return `${kind} ${namespace === undefined ? '' : `${namespace}/`}${name}`
}

/** Returns the earlier and the later of the times by which an action must be valid: the snapshot's, and the host's. */
export function timesOf({ now, clock = now }: Pick<Verifier, 'now' | 'clock'>): readonly [first: Date, last: Date] {
  return now < clock ? [now, clock] : [clock, now]
}

/** Returns the time at which an action begins to be valid for a run. */
export function startOf({ issuedAt, notBefore }: Action, skew = SKEW): Date {
  return new Date(Math.max(issuedAt.getTime() - skew, notBefore?.getTime() ?? 0))
}

/** What became of a signature, or of all of an action. */
interface Checked {
  readonly findings: readonly Finding[]
  readonly keys: ReadonlyArray<readonly [keyId: string, key: UsableKey]>
}

/** Checks all signatures of an action: one that does not fit is none too many, but an error. */
function checkSignatures(action: Action, verifier: Verifier): Checked {
  const { subject, signatures, type } = action
  const { name } = subject.metadata
  const needed = verifier.signatures?.[type] ?? 1
  const refuse = (code: Parameters<typeof finding>[0], sentence: string, path: string) => ({
    findings: [finding(code, `${name}: ${sentence}`, { subject, field: { path } })],
    keys: [],
  })
  const ids = signatures.map(({ keyId }) => keyId)
  const twice = ids.find((keyId, index) => ids.indexOf(keyId) !== index)
  if (twice !== undefined) return refuse('MalformedSignature', `key ${twice} has signed it twice`, 'signature')
  if (signatures.length < needed && needed > 1) {
    const [is, by] = [ids.filter((keyId) => keyId !== undefined).join(' and ') || 'nobody', `${needed} keys`]
    return refuse('TooFewSignatures', `it is signed by ${is}, but ${by} must sign a ${type}`, 'signature')
  }
  const [first] = signatures
  if (first === undefined && !verifier.requireSignature) return unverified(action, 'has no signature')
  if (first === undefined) return refuse('UnsupportedAlgorithm', 'it has no signature', 'signature.alg')
  const isList = Array.isArray((subject as { signature?: unknown }).signature)
  const checked = signatures.map((signature, index) =>
    checkSignature(action, signature, isList ? `signature.${index}` : 'signature', verifier, needed > 1),
  )
  return { findings: checked.flatMap(({ findings }) => findings), keys: checked.flatMap(({ keys }) => keys) }
}

function checkSignature(
  action: Action,
  { alg = '', keyId = '', value = '' }: Signature,
  path: string,
  verifier: Verifier,
  isOneOfSeveral: boolean,
): Checked {
  const { subject } = action
  const { name } = subject.metadata
  const refuse = (code: Parameters<typeof finding>[0], sentence: string, field: string) => ({
    findings: [finding(code, `${name}: ${sentence}`, { subject, field: { path: `${path}.${field}` } })],
    keys: [],
  })
  const mayStayOpen = !verifier.requireSignature && !isOneOfSeveral
  if (!isAlgorithm(alg)) return refuse('UnsupportedAlgorithm', `signature.alg is "${alg}"`, 'alg')
  const key = verifier.keys.get(keyId)
  if (key === undefined) {
    if (mayStayOpen) return unverified(action, `is signed with key ${keyId}, which the keyring does not have`)
    if (alg === 'HMAC-SHA256' && !verifier.hasSecrets)
      return refuse('NoKey', `it is signed with the secret key ${keyId}, and no keyring is given`, 'keyId')
    return refuse('UnknownKey', `the keyring has no key ${keyId}`, 'keyId')
  }
  if (key.alg !== alg)
    return refuse('UnsupportedAlgorithm', `signature.alg is ${alg}, but key ${keyId} is of ${key.alg}`, 'alg')
  const bytes = decoded(value, alg)
  if (bytes === undefined) {
    const sentence = `signature.value is not the base64url of ${SIGNATURE_BYTES[alg]} bytes`
    return refuse('MalformedSignature', sentence, 'value')
  }
  if (!key.verifies(action.text, bytes))
    return refuse('BadSignature', `the signature with key ${keyId} does not fit`, 'value')
  return { findings: [], keys: [[keyId, key]] }
}

function unverified({ subject }: Action, words: string): Checked {
  return { findings: [finding('ActionUnverified', `${subject.metadata.name} ${words}`, { subject })], keys: [] }
}

function checkFields(action: Action, keys: Checked['keys'], verifier: Verifier): Finding | undefined {
  const { subject, cluster, type, issuedAt, expiresAt } = action
  const { name } = subject.metadata
  const refuse = (code: Parameters<typeof finding>[0], sentence: string, field: string) =>
    finding(code, `${name}: ${sentence}`, { subject, field: { path: field } })
  if (cluster !== verifier.cluster) {
    const sentence = `spec.cluster is ${cluster}, but the nodes are of ${verifier.cluster || 'a cluster without a name'}`
    return refuse('ActionOfOtherCluster', sentence, 'spec.cluster')
  }
  if (!isSameUid(action.clusterUid, verifier.clusterUid)) {
    const sentence = `spec.clusterUid is ${action.clusterUid}, but the nodes are of the cluster with ${verifier.clusterUid}`
    return refuse('ActionOfOtherCluster', sentence, 'spec.clusterUid')
  }
  if (verifier.requireUid === true && action.clusterUid === undefined) {
    const sentence = `spec.clusterUid is missing, which the trust of the run asks for: it must be ${verifier.clusterUid}`
    return refuse('ActionOfOtherCluster', sentence, 'spec.clusterUid')
  }
  for (const [keyId, { notBefore, notAfter, types }] of keys) {
    if ((notBefore !== undefined && issuedAt < notBefore) || (notAfter !== undefined && issuedAt > notAfter)) {
      const window = `from ${notBefore === undefined ? 'any time' : timeText(notBefore)} to ${notAfter === undefined ? 'any time' : timeText(notAfter)}`
      const sentence = `spec.issuedAt is ${timeText(issuedAt)}, but key ${keyId} signs ${window}`
      return refuse('KeyExpired', sentence, 'spec.issuedAt')
    }
    if (types !== undefined && !types.includes(type))
      return refuse('KeyTypeForbidden', `key ${keyId} may not sign ${type}`, 'spec.type')
  }
  const lifetime = expiresAt.getTime() - issuedAt.getTime()
  if (lifetime > verifier.maxLifetime || lifetime <= 0) {
    const [is, most] = [lifetime, verifier.maxLifetime].map((time) => formatDuration(BigInt(time) * 1_000_000n))
    const sentence = `it would be valid for ${is}, which must be above 0 and at most ${most}`
    return refuse('LifetimeTooLong', sentence, 'spec.expiresAt')
  }
  return undefined
}

/** Reports a retired key: it ends what it began, and begins nothing. */
function retiredKey({ subject, signatures }: Action, { keys }: Verifier): Finding | undefined {
  const { name } = subject.metadata
  const keyId = signatures.map((one) => one.keyId ?? '').find((id) => keys.get(id)?.isRetired === true)
  if (keyId === undefined) return undefined
  const field = { path: 'signature.keyId' }
  return finding('KeyExpired', `${name}: key ${keyId} is retired`, { subject, field })
}

function isAlgorithm(alg: string): alg is Algorithm {
  return ALGORITHMS.some((one) => one === alg)
}

/** Decodes a signature; undefined unless its bytes are encoded to the same text, since decoders ignore spare bits. */
function decoded(value: string, alg: Algorithm): Buffer | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(value)) return undefined
  const bytes = Buffer.from(value, 'base64url')
  return bytes.length === SIGNATURE_BYTES[alg] && bytes.toString('base64url') === value ? bytes : undefined
}
