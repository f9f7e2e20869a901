import type { KrmError } from './error.ts'

export interface ObjectMeta {
  name: string
  namespace?: string
  labels?: Record<string, string>
  annotations?: Record<string, string>
  [field: string]: unknown
}

/** Any Kubernetes object. Integers beyond 2^53 are bigint, so that no digit is lost. */
export interface KubernetesObject {
  apiVersion: string
  kind: string
  metadata: ObjectMeta
  [field: string]: unknown
}

/** An object of the list. `text` is its source as its own document, as long as it matches `object`. */
export interface Item {
  readonly object: KubernetesObject
  readonly text?: string
  /**
   * Set if the text contains refused YAML in an object that the caller does not read: `object` is then apiVersion, kind
   * and metadata only. The error says what could not be read and where; code that needs more of the object must throw
   * it.
   */
  readonly opaque?: KrmError
}

export type Severity = 'error' | 'warning' | 'info'

/** A result of a KRM function, as in the KRM Functions Specification v1. */
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
