import type { Line } from '../../../core/index.ts'
import type { PercentageName, Resource } from '../../../kinds/index.ts'
import { plural } from '../../../krm/finding/index.ts'
import { coresText, gibibytesText, Quantity } from '../../../kube/index.ts'
import type { ContainerSize } from '../share.ts'
import { LIMIT_OF, REQUEST_OF } from './amounts.ts'
import type { UsedGroup } from './findings.ts'
import type { GroupUsage } from './group-usage.ts'

type GroupWithUsage = UsedGroup & { readonly usage: GroupUsage }

/**
 * Returns the account of usage: how many groups it sizes, and what it would change in those where it only says so.
 */
export function usageLines(groups: readonly UsedGroup[], name: string): Line[] {
  const used = groups.filter((one): one is GroupWithUsage => one.usage !== undefined)
  const [auto, off] = [used.filter(({ usage }) => usage.isAuto), used.filter(({ usage }) => !usage.isAuto)]
  const says = saysText(off)
  return [
    ...(auto.length === 0 ? [] : [{ kind: 'usage' as const, sentence: `${name}: ${countsText(auto, 'sized')}` }]),
    ...(says === undefined ? [] : [{ kind: 'note' as const, code: 'UsageSays', sentence: `${name}: ${says}` }]),
  ]
}

/** What sizes groups: `3 groups by usage (9 to 14 days), 1 like neighbours, 2 by percentages, 1 by the template`. */
function countsText(groups: readonly GroupWithUsage[], verb?: 'sized'): string {
  const sources = groups.map(({ usage }) => sourceOf(usage))
  const days = groups.flatMap(({ usage }, index) =>
    sources[index] === 'usage' ? usage.containers.flatMap(({ known }) => known?.days ?? []) : [],
  )
  const [least, most] = [Math.min(...days), Math.max(...days)]
  const range = least === most ? plural(least, 'day') : `${least} to ${most} days`
  const count = (kind: (typeof sources)[number]) => sources.filter((one) => one === kind).length
  const [own, borrowed] = [count('usage'), count('neighbours')]
  const others = (['percentages', 'the template'] as const).filter((kind) => count(kind) > 0)
  return [
    `${plural(own, 'group')}${verb === undefined ? '' : ` ${own === 1 ? 'is' : 'are'} ${verb}`} by usage${days.length === 0 ? '' : ` (${range})`}`,
    ...(borrowed === 0 ? [] : [`${borrowed} like neighbours`]),
    ...others.map((kind) => `${count(kind)} by ${kind}`),
  ].join(', ')
}

function sourceOf({ containers, otherwise }: GroupUsage): 'usage' | 'neighbours' | GroupUsage['otherwise'] {
  const all = containers.flatMap(({ used, limits }) => [...Object.values(used), ...Object.values(limits)])
  if (all.some(({ like }) => like === undefined)) return 'usage'
  return all.length > 0 ? 'neighbours' : otherwise
}

/** What Auto would change; undefined where nothing is known. */
function saysText(groups: readonly GroupWithUsage[]): string | undefined {
  if (groups.every(({ usage }) => sourceOf(usage) === usage.otherwise)) return undefined
  const pods = ({ group }: GroupWithUsage) =>
    group.members.reduce((sum, { nodeCount, mayStart }) => sum + (mayStart ? nodeCount : 0), 0)
  const totals = (['cpu', 'memory'] as const).map((resource) => {
    const [before, after] = [
      groups.map((one) => [one.sizes, pods(one)] as const),
      groups.map((one) => [one.usage.sizes, pods(one)] as const),
    ].map((all) => totalText(resource, all))
    return before === after ? after : `${before} -> ${after}`
  })
  const changed = groups.filter(({ sizes, usage }) => !isEqual(sizes, usage.sizes))
  const restarting = changed.reduce((sum, one) => sum + pods(one), 0)
  const what = `Auto would size ${countsText(groups)}`
  if (changed.length === 0) return `${what}; nothing would change`
  return `${what}; the sized containers would request ${totals[0]} cores and ${totals[1]} GiB; ${plural(restarting, 'pod')} would restart`
}

function totalText(resource: Resource, all: ReadonlyArray<readonly [readonly ContainerSize[], number]>): string {
  const total = all.reduce((sum, [sizes, pods]) => sum.plus(requestOf(resource, sizes).times(BigInt(pods))), NOTHING)
  return resource === 'cpu' ? coresText(total) : gibibytesText(total)
}

const NOTHING = Quantity.of(0n, 'DecimalSI')

function requestOf(resource: Resource, sizes: readonly ContainerSize[]): Quantity {
  return sizes.reduce((sum, { printed }) => {
    // a missing request is the limit
    const text = printed.get(REQUEST_OF[resource]) ?? printed.get(LIMIT_OF[resource])
    return text === undefined ? sum : sum.plus(Quantity.parse(text))
  }, NOTHING)
}

function isEqual(left: readonly ContainerSize[], right: readonly ContainerSize[]): boolean {
  const names: readonly PercentageName[] = [...Object.values(REQUEST_OF), ...Object.values(LIMIT_OF)]
  return left.every(({ printed }, index) =>
    names.every((name) => printed.get(name) === right[index]?.printed.get(name)),
  )
}
