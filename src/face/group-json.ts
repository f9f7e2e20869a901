import type { GroupLine, Rendered } from '../core/index.ts'
import { firstNames } from '../facts/inventory/index.ts'
import type { PlannedChanges } from '../fate/index.ts'
import type { Lot } from '../rules/index.ts'
import type { AmountJson, ContainerJson, GroupJson, ResourceJson } from './fleet-types.ts'
import { groupRoom } from './group-room.ts'
import { AMOUNTS, type Amount, type GroupRow, groupRows, NO_AMOUNT, resourcesIn } from './group-rows.ts'
import { percentOf, type Resource, unitsOf } from './percent.ts'

/** What a group's figures are taken from besides its row. */
export interface GroupSources {
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
