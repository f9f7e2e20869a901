export type Severity = 'error' | 'warning' | 'info'

/**
 * How views treat a code. `summary`: the first line of a subject. `shown`: an info that is shown by default. `package`:
 * it is about the whole package, whatever subject it names. `attention`: a person must look at it before anything is
 * committed. `each`: there is one for each group, and results have one for each subject.
 */
export type CodeRole = 'summary' | 'shown' | 'package' | 'attention' | 'each'

/** The constant part of a code. The sentence about the case at hand is written where the finding is made. */
export interface CodeDefinition {
  readonly severity: Severity
  /** Whether RenderConfig.spec.allow accepts it: the code fails closed, and some users may intend what it reports. */
  readonly allowable?: true
  /** Set where its severity cannot be `off`, which would hide later cases too: how a user accepts a case instead. */
  readonly acceptedBy?: string
  readonly roles?: readonly CodeRole[]
  /** What it is about: its page in docs/reference/results/. */
  readonly part: string
  /** When it is reported, and what would happen otherwise, for docs/reference/results/. */
  readonly meaning: string
  /** What to write or do instead. */
  readonly mend: string
}

/** A table of codes; each room has its own. */
export type Codes = Readonly<Record<string, CodeDefinition>>

/** Makes a table of codes about one thing, which is their page in docs/reference/results/. */
export function codesAbout<Code extends string>(
  part: string,
  table: Readonly<Record<Code, Omit<CodeDefinition, 'part'>>>,
): Readonly<Record<Code, CodeDefinition>> {
  const codes = Object.entries<Omit<CodeDefinition, 'part'>>(table).map(([code, definition]) => [
    code,
    { ...definition, part },
  ])
  return Object.fromEntries(codes)
}

/** The object of a finding, as far as it has a name. */
export interface Subject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { name: string; namespace?: string; annotations?: Record<string, string> }
}

/** Where a finding is: an object, and a field of it. */
export interface Place {
  readonly subject?: Subject
  readonly field?: { path: string; currentValue?: unknown; proposedValue?: unknown }
}

/**
 * What a run reports: a code, a sentence about this case, and its place. A room does not know the codes of other rooms;
 * `Plan` does.
 */
export interface Finding<Code extends string = string> extends Place {
  readonly code: Code
  readonly severity: Severity
  /** The roles of its code, if any. */
  readonly roles?: readonly CodeRole[]
  /** What is wrong in this case, without what to do about it. */
  readonly sentence: string
  /** The sentence, and the mend of its code. */
  readonly message: string
  /** Lines to copy, which views show below the message as they are. */
  readonly lines?: readonly string[]
}

/** The result of reading: the value and its findings. Without a value, the findings contain an error. */
export interface Read<Value> {
  readonly value?: Value
  readonly findings: readonly Finding[]
}

type CodeIn<Table extends Codes> = Table extends Codes ? keyof Table & string : never

/**
 * Returns a function that makes findings of the codes in the tables, with the severity and mend of each code. A finding
 * may have its own mend.
 */
export function findingOf<Tables extends readonly Codes[]>(
  ...tables: Tables
): (
  code: CodeIn<Tables[number]>,
  sentence: string,
  place?: Place & { mend?: string; lines?: readonly string[] },
) => Finding {
  return (code, sentence, { mend: specific, ...place } = {}) => {
    const definition = tables.find((table) => Object.hasOwn(table, code))?.[code]
    const { severity = 'error', mend: usual = '', roles } = definition ?? {}
    const mend = specific ?? usual
    // a question ends with its own mark
    const stop = sentence.endsWith('?') ? '' : '.'
    const message = mend === '' ? sentence : `${sentence}${stop} ${mend}`
    return { code, severity, ...(roles === undefined ? {} : { roles }), sentence, message, ...place }
  }
}

/** Sets the subject of the findings that have none. */
export function withSubject(subject: Subject, findings: readonly Finding[]): Finding[] {
  return findings.map((one) => ({ subject, ...one }))
}

/** Prefixes a finding with the part of its subject that it is about. */
export function withPrefix(words: string, { sentence, message, ...one }: Finding): Finding {
  return { ...one, sentence: `${words}: ${sentence}`, message: `${words}: ${message}` }
}

export function isError({ severity }: Finding): boolean {
  return severity === 'error'
}

/** Whether views treat the finding as one of a role. */
export function hasRole({ roles }: Finding, role: CodeRole): boolean {
  return roles?.includes(role) === true
}

/** Formats names for a message: the first few, and how many more. `all` is their number if not all have names. */
export function listNames(names: readonly string[], most = 3, all = names.length): string {
  const shown = names.slice(0, most)
  const more = all - shown.length
  return more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ')
}

/** Formats a count with its noun: `1 node`, `3 nodes`. */
export function plural(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}

/**
 * Codes by the harm that they report, the worst first: what runs an agent twice or takes it away, then what costs the
 * whole fleet, then what nodes lose. Hosts show only the first few results, so these come before findings about labels,
 * taints and autoscalers; codes that are not listed follow as they were found.
 */
export const BY_HARM = [
  'OwnedElsewhere',
  'HostPortHeld',
  'StatePathShared',
  'AntiAffinityHeld',
  'StaticTemplateStays',
  'AgentTwice',
  'LosesAgent',
  'TotalGrows',
  'BelowEarlier',
  'BelowTemplate',
  'DoesNotFit',
  'HeapAboveLimit',
  'ResourceQuotaExceeded',
] as const

const RANK: Record<Severity, number> = { error: 0, warning: 1, info: 2 }
const HARM: ReadonlyMap<string, number> = new Map(BY_HARM.map((code, index) => [code, index]))

/** Sorts findings by severity, those of one severity by harm; equal ones stay in their order. */
export function byHarm<One extends Pick<Finding, 'severity' | 'code'>>(findings: readonly One[]): One[] {
  const harm = ({ code }: One) => HARM.get(code) ?? BY_HARM.length
  return [...findings].sort((a, b) => RANK[a.severity] - RANK[b.severity] || harm(a) - harm(b))
}
