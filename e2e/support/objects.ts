import * as assert from 'uvu/assert'
import { parseAllDocuments } from 'yaml'
import type { Run } from './hosts.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind, read back
type Any = any

/** The objects of a stream of YAML documents; in version 1.1, as Go reads it, `0644` is 420. */
export function objectsOf(text: string, version: '1.1' | '1.2' = '1.2'): Any[] {
  return parseAllDocuments(text, { version })
    .map((document) => document.toJS())
    .filter((object) => object !== null)
}

export function asList(items: readonly Any[]): string {
  return JSON.stringify({ apiVersion: 'v1', kind: 'List', items })
}

/** An object without what only a server writes. */
export function asNew(object: Any): Any {
  const {
    uid: _uid,
    resourceVersion: _version,
    managedFields: _fields,
    generation: _generation,
    ...metadata
  } = object.metadata
  return { ...object, metadata }
}

/** What a command printed, which must not have failed. */
export function does({ status, stdout, stderr }: Run): string {
  assert.is(status, 0, stderr)
  return stdout
}
