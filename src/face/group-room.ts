import { amountTexts, readQuantity, units } from '../kube/index.ts'
import type { Lot } from '../rules/index.ts'
import type { Resource } from './percent.ts'

type Allocatable = Partial<Record<Resource, string>>

/** What the nodes of a group can give. */
export interface GroupRoom {
  /** The smallest amounts, in millicores and bytes. */
  readonly whole: Partial<Record<Resource, bigint>>
  /** The same as text; undefined where no node reports any. */
  readonly least?: Allocatable
  /** The largest, as far as they read differently. */
  readonly most?: Allocatable
}

/** Returns the smallest and largest allocatable amounts of some nodes. Nodes that report none do not count. */
export function groupRoom(lots: ReadonlyArray<Pick<Lot, 'shape'>>): GroupRoom {
  const whole: Partial<Record<Resource, bigint>> = {}
  const least: Allocatable = {}
  const most: Allocatable = {}
  for (const resource of ['cpu', 'memory'] as const) {
    const known = lots.flatMap(({ shape }) => {
      const amount = readQuantity(shape.allocatable[resource])
      return amount === undefined || amount.nanoValue() <= 0n ? [] : [amount]
    })
    const sorted = known.sort((a, b) => a.compare(b))
    const [first, last] = [sorted[0], sorted.at(-1)]
    if (first === undefined || last === undefined) continue
    const [low, high] = amountTexts(resource, [first, last])
    whole[resource] = units(resource, first)
    least[resource] = low
    if (high !== low) most[resource] = high
  }
  const isEmpty = (one: Allocatable) => Object.keys(one).length === 0
  return { whole, ...(isEmpty(least) ? {} : { least }), ...(isEmpty(most) ? {} : { most }) }
}
