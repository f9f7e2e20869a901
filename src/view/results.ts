import { kubernetesObjectResult } from 'kpt-functions/dist/src/result.js'
import type { Codes, Finding, Severity, Subject } from '../finding/index.ts'
import { indexOf } from '../krm/identity.ts'
import type { KubernetesObject, Result } from '../krm/types.ts'

const ORDER: Record<Severity, number> = { error: 0, warning: 2, info: 3 }

/** Findings as results of the KRM wire: errors first, then the summaries, since hosts show only the first few lines. */
export function toResults(findings: readonly Finding[]): Result[] {
  return [...findings].sort((a, b) => rank(a) - rank(b)).map(toResult)
}

function rank({ code, severity }: Finding): number {
  return code === 'PolicySummary' || code === 'OrderSummary' ? 1 : ORDER[severity]
}

function toResult({ code, severity, message, subject, field }: Finding): Result {
  const tags = { code }
  const text = `${code}: ${message}`
  if (subject === undefined || !isText(subject.metadata.name)) return { message: text, severity, tags }
  type HelperObject = Parameters<typeof kubernetesObjectResult>[1]
  const made = kubernetesObjectResult(text, withTexts(subject) as unknown as HelperObject, undefined, 'error', tags)
  const ref = made.resourceRef
  const namespace = isText(ref?.namespace) ? { namespace: ref.namespace } : {}
  const path: unknown = made.file?.path
  // the helper takes index 0 for none
  const index = indexOf({ object: subject as KubernetesObject })
  return {
    message: text,
    severity,
    resourceRef: { apiVersion: subject.apiVersion, kind: subject.kind, name: subject.metadata.name, ...namespace },
    ...(field === undefined ? {} : { field: definedOnly(field) }),
    ...(!isText(path) ? {} : { file: { path, ...(index === undefined ? {} : { index }) } }),
    tags,
  }
}

/** The subject with what is text of its annotations: the helper takes whatever stands there for it. */
function withTexts({ metadata, ...subject }: Subject): Subject {
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([, value]) => typeof value !== 'object')
  return { ...subject, metadata: { ...metadata, annotations: Object.fromEntries(annotations) } }
}

/** What is wrong with an object may be its very name; hosts read a result's fields as text. */
function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function definedOnly<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, member]) => member !== undefined)) as T
}

/** The results that others gave: output that is fed back brings ours along. */
export function withoutOurs(results: readonly Result[], codes: Codes): Result[] {
  return results.filter(({ message, tags }) => {
    const code = tags?.code
    return code === undefined || !Object.hasOwn(codes, code) || !message.startsWith(`${code}: `)
  })
}
