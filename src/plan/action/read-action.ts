import { type NodeAction, validate } from '../../kinds/index.ts'
import type { Finding, Read } from '../../krm/finding.ts'
import { oddNumber } from '../../krm/go-scalar.ts'
import { usesAnchors } from '../../krm/item.ts'
import { isMap } from '../../krm/map.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { isTime } from '../../kube/index.ts'
import { finding } from './codes.ts'
import { digestOf, jointText, signedText } from './signed-bytes.ts'

export type ActionType = NodeAction['spec']['type']
export type ActionTarget = NodeAction['spec']['target']

/** A signature as an action has it. */
export interface Signature {
  readonly alg?: string
  readonly keyId?: string
  readonly value?: string
}

/** An action whose fields are valid; nothing of it may be used before its signature is verified. */
export interface Action {
  readonly subject: KubernetesObject
  readonly id: string
  readonly cluster: string
  readonly clusterUid?: string
  readonly type: ActionType
  readonly target: ActionTarget
  readonly parameters: Readonly<Record<string, unknown>>
  readonly sequence: number
  readonly issuedAt: Date
  readonly notBefore?: Date
  readonly expiresAt: Date
  readonly reason?: string
  readonly requester?: string
  /** Who signed it: one, or several of one text; none where it is not signed. */
  readonly signatures: readonly Signature[]
  /** What is signed. */
  readonly text: string
  /** The canonical JSON of its spec. */
  readonly specText: string
  /** The first ten hex digits of the SHA-256 of what is signed. */
  readonly digest: string
}

/** How long an action may be, in characters of JSON. */
const MOST_CHARACTERS = 65_536

/** Returns when an action ends in its own words, be the rest of it as it may; undefined where it does not say. */
export function expiryOf({ spec }: KubernetesObject): Date | undefined {
  const text = isMap(spec) ? spec.expiresAt : undefined
  return typeof text === 'string' && isTime(text) ? new Date(text) : undefined
}

/** Reads an action from its file: anchors and aliases would give one signed text several readings. */
export function readActionItem(item: Item): Read<Action> {
  const { object: subject } = item
  const odd = item.text === undefined ? undefined : oddNumber(item.text)
  if (!usesAnchors(item) && odd === undefined) return readAction(subject)
  const sentence =
    odd === undefined
      ? `${subject.metadata.name} has anchors or aliases, which a signed resource may not have`
      : `${subject.metadata.name} has the number ${odd}, which readers take for different values: a signed integer has digits alone`
  return { findings: [finding('InvalidField', sentence, { subject })] }
}

/** Reads the fields of an action, its signature aside; reports what is malformed, and what cannot be signed. */
export function readAction(subject: KubernetesObject): Read<Action> {
  const size = sizeOf(subject)
  if (size > MOST_CHARACTERS) {
    const sentence = `${subject.metadata.name} has ${size} characters, more than ${MOST_CHARACTERS}`
    return { findings: [finding('InvalidField', sentence, { subject })] }
  }
  const findings = validate('NodeAction', subject)
  if (findings.length > 0) return { findings }
  const { spec, signature } = subject as unknown as NodeAction
  const isJoint = Array.isArray(signature)
  const signatures: readonly Signature[] = isJoint ? signature : signature === undefined ? [] : [signature]
  const [{ alg = '', keyId = '' } = {}] = signatures
  const form = isJoint ? jointText(spec) : signedText({ alg, keyId, spec })
  if ('problem' in form) {
    const { code, path, value } = form.problem
    const sentence = `${subject.metadata.name}: ${path} is ${String(value)}, which cannot be signed`
    return { findings: [finding(code, sentence, { subject, field: { path, currentValue: value } })] }
  }
  const times = timeFindings(subject, spec)
  if (times.length > 0) return { findings: times }
  const { issuedAt, notBefore, expiresAt, parameters = {}, ...rest } = spec
  const value = {
    subject,
    ...rest,
    parameters,
    issuedAt: new Date(issuedAt),
    ...(notBefore === undefined ? {} : { notBefore: new Date(notBefore) }),
    expiresAt: new Date(expiresAt),
    signatures,
    text: form.text,
    specText: form.specText,
    digest: digestOf(form.text),
  }
  return { value, findings: [] }
}

/** Returns how many characters of JSON a value has; a function for each member is asked only where JSON needs one. */
function sizeOf(value: unknown): number {
  try {
    return JSON.stringify(value).length
  } catch (error) {
    // an integer beyond 2^53 is read as a bigint
    if (!(error instanceof TypeError)) throw error
    return JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? String(member) : member)).length
  }
}

function timeFindings(subject: KubernetesObject, spec: NodeAction['spec']): Finding[] {
  return (['issuedAt', 'notBefore', 'expiresAt'] as const).flatMap((name) => {
    const text = spec[name]
    if (text === undefined || isTime(text)) return []
    const sentence = `${subject.metadata.name}: spec.${name} is "${text}", not an RFC 3339 time`
    return [finding('InvalidField', sentence, { subject, field: { path: `spec.${name}`, currentValue: text } })]
  })
}
