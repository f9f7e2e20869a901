import { listOf, member, memberOf } from '../krm/map.ts'
import { BASIS, GROUP } from '../krm/remembered.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { isLabelValue, KubeError, Quantity } from '../kube/index.ts'
import type { Resource } from '../policy/index.ts'
import type { GroupName } from './assign-names.ts'
import type { Basis } from './basis.ts'

/** What was rendered for a group before, and the basis that its sizes were taken of. */
export interface Remembered {
  readonly object: KubernetesObject
  /** The annotation as it stands there, if it is a text. */
  readonly text?: string
  /** Undefined also where the annotation cannot be read. */
  readonly basis?: Basis
}

const SHAPE = /^cpu=([^,=]+),memory=([^,=]+)$/
const NANO_PER_BYTE = 1_000_000_000n

/** What was rendered before for each group, by the group's identity. */
export function rememberedOf(items: readonly Item[]): ReadonlyMap<string, Remembered> {
  const found = new Map<string, Remembered>()
  for (const { object } of items) {
    const { [GROUP]: id, [BASIS]: text } = (object.metadata.annotations ?? {}) as Record<string, unknown>
    // a user may have written anything there
    if (typeof id !== 'string' || found.has(id)) continue
    found.set(id, { object, text: typeof text === 'string' ? text : undefined, basis: readBasis(text) })
  }
  return found
}

/** A basis as it is remembered: the same text for the same amounts, however an inventory writes them. */
export function printBasis({ cpu, memory }: Basis): string {
  return `cpu=${canonical('cpu', cpu)},memory=${canonical('memory', memory)}`
}

/** The basis of an annotation; undefined for what is none, or has nothing that could be sized by. */
function readBasis(text: unknown): Basis | undefined {
  const [, cpu, memory] = typeof text === 'string' ? (SHAPE.exec(text) ?? []) : []
  if (cpu === undefined || memory === undefined) return undefined
  try {
    const basis = { cpu: Quantity.parse(cpu), memory: Quantity.parse(memory) }
    return basis.cpu.nanoValue() > 0n && basis.memory.nanoValue() > 0n ? basis : undefined
  } catch (error) {
    if (error instanceof KubeError) return undefined
    throw error
  }
}

/** Decimal for cores, binary for whole bytes. */
function canonical(resource: Resource, quantity: Quantity): string {
  const nano = quantity.nanoValue()
  const isBinary = resource === 'memory' && nano % NANO_PER_BYTE === 0n
  return (isBinary ? Quantity.of(nano / NANO_PER_BYTE, 'BinarySI') : Quantity.parse(`${nano}n`)).toString()
}

/**
 * The annotation by which a group's basis is remembered. It changes with the sizes alone, so that a node with a few Ki more or less
 * changes nothing.
 */
export function basisMark(
  { basis, before }: { readonly basis: Basis; readonly before?: Remembered },
  hasSizes: (object: KubernetesObject) => boolean,
): Record<string, string> {
  const isKept = before?.text !== undefined && before.basis !== undefined && hasSizes(before.object)
  return { [BASIS]: isKept ? before.text : printBasis(basis) }
}

/** The names and labels of groups as they were rendered before, by the group's identity. */
export function earlierNames(items: readonly Item[], nodeGroupKey: string): Map<string, GroupName> {
  const names = new Map<string, GroupName>()
  for (const { object } of items) {
    const id = object.metadata.annotations?.[GROUP]
    const label = member(object.metadata.labels ?? {}, nodeGroupKey)
    const name: unknown = object.metadata.name
    // a user may have written anything there
    if (typeof id !== 'string' || typeof name !== 'string' || names.has(id)) continue
    names.set(id, { name, label: typeof label === 'string' && isLabelValue(label) ? label : '' })
  }
  return names
}

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
