import { manifestTexts } from '../../src/host/files/manifest.ts'
import { objectsIn } from '../../src/host/files/objects-in.ts'
import { isSizingPolicy, type PercentageName, type Resource } from '../../src/kinds/index.ts'
import { edit } from '../../src/krm/edit.ts'
import { asObject } from '../../src/krm/read-object.ts'
import type { Item, KubernetesObject } from '../../src/krm/types.ts'
import { isMap } from '../../src/kube/unknown-value.ts'

/** What the controls beside the editors change of a policy; what is absent stays. */
export interface Changes {
  /** The label to group by, instead of any other grouping. */
  readonly label?: string
  /** Percentages of allocatable; null writes none. */
  readonly percentages?: Partial<Readonly<Record<PercentageName, number | null>>>
  /** Bounds as quantities; an empty text removes one. */
  readonly least?: Partial<Readonly<Record<Resource, string>>>
  readonly most?: Partial<Readonly<Record<Resource, string>>>
}

/** The fields by which a policy groups nodes, of which a label is one. */
const GROUPINGS = ['nodeGroupLabels', 'nodeGroupRanges', 'classes']

/**
 * Returns the text of policies with changes of the first one; comments and all else stay. Undefined without a policy.
 * Throws `KrmError` for a text that cannot be read.
 */
export function changedPolicies(text: string, changes: Changes): string | undefined {
  const name = 'policy.yaml'
  const items: Item[] = objectsIn(text, name).map(({ value, ...rest }) => ({ ...rest, object: asObject(value, name) }))
  const at = items.findIndex(({ object }) => isSizingPolicy(object))
  const item = items[at]
  if (item === undefined) return undefined
  const changed = edit(item, (object) => withChanges(object, changes))
  if (item.text !== undefined && changed.text !== undefined) {
    const start = text.indexOf(item.text)
    return text.slice(0, start) + changed.text + text.slice(start + item.text.length)
  }
  return manifestTexts(items.with(at, changed)).join('---\n')
}

function withChanges(policy: KubernetesObject, { label, percentages, least, most }: Changes): KubernetesObject {
  const before = isMap(policy.spec) ? policy.spec : {}
  const spec: Record<string, unknown> =
    label === undefined ? { ...before } : { ...withoutGrouping(before), nodeGroupLabel: label }
  if (percentages !== undefined) {
    const written = Object.entries(percentages).map(([key, value]) => [key, value ?? 'none'])
    spec.resourcePercentages = { ...membersOf(spec.resourcePercentages), ...Object.fromEntries(written) }
  }
  for (const [field, bounds] of Object.entries({ minResources: least, maxResources: most })) {
    if (bounds === undefined) continue
    const merged = Object.entries({ ...membersOf(spec[field]), ...bounds }).filter(([, value]) => value !== '')
    if (merged.length === 0) delete spec[field]
    else spec[field] = Object.fromEntries(merged)
  }
  return { ...policy, spec }
}

function withoutGrouping(spec: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(spec).filter(([key]) => !GROUPINGS.includes(key)))
}

function membersOf(value: unknown): Readonly<Record<string, unknown>> {
  return isMap(value) ? value : {}
}
