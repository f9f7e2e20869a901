import { byHarm, type Codes, type Finding, hasRole, type Severity } from '../finding/index.ts'
import { indexOf, pathOf } from '../krm/identity.ts'
import type { KubernetesObject, Result } from '../krm/types.ts'
import { indexBy } from '../world/index.ts'

const ORDER: Record<Severity, number> = { error: 0, warning: 2, info: 3 }

/**
 * Converts findings to results of the KRM wire: errors first, then summaries, then warnings, the most harmful first,
 * since hosts show only the first few lines. What is reported of each group is one result for each subject.
 */
export function toResults(findings: readonly Finding[]): Result[] {
  return foldedByCode(byHarm(findings).sort((a, b) => rank(a) - rank(b))).map(toResult)
}

/** Folds findings about each group of a subject into the first of them, which says how many more there are. */
function foldedByCode(findings: readonly Finding[]): Finding[] {
  const alike = indexBy(findings, (one) => (hasRole(one, 'each') ? keyOf(one) : undefined))
  return findings.flatMap((one) => {
    const all = hasRole(one, 'each') ? (alike.get(keyOf(one)) ?? []) : []
    if (all.length < 2) return [one]
    const more = `and ${all.length - 1} more: nodefit build --explain shows each, or spec.severity of a RenderConfig with { code: ${one.code}, as: info }`
    return all[0] === one ? [{ ...one, message: `${one.message} (${more})` }] : []
  })
}

function keyOf({ code, severity, subject }: Finding): string {
  return [severity, code, subject?.kind, subject?.metadata.namespace, subject?.metadata.name].join(' ')
}

function rank(finding: Finding): number {
  return hasRole(finding, 'summary') ? 1 : ORDER[finding.severity]
}

function toResult({ code, severity, message, lines = [], subject, field }: Finding): Result {
  const tags = { code }
  const text = [`${code}: ${message}`, ...lines].join('\n')
  if (subject === undefined || !isText(subject.metadata.name)) return { message: text, severity, tags }
  const { apiVersion, kind, metadata } = subject
  const { name, namespace } = metadata
  const item = { object: subject as KubernetesObject }
  const path = pathOf(item)
  return {
    message: text,
    severity,
    resourceRef: { apiVersion, kind, name, ...(isText(namespace) ? { namespace } : {}) },
    ...(field === undefined ? {} : { field: definedOnly(field) }),
    ...(isText(path) ? { file: definedOnly({ path, index: indexOf(item) }) } : {}),
    tags,
  }
}

/** Whether a value is a string; an object's name may be the invalid value, and hosts read result fields as strings. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function definedOnly<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T
}

/** Returns the results of other functions; output that is used as input brings nodefit's own results along. */
export function withoutOurs(results: readonly Result[], codes: Codes): Result[] {
  return results.filter(({ message, tags }) => {
    const code = tags?.code
    return code === undefined || !Object.hasOwn(codes, code) || !message.startsWith(`${code}: `)
  })
}
