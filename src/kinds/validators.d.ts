/**
 * The modules that the build makes from fn-config/ (tools/build/validators.ts), declared here so that types need no
 * build.
 */
declare module '#validators' {
  /** A violation, as ajv reports it (ErrorObject). */
  export interface Violation {
    instancePath: string
    /** The violated keyword, as a path into the schema. */
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

/** Kinds that only the controller reads, kept apart so that no render loads them. */
declare module '#sync-validators' {
  import type { Validator } from '#validators'

  /** By kind. */
  export const VALIDATORS: Readonly<Record<string, Validator>>
}

/** Kinds that only `nodefit test` reads. */
declare module '#test-validators' {
  import type { Validator } from '#validators'

  /** By kind. */
  export const VALIDATORS: Readonly<Record<string, Validator>>
}
