import { byHarm, type Finding, hasRole, type Severity } from '../krm/finding.ts'
import { packageOf } from '../krm/identity.ts'
import type { KubernetesObject } from '../krm/types.ts'

/**
 * Returns the findings that a command shows: everything except infos, the summaries, and the infos that are always
 * shown; all findings if asked for.
 */
export function explained(findings: readonly Finding[], isAsked: boolean): Finding[] {
  return findings.filter(
    (finding) => finding.severity !== 'info' || isAsked || hasRole(finding, 'shown') || hasRole(finding, 'summary'),
  )
}

/** One line for findings of one kind: the first, and how many more there are. */
export interface Folded {
  readonly finding: Finding
  readonly more: number
}

/** How many findings of one kind are shown: more errors, since each has to be fixed. */
const MOST: Record<Severity, number> = { error: 10, warning: 1, info: 1 }

/** Sorts findings by severity and harm, and groups them by code; the last line of a code counts those not shown. */
export function folded(findings: readonly Finding[], isWhole = false): Folded[] {
  const kinds = new Map<string, Finding[]>()
  for (const one of byHarm(findings)) {
    const kind = `${one.severity} ${one.code}`
    const own = kinds.get(kind)
    if (own === undefined) kinds.set(kind, [one])
    else own.push(one)
  }
  return [...kinds.values()].flatMap((own) => {
    const most = isWhole ? own.length : MOST[own[0]?.severity ?? 'error']
    const shown = own.slice(0, most)
    return shown.map((finding, index) => ({
      finding,
      more: index === shown.length - 1 ? own.length - shown.length : 0,
    }))
  })
}

/**
 * Returns the message of a finding for a reader who sees no other field of it. Puts the subject's name first where the
 * sentence is about a part of it, such as a group; leaves a sentence that begins with an object, or names the subject
 * before its first colon.
 */
export function messageOf(finding: Finding): string {
  const { sentence, message, subject } = finding
  const name: unknown = subject?.metadata.name
  if (typeof name !== 'string' || name === '' || hasRole(finding, 'package')) return message
  const [start = ''] = sentence.split(': ')
  const isNamed = start.startsWith(`${name}-`) || start.split(/[^A-Za-z0-9.-]+/).includes(name)
  return isNamed || BEGINS_WITH_OBJECT.test(start) ? message : `${name}: ${message}`
}

/**
 * Returns a function that gives the message of a finding, with the package of its subject first where a run is about
 * several: clusters have policies of the same names.
 */
export function messageIn(packages: ReadonlyArray<{ readonly path: string }>): (finding: Finding) => string {
  if (packages.length < 2) return messageOf
  return (finding) => {
    const path = finding.subject === undefined ? '' : packageOf({ object: finding.subject as KubernetesObject })
    return path === '' ? messageOf(finding) : `${path}: ${messageOf(finding)}`
  }
}

const BEGINS_WITH_OBJECT = /^[A-Z][A-Za-z]* \S/
