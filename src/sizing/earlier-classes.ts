import { listOf, memberOf } from '../krm/map.ts'
import { GROUP } from '../krm/ownership.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'

/** Which class of values an identity names. */
export const CLASS = 'class:'

/** The values that each class of the label was rendered with before, by the class's identity. */
export function earlierClasses(items: readonly Item[], label: string): Map<string, ReadonlySet<string>> {
  const found = items.flatMap(({ object }): Array<[string, ReadonlySet<string>]> => {
    const id: unknown = object.metadata.annotations?.[GROUP]
    if (typeof id !== 'string' || !id.startsWith(CLASS)) return []
    return [[id, new Set(valuesIn(object, label))]]
  })
  return new Map(found.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The first `In` of the label; a user may have written anything there. */
function valuesIn({ spec }: KubernetesObject, label: string): string[] {
  const path = ['template', 'spec', 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution']
  const required = path.reduce<unknown>(memberOf, spec)
  for (const term of listOf(memberOf(required, 'nodeSelectorTerms')))
    for (const one of listOf(memberOf(term, 'matchExpressions')))
      if (memberOf(one, 'key') === label && memberOf(one, 'operator') === 'In')
        return listOf(memberOf(one, 'values')).filter((value) => typeof value === 'string')
  return []
}
