import type { GroupLine, Rendered } from '../core/index.ts'
import { firstNames } from '../facts/inventory/index.ts'
import type { PlannedChanges } from '../fate/index.ts'
import { amountTexts, Quantity, readQuantity, units } from '../kube/index.ts'
import type { Lot } from '../rules/index.ts'
import type { AmountJson, ContainerJson, GroupJson, ResourceJson } from './fleet-types.ts'
import { AMOUNTS, type Amount, type GroupRow, groupRows, NO_AMOUNT, resourcesIn } from './group-rows.ts'

/** What a group's figures are taken from besides its row. */
interface GroupSources {
  readonly lotsOf: (rendered: Rendered) => readonly Lot[]
}

/** Returns the groups of a subject with their amounts, and those amounts as shares of what their nodes can give. */
export function groupsJson(planned: PlannedChanges, sources: GroupSources): GroupJson[] {
  const rendered = new Map(planned.objects.map((one) => [one.object.metadata.name, one]))
  const lines = new Map(planned.account.flatMap((line) => (line.kind === 'group' ? [[line.name, line] as const] : [])))
  const template = planned.source === undefined ? undefined : resourcesIn(planned.source.object)
  return groupRows(planned).map((row) => {
    const one = rendered.get(row.name)
    const room = groupRoom(one === undefined ? [] : sources.lotsOf(one))
    const line = lines.get(row.name)
    return {
      ...headOf(row, line),
      ...(room.least === undefined ? {} : { allocatable: room.least }),
      ...(room.most === undefined ? {} : { largest: room.most }),
      containers: row.containers.map(({ name, amounts }): ContainerJson => {
        const own = template?.get(name)
        const used = line?.usedBy(name)
        const resourceJson = (resource: Resource): ResourceJson => {
          const whole = room.whole[resource]
          const amountJson = (list: 'requests' | 'limits') =>
            amountOf(amounts[AMOUNTS.indexOf(`${list}.${resource}`)], own?.[`${list}.${resource}`], resource, whole)
          const percent = percentOf(unitsOf(resource, used?.[resource]), whole)
          return {
            request: amountJson('requests'),
            limit: amountJson('limits'),
            ...(used?.[resource] === undefined ? {} : { used: used[resource] }),
            ...(percent === undefined ? {} : { usedPercent: percent }),
          }
        }
        return { name, cpu: resourceJson('cpu'), memory: resourceJson('memory') }
      }),
    }
  })
}

function headOf({ name, kind, nodeCount, restart }: GroupRow, line: GroupLine | undefined) {
  return {
    name,
    ...(line === undefined ? {} : { kind: line.groupKind }),
    change: kind,
    ...(nodeCount === undefined ? {} : { nodes: nodeCount }),
    names: line === undefined ? [] : firstNames(line),
    ...(restart === undefined
      ? {}
      : { podsRestarted: restart.pods, nodesMoved: restart.moved, nodesWithoutAgent: restart.lost }),
  }
}

function amountOf(
  amount: Amount | undefined,
  template: unknown,
  resource: Resource,
  whole: bigint | undefined,
): AmountJson {
  const { exact, isBeforeKnown, comparison } = amount ?? NO_AMOUNT
  const { before, after } = exact
  const percent = percentOf(unitsOf(resource, after), whole)
  const own = typeof template === 'string' || typeof template === 'number' ? String(template) : undefined
  const ownUnits = unitsOf(resource, own)
  const templatePercent = percentOf(ownUnits, whole)
  return {
    after: after ?? null,
    ...(isBeforeKnown && comparison !== 0 ? { before: before ?? null } : {}),
    ...(percent === undefined ? {} : { percent }),
    ...(own === undefined || ownUnits === undefined ? {} : { template: own }),
    ...(templatePercent === undefined ? {} : { templatePercent }),
  }
}

type Allocatable = Partial<Record<Resource, string>>

/** What the nodes of a group can give. */
interface GroupRoom {
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

export type Resource = 'cpu' | 'memory'

/** Reads an amount in millicores or bytes; undefined without one, and for a user's edit that is no quantity. */
function unitsOf(resource: Resource, text: string | undefined): bigint | undefined {
  const amount = readQuantity(text)
  return amount === undefined ? undefined : units(resource, amount)
}

/** Returns a part of a whole in percent, rounded to hundredths; undefined where either is unknown or the whole is 0. */
export function percentOf(part: bigint | undefined, whole: bigint | undefined): number | undefined {
  if (part === undefined || whole === undefined || whole <= 0n) return undefined
  return Number((part * 20_000n + whole) / (2n * whole)) / 100
}

/** Writes an amount in millicores or bytes as a quantity, memory rounded so that it is read. */
export function amountText(resource: Resource, amount: bigint): string {
  const quantity = resource === 'cpu' ? Quantity.ofMilli(amount) : Quantity.of(amount, 'BinarySI')
  return amountTexts(resource, [quantity])[0] ?? ''
}
