/** The entry `nodefit/krm`: the ResourceList wire, for functions of your own (docs/reference/library.md). */
import { readResourceList as readList } from './krm/read-list.ts'
import type { ResourceList } from './krm/types.ts'

/**
 * Reads a ResourceList from YAML or JSON. Each item keeps its text, so that what is not changed is written as it came.
 * Throws `KrmError` on input that is no ResourceList, and on YAML that readers interpret differently.
 */
export function readResourceList(text: string): ResourceList {
  return readList(text)
}

export { runFunction } from './host/cli/run-function.ts'
export { edit } from './krm/edit.ts'
export { KrmError, type KrmErrorCode } from './krm/error.ts'
export type { Item, KubernetesObject, ObjectMeta, ResourceList, Result, Severity } from './krm/types.ts'
export { writeResourceList } from './krm/write-list.ts'
