import { type Finding, listNames } from '../finding/index.ts'
import type { KubernetesObject } from '../krm/types.ts'
import { secretPaths } from '../object/index.ts'
import type { Planned } from '../world/index.ts'
import { finding } from './codes.ts'

const MOST_PATHS = 10

/**
 * Reports credentials that stand in rendered objects, and therefore in Git: once for each subject, with the paths of
 * one object, and never with a value. References, paths and booleans are no credentials.
 */
export function secretFindings(planned: readonly Planned[]): Finding[] {
  return planned.flatMap(({ subject, objects }) => {
    const byPath = new Map<string, KubernetesObject>()
    for (const { object } of objects)
      for (const path of secretPaths(object)) if (!byPath.has(path)) byPath.set(path, object)
    const [first] = byPath.values()
    if (first === undefined) return []
    const paths = listNames([...byPath.keys()], MOST_PATHS)
    const sentence = `${subject.object.metadata.name}: what looks like credentials stands in ${first.kind} ${first.metadata.name} at ${paths}`
    return [finding('SecretInOutput', sentence, { subject: first, field: { path: [...byPath.keys()][0] ?? '' } })]
  })
}
