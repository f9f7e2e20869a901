/** The ways in which Kubernetes notation can be malformed. */
export type KubeErrorCode =
  | 'QuantityFormat'
  | 'QuantitySuffix'
  | 'QuantityRange'
  | 'DurationFormat'
  | 'ScheduleFormat'
  | 'TimeZone'
  | 'SelectorSyntax'
  | 'SelectorOperator'
  | 'SelectorKey'
  | 'SelectorValues'
  | 'NodeSelectorTerm'

/** Thrown on malformed Kubernetes notation. `code` is the rule that is broken, `text` the part that breaks it. */
export class KubeError extends Error {
  readonly code: KubeErrorCode
  readonly text: string

  constructor(code: KubeErrorCode, text: string, message: string) {
    super(message)
    this.name = 'KubeError'
    this.code = code
    this.text = text
  }
}

/** Returns what `read` returns, or undefined where what it reads is malformed. */
export function unlessMalformed<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof KubeError) return undefined
    throw error
  }
}
