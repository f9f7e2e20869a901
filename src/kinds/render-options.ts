import type { Codes, Finding, Read, Severity, Subject } from '../krm/finding.ts'
import { isTime, KubeError, parseDuration, type Region, regionOfLabels, unlessMalformed } from '../kube/index.ts'
import { finding } from './codes.ts'
import { RENDER_CONFIG_DEFAULTS } from './generated/fields.ts'
import type { RenderConfig } from './generated/types.ts'
import { type Rollout, readRollout } from './settings.ts'
import { nearest, notBuiltFindings, validate } from './validate.ts'

/** The options of a run, from its RenderConfig or the defaults. */
export interface RenderOptions {
  readonly cluster?: string
  readonly allow: ReadonlySet<string>
  readonly severity: ReadonlyMap<string, Severity | 'off'>
  readonly failOn: 'error' | 'warning'
  /** Whether the run fails unless the package already contains its output. */
  readonly check: boolean
  /** The time of the run, if set. */
  readonly now?: Date
  readonly korder: KorderOptions
  readonly guards: Guards
  /** What the package must have, if the run says so. */
  readonly expect?: Expected
  /** The holes that are intended. */
  readonly holes: readonly AcceptedHole[]
  /** The node autoscaler of the cluster, if set. */
  readonly autoscaler?: AutoscalerOptions
}

/** The policies and Orders that a package must have, neither more nor fewer; what is undefined may be any. */
export interface Expected {
  /** The number of SizingPolicies. */
  readonly policies?: number
  /** The names of all SizingPolicies. */
  readonly policyNames?: readonly string[]
  /** The number of Orders in DaemonSet mode. */
  readonly orders?: number
}

/** The node autoscaler and its version. */
export interface AutoscalerOptions {
  readonly kind: 'karpenter'
  /** As written: `1.14`, `v1.14.1`. */
  readonly version?: string
}

/** Nodes that a policy leaves without an agent, and that need not be reported. */
export interface AcceptedHole {
  readonly policy: string
  readonly region: Region
  /** The labels as written: a selector, or a map. */
  readonly labels: unknown
  /** Its field of the RenderConfig. */
  readonly path: string
  readonly config: Subject
}

/** Options for rendering Orders as Tickets. */
export interface KorderOptions {
  readonly dialect?: 'duration' | 'window'
  readonly pin: 'affinity' | 'nodeName'
  readonly nodeIdentity: 'name' | 'uid'
  readonly keep: boolean
  /** Whether a claimed Ticket is renewed at its end, or kept until its pod is gone. */
  readonly claimed: 'renew' | 'keep'
  /** Undefined: as earlier Tickets have it, and off where the Order may be live. */
  readonly orderLabel?: boolean
  /** How long after its computed end a Ticket that is in no snapshot counts as ended, in nanoseconds. */
  readonly renewAfter?: bigint
  /** How many Tickets are replaced at once; undefined: all. */
  readonly rollout?: TicketRollout
}

/** A rollout with an interval, in nanoseconds. */
export type TicketRollout = Rollout & { readonly every: bigint }

/** How much a run may remove; Infinity is any amount. */
export interface Guards {
  /** How many groups of a policy may be removed, given how many there were. */
  readonly maxGroupsRemoved: (before: number) => number
  /** How many nodes the groups of a policy may lose, given how many they had. */
  readonly maxNodesLost: (before: number) => number
  readonly maxShrinkPercent: number
  readonly maxPodsRestarted: number
  /** Whether the cluster refuses to delete objects that serve nodes. */
  readonly deletion: boolean
}

type HoleText = NonNullable<NonNullable<RenderConfig['spec']>['holes']>[number]
type GuardTexts = NonNullable<NonNullable<RenderConfig['spec']>['guards']>

/** The limit of a guard that allows any amount. */
const ANY = 'any'

export const DEFAULT_OPTIONS: RenderOptions = {
  allow: new Set(),
  severity: new Map(),
  failOn: RENDER_CONFIG_DEFAULTS.failOn,
  check: RENDER_CONFIG_DEFAULTS.check,
  korder: RENDER_CONFIG_DEFAULTS.korder,
  guards: guardsOf({}),
  holes: [],
}

/**
 * Reads and checks a RenderConfig; `codes` are all known codes. `severity` cannot lower an error: only `allow` accepts
 * a code that fails closed.
 */
