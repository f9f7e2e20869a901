import type { Finding } from '../../krm/finding/index.ts'
import { isMap } from '../../krm/map.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { isQualifiedName } from '../../kube/index.ts'
import { finding } from './codes.ts'

/** A problem of a label or annotation: its path, its value, and the words that follow the path in a message. */
export interface TextProblem {
  readonly path: string
  readonly value: unknown
  readonly sentence: string
}

/**
 * Returns the first label or annotation of an object or its pod template that the API server would refuse there and in
 * every copy: an invalid key, or a value that is not text (`ValidateAnnotations`).
 */
export function textProblem(object: KubernetesObject): TextProblem | undefined {
  const { template } = (isMap(object.spec) ? object.spec : {}) as { template?: unknown }
  const pod = isMap(template) && isMap(template.metadata) ? template.metadata : {}
  const maps: Array<readonly [path: string, map: unknown]> = [
    ['metadata.labels', object.metadata.labels],
    ['metadata.annotations', object.metadata.annotations],
    ['spec.template.metadata.labels', pod.labels],
    ['spec.template.metadata.annotations', pod.annotations],
  ]
  for (const [path, map] of maps) {
    if (!isMap(map ?? {})) return { path, value: map, sentence: 'is not a map' }
    for (const [key, value] of Object.entries(map ?? {})) {
      const sentence = entryProblem(key, value)
      if (sentence !== undefined) return { path: `${path}.${key}`, value, sentence }
    }
  }
  return undefined
}

function entryProblem(key: string, value: unknown): string | undefined {
  // the API server compares annotation keys in lower case
  if (!isQualifiedName(key.toLowerCase())) return 'is not a valid key of a label or annotation'
  return notText(value)
}

/** Returns the first value of a map that is not text. */
export function valueProblem(path: string, map: unknown): TextProblem | undefined {
  const [entry] = Object.entries(isMap(map) ? map : {}).filter(([, value]) => notText(value) !== undefined)
  if (entry === undefined) return undefined
  const [key, value] = entry
  return { path: `${path}.${key}`, value, sentence: notText(value) ?? '' }
}

function notText(value: unknown): string | undefined {
  if (typeof value === 'string' || value === null || value === undefined) return undefined
  return typeof value === 'object' ? 'is not text' : `is ${String(value)}, not text: write it in quotes`
}

const INSTANCE = 'app.kubernetes.io/instance'

/**
 * Finds an instance label that a copy has from its template. `labels` are those of the copy, `subject` is the object
 * that holds them, `path` is their place. Another finding reports values that are not text.
 */
export function instanceLabelFindings(
  labels: KubernetesObject['metadata']['labels'],
  { name, subject, path }: { name: string; subject: KubernetesObject; path: string },
): Finding[] {
  const instance: unknown = labels?.[INSTANCE]
  if (typeof instance !== 'string') return []
  const where = path === 'metadata.labels' ? '' : ` in ${path}`
  const field = { path, currentValue: instance }
  return [finding('InstanceLabelCopied', `${name} has the label ${INSTANCE}=${instance}${where}`, { subject, field })]
}

/** Whether an object carries an instance label. */
export function hasInstanceLabel({ metadata }: KubernetesObject): boolean {
  return metadata.labels?.[INSTANCE] !== undefined
}
