import { VALIDATORS, type Validator, type Violation } from '#validators'
import type { Finding, Subject } from '../krm/finding.ts'
import { finding } from './codes.ts'
import { KNOWN_FIELDS, NOT_BUILT, ONE_OF } from './generated/fields.ts'
import type { Kind } from './generated/types.ts'

/** What a resource is validated with: the validator of its kind, and the fields of each place for messages. */
interface SchemaCheck {
  readonly kind: string
  readonly validator: Validator | undefined
  /** The known fields of each place. */
  readonly known: Readonly<Record<string, readonly string[]>>
  /** The fields of each place of which exactly one must be set. */
  readonly oneOf: Readonly<Record<string, readonly string[]>>
}

/**
 * Validates a resource against the schema of its kind: one finding for each violation, with its field and the allowed
 * values.
 */
export function validate(kind: Kind, resource: Subject): Finding[] {
  return validateAs({ kind, validator: VALIDATORS[kind], known: KNOWN_FIELDS[kind], oneOf: ONE_OF[kind] }, resource)
}

/** As `validate`, for a kind whose schema not every render loads. */
export function validateAs(held: SchemaCheck, resource: Subject): Finding[] {
  const { kind, validator } = held
  if (validator === undefined) throw new Error(`no schema for ${kind}`)
  if (validator(resource)) return []
  // the errors of each alternative are left out: the error of the oneOf itself covers them all
  const violations = (validator.errors ?? []).filter(({ schemaPath }) => !schemaPath.includes('/oneOf/'))
  const words = new Set(violations.flatMap(({ keyword, instancePath }) => (keyword === 'enum' ? [instancePath] : [])))
  // the words that are allowed say of which type they are
  const told = violations.filter(({ keyword, instancePath }) => keyword !== 'type' || !words.has(instancePath))
  return told.map((violation) => toFinding(held, resource, violation))
}

/** Reports fields that are in the schema but not implemented yet. */
export function notBuiltFindings(kind: Kind, resource: Subject): Finding[] {
  const findings: Finding[] = []
  for (const path of NOT_BUILT[kind]) {
    const value = at(resource, path.split('.'))
    if (value === undefined || value === null) continue
    findings.push(
      finding('NotBuilt', `${kind} ${resource.metadata.name}: ${path} is not implemented yet`, {
        subject: resource,
        field: { path, currentValue: value },
      }),
    )
  }
  return findings
}

/** The pattern of the only text that a numeric field takes. */
const ONE_WORD = /^\^([a-z]+)\$$/

function toFinding({ kind, known, oneOf }: SchemaCheck, subject: Subject, violation: Violation): Finding {
  const segments = violation.instancePath.split('/').slice(1).map(unescapePointer)
  const path = segments.join('.')
  const place = `${kind} ${subject.metadata?.name ?? ''}`.trimEnd()
  if (violation.keyword === 'additionalProperties') {
    const name = String(violation.params.additionalProperty)
    const names = at(known, [schemaPlace(segments)]) as readonly string[] | undefined
    const guess = nearest(name, names ?? [])
    const hint = guess === undefined ? `known here: ${(names ?? []).join(', ')}` : `did you mean ${guess}?`
    const field = [...segments, name].join('.')
    return finding('UnknownField', `${place}: ${field} is not a field (${hint})`, {
      subject,
      field: { path: field, proposedValue: guess },
    })
  }
  if (violation.keyword === 'required') {
    const field = [...segments, String(violation.params.missingProperty)].join('.')
    return finding('InvalidField', `${place}: ${field} is missing`, { subject, field: { path: field } })
  }
  if (violation.keyword === 'oneOf') {
    const names = oneOf[schemaPlace(segments)] ?? []
    const sentence = `${place}: ${path} must have exactly one of ${names.join(' and ')}`
    return finding('InvalidField', sentence, { subject, field: { path } })
  }
  const [, word] = violation.keyword === 'pattern' ? (ONE_WORD.exec(String(violation.params.pattern)) ?? []) : []
  const message = word === undefined ? violation.message : `must be a number or ${word}`
  const currentValue = at(subject, segments)
  const words = Array.isArray(violation.params.allowedValues) ? violation.params.allowedValues : []
  const allowed = words.length === 0 ? '' : `: ${words.join(', ')}`
  return finding(
    'InvalidField',
    `${place}: ${path} ${message ?? 'is not valid'}${allowed}, but is ${valueText(currentValue)}${unquotedText(currentValue, words)}`,
    {
      subject,
      field: { path, currentValue },
    },
  )
}

/** Returns the path of a value without list indexes. */
function schemaPlace(segments: readonly string[]): string {
  return segments.reduce(
    (path, segment) => (/^[0-9]+$/.test(segment) ? `${path}[]` : path === '' ? segment : `${path}.${segment}`),
    '',
  )
}

function at(value: unknown, segments: readonly string[]): unknown {
  let current = value
  for (const segment of segments) {
    if (typeof current !== 'object' || current === null || !Object.hasOwn(current, segment)) return undefined
    current = (current as Record<string, unknown>)[segment]
  }
  return current
}

/** Words that YAML reads as a boolean where they stand without quotes. */
const YAML_FALSE = /^(?:off|no|n)$/i

/** Says that a word has lost its quotes; empty where the value is no boolean. */
function unquotedText(value: unknown, words: readonly unknown[]): string {
  const meant = value === false ? words.find((word) => YAML_FALSE.test(String(word))) : undefined
  return meant === undefined ? '' : `, as YAML reads ${meant} without quotes: write "${meant}"`
}

function valueText(value: unknown): string {
  const text = JSON.stringify(value, (_, member) => (typeof member === 'bigint' ? String(member) : member)) ?? 'absent'
  return text.length > 80 ? `${text.slice(0, 80)}…` : text
}

function unescapePointer(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~')
}

/** Reports unknown fields in a file that a machine wrote. Only warnings, since a newer writer may know more fields. */
export function unknownFields(
  kind: 'NodeInventory' | 'WorkloadSnapshot',
  subject: Subject,
  places: ReadonlyArray<readonly [path: string, value: object]>,
): Finding[] {
  const known = KNOWN_FIELDS[kind]
  const unknown = new Set<string>()
  for (const [path, value] of places)
    for (const name of Object.keys(value)) if (!known[path]?.includes(name)) unknown.add(`${path}.${name}`)
  return [...unknown].sort().map((path) => {
    const sentence = `${kind} ${subject.metadata.name}: ${path} is not known to this version of nodefit`
    return finding('InventoryFieldUnknown', sentence, { subject, field: { path } })
  })
}

/**
 * Returns the candidate with the fewest single-letter edits from the name, if it needs at most `most` edits; by default
 * half of the name's letters.
 */
export function nearest(
  name: string,
  candidates: readonly string[],
  most = Math.max(2, Math.floor(name.length / 2)),
): string | undefined {
  let best: string | undefined
  let least = most + 1
  for (const candidate of candidates) {
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase())
    if (distance < least) {
      best = candidate
      least = distance
    }
  }
  return best
}

function editDistance(left: string, right: string): number {
  if (left.length > 100 || right.length > 100) return left === right ? 0 : 100
  let previous = Array.from({ length: right.length + 1 }, (_, column) => column)
  for (let row = 1; row <= left.length; row++) {
    const current = [row]
    for (let column = 1; column <= right.length; column++) {
      const substitution = (previous[column - 1] ?? 0) + (left[row - 1] === right[column - 1] ? 0 : 1)
      current.push(Math.min(substitution, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1))
    }
    previous = current
  }
  return previous[right.length] ?? 0
}
