export type Severity = 'error' | 'warning' | 'info'

/** What is fixed about a code; the sentence about the case at hand is said where it is found. */
export interface CodeDefinition {
  readonly severity: Severity
  /** Whether RenderConfig.spec.allow accepts it: it fails closed, and someone may mean it. */
  readonly allowable?: true
  /** One sentence for the page of results: what it means. */
  readonly meaning: string
  /** What to write or do instead. */
  readonly mend: string
}

/** A table of codes, as each room has its own. */
export type Codes = Readonly<Record<string, CodeDefinition>>
