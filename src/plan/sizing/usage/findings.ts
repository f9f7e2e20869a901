import type { ContainerStep, Line } from '../../../core/index.ts'
import type { UsageRow } from '../../../facts/inventory/index.ts'
import { dateOf, growthIn, type Known, LEAST_DAYS, memoryText, raisedAgainAfter } from '../../../facts/usage/index.ts'
import type { PercentageName, Resource, SizingSettings } from '../../../kinds/index.ts'
import { codesAbout, type Finding, findingOf, listNames, plural } from '../../../krm/finding.ts'
import { coresText, gibibytesText, Quantity, timeText } from '../../../kube/index.ts'
import { type Group, nameOfGroup, nodesOfGroup } from '../group.ts'
import type { ContainerSize } from '../size.ts'
import { LIMIT_OF, REQUEST_OF } from './amounts.ts'
import type { GroupUsage } from './group-usage.ts'
import type { ContainerUsage } from './policy-usage.ts'

/** A sized group, as far as findings about usage read it. */
interface UsedGroup {
  readonly group: Group
  readonly sizes: readonly ContainerSize[]
  readonly usage?: GroupUsage
}

interface Context {
  readonly settings: Pick<SizingSettings, 'subject'>
  readonly rows?: readonly UsageRow[]
  readonly now?: Date
}

/** One container of a group whose policy has usage. */
interface One extends ContainerUsage {
  readonly group: Group
  readonly isAuto: boolean
  readonly size?: ContainerSize
  /** How the sizes of its group came about. */
  readonly steps: readonly ContainerStep[]
}

/** Returns what usage says of the groups of a policy: one finding for each code, which names the containers. */
export function usageFindings(groups: readonly UsedGroup[], { settings, rows, now }: Context): Finding[] {
  const { subject } = settings
  const all = groups.flatMap(({ group, sizes, usage }) =>
    (usage?.containers ?? []).map(
      (one, index): One => ({
        ...one,
        group,
        isAuto: usage?.isAuto === true,
        steps: usage?.steps ?? [],
        ...(sizes[index] && { size: sizes[index] }),
      }),
    ),
  )
  if (all.length === 0) return []
  if (rows === undefined) return notCollected(all, subject)
  const told = (code: keyof typeof USAGE_CODES, words: string, text: (one: One) => string | undefined) => {
    const texts = all.flatMap((one) => {
      const said = text(one)
      return said === undefined ? [] : [`${nameOfOne(one)} ${said}`]
    })
    return texts.length === 0
      ? []
      : [finding(code, `${subject.metadata.name}: ${words}: ${listNames(texts)}`, { subject })]
  }
  return [
    ...learning(all, subject),
    ...told('OOMKilled', 'killed for want of memory', (one) => (isKilledAgain(one, now) ? undefined : killsText(one))),
    ...told('OOMKilledAgain', 'killed again though its limit was raised three times in fourteen days', (one) =>
      isKilledAgain(one, now) ? againText(one, now) : undefined,
    ),
    ...told('UsageFollowsLimit', 'memory follows its limit', ({ known }) => followsText(known)),
    ...told('UsageAboveMaximum', 'maxResources holds back', ({ known, steps, container }) =>
      aboveMaximumText(
        known,
        steps.filter((step) => step.container === container),
      ),
    ),
    ...aboveUse(all, subject),
    ...told('UsageGrowsWithAge', 'memory grows with the age of pods', ({ known }) => agesText(known)),
    ...told('UsageStale', 'sizes stay, as no newer day of usage is known', ({ known }) => staleText(known, now)),
  ]
}

function nameOfOne({ container, group }: One): string {
  return `container ${container} of ${nameOfGroup(group)}`
}

function notCollected(all: readonly One[], subject: SizingSettings['subject']): Finding[] {
  if (!all.some(({ isAuto }) => isAuto)) return []
  const sentence = `${subject.metadata.name}: usage.updateMode is Auto, and no WorkloadSnapshot of the cluster has usage`
  return [
    finding('UsageNotCollected', sentence, { subject, field: { path: 'spec.usage.updateMode', currentValue: 'Auto' } }),
  ]
}

/** `UsageLearning`: how many days are seen of groups with nodes, of which nothing is settled yet. */
function learning(all: readonly One[], subject: SizingSettings['subject']): Finding[] {
  const young = all.filter(
    ({ group, known }) => nodesOfGroup(group).nodeCount > 0 && Object.keys(known?.settled?.used ?? {}).length === 0,
  )
  if (young.length === 0) return []
  const texts = young.map((one) => {
    const days = Math.min(one.known?.days ?? 0, LEAST_DAYS)
    return `${nameOfOne(one)} (${days} of ${LEAST_DAYS} days${days < LEAST_DAYS ? '' : ', waits for the regular time'})`
  })
  const sentence = `${subject.metadata.name}: nothing is settled yet, so that neighbours, percentages or the template size it: ${listNames(texts)}`
  return [finding('UsageLearning', sentence, { subject })]
}

