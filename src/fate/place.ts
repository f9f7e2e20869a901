import { isNodeSource } from '../facts/inventory/index.ts'
import { isWorkloadSnapshot } from '../kinds/index.ts'
import { INDEX, isWireAnnotation, PACKAGE_PATH, PATH } from '../krm/annotation.ts'
import { edit } from '../krm/edit.ts'
import { indexOf, packageOf, pathOf } from '../krm/identity.ts'
import { newItem } from '../krm/item.ts'
import { isDeepEqual } from '../krm/map.ts'
import { rendererOf } from '../krm/remembered.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'

/** Puts an object in the place of its earlier one: same file and document, with the host's annotations and comments. */
export function updateInPlace(item: Item, object: KubernetesObject): Item {
  const present = item.object.metadata.annotations ?? {}
  if (isSame(item.object, object)) return item
  const wire = Object.fromEntries(Object.entries(present).filter(([key]) => isWireAnnotation(key)))
  return edit(item, () => ({
    ...object,
    metadata: { ...object.metadata, annotations: { ...wire, ...object.metadata.annotations } },
  }))
}

/** Whether an object of the package is equal to one without the host's annotations. */
function isSame(present: KubernetesObject, object: KubernetesObject): boolean {
  const here = present.metadata.annotations ?? {}
  const { annotations = {} } = object.metadata
  const isEqual = (key: string) =>
    isDeepEqual(here[key], Object.hasOwn(annotations, key) ? annotations[key] : undefined)
  return (
    Object.keys(here).every((key) => isWireAnnotation(key) || isEqual(key)) &&
    Object.keys(annotations).every((key) => Object.hasOwn(here, key)) &&
    isDeepEqual({ ...present.metadata, annotations: undefined }, { ...object.metadata, annotations: undefined }) &&
    isDeepEqual({ ...present, metadata: undefined }, { ...object, metadata: undefined })
  )
}

/** Gives new objects a file and an index in it, on hosts that have files. */
export class Places {
  readonly #next = new Map<string, number>()
  /** The files that something else writes whole, with what nodes or pods are there: nothing rendered may be in them. */
  readonly #exported = new Set<string>()

  constructor(items: readonly Item[]) {
    for (const item of items) {
      const path = pathOf(item) ?? ''
      this.#reserve(packageOf(item), path, (indexOf(item) ?? 0) + 1)
      if (isExported(item)) this.#exported.add(`${packageOf(item)}|${path}`)
    }
  }

  /**
   * Returns a new object in a file beside `neighbour`; without a path where the host has no files. The file has the
   * name given, or `rendered-` before it where an inventory has that name.
   */
  put(object: KubernetesObject, neighbour: Item | undefined, name: string): Item {
    const path: unknown = neighbour === undefined ? undefined : pathOf(neighbour)
    if (neighbour === undefined || typeof path !== 'string') return newItem(object)
    const folder = path.includes('/') ? path.slice(0, path.lastIndexOf('/') + 1) : ''
    const packagePath = packageOf(neighbour)
    const isTaken = this.#exported.has(`${packagePath}|${folder}${name}`)
    const file = `${folder}${isTaken ? 'rendered-' : ''}${name}`
    const index = this.#next.get(`${packagePath}|${file}`) ?? 0
    this.#reserve(packagePath, file, index + 1)
    const place = {
      [PATH]: file,
      [INDEX]: String(index),
      ...(packagePath === '' ? {} : { [PACKAGE_PATH]: packagePath }),
    }
    return newItem({
      ...object,
      metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...place } },
    })
  }

  #reserve(packagePath: string, path: string, next: number): void {
    const key = `${packagePath}|${path}`
    this.#next.set(key, Math.max(this.#next.get(key) ?? 0, next))
  }
}

function isExported({ object }: Item): boolean {
  return rendererOf(object) === undefined && (isNodeSource(object) || isWorkloadSnapshot(object))
}
