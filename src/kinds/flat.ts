import type { Finding, Subject } from '../krm/finding.ts'
import { scalarText } from '../krm/map.ts'
import { NODEFIT } from './api-versions.ts'
import { finding } from './codes.ts'
import { FLAT_KEYS } from './generated/fields.ts'
import { type RuleText, UNSET } from './rule.ts'
import { nearest } from './validate.ts'

/** All flat keys. */
export const FLAT_KEY_NAMES: readonly string[] = [...Object.keys(FLAT_KEYS), 'kind']

/**
 * Builds a SizingPolicy from flat keys, as given by `kpt fn eval -- key=value`, a Kptfile's configMap or `nodefit build
 * --set`. Its name defaults to that of the target. Findings refer to `subject`.
 */
export function policyFromFlat(
  data: Record<string, unknown>,
  subject: Subject,
): { policy?: Subject; findings: Finding[] } {
  const findings: Finding[] = []
  const policy = {
    apiVersion: NODEFIT,
    kind: 'SizingPolicy',
    metadata: { name: scalarText(data.name ?? data.target ?? '') },
    spec: {},
  }
  for (const [key, raw] of Object.entries(data)) {
    const field =
      key === 'kind'
        ? { path: 'spec.targetRef.kind', type: 'string' }
        : Object.hasOwn(FLAT_KEYS, key)
          ? FLAT_KEYS[key]
          : undefined
    if (field === undefined) {
      const guess = nearest(key, FLAT_KEY_NAMES)
      const hint = guess === undefined ? `known: ${FLAT_KEY_NAMES.join(', ')}` : `did you mean ${guess}?`
      findings.push(
        finding('UnknownField', `${key} is not a key (${hint})`, {
          subject,
          field: { path: `data.${key}`, proposedValue: guess },
        }),
      )
      continue
    }
    const value = readValue(scalarText(raw), field.type)
    if (value === undefined) {
      const wanted = WANTED[field.type] ?? 'text'
      findings.push(
        finding('InvalidField', `${key}=${scalarText(raw)} must be ${wanted}`, {
          subject,
          field: { path: `data.${key}`, currentValue: raw },
        }),
      )
    } else put(policy, field.path.split('.'), value)
  }
  if (data.target === undefined) {
    findings.push(
      finding('InvalidField', 'target is missing: the name of the DaemonSet to size', {
        subject,
        field: { path: 'data.target' },
      }),
    )
  }
  return findings.length > 0 ? { findings } : { policy, findings }
}

/** The flat keys of a rule, with their values as text, in the order of the schema. */
export function flatTexts(rule: RuleText): Array<readonly [key: string, value: string]> {
  return Object.entries(FLAT_KEYS).flatMap(([key, { path }]) => {
    const [, block = '', name = ''] = path.split('.')
    const values: Record<string, unknown> = rule[block as keyof RuleText] ?? {}
    return Object.hasOwn(values, name) ? [[key, scalarText(values[name] ?? UNSET)] as const] : []
  })
}

/** The words for the value of each type that does not accept every text. */
const WANTED: Record<string, string> = {
  boolean: 'true or false',
  percentage: 'a number, or none',
  shares: 'names of containers with their shares, such as a:70,b:30',
}

function readValue(text: string, type: string): unknown {
  if (type === 'shares') return readShares(text)
  if (type === 'boolean') return text === 'true' ? true : text === 'false' ? false : undefined
  if (type !== 'percentage') return text
  if (text === UNSET || text === 'null') return null
  return readNumber(text)
}

function readNumber(text: string): number | undefined {
  return /^[0-9]+(\.[0-9]+)?$/.test(text) ? Number(text) : undefined
}

/** Parses `a:70,b:30`: containers with their shares; the share is optional. */
function readShares(text: string): Array<{ name: string; share?: number }> | undefined {
  const shares = text.split(',').map((entry) => {
    const [name = '', share, ...more] = entry.trim().split(':')
    if (share === undefined) return { name }
    return { name: more.length > 0 ? '' : name, share: readNumber(share) }
  })
  const isWhole = shares.every((one) => one.name !== '' && (!('share' in one) || one.share !== undefined))
  return isWhole ? shares : undefined
}

function put(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [first = '', ...rest] = path
  if (rest.length === 0) {
    target[first] = value
    return
  }
  target[first] ??= {}
  put(target[first] as Record<string, unknown>, rest, value)
}