function killsText({ known, size }: One): string | undefined {
  const { kills } = known ?? {}
  if (kills === undefined) return undefined
  const { count, pods, limit, last } = kills
  const now = size?.printed.get('limitMemory')
  const at = limit === undefined ? 'without a limit' : `at ${memoryText(limit)}`
  const isKept = now !== undefined && limit !== undefined && isEqual(now, memoryText(limit))
  const then = now === undefined ? 'it has no limit' : `its limit ${isKept ? 'stays' : 'becomes'} ${now}`
  return `${plural(count, 'time')} in ${plural(pods, 'pod')} ${at}, last ${timeText(last)}; ${then}`
}

function isEqual(left: string, right: string): boolean {
  return Quantity.parse(left).compare(Quantity.parse(right)) === 0
}

/** Whether a container is killed after its limit was raised as often as it may be. */
function isKilledAgain({ known }: One, now: Date | undefined): boolean {
  const { kills, settled } = known ?? {}
  if (kills === undefined || settled === undefined || now === undefined) return false
  return raisedAgainAfter(settled, now.getTime()) !== undefined && kills.last > Math.max(...settled.raisedAt)
}

function againText(one: One, now: Date | undefined): string {
  const until = now && raisedAgainAfter(one.known?.settled, now.getTime())
  return `${killsText(one)}, and is not raised again before ${timeText(until ?? 0)}`
}

function followsText(known: Known | undefined): string | undefined {
  const { median, limit } = known?.follows ?? {}
  if (median === undefined || limit === undefined) return undefined
  return `uses ${memoryText(median)} of ${memoryText(limit)} all week`
}

function agesText(known: Known | undefined): string | undefined {
  const grown = growthIn(known?.ages ?? {})
  return (
    grown && `uses ${memoryText(grown.firstDay)} in the first day and ${memoryText(grown.weekOld)} after seven days`
  )
}

const DAY = 86_400_000
const STALE = 3 * DAY
/** One look is good for two weeks: it takes seven days until sizes are made of days. */
const LOOK_STALE = 14 * DAY

/** What was imported or settled without days is as old as that. */
function staleText(known: Known | undefined, now: Date | undefined): string | undefined {
  if (known === undefined || now === undefined) return undefined
  const { newest = known.settled && dateOf(known.settled.at) } = known
  const { evidence } = known.settled ?? {}
  const isLook = known.newest === undefined && evidence !== undefined && evidence !== 'Days'
  if (newest === undefined || newest >= dateOf(now.getTime() - (isLook ? LOOK_STALE : STALE))) return undefined
  return `since ${newest}${isLook ? ', from one look' : ''}`
}

/**
 * Returns what maxResources holds below what a container used or was killed at; undefined where it does not. `steps`
 * are those of the container.
 */
function aboveMaximumText(known: Known | undefined, steps: readonly ContainerStep[]): string | undefined {
  const texts = steps
    .filter(({ decidedBy }) => decidedBy === 'maximum')
    .flatMap((step) => {
      if (step.kind === 'used')
        return isBelow(step.printed, step.used) ? [`${step.name} ${step.printed} of ${step.used} used`] : []
      return step.name === 'limitMemory' ? limitTexts(step.printed, known) : []
    })
  return texts.length === 0 ? undefined : texts.join(', ')
}

function limitTexts(printed: string, known: Known | undefined): string[] {
  const { seen, kills } = known ?? {}
  const peak = seen?.peakMemory === undefined ? undefined : memoryText(seen.peakMemory)
  const killedAt = kills?.limit === undefined ? undefined : memoryText(kills.limit)
  if (killedAt !== undefined && !isBelow(killedAt, printed)) return [`limitMemory ${printed}, killed at ${killedAt}`]
  return peak !== undefined && isBelow(printed, peak) ? [`limitMemory ${printed} of ${peak} used at most`] : []
}

function isBelow(left: string, right: string): boolean {
  return Quantity.parse(left).compare(Quantity.parse(right)) < 0
}

/**
 * `MinimumAboveUse`: what minResources makes containers request beyond their use with its margin, on the nodes of
 * today. A minimum of today's size, as earlier versions proposed it, keeps usage from lowering any request.
 */
