/** Every way in which text can fail to be a ResourceList that is safe to work on. */
export type KrmErrorCode = 'EmptyInput' | 'NotText' | 'YamlSyntax' | 'YamlRefused' | 'NotAResourceList' | 'NotAnObject'

/** Thrown when input is not a ResourceList, or holds YAML that readers understand differently. */
export class KrmError extends Error {
  readonly code: KrmErrorCode

  constructor(code: KrmErrorCode, message: string) {
    super(message)
    this.name = 'KrmError'
    this.code = code
  }
}
