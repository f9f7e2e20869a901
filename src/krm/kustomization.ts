import { KrmError } from './error.ts'
import { isMap, listOf, type Mapping } from './map.ts'
import { readAnyYaml } from './read-yaml.ts'
import { spliceText } from './splice.ts'
import type { Item, KubernetesObject } from './types.ts'

/** The names under which kustomize reads its file, in the order in which it looks for them. */
export const KUSTOMIZATION_FILES = ['kustomization.yaml', 'kustomization.yml', 'Kustomization']

const DEFAULTS = { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization' }

/** Whether a path is that of a file of kustomize. */
export function isKustomizationPath(path: unknown): boolean {
  return typeof path === 'string' && KUSTOMIZATION_FILES.includes(path.slice(path.lastIndexOf('/') + 1))
}

/** A kustomization as an object: apiVersion, kind and metadata may be missing in the file. */
export function withKustomizationDefaults(value: Mapping): KubernetesObject {
  return { ...DEFAULTS, ...value, metadata: { name: '', ...(isMap(value.metadata) ? value.metadata : {}) } }
}

/** The text of a file of kustomize as an object; opaque where it is no YAML map, since only kustomize needs it. */
export function kustomizationObject(text: string): Pick<Item, 'object' | 'opaque'> {
  try {
    const value = readAnyYaml(firstDocument(text), 'the kustomization')
    if (isMap(value)) return { object: withKustomizationDefaults(value) }
    if (value === null || value === undefined) return { object: withKustomizationDefaults({}) }
    throw new KrmError('NotAnObject', 'the kustomization is not a map')
  } catch (error) {
    if (!(error instanceof KrmError)) throw error
    return { object: withKustomizationDefaults({}), opaque: error }
  }
}

/**
 * Returns a kustomization with entries added behind its `resources`, and without those that are gone. Every other byte
 * stays; without a text, or where the text cannot represent the change, the item has none.
 */
export function withResources(
  { object, text }: Item,
  added: readonly string[],
  isGone: (entry: unknown) => boolean = () => false,
): Item {
  const resources = [...listOf(object.resources).filter((entry) => !isGone(entry)), ...added]
  const changed = { ...object, resources }
  if (text === undefined) return { object: changed }
  const first = firstDocument(text)
  const written = readAnyYaml(first, 'the kustomization')
  const spliced = isMap(written) ? spliceText(first, written, { ...written, resources }) : undefined
  if (spliced === undefined) return { object: changed }
  const isCrlf = text.includes('\r\n') && !/(?<!\r)\n/.test(text)
  return { object: changed, text: (isCrlf ? spliced.replaceAll(/\r?\n/g, '\r\n') : spliced) + text.slice(first.length) }
}

/** The first document of a text: kustomize reads no other. */
function firstDocument(text: string): string {
  const isAny = (piece: string) => /^[ \t]*[^#\s]/m.test(piece.replace(/^---/m, ''))
  const next = [...text.matchAll(/^---(?=\s|$)/gm)].find(({ index }) => isAny(text.slice(0, index)))
  return next === undefined ? text : text.slice(0, next.index)
}
