import { cpuText, memoryText } from '../../../facts/usage/index.ts'
import { PERCENTAGES, type PercentageName, type Resource } from '../../../kinds/index.ts'
import { type Container, readQuantity } from '../../../kube/index.ts'
import { RESOURCE } from '../share.ts'
import type { Part } from './within.ts'

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
