import { KrmError } from './error.ts'
import { isMap, type Mapping } from './map.ts'
import { readAnyYaml } from './read-yaml.ts'
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
    const value = readAnyYaml(text, 'the kustomization')
    return { object: withKustomizationDefaults(isMap(value) ? value : {}) }
  } catch (error) {
    if (!(error instanceof KrmError)) throw error
    return { object: withKustomizationDefaults({}), opaque: error }
  }
}
