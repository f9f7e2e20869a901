import type { ContainerStep } from '../../../core/index.ts'
import type { UsageRow } from '../../../facts/inventory/index.ts'
import { dateOf, growthIn, type Known, LEAST_DAYS, memoryText, raisedAgainAfter } from '../../../facts/usage/index.ts'
import type { SizingSettings } from '../../../kinds/index.ts'
import { type Finding, listNames, plural } from '../../../krm/finding/index.ts'
import { Quantity, timeText } from '../../../kube/index.ts'
import { type Group, nameOfGroup, nodesOfGroup } from '../group.ts'
import type { ContainerSize } from '../share.ts'
import { aboveMaximumText } from './above-maximum.ts'
import { finding, type USAGE_CODES } from './codes.ts'
import type { ContainerUsage } from './container-usage.ts'
import type { GroupUsage } from './group-usage.ts'

/** A sized group, as far as findings about usage read it. */
export interface UsedGroup {
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

const STALE = 3 * 86_400_000

/** What was imported or settled without days is as old as that. */
function staleText(known: Known | undefined, now: Date | undefined): string | undefined {
  if (known === undefined || now === undefined) return undefined
  const { newest = known.settled && dateOf(known.settled.at) } = known
  return newest === undefined || newest >= dateOf(now.getTime() - STALE) ? undefined : `since ${newest}`
}
