import type { CodeRole, Codes, Severity } from './definition.ts'

/** The object a finding is about, as far as it has a name. */
export interface Subject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { name: string; namespace?: string; annotations?: Record<string, string> }
}

/** Where a finding is: the object it is about, and a field of it. */
export interface Place {
  readonly subject?: Subject
  readonly field?: { path: string; currentValue?: unknown; proposedValue?: unknown }
}

/**
 * Something a run reports: a code, the sentence about this case, and where. A room does not know the codes of all
 * others; `Plan` does.
 */
export interface Finding<Code extends string = string> extends Place {
  readonly code: Code
  readonly severity: Severity
  /** The roles of its code, where it has any. */
  readonly roles?: readonly CodeRole[]
  /** What is the case here, without what to do about it. */
  readonly sentence: string
  /** The sentence, and the mend of its code. */
  readonly message: string
}

/** What was read, if it could be, and what is to be said of it; without a value there is an error. */
export interface Read<Value> {
  readonly value?: Value
  readonly findings: readonly Finding[]
}

type CodeIn<Table extends Codes> = Table extends Codes ? keyof Table & string : never

/**
 * Makes findings of the codes of some tables, each with the severity and the mend of its code, or a mend for the case
 * at hand.
 */
export function findingOf<Tables extends readonly Codes[]>(
  ...tables: Tables
): (code: CodeIn<Tables[number]>, sentence: string, place?: Place & { mend?: string }) => Finding {
  return (code, sentence, { mend: own, ...place } = {}) => {
    const definition = tables.find((table) => Object.hasOwn(table, code))?.[code]
    const { severity = 'error', mend: usual = '', roles } = definition ?? {}
    const mend = own ?? usual
    // a sentence that ends with a question has its mark
    const stop = sentence.endsWith('?') ? '' : '.'
    const message = mend === '' ? sentence : `${sentence}${stop} ${mend}`
    return { code, severity, ...(roles === undefined ? {} : { roles }), sentence, message, ...place }
  }
}

/** The findings as they are about a subject, where they do not say their own. */
export function withSubject(subject: Subject, findings: readonly Finding[]): Finding[] {
  return findings.map((one) => ({ subject, ...one }))
}

/** The finding with words before its sentence: of what part of its subject it is said. */
export function withPrefix(words: string, { sentence, message, ...one }: Finding): Finding {
  return { ...one, sentence: `${words}: ${sentence}`, message: `${words}: ${message}` }
}

export function isError({ severity }: Finding): boolean {
  return severity === 'error'
}

/** Whether views treat a finding as one of a role. */
export function hasRole({ roles }: Finding, role: CodeRole): boolean {
  return roles?.includes(role) === true
}