function aboveUse(all: readonly One[], subject: SizingSettings['subject']): Finding[] {
  const inUse = all.filter(({ group }) => nodesOfGroup(group).nodeCount > 0)
  const held = inUse.flatMap((one) =>
    one.steps.flatMap((step) =>
      step.kind === 'used' &&
      step.container === one.container &&
      step.decidedBy === 'minimum' &&
      isBelow(step.raw, step.printed)
        ? [{ one, step }]
        : [],
    ),
  )
  const [first] = held
  if (first === undefined) return []
  const texts = held.map(({ one, step }) => `${nameOfOne(one)} ${step.name} ${step.printed} of ${step.raw}`)
  const beyond = (name: PercentageName) => {
    const units = (text: string) =>
      name === 'requestCPU' ? Quantity.parse(text).milliValue() : Quantity.parse(text).value()
    return held
      .filter(({ step }) => step.name === name)
      .reduce((sum, { one, step }) => {
        return sum + (units(step.printed) - units(step.raw)) * BigInt(nodesOfGroup(one.group).nodeCount)
      }, 0n)
  }
  const cores = coresText(Quantity.ofMilli(beyond('requestCPU')))
  const memory = gibibytesText(Quantity.of(beyond('requestMemory'), 'BinarySI'))
  const sums = `${cores} cores and ${memory} GiB`
  const field = { path: `spec.minResources.${first.step.name === 'requestCPU' ? 'cpu' : 'memory'}` }
  const sentence = `${subject.metadata.name}: minResources holds requests above use with its margin, ${sums} on the nodes of today: ${listNames(texts)}`
  return [finding('MinimumAboveUse', sentence, { subject, field })]
}

/** Codes about sizes from usage. */
export const USAGE_CODES = codesAbout('Sizes from usage', {
  SizedByUsage: {
    roles: ['shown'],
    severity: 'info',
    meaning: 'How many groups usage sizes, what their agents request before and after, and how many pods restart.',
    mend: '',
  },
  UsageSays: {
    roles: ['shown'],
    severity: 'info',
    meaning: 'The policy has usage with updateMode "Off": what Auto would change.',
    mend: 'If that is what you want, set updateMode: Auto.',
  },
  UsageLearning: {
    roles: ['shown'],
    severity: 'info',
    meaning:
      'Containers of a group have not been seen for seven days, or the regular time has not come since: neighbours, percentages or the template size them until then. They borrow the largest limit of all groups: a raise in another group that makes it larger restarts their pods too.',
    mend: '',
  },
  OOMKilled: {
    severity: 'warning',
    meaning:
      'The kernel killed containers for want of memory within fourteen days. nodefit sync doubles the limit at once if that happens again and again, else at the regular time.',
    mend: 'If the limit is too low, raise minResources.limitMemory for the group, and maxResources where it holds the limit.',
  },
  OOMKilledAgain: {
    severity: 'warning',
    meaning:
      'Containers are killed for want of memory though their limit was raised three times within fourteen days: a leak, or a burst that grows.',
    mend: 'Look for a leak in the agent. If it needs more, raise minResources.limitMemory for the group, and maxResources where it holds the limit.',
  },
  UsageFollowsLimit: {
    severity: 'warning',
    meaning:
      'The memory of a container stays near its limit all week and it is not killed: page cache, or a heap that fills what it gets. More would be filled too, so its limit stays; its request follows what it uses, since a node evicts first what uses more than it requests.',
    mend: 'Lower the limit by maxResources.limitMemory and see whether the agent works as well; or leave memory to percentages: controlledResources: [cpu].',
  },
  MinimumAboveUse: {
    roles: ['shown'],
    severity: 'info',
    meaning:
      'A minimum of the policy is above what a container uses with the margin, so that usage lowers no request below it: often the size that the agent had before.',
    mend: 'Remove minResources from the policy, and from its overrides, where no minimum is meant: the requests of these groups follow use then, and their pods restart.',
  },
  UsageAboveMaximum: {
    severity: 'warning',
    meaning: 'A container is held by maxResources below what it used or was killed at.',
    mend: 'Raise maxResources for the group, if the agent is to work.',
  },
  UsageGrowsWithAge: {
    severity: 'warning',
    meaning:
      'Pods seven days old or more use half as much memory again as pods in their first day: a leak, and requests follow it.',
    mend: 'Look for a leak in the agent. Until then maxResources.memory holds its request.',
  },
  UsageStale: {
    severity: 'warning',
    meaning:
      'The newest day of usage is older than three days, or one look that sizes are made of older than fourteen: sizes stay as they are.',
    mend: 'See whether nodefit sync runs with collect: [usage] and the metrics API answers; of imported usage, import it again.',
  },
  UsageNotCollected: {
    severity: 'error',
    allowable: true,
    meaning:
      'A policy is sized by usage, and no WorkloadSnapshot of its cluster has usage: percentages would size all groups.',
    mend: 'Let nodefit sync collect it (collect: [usage]), or write it with nodefit inventory --usage; a first run may allow the code.',
  },
})

const finding = findingOf(USAGE_CODES)

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
  const changed = groups.filter(({ sizes, usage }) => !isSameSize(sizes, usage.sizes))
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

function isSameSize(left: readonly ContainerSize[], right: readonly ContainerSize[]): boolean {
  const names: readonly PercentageName[] = [...Object.values(REQUEST_OF), ...Object.values(LIMIT_OF)]
  return left.every(({ printed }, index) =>
    names.every((name) => printed.get(name) === right[index]?.printed.get(name)),
  )
}
