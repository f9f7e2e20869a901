import { createTwoFilesPatch, FILE_HEADERS_ONLY } from 'diff'
import type { ObjectDiff } from '../../face/index.ts'
import { describe, identityOf, packageOf, withoutWireAnnotations } from '../../krm/identity.ts'
import { isMap } from '../../krm/map.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { writeYaml } from '../../krm/write-yaml.ts'

/** Lines of context around a difference, as diff -u and git print. */
const CONTEXT = 3
/** The name of the side on which an object does not exist, as in a patch of git. */
const NOWHERE = '/dev/null'
const SECRET_FIELDS = ['data', 'stringData'] as const

/**
 * Compares the objects to apply before and after, by identity: those after in their order, then those that are gone.
 * Both sides are written anew, so that only content counts. The values of a Secret are not shown.
 */
export function objectDiffs(before: readonly Item[], after: readonly Item[]): ObjectDiff[] {
  // clusters have objects of the same names, each in the package of its cluster
  const isApart = [before, after].every((items) => items.some((item) => packageOf(item) !== ''))
  const keyOf = (item: Item) => (isApart ? `${packageOf(item)}|${identityOf(item.object)}` : identityOf(item.object))
  const earlier = new Map(before.map((item) => [keyOf(item), item]))
  const present = new Set(after.map(keyOf))
  return [
    ...after.flatMap((item) => diffOf(earlier.get(keyOf(item)), item)),
    ...[...earlier].flatMap(([key, item]) => (present.has(key) ? [] : diffOf(item, undefined))),
  ]
}

function diffOf(was: Item | undefined, is: Item | undefined): ObjectDiff[] {
  const item = is ?? was
  if (item === undefined) return []
  const { object } = item
  const path = packageOf(item)
  return patchOf(was?.object, is?.object, path === '' ? describe(object) : `${describe(object)} in ${path}`).map(
    (one) => (path === '' ? one : { ...one, package: path }),
  )
}

function patchOf(
  before: KubernetesObject | undefined,
  after: KubernetesObject | undefined,
  name: string,
): ObjectDiff[] {
  const object = after ?? before
  if (object === undefined) return []
  const [was, is] = [manifestText(before), manifestText(after, before)]
  if (was === is) return []
  const [from, to] = [before === undefined ? NOWHERE : name, after === undefined ? NOWHERE : name]
  const patch = createTwoFilesPatch(from, to, was, is, undefined, undefined, {
    context: CONTEXT,
    headerOptions: FILE_HEADERS_ONLY,
  })
  const { apiVersion, kind, metadata } = object
  return [
    {
      change: before === undefined ? 'added' : after === undefined ? 'removed' : 'changed',
      ...{ apiVersion, kind, namespace: metadata.namespace, name: metadata.name, patch },
    },
  ]
}

function manifestText(object: KubernetesObject | undefined, before?: KubernetesObject): string {
  return object === undefined ? '' : writeYaml(withoutSecrets(withoutWireAnnotations(object), before))
}

/** Replaces the values of a Secret; one that differs from the earlier object's says so. */
function withoutSecrets(object: KubernetesObject, before?: KubernetesObject): KubernetesObject {
  if (object.kind !== 'Secret') return object
  const hidden = SECRET_FIELDS.flatMap((field) => {
    const values = object[field]
    if (!isMap(values)) return []
    const old = isMap(before?.[field]) ? before[field] : values
    const entries = Object.keys(values).map((key) => [key, values[key] === old[key] ? 'hidden' : 'hidden, differs'])
    return [[field, Object.fromEntries(entries)]]
  })
  return { ...object, ...Object.fromEntries(hidden) }
}