export function readRenderConfig(resource: Subject, codes: Codes): { options: RenderOptions; findings: Finding[] } {
  const findings = [...validate('RenderConfig', resource), ...notBuiltFindings('RenderConfig', resource)]
  if (findings.length > 0) return { options: DEFAULT_OPTIONS, findings }
  const { spec = {} } = resource as unknown as RenderConfig
  const names = Object.keys(codes)
  const allowable = names.filter((name) => codes[name]?.allowable)
  const adjustable = names.filter((name) => codes[name]?.severity !== 'error')
  for (const [index, code] of (spec.allow ?? []).entries()) {
    if (!allowable.includes(code))
      findings.push(invalidCode(resource, `spec.allow.${index}`, code, 'fails closed and can be allowed', allowable))
  }
  for (const [index, { code, as }] of (spec.severity ?? []).entries()) {
    if (!adjustable.includes(code))
      findings.push(invalidCode(resource, `spec.severity.${index}.code`, code, 'is a warning or info', adjustable))
    const instead = codes[code]?.acceptedBy
    if (as === 'off' && instead !== undefined)
      findings.push(notOff(resource, `spec.severity.${index}.as`, code, instead))
  }
  if (spec.now !== undefined && !isTime(spec.now))
    findings.push(invalidText(resource, 'spec.now', spec.now, 'an RFC 3339 time'))
  const holes = (spec.holes ?? []).map((hole, index) => readHole(resource, hole, `spec.holes.${index}`))
  findings.push(...holes.flatMap((hole) => hole.findings))
  const { renewAfter, rollout: paced, ...korder } = spec.korder ?? {}
  const { rollout, findings: rolloutFindings } = readRollout(paced, resource, 'spec.korder.rollout')
  findings.push(...rolloutFindings)
  const renewal = renewAfter === undefined ? undefined : durationOf(renewAfter)
  if (renewAfter !== undefined && renewal === undefined)
    findings.push(
      invalidText(resource, 'spec.korder.renewAfter', renewAfter, 'a duration that is not negative, such as 1m'),
    )
  for (const name of ['maxGroupsRemoved', 'maxNodesLost'] as const) {
    const limit = spec.guards?.[name]
    if (typeof limit === 'string' && limit !== ANY && !/^(100|[0-9]{1,2})%$/.test(limit))
      findings.push(invalidText(resource, `spec.guards.${name}`, limit, 'a number, a percentage such as 50%, or any'))
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
      korder: {
        ...DEFAULT_OPTIONS.korder,
        ...korder,
        renewAfter: renewal,
        ...(rollout?.every === undefined ? {} : { rollout: { ...rollout, every: rollout.every } }),
      },
      guards: guardsOf(spec.guards ?? {}),
      ...(spec.expect === undefined ? {} : { expect: spec.expect }),
      holes: holes.flatMap(({ value }) => value ?? []),
      ...(spec.autoscaler === undefined ? {} : { autoscaler: spec.autoscaler }),
    },
    findings,
  }
}

/** Reads an accepted hole: an error for malformed labels, and for labels that every node has. */
function readHole(config: Subject, { policy, labels, notInteger }: HoleText, path: string): Read<AcceptedHole> {
  const invalid = (what: string) => {
    const place = { subject: config, field: { path: `${path}.labels`, currentValue: labels } }
    return { findings: [finding('InvalidField', `${path}.labels ${what}`, place)] }
  }
  try {
    const region = regionOfLabels(labels as string | Record<string, string | null>, notInteger)
    if (region === undefined)
      return invalid('selects every node: write the labels of the hole, as the message of HoleOnPurpose gives them')
    return { value: { policy, region, labels, path, config }, findings: [] }
  } catch (error) {
    if (error instanceof KubeError) return invalid(`cannot be read: ${error.message}`)
    throw error
  }
}

/** Parses a duration into nanoseconds; undefined if it is invalid or negative. */
function durationOf(text: string): bigint | undefined {
  const nanoseconds = unlessMalformed(() => parseDuration(text))
  return nanoseconds !== undefined && nanoseconds < 0n ? undefined : nanoseconds
}

/**
 * Reads the guards, with the default for each that is missing. `any` allows any amount, and so does null, which merges
 * of files lose.
 */
function guardsOf(written: GuardTexts): Guards {
  const limit = (name: Exclude<keyof GuardTexts, 'deletion'>) => {
    const value = written[name] === undefined ? RENDER_CONFIG_DEFAULTS.guards[name] : written[name]
    return value === null || value === ANY ? Infinity : value
  }
  return {
    maxGroupsRemoved: mostOf(limit('maxGroupsRemoved')),
    maxNodesLost: mostOf(limit('maxNodesLost')),
    maxShrinkPercent: Number(limit('maxShrinkPercent')),
    maxPodsRestarted: Number(limit('maxPodsRestarted')),
    deletion: written.deletion ?? RENDER_CONFIG_DEFAULTS.guards.deletion,
  }
}

function mostOf(limit: string | number): (before: number) => number {
  if (typeof limit === 'string') return (before) => (before * Number.parseInt(limit, 10)) / 100
  return () => limit
}

function invalidText(subject: Subject, path: string, text: string, wanted: string): Finding {
  return finding('InvalidField', `${path} is "${text}", not ${wanted}`, {
    subject,
    field: { path, currentValue: text },
  })
}

function notOff(subject: Subject, path: string, code: string, instead: string): Finding {
  const sentence = `${path}: ${code} cannot be off, since that would hide every later case too`
  return finding('InvalidField', sentence, { subject, field: { path, currentValue: 'off' }, mend: instead })
}

function invalidCode(subject: Subject, path: string, code: string, wanted: string, candidates: string[]): Finding {
  const guess = nearest(code, candidates)
  const field = { path, currentValue: code, proposedValue: guess }
  return finding('InvalidField', `${path}: "${code}" is not a code that ${wanted} (${candidates.join(', ')})`, {
    subject,
    field,
  })
}
