/** Every way in which Kubernetes' own notation can be malformed. */
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

/** Thrown on malformed Kubernetes notation; `code` says which rule was broken, `text` what broke it. */
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
