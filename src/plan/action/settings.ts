import { formerNames } from '../../core/index.ts'
import { ACTION_POLICY_DEFAULTS, type ActionPolicy, validate } from '../../kinds/index.ts'
import type { Finding, Read } from '../../krm/finding.ts'
import { ownerName } from '../../krm/remembered.ts'
import type { Item } from '../../krm/types.ts'
import { isDns1123Label, KubeError, type Labels, parseDuration } from '../../kube/index.ts'
import { finding } from './codes.ts'
import type { ActionType } from './read-action.ts'

/** An ActionPolicy with its defaults. */
export interface ActionSettings {
  readonly subject: Item
  /** The owner of what it renders, and its former ones. */
  readonly owners: readonly string[]
  readonly types: readonly ActionType[]
  readonly requireSignature: boolean
  readonly suspend: boolean
  /** In milliseconds. */
  readonly maxLifetime: number
  readonly maxReplicas: number
  readonly maxConcurrent: number
  readonly allowControlPlane: boolean
  readonly allowLabels: readonly string[]
  readonly partialDeployments: boolean
  readonly hold: 'cordon' | 'taint'
  /** The labels that a node must have, as the trust of the run says; undefined for every node. */
  readonly nodeSelector?: Labels
  readonly job: { readonly namespace: string; readonly image?: string; readonly evictImage?: string }
}

/** An image that is named by its content. */
const DIGEST = /^[^\s@]+@sha256:[0-9a-f]{64}$/

/** Reads and checks an ActionPolicy. */
export function readActionPolicy(subject: Item): Read<ActionSettings> {
  const { object } = subject
  const invalid = validate('ActionPolicy', object)
  if (invalid.length > 0) return { findings: invalid }
  const { spec } = object as unknown as ActionPolicy
  const { drain, job, maxLifetime, ...rest } = { ...ACTION_POLICY_DEFAULTS, ...spec }
  const jobs = { ...ACTION_POLICY_DEFAULTS.job, ...job }
  const lifetime = milliseconds(maxLifetime)
  const findings = [
    ...(lifetime === undefined
      ? [invalidField(subject, 'spec.maxLifetime', maxLifetime, 'a duration above 0 such as 24h')]
      : []),
    ...(isDns1123Label(jobs.namespace)
      ? []
      : [invalidField(subject, 'spec.job.namespace', jobs.namespace, 'a namespace')]),
    ...imageFindings(subject, jobs),
    ...(drain?.as === 'NodeMaintenance' ? [notBuilt(subject)] : []),
  ]
  if (findings.length > 0) return { findings }
  const owners = [object.metadata.name, ...formerNames(object)].map((name) => ownerName('ActionPolicy', name))
  const hold = drain?.hold ?? ACTION_POLICY_DEFAULTS.drain.hold
  return { value: { subject, owners, ...rest, maxLifetime: lifetime ?? 0, hold, job: jobs }, findings: [] }
}

function milliseconds(text: string): number | undefined {
  try {
    const nanoseconds = parseDuration(text)
    return nanoseconds > 0n ? Number(nanoseconds / 1_000_000n) : undefined
  } catch (error) {
    if (error instanceof KubeError) return undefined
    throw error
  }
}

/** Reports an image without a digest: whoever can move its tag could run commands with the rights of the Jobs. */
function imageFindings({ object: subject }: Item, job: ActionSettings['job']): Finding[] {
  return (['image', 'evictImage'] as const).flatMap((name) => {
    const value = job[name]
    if (value === undefined || DIGEST.test(value)) return []
    const field = { path: `spec.job.${name}`, currentValue: value }
    return [
      finding('ImageNotPinned', `${subject.metadata.name}: ${field.path} is "${value}", without a digest`, {
        subject,
        field,
      }),
    ]
  })
}

function invalidField({ object: subject }: Item, path: string, value: unknown, wanted: string): Finding {
  const sentence = `${subject.metadata.name}: ${path} is "${String(value)}", not ${wanted}`
  return finding('InvalidField', sentence, { subject, field: { path, currentValue: value } })
}

function notBuilt({ object: subject }: Item): Finding {
  const field = { path: 'spec.drain.as', currentValue: 'NodeMaintenance', proposedValue: 'Job' }
  return finding(
    'NotBuilt',
    `ActionPolicy ${subject.metadata.name}: ${field.path}: NodeMaintenance is not implemented yet`,
    { subject, field },
  )
}
