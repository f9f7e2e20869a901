import { BASIS, GROUP } from '../krm/ownership.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { KubeError, Quantity } from '../kube/index.ts'
import type { Resource } from '../policy/index.ts'
import type { Basis } from './allocatable.ts'

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
