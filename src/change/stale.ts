import { type Finding, listNames } from '../finding/index.ts'
import { withoutWireAnnotations } from '../krm/annotation.ts'
import { describe } from '../krm/identity.ts'
import { isDeepEqual } from '../krm/map.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { difference } from './change.ts'
import { finding } from './codes.ts'
import { fieldText } from './field-text.ts'
import type { Outcome } from './outcome.ts'

const NO_VARIABLES: ReadonlySet<string> = new Set()

/** Every object of a package that a run would add, change or remove, and how. */
export function staleFindings({ replaced, added }: Outcome): Finding[] {
  const present = [...replaced].flatMap(([before, after]) => staleFinding(before, after) ?? [])
  const absent = added.map(({ object }) => stale(object, 'is not there'))
  return [...present, ...absent]
}

function staleFinding({ object }: Item, after: Item | undefined): Finding | undefined {
  if (after === undefined) return stale(object, 'is there, and would be removed')
  const how = differenceText(object, after.object)
  return how === undefined ? undefined : stale(object, `is not what is rendered: ${how}`)
}

/**
 * The fields in which an object would change, in words; undefined where it would not. Values that may be secrets are
 * not shown.
 */
export function differenceText(before: KubernetesObject, after: KubernetesObject): string | undefined {
  const [left, right] = [withoutWireAnnotations(before), withoutWireAnnotations(after)]
  if (isDeepEqual(left, right)) return undefined
  return listNames(difference(left, right).map((field) => fieldText(field, [left, right], NO_VARIABLES)))
}

function stale(subject: KubernetesObject, how: string): Finding {
  return finding('OutputStale', `${describe(subject)} ${how}`, { subject })
}
