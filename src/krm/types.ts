import type { KrmError } from './error.ts'

export interface ObjectMeta {
  name: string
  namespace?: string
  labels?: Record<string, string>
  annotations?: Record<string, string>
  [field: string]: unknown
}

/** Any Kubernetes object. Integers beyond 2^53 are bigint, so that none loses a digit. */
export interface KubernetesObject {
  apiVersion: string
  kind: string
  metadata: ObjectMeta
  [field: string]: unknown
}

/** An object of the list; `text` is its source as a document of its own, while it still says the same as `object`. */
export interface Item {
  readonly object: KubernetesObject
  readonly text?: string
  /**
   * Set where the text holds YAML that is refused, and nobody looks at such objects: `object` is apiVersion, kind and metadata
   * alone. It says what could not be read and where, for whoever asks for more of this one: that has to throw it.
   */
  readonly opaque?: KrmError
}

export type Severity = 'error' | 'warning' | 'info'

/** A result of a KRM function, as the KRM Functions Specification v1 has it. */
export interface Result {
  message: string
  severity: Severity
  resourceRef?: { apiVersion: string; kind: string; name: string; namespace?: string }
  field?: { path: string; currentValue?: unknown; proposedValue?: unknown }
  file?: { path: string; index?: number }
  tags?: Record<string, string>
}

export interface ResourceList {
  readonly apiVersion: string
  readonly items: readonly Item[]
  readonly functionConfig?: Item
  readonly results: readonly Result[]
}
