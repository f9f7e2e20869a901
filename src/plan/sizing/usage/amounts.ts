import { cpuText, memoryText } from '../../../facts/usage/index.ts'
import { PERCENTAGES, type PercentageName, type Resource } from '../../../kinds/index.ts'
import { type Container, Quantity, readQuantity } from '../../../kube/index.ts'
import { RESOURCE } from '../size.ts'

export const REQUEST_OF: Readonly<Record<Resource, PercentageName>> = { cpu: 'requestCPU', memory: 'requestMemory' }
export const LIMIT_OF: Readonly<Record<Resource, PercentageName>> = { cpu: 'limitCPU', memory: 'limitMemory' }

const MI = 1024n * 1024n

/** The text of an amount that usage counts. */
export function usedText(resource: Resource, amount: number): string {
  return resource === 'cpu' ? cpuText(amount) : memoryText(amount)
}

/** An amount that usage counts, in millicores or bytes. */
export function usedPart(resource: Resource, amount: number): Part {
  return { amount: resource === 'cpu' ? BigInt(amount) : BigInt(amount) * MI, text: usedText(resource, amount) }
}

/** The amounts of a template's container; without those that it leaves open, and limits of 0, which are none. */
export function templateParts(container: Container | undefined): ReadonlyMap<PercentageName, Part> {
  return new Map(
    PERCENTAGES.flatMap((name): Array<[PercentageName, Part]> => {
      const part = templatePart(container, name)
      return part === undefined ? [] : [[name, part]]
    }),
  )
}

function templatePart(container: Container | undefined, name: PercentageName): Part | undefined {
  const isLimit = name.startsWith('limit')
  const resource = RESOURCE[name]
  const text = container?.resources?.[isLimit ? 'limits' : 'requests']?.[resource] ?? undefined
  // a placeholder, or what the check of the template refuses, is no amount
  const quantity = readQuantity(text)
  if (quantity === undefined || quantity.nanoValue() < 0n || (isLimit && quantity.nanoValue() === 0n)) return undefined
  return { amount: resource === 'cpu' ? quantity.milliValue() : quantity.value(), text: quantity.toString() }
}

/** An amount of one container in millicores or bytes, with the text that prints it. */
export interface Part {
  readonly amount: bigint
  readonly text: string
}

/** The amounts of a pod's containers within the bounds of the pod; a container without an amount has none. */
interface Within {
  readonly parts: ReadonlyArray<Part | undefined>
  readonly decidedBy?: 'minimum' | 'maximum'
}

const UNIT: Readonly<Record<Resource, bigint>> = { cpu: 1n, memory: MI }

/**
 * Holds the sum of the containers' amounts between the pod's bounds. Where one decides, or is equalled, each container
 * gets its part of the bound in proportion, in whole millicores or Mi, and the last what is left; a single one gets the
 * bound as written.
 */
export function withinBounds(
  resource: Resource,
  parts: ReadonlyArray<Part | undefined>,
  { min, max }: { readonly min: Quantity; readonly max: Quantity },
): Within {
  const given = parts.filter((part) => part !== undefined)
  if (given.length === 0) return { parts }
  const sum = given.reduce((total, { amount }) => total + amount, 0n)
  const nano = quantityOf(resource, sum).nanoValue()
  const isLeast = nano <= min.nanoValue() && min.nanoValue() > 0n
  const decidedBy = isLeast ? 'minimum' : nano >= max.nanoValue() ? 'maximum' : undefined
  if (decidedBy === undefined) return { parts }
  const bound = decidedBy === 'minimum' ? min : max
  const whole = resource === 'cpu' ? bound.milliValue() : bound.value()
  const divided =
    given.length === 1 ? [{ amount: whole, text: bound.toString() }] : inProportion(resource, whole, given)
  const next = divided.values()
  return { parts: parts.map((part) => (part === undefined ? undefined : next.next().value)), decidedBy }
}

function inProportion(resource: Resource, whole: bigint, given: readonly Part[]): Part[] {
  const sum = given.reduce((total, { amount }) => total + amount, 0n)
  const unit = UNIT[resource]
  let left = whole
  return given.map(({ amount }, index) => {
    const exact = sum === 0n ? 0n : (whole * amount) / sum
    const own = index === given.length - 1 ? left : exact - (exact % unit)
    left -= own
    return { amount: own, text: amountText(resource, own) }
  })
}

/** The canonical text of millicores or bytes, as the API server would write it back: `100M`, where no Mi is whole. */
export function amountText(resource: Resource, amount: bigint): string {
  return Quantity.parse(quantityOf(resource, amount).toString()).toString()
}

function quantityOf(resource: Resource, amount: bigint): Quantity {
  return resource === 'cpu' ? Quantity.ofMilli(amount) : Quantity.of(amount, 'BinarySI')
}
