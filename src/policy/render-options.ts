import {
  CODES,
  type Code,
  definitionOf,
  type Finding,
  finding,
  isCode,
  type Severity,
  type Subject,
} from '../finding/index.ts'
import { isTime } from '../kube/index.ts'
import type { RenderConfig } from './generated/types.ts'
import { nearest } from './nearest.ts'
import { notBuilt, validate } from './validate.ts'

/** The options of a run, from a RenderConfig or its absence. */
export interface RenderOptions {
  readonly cluster?: string
  readonly allow: ReadonlySet<Code>
  readonly severity: ReadonlyMap<Code, Severity | 'off'>
  readonly failOn: 'error' | 'warning'
  /** The time of the run, where the run itself says one. */
  readonly now?: Date
  readonly korder: KorderOptions
  readonly guards: Guards
}

/** How Orders become Tickets. */
export interface KorderOptions {
  readonly dialect?: 'duration' | 'window'
  readonly pin: 'affinity' | 'nodeName'
  readonly nodeIdentity: 'name' | 'uid'
  readonly keep: boolean
  readonly orderLabel: boolean
}

/** How much a run may take away; Infinity for any amount. */
export interface Guards {
  /** Of a policy's groups, given how many there were. */
  readonly maxGroupsRemoved: (before: number) => number
  readonly maxShrinkPercent: number
  readonly maxPodsRestarted: number
}

export const DEFAULT_OPTIONS: RenderOptions = {
  allow: new Set(),
  severity: new Map(),
  failOn: 'error',
  korder: { pin: 'affinity', nodeIdentity: 'name', keep: false, orderLabel: true },
  guards: { maxGroupsRemoved: (before) => before / 2, maxShrinkPercent: 50, maxPodsRestarted: Infinity },
}

/** Reads and checks a RenderConfig. An error keeps its severity: only `allow` accepts what fails closed. */
export function readRenderConfig(resource: Subject): { options: RenderOptions; findings: Finding[] } {
  const findings = [...validate('RenderConfig', resource), ...notBuilt('RenderConfig', resource)]
  if (findings.length > 0) return { options: DEFAULT_OPTIONS, findings }
  const { spec = {} } = resource as unknown as RenderConfig
  const allow = new Set<Code>()
  const severity = new Map<Code, Severity | 'off'>()
  for (const [index, code] of (spec.allow ?? []).entries()) {
    if (isCode(code) && definitionOf(code).allowable) allow.add(code)
    else findings.push(badCode(resource, `spec.allow.${index}`, code, 'fails closed and can be allowed', allowable()))
  }
  for (const [index, entry] of (spec.severity ?? []).entries()) {
    if (isCode(entry.code) && definitionOf(entry.code).severity !== 'error') severity.set(entry.code, entry.as)
    else
      findings.push(badCode(resource, `spec.severity.${index}.code`, entry.code, 'is a warning or info', adjustable()))
  }
  if (spec.now !== undefined && !isTime(spec.now))
    findings.push(badText(resource, 'spec.now', spec.now, 'a time of RFC 3339'))
  const limit = spec.guards?.maxGroupsRemoved
  if (typeof limit === 'string' && !/^(100|[0-9]{1,2})%$/.test(limit))
    findings.push(badText(resource, 'spec.guards.maxGroupsRemoved', limit, 'a number, or a percentage such as 50%'))
  const { korder, guards } = DEFAULT_OPTIONS
  return {
    options: {
      cluster: spec.cluster,
      allow,
      severity,
      failOn: spec.failOn ?? 'error',
      now: spec.now === undefined ? undefined : new Date(spec.now),
      korder: { ...korder, ...spec.korder },
      guards: {
        maxGroupsRemoved: limit === undefined ? guards.maxGroupsRemoved : mostRemoved(limit),
        maxShrinkPercent: orAny(spec.guards?.maxShrinkPercent, guards.maxShrinkPercent),
        maxPodsRestarted: orAny(spec.guards?.maxPodsRestarted, guards.maxPodsRestarted),
      },
    },
    findings,
  }
}

/** null is any amount. */
function orAny(value: number | null | undefined, otherwise: number): number {
  return value === null ? Infinity : (value ?? otherwise)
}

function mostRemoved(limit: string | number | null): (before: number) => number {
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

function allowable(): string[] {
  return codes().filter((code) => definitionOf(code).allowable)
}

function adjustable(): string[] {
  return codes().filter((code) => definitionOf(code).severity !== 'error')
}

function codes(): Code[] {
  return Object.keys(CODES) as Code[]
}
