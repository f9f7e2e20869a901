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
import type { RenderConfig } from './generated/types.ts'
import { nearest } from './nearest.ts'
import { notBuilt, validate } from './validate.ts'

/** The options of a run, from a RenderConfig or its absence. */
export interface RenderOptions {
  readonly cluster?: string
  readonly allow: ReadonlySet<Code>
  readonly severity: ReadonlyMap<Code, Severity | 'off'>
  readonly failOn: 'error' | 'warning'
}

export const DEFAULT_OPTIONS: RenderOptions = { allow: new Set(), severity: new Map(), failOn: 'error' }

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
  return { options: { cluster: spec.cluster, allow, severity, failOn: spec.failOn ?? 'error' }, findings }
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
