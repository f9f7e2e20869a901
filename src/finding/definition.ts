export type Severity = 'error' | 'warning' | 'info'

/**
 * How views treat a code. `summary`: the first line of a subject. `shown`: an info that is shown without being asked
 * for. `package`: it is about the whole package, whatever subject it names. `attention`: a person has to look at it
 * before anything is committed.
 */
export type CodeRole = 'summary' | 'shown' | 'package' | 'attention'

/** What is fixed about a code; the sentence about the case at hand is said where it is found. */
export interface CodeDefinition {
  readonly severity: Severity
  /** Whether RenderConfig.spec.allow accepts it: it fails closed, and someone may mean it. */
  readonly allowable?: true
  readonly roles?: readonly CodeRole[]
  /** What it is about: the part of the page of results that it stands in. */
  readonly part: string
  /** One sentence for the page of results: what it means. */
  readonly meaning: string
  /** What to write or do instead. */
  readonly mend: string
}

/** A table of codes, as each room has its own. */
export type Codes = Readonly<Record<string, CodeDefinition>>

/** A table of codes that are about one thing, which names their part of the page of results. */
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
