import { type AnyPlanner, indexBy } from '../core/index.ts'
import { byHarm, type Codes, type Finding, hasRole, listNames, type Severity } from '../krm/finding.ts'
import { indexOf, pathOf } from '../krm/identity.ts'
import type { KubernetesObject, ResourceList, Result } from '../krm/types.ts'
import type { PlanOptions } from '../rules/plan.ts'
import { codesOf, PLANNERS, planOf } from '../rules/run.ts'

/**
 * The ResourceList that a plan leads to, with results. Where the plan failed, the items are the input's, unchanged,
 * and a result of severity error says why. Results of an earlier run of ours give way. Throws nothing for user errors.
 */
export const render = renderOf(PLANNERS)

/** Returns a `render` with other planners. */
export function renderOf(planners: readonly AnyPlanner[]) {
  const [plan, codes] = [planOf(planners), codesOf(planners)]
  return (list: ResourceList, options: PlanOptions = {}): ResourceList => {
    const { items, findings } = plan(list, options)
    return { ...list, items, results: [...withoutOurs(list.results, codes), ...toResults(findings)] }
  }
}

const ORDER: Record<Severity, number> = { error: 0, warning: 2, info: 3 }

/** From so many summaries on, these alone would be what a host shows: kpt shows four results. */
const MANY_SUMMARIES = 4

/**
 * Converts findings to results of the KRM wire: errors first, then summaries, then warnings, the most harmful first,
 * since hosts show only the first few results. Many summaries follow the warnings, with one result before that names
 * their subjects. What is reported of each group is one result for each subject.
 */
export function toResults(findings: readonly Finding[]): Result[] {
  const summaries = findings.filter((one) => hasRole(one, 'summary'))
  const isLong = summaries.length >= MANY_SUMMARIES && findings.some(({ severity }) => severity === 'warning')
  const sorted = byHarm(findings).sort((a, b) => rank(a, isLong) - rank(b, isLong))
  const [first] = summaries
  if (!isLong || first === undefined) return foldedByCode(sorted).map(toResult)
  const errors = sorted.filter(({ severity }) => severity === 'error')
  const others = foldedByCode(sorted.slice(errors.length))
  return [...foldedByCode(errors), overviewOf(first, summaries), ...others].map(toResult)
}

function overviewOf({ code, severity }: Finding, summaries: readonly Finding[]): Finding {
  const names = summaries.flatMap(({ subject }) => subject?.metadata.name ?? [])
  const message = `${summaries.length} summaries behind the warnings: ${listNames(names)}`
  return { code, severity, message, sentence: message }
}

/** Folds findings about each group of a subject into the first of them, which says how many more there are. */
function foldedByCode(findings: readonly Finding[]): Finding[] {
  const alike = indexBy(findings, (one) => (hasRole(one, 'each') ? keyOf(one) : undefined))
  return findings.flatMap((one) => {
    const all = hasRole(one, 'each') ? (alike.get(keyOf(one)) ?? []) : []
    if (all.length < 2) return [one]
    const more = `and ${all.length - 1} more: nodefit build --all shows each, or spec.severity of a RenderConfig with { code: ${one.code}, as: info }`
    return all[0] === one ? [{ ...one, message: `${one.message} (${more})` }] : []
  })
}

function keyOf({ code, severity, subject }: Finding): string {
  return [severity, code, subject?.kind, subject?.metadata.namespace, subject?.metadata.name].join(' ')
}

function rank(finding: Finding, isLong: boolean): number {
  if (!hasRole(finding, 'summary')) return ORDER[finding.severity]
  return isLong ? ORDER.warning + 0.5 : 1
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
