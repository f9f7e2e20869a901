import type { Codes, Finding, Severity, Subject } from '../finding/index.ts'
import { isTime, KubeError, parseDuration } from '../kube/index.ts'
import { finding } from './codes.ts'
import { RENDER_CONFIG_DEFAULTS } from './generated/fields.ts'
import type { RenderConfig } from './generated/types.ts'
import { nearest } from './unknown-fields.ts'
import { notBuilt, validate } from './validate.ts'

/** The options of a run, from a RenderConfig or its absence. */
export interface RenderOptions {
  readonly cluster?: string
  readonly allow: ReadonlySet<string>
  readonly severity: ReadonlyMap<string, Severity | 'off'>
  readonly failOn: 'error' | 'warning'
  /** Whether the package has to be what the run renders. */
  readonly check: boolean
  /** The time of the run, where the run itself says one. */
  readonly now?: Date
  readonly korder: KorderOptions
  readonly guards: Guards
  /** The autoscaler of the cluster, where the run says which. */
  readonly autoscaler?: AutoscalerOptions
}

/** Which node autoscaler makes the nodes. */
export interface AutoscalerOptions {
  readonly kind: 'karpenter'
  /** As written: `1.14`, `v1.14.1`. */
  readonly version?: string
}

/** How Orders become Tickets. */
export interface KorderOptions {
  readonly dialect?: 'duration' | 'window'
  readonly pin: 'affinity' | 'nodeName'
  readonly nodeIdentity: 'name' | 'uid'
  readonly keep: boolean
  readonly orderLabel: boolean
  /** How long after its computed end a Ticket that nobody has seen counts as ended, in nanoseconds. */
  readonly renewAfter?: bigint
}

/** How much a run may take away; Infinity for any amount. */
export interface Guards {
  /** Of a policy's groups, given how many there were. */
  readonly maxGroupsRemoved: (before: number) => number
  /** Of the nodes that a policy's groups had. */
  readonly maxNodesLost: (before: number) => number
  readonly maxShrinkPercent: number
  readonly maxPodsRestarted: number
  /** Whether the cluster refuses to delete what serves nodes. */
  readonly deletion: boolean
}

type GuardTexts = NonNullable<NonNullable<RenderConfig['spec']>['guards']>

export const DEFAULT_OPTIONS: RenderOptions = {
  allow: new Set(),
  severity: new Map(),
  failOn: RENDER_CONFIG_DEFAULTS.failOn,
  check: RENDER_CONFIG_DEFAULTS.check,
  korder: RENDER_CONFIG_DEFAULTS.korder,
  guards: guardsOf({}),
}

/**
 * Reads and checks a RenderConfig against the table of all codes. An error keeps its severity: only `allow` accepts what
 * fails closed.
 */
export function readRenderConfig(resource: Subject, codes: Codes): { options: RenderOptions; findings: Finding[] } {
  const findings = [...validate('RenderConfig', resource), ...notBuilt('RenderConfig', resource)]
  if (findings.length > 0) return { options: DEFAULT_OPTIONS, findings }
  const { spec = {} } = resource as unknown as RenderConfig
  const names = Object.keys(codes)
  const allowable = names.filter((name) => codes[name]?.allowable)
  const adjustable = names.filter((name) => codes[name]?.severity !== 'error')
  for (const [index, code] of (spec.allow ?? []).entries()) {
    if (!allowable.includes(code))
      findings.push(badCode(resource, `spec.allow.${index}`, code, 'fails closed and can be allowed', allowable))
  }
  for (const [index, { code }] of (spec.severity ?? []).entries()) {
    if (!adjustable.includes(code))
      findings.push(badCode(resource, `spec.severity.${index}.code`, code, 'is a warning or info', adjustable))
  }
  if (spec.now !== undefined && !isTime(spec.now))
    findings.push(badText(resource, 'spec.now', spec.now, 'a time of RFC 3339'))
  const { renewAfter, ...korder } = spec.korder ?? {}
  const renewal = renewAfter === undefined ? undefined : durationOf(renewAfter)
  if (renewAfter !== undefined && renewal === undefined)
    findings.push(badText(resource, 'spec.korder.renewAfter', renewAfter, 'a duration of zero or more, such as 1m'))
  for (const name of ['maxGroupsRemoved', 'maxNodesLost'] as const) {
    const limit = spec.guards?.[name]
    if (typeof limit === 'string' && !/^(100|[0-9]{1,2})%$/.test(limit))
      findings.push(badText(resource, `spec.guards.${name}`, limit, 'a number, or a percentage such as 50%'))
  }
  return {
    options: {
      cluster: spec.cluster,
      allow: new Set(spec.allow?.filter((code) => allowable.includes(code))),
      severity: new Map(
        spec.severity?.filter(({ code }) => adjustable.includes(code)).map(({ code, as }) => [code, as]),
      ),
      failOn: spec.failOn ?? DEFAULT_OPTIONS.failOn,
      check: spec.check ?? DEFAULT_OPTIONS.check,
      now: spec.now !== undefined && isTime(spec.now) ? new Date(spec.now) : undefined,
      korder: { ...DEFAULT_OPTIONS.korder, ...korder, renewAfter: renewal },
      guards: guardsOf(spec.guards ?? {}),
      ...(spec.autoscaler === undefined ? {} : { autoscaler: spec.autoscaler }),
    },
    findings,
  }
}

/** A duration in nanoseconds; undefined for what is none, or below zero. */
function durationOf(text: string): bigint | undefined {
  try {
    const nanoseconds = parseDuration(text)
    return nanoseconds < 0n ? undefined : nanoseconds
  } catch (error) {
    if (error instanceof KubeError) return undefined
    throw error
  }
}

/** The guards as written, each with its default where nothing is; null is any amount. */
function guardsOf(written: GuardTexts): Guards {
  const limit = <Name extends keyof GuardTexts>(name: Name) =>
    written[name] === undefined ? RENDER_CONFIG_DEFAULTS.guards[name] : written[name]
  return {
    maxGroupsRemoved: mostOf(limit('maxGroupsRemoved')),
    maxNodesLost: mostOf(limit('maxNodesLost')),
    maxShrinkPercent: limit('maxShrinkPercent') ?? Infinity,
    maxPodsRestarted: limit('maxPodsRestarted') ?? Infinity,
    deletion: limit('deletion'),
  }
}

function mostOf(limit: string | number | null): (before: number) => number {
  if (typeof limit === 'string') return (before) => (before * Number.parseInt(limit, 10)) / 100
  return () => limit ?? Infinity
}

function badText(subject: Subject, path: string, text: string, wanted: string): Finding {
  return finding('InvalidField', `${path} is "${text}", not ${wanted}`, {
    subject,
    field: { path, currentValue: text },
  })
}

function badCode(subject: Subject, path: string, code: string, wanted: string, candidates: string[]): Finding {
  const guess = nearest(code, candidates)
  const field = { path, currentValue: code, proposedValue: guess }
  return finding('InvalidField', `${path}: "${code}" is not a code that ${wanted} (${candidates.join(', ')})`, {
    subject,
    field,
  })
}
