import { listNames } from '../finding/index.ts'
import { listOf, memberOf, scalarText } from '../krm/map.ts'
import type { KubernetesObject } from '../krm/types.ts'
import type { FieldChange } from './change.ts'

const VALUE = /^(spec\.template\.spec\.affinity\..+\.values)\.\d+$/

/** A list of label values that differs: where it is, and what went and came. */
export interface ListChange {
  readonly path: string
  readonly text: string
}

/**
 * The lists of label values by which nodes are chosen, each said once by what left and joined it. They are sorted, so
 * that one value more moves all behind it: place by place nearly all of them differ. The other fields are given back as
 * they are.
 */
export function takeValueLists(
  fields: readonly FieldChange[],
  before: KubernetesObject | undefined,
  after: KubernetesObject | undefined,
): { lists: ListChange[]; others: FieldChange[] } {
  const listed = (field: FieldChange) => VALUE.exec(field.path)?.[1]
  const paths = new Set(fields.flatMap((field) => listed(field) ?? []))
  const lists = [...paths].map((path) => ({ path, text: `${path} ${changeText(at(before, path), at(after, path))}` }))
  return { lists, others: fields.filter((field) => listed(field) === undefined) }
}

function changeText(before: readonly string[], after: readonly string[]): string {
  const lost = before.filter((value) => !after.includes(value))
  const gained = after.filter((value) => !before.includes(value))
  const said = [
    ...(lost.length === 0 ? [] : [`without ${listNames(lost)}`]),
    ...(gained.length === 0 ? [] : [`with ${listNames(gained)}`]),
  ]
  return said.length === 0 ? 'in another order' : said.join(', ')
}

/** The texts of a list; a key that holds a dot is none of the way to it. */
function at(object: KubernetesObject | undefined, path: string): string[] {
  const list = path.split('.').reduce<unknown>((value, key) => {
    return Array.isArray(value) ? value[Number(key)] : memberOf(value, key)
  }, object)
  return listOf(list).map(scalarText)
}
