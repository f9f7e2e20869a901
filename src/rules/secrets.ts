import type { Planned } from '../core/index.ts'
import { type Searched, secretLines, secretPaths } from '../core/object/index.ts'
import { type Finding, listNames } from '../krm/finding.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { finding } from './codes.ts'

const MOST_PATHS = 10

/**
 * Reports credentials that stand in rendered objects and in ConfigMaps of the package, and therefore in Git: once for
 * each subject or ConfigMap, with the paths, and never with a value. References, paths and booleans are no credentials.
 */
export function secretFindings(planned: readonly Planned[], items: readonly Item[]): Finding[] {
  const sources = new Set(planned.map(({ source }) => source?.object.metadata.name))
  return [
    ...outputFindings(planned),
    ...items
      .map(({ object }) => object)
      // what is rendered from a template shows what that holds
      .filter(
        ({ apiVersion, kind, metadata }) => apiVersion === 'v1' && kind === 'ConfigMap' && !sources.has(metadata.name),
      )
      .flatMap(configFindings),
  ]
}

/** Reports a ConfigMap of the package, which is applied or kept in Git, with credentials in its texts. */
function configFindings(object: KubernetesObject): Finding[] {
  const paths = secretLines(object)
  if (paths.length === 0) return []
  const sentence = `what looks like credentials stands in ConfigMap ${object.metadata.name} at ${listNames(paths, MOST_PATHS)}`
  return [finding('SecretInOutput', sentence, { subject: object, field: { path: paths[0] ?? '' } })]
}

function outputFindings(planned: readonly Planned[]): Finding[] {
  return planned.flatMap(({ subject, objects }) => {
    const byPath = new Map<string, KubernetesObject>()
    const searched: Searched = new Map()
    for (const { object } of objects)
      for (const path of secretPaths(object, searched)) if (!byPath.has(path)) byPath.set(path, object)
    const [first] = byPath.values()
    if (first === undefined) return []
    const paths = listNames([...byPath.keys()], MOST_PATHS)
    const sentence = `${subject.object.metadata.name}: what looks like credentials stands in ${first.kind} ${first.metadata.name} at ${paths}`
    return [finding('SecretInOutput', sentence, { subject: first, field: { path: [...byPath.keys()][0] ?? '' } })]
  })
}
