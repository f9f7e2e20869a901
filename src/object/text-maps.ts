import type { Finding } from '../finding/index.ts'
import { isMap } from '../krm/map.ts'
import type { KubernetesObject } from '../krm/types.ts'
import { isQualifiedName } from '../kube/index.ts'
import { finding } from './codes.ts'

/** What is wrong with a label or annotation: where it is, what it is, and in words behind its path. */
export interface TextProblem {
  readonly path: string
  readonly value: unknown
  readonly sentence: string
}

/**
 * The first label or annotation, of an object or of its pod template, that the API server would refuse, in the object and in any
 * copy of it: no text, or under what is no key (`ValidateAnnotations`). Undefined where there is none.
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
  // the keys of annotations are compared in lower case
  if (!isQualifiedName(key.toLowerCase())) return 'is no key that a label or annotation can have'
  return notText(value)
}

/** The first value of a map that must be text and is none; undefined where there is none. */
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
 * A copy that carries the instance label of what it was rendered from. `labels` are those that the copy has, `subject` is the
 * object that holds them, `path` is where. What is no text is another finding's.
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
