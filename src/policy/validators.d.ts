/** What the build makes of fn-config/ (tools/build/validators.ts). Declared here, so that types need no build. */
declare module '#validators' {
  /** What a validator says about one violation (ajv's ErrorObject). */
  export interface Violation {
    instancePath: string
    /** The keyword that is violated, as a path into the schema. */
    schemaPath: string
    keyword: string
    params: Record<string, unknown>
    message?: string
  }

  export interface Validator {
    (value: unknown): boolean
    errors?: Violation[] | null
  }

  /** By kind. */
  export const VALIDATORS: Readonly<Record<string, Validator>>
}

/** Of what the controller alone reads, so that no render loads it. */
declare module '#sync-validators' {
  import type { Validator } from '#validators'

  /** By kind. */
  export const VALIDATORS: Readonly<Record<string, Validator>>
}
