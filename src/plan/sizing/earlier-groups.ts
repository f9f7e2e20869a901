import type { Resource } from '../../kinds/index.ts'
import { listOf, member, memberOf } from '../../krm/map.ts'
import { BASIS, GROUP, markedGroup } from '../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { isLabelValue, Quantity, unlessMalformed } from '../../kube/index.ts'
import type { Basis } from './basis.ts'
import type { GroupName } from './names.ts'

/** The earlier object of a group, and the basis of its sizes. */
export interface Remembered {
  readonly object: KubernetesObject
  /** The value of the annotation, if it is a string. */
  readonly text?: string
  /** Undefined without a valid annotation. */
  readonly basis?: Basis
}

const SHAPE = /^cpu=([^,=]+),memory=([^,=]+)$/
const NANO_PER_BYTE = 1_000_000_000n

/** The earlier object of each group, by the identity of the group. */
export function rememberedOf(items: readonly Item[]): ReadonlyMap<string, Remembered> {
  const found = new Map<string, Remembered>()
  for (const { object } of items) {
    const { [GROUP]: id, [BASIS]: text } = (object.metadata.annotations ?? {}) as Record<string, unknown>
    // users may edit annotations: the value need not be a string
    if (typeof id !== 'string' || found.has(id)) continue
    found.set(id, { object, text: typeof text === 'string' ? text : undefined, basis: readBasis(text) })
  }
  return found
}

/** The text of a basis in its annotation: equal amounts give equal texts, in whatever format. */
export function printBasis({ cpu, memory }: Basis): string {
  return `cpu=${canonical('cpu', cpu)},memory=${canonical('memory', memory)}`
}

/** The basis of an annotation; undefined unless it holds two quantities above zero. */
function readBasis(text: unknown): Basis | undefined {
  const [, cpu, memory] = typeof text === 'string' ? (SHAPE.exec(text) ?? []) : []
  if (cpu === undefined || memory === undefined) return undefined
  const basis = unlessMalformed(() => ({ cpu: Quantity.parse(cpu), memory: Quantity.parse(memory) }))
  return basis !== undefined && basis.cpu.nanoValue() > 0n && basis.memory.nanoValue() > 0n ? basis : undefined
}

/** Decimal for cores, binary for whole bytes. */
function canonical(resource: Resource, quantity: Quantity): string {
  const nano = quantity.nanoValue()
  const isBinary = resource === 'memory' && nano % NANO_PER_BYTE === 0n
  return (isBinary ? Quantity.of(nano / NANO_PER_BYTE, 'BinarySI') : Quantity.parse(`${nano}n`)).toString()
}

/**
 * The annotation that remembers the basis of a group. It keeps its text while the sizes stay the same (`hasSizes`), so
 * a node with a few Ki more or less does not change the object.
 */
export function basisMark(
  { basis, before }: { readonly basis: Basis; readonly before?: Remembered },
  hasSizes: (object: KubernetesObject) => boolean,
): Record<string, string> {
  const isKept = before?.text !== undefined && before.basis !== undefined && hasSizes(before.object)
  return { [BASIS]: isKept ? before.text : printBasis(basis) }
}

/** The names and labels of the earlier objects, by the identity of their groups. */
export function earlierNames(items: readonly Item[], nodeGroupKey: string): Map<string, GroupName> {
  const names = new Map<string, GroupName>()
  for (const { object } of items) {
    const id = markedGroup(object)
    const label = member(object.metadata.labels ?? {}, nodeGroupKey)
    const name: unknown = object.metadata.name
    // users may edit objects: no value need be a string
    if (id === undefined || typeof name !== 'string' || names.has(id)) continue
    names.set(id, { name, label: typeof label === 'string' && isLabelValue(label) ? label : '' })
  }
  return names
}

/** The prefix of a class's identity. */
export const CLASS = 'class:'

/** The label values of each class in the earlier output, by the identity of the class. */
export function earlierClasses(items: readonly Item[], label: string): Map<string, ReadonlySet<string>> {
  const found = items.flatMap(({ object }): Array<[string, ReadonlySet<string>]> => {
    const id = markedGroup(object)
    if (!id?.startsWith(CLASS)) return []
    return [[id, new Set(valuesIn(object, label))]]
  })
  return new Map(found.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** The values of the first `In` requirement for the label; users may edit it into anything. */
function valuesIn({ spec }: KubernetesObject, label: string): string[] {
  const path = ['template', 'spec', 'affinity', 'nodeAffinity', 'requiredDuringSchedulingIgnoredDuringExecution']
  const required = path.reduce<unknown>(memberOf, spec)
  for (const term of listOf(memberOf(required, 'nodeSelectorTerms')))
    for (const expression of listOf(memberOf(term, 'matchExpressions')))
      if (memberOf(expression, 'key') === label && memberOf(expression, 'operator') === 'In')
        return listOf(memberOf(expression, 'values')).filter((value) => typeof value === 'string')
  return []
}
