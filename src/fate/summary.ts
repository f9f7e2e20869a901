import type {
  ContainerStep,
  CountLine,
  DecidedBy,
  GroupLine,
  LargestStep,
  Line,
  NodesLine,
  PercentageStep,
  Step,
  UsageLine,
  UsedStep,
  World,
} from '../core/index.ts'
import { isReadablePodSpec, podSpecOf } from '../core/object/index.ts'
import { firstNames, nodeCountOf, nodesText } from '../facts/inventory/index.ts'
import { type Codes, type Finding, findingOf, listNames, plural, type Subject } from '../krm/finding.ts'
import {
  coresText,
  gibibytesText,
  type PodSpec,
  podRequests,
  Quantity,
  unlessMalformed,
  withDefaultRequests,
} from '../kube/index.ts'
import type { Change, ChangeKind, PlannedChanges } from './change.ts'
import { type GroupGrowth, type Growth, growthOf, lostAgentsText, restartsOf } from './restarts.ts'

type Report = (code: string, sentence: string, place?: { subject: Subject }) => Finding

/**
 * Summarizes each subject: the counts first, then the numbers of each group, then the nodes that are excluded. `codes`
 * are those of the run, including each planner's.
 */
export function summaries(planned: readonly PlannedChanges[], { planners }: World, codes: Codes): Finding[] {
  const report = findingOf(codes)
  return planned.flatMap((one) => summaryOf(one, planners.summary(one.subject), report))
}

function summaryOf(planned: PlannedChanges, code: string, report: Report): Finding[] {
  const { account, isEnabled, changes } = planned
  const subject = planned.subject.object
  const { name } = subject.metadata
  const lines = isEnabled || account.length > 0 ? account : [{ kind: 'state', state: 'disabled' } as const]
  const states = lines.flatMap((line) => (line.kind === 'state' ? [line.state] : []))
  const countLines = lines.filter((line): line is CountLine => line.kind === 'count')
  const first = countLines.filter(({ words }) => words === undefined).map(countText)
  const last = countLines.filter(({ words }) => words !== undefined).map(countText)
  const counted = [...states, ...first, objectsText(changes), ...last].join(', ')
  const totals = totalsOf(planned)
  const lost = lostAgentsText(planned.stops)
  const notSized = lines.flatMap((line) => (line.kind === 'containers' ? line.notSized : []))
  const more = [
    ...(totals === undefined ? [] : [totalsText(totals)]),
    ...(lost === undefined ? [] : [lost]),
    ...(notSized.length === 0 ? [] : [`not sized: ${listNames(notSized)}`]),
  ]
  const sentence = `${name}: ${[counted, ...more].join('; ')}`
  return [
    report(code, sentence, { subject }),
    ...(isEnabled ? growthFindings(planned, report) : []),
    ...lines
      .flatMap((line) =>
        line.kind === 'usage' ? usageFindings(line, planned, report) : lineFindings(line, name, report),
      )
      .map((one) => ({ ...one, subject })),
  ]
}

/** How many groups a finding about growth names. */
const MOST_GROUPS = 3

/** `TotalGrows` where the pods on the same nodes request more than a quarter more than before. */
function growthFindings(planned: PlannedChanges, report: Report): Finding[] {
  const growth = growthOf(planned)
  if (growth === undefined) return []
  const { total, groups } = growth
  const subject = planned.subject.object
  const most = groups.slice(0, MOST_GROUPS).map((group) => `${group.name} (${addedText(group)})`)
  const nodes = plural(total.nodeCount, 'node')
  const sentence = `${subject.metadata.name}: its pods on the ${nodes} with an agent until now request ${grownText(total)}; most of it: ${most.join(', ')}`
  return [report('TotalGrows', sentence, { subject })]
}

function lineFindings(line: Line, name: string, report: Report): Finding[] {
  if (line.kind === 'group') return [report('GroupSized', groupText(line))]
  if (line.kind === 'note') return [report(line.code, line.sentence)]
  return line.kind === 'nodes' ? [report(line.code, missedText(line, name))] : []
}

/** `SizedByUsage`: what sizes the groups, what the agents request before and after, and what restarts. */
function usageFindings({ sentence }: UsageLine, planned: PlannedChanges, report: Report): Finding[] {
  const totals = totalsOf(planned)
  const restarting = [...restartsOf(planned).values()].reduce((sum, { pods }) => sum + pods, 0)
  const more = [
    ...(totals === undefined ? [] : [totalsText(totals)]),
    ...(restarting === 0 ? [] : [`${plural(restarting, 'pod')} ${restarting === 1 ? 'restarts' : 'restart'}`]),
  ]
  return [report('SizedByUsage', [sentence, ...more].join('; '))]
}

function countText({ count, noun, words }: CountLine): string {
  return words === undefined ? plural(count, noun) : `${plural(count, noun)} ${words}`
}

function objectsText(changes: readonly Change[]): string {
  const count = (kind: ChangeKind) => changes.filter((one) => one.kind === kind && one.isNeverApplied !== true).length
  const released = count('released')
  const counts = [
    `${plural(count('added'), 'object')} added`,
    `${count('changed')} changed`,
    `${count('removed')} removed`,
    ...(released === 0 ? [] : [`${released} released`]),
    `${count('unchanged')} unchanged`,
  ]
  return counts.join(', ')
}

function missedText(line: NodesLine, name: string): string {
  const who = firstNames(line).length === 0 ? '' : `: ${nodesText(line)}`
  return `${name}: ${plural(line.nodeCount, 'node')} ${line.words}, ${line.reason}${who}`
}

/** Formats a group's numbers in one line: each percentage, its basis, the result, and what decided it. */
function groupText({ name, id, groupKind, nodeCount, steps }: GroupLine): string {
  const unseen = groupKind === 'remainder' ? ['nodes with label values not seen yet'] : []
  const own = nodeCount > 0 || groupKind !== 'remainder' ? [plural(nodeCount, 'node')] : []
  return `${name} for ${id} (${[...own, ...unseen].join(' and ')}): ${stepTexts(steps).join('; ')}`
}

/** The total requests of the pods on some nodes. */
export interface Total {
  readonly cpu: Quantity
  readonly memory: Quantity
  readonly pods: number
}

/** The requests of a subject's pods that run on today's nodes: as rendered now and, where that is known, before. */
export interface Totals {
  readonly before?: Total
  readonly after: Total
  /** How many nodes may have a pod that nothing shows: none starts there, and one that runs may stay. */
  readonly mayStay: number
  /** Label keys without which it is not known where earlier output ran; none where that is known. */
  readonly unknownKeys: readonly string[]
}

/**
 * Returns what the agents of today's nodes request now and before: by earlier output, or by the template where that is
 * still applied itself. Undefined for a subject that serves no nodes through DaemonSets.
 */
export function totalsOf({ unknownKeys, ...planned }: PlannedChanges): Totals | undefined {
  const { changes, constraints, earlier, isEnabled, pods } = planned
  if (constraints === undefined || !isEnabled) return undefined
  const after = sumOf(
    pods.flatMap((one) => (one.after && one.runsAfter ? [[podSpecOf(one.after.object), one.nodeCount] as const] : [])),
  )
  if (after === undefined) return undefined
  const mayStay = nodeCountOf(pods.filter((one) => one.mayStay))
  if (changes.every(({ kind }) => kind === 'unchanged')) return { before: after, after, mayStay, unknownKeys: [] }
  const own = pods.filter(({ before }) => before?.isOwn === true)
  const isKnown =
    unknownKeys.length === 0 && own.length > 0 && earlier.every(({ object }) => isReadablePodSpec(podSpecOf(object)))
  const before = own.flatMap((one) => (one.before && one.runsBefore ? [[one.before.pod, one.nodeCount] as const] : []))
  return { before: isKnown ? sumOf(before) : undefined, after, mayStay, unknownKeys }
}

const NOTHING = Quantity.of(0n, 'DecimalSI')

/**
 * Returns the total requests; a missing request counts as the limit that Kubernetes uses for it. Undefined where a
 * user's edit made an object unreadable.
 */
function sumOf(pods: ReadonlyArray<readonly [PodSpec, number]>): Total | undefined {
  let cpu = Quantity.of(0n, 'DecimalSI')
  let memory = Quantity.of(0n, 'BinarySI')
  let count = 0
  if (!pods.every(([pod]) => isReadablePodSpec(pod))) return undefined
  for (const [pod, times] of pods) {
    const requests = unlessMalformed(() => podRequests(withDefaultRequests(pod)))
    if (requests === undefined) return undefined
    cpu = cpu.plus((requests.cpu ?? NOTHING).times(BigInt(times)))
    memory = memory.plus((requests.memory ?? NOTHING).times(BigInt(times)))
    count += times
  }
  return { cpu, memory, pods: count }
}

/**
 * Formats the totals for a summary: what is requested now, and before where that is known and different; apart from
 * that, pods that the input cannot show.
 */
export function totalsText({ before, after, mayStay, unknownKeys }: Totals): string {
  const { cpu, memory, pods } = after
  const change = (was: string | undefined, is: string) => (was === undefined || was === is ? is : `${was} -> ${is}`)
  const cores = change(before && coresText(before.cpu), coresText(cpu))
  const gibibytes = change(before && gibibytesText(before.memory), gibibytesText(memory))
  const count = before === undefined || before.pods === pods ? plural(pods, 'pod') : `${before.pods} -> ${pods} pods`
  return `requesting ${cores} cores and ${gibibytes} GiB on ${count}${mayStayText(mayStay)}${unknownText(unknownKeys)}`
}

/** Formats why totals lack what was requested before; empty where it is known. */
function unknownText(keys: readonly string[]): string {
  if (keys.length === 0) return ''
  return ` (before: unknown, since earlier output selects nodes by ${listNames(keys)}, which the inventory does not export)`
}

/** Formats how many pods may run beside those that are counted; empty for none. */
export function mayStayText(count: number): string {
  if (count === 0) return ''
  return `, ${count} more if ${count === 1 ? 'it runs' : 'they run'} there already`
}

/** Formats what grows: `30 -> 83 cores (+177 %) and 12 -> 14 GiB (+17 %)`. */
function grownText({ before, after }: Growth): string {
  const [cores, gibibytes] = [
    `${changeText(coresText(before.cpu), coresText(after.cpu))} cores${percentText(before.cpu, after.cpu)}`,
    `${changeText(gibibytesText(before.memory), gibibytesText(after.memory))} GiB${percentText(before.memory, after.memory)}`,
  ]
  return `${cores} and ${gibibytes}`
}

function changeText(was: string, is: string): string {
  return was === is ? is : `${was} -> ${is}`
}

/** Formats by how many percent an amount grows, a half rounded up; empty where it does not, or was nothing. */
function percentText(before: Quantity, after: Quantity): string {
  const [was, more] = [before.nanoValue(), after.nanoValue() - before.nanoValue()]
  const percent = was === 0n || more <= 0n ? 0n : (200n * more + was) / (2n * was)
  return percent === 0n ? '' : ` (+${percent} %)`
}

/** Formats what a group adds: `+12 cores and +4 GiB on 30 nodes`. */
function addedText({ before, after, nodeCount }: GroupGrowth): string {
  const parts = [
    ...(after.cpu.compare(before.cpu) > 0 ? [`+${coresText(lessOf(after.cpu, before.cpu))} cores`] : []),
    ...(after.memory.compare(before.memory) > 0 ? [`+${gibibytesText(lessOf(after.memory, before.memory))} GiB`] : []),
  ]
  return `${parts.join(' and ')} on ${plural(nodeCount, 'node')}`
}

function lessOf(amount: Quantity, less: Quantity): Quantity {
  return Quantity.parse(`${amount.nanoValue() - less.nanoValue()}n`)
}

/**
 * Formats how the amounts of a group came about: what each is made of, the arithmetic, and what decided. Containers are
 * named where there are several.
 */
function stepTexts(steps: readonly Step[]): string[] {
  const containers = new Set(steps.flatMap((step) => (step.kind === 'percentage' ? [] : [step.container])))
  const nameOf = ({ name, container }: ContainerStep) => (containers.size > 1 ? `${name} of ${container}` : name)
  return steps.map((step) => {
    if (step.kind === 'percentage') return percentageStepText(step)
    const text = step.kind === 'used' ? usedStepText(step) : largestStepText(step)
    return `${nameOf(step)}: ${text}${decidedText(step.decidedBy)} -> ${step.printed}`
  })
}

function percentageStepText({ name, percentage, raw, step, decidedBy, printed, ...basis }: PercentageStep): string {
  const unit = name.endsWith('CPU') ? 'm' : ' bytes'
  const stepped = step === undefined ? '' : `, in steps of ${step.size} ${step.result}${unit}`
  return `${name} ${percentage} of ${basisText(basis)} = ${raw}${unit}${stepped}${decidedText(decidedBy)} -> ${printed}`
}

const DECIDED: Record<DecidedBy, string> = {
  minimum: ', held at the minimum',
  maximum: ', held at the maximum',
  request: ', raised to the request',
  limit: ', held at the limit',
}

function decidedText(decidedBy: DecidedBy | undefined): string {
  return decidedBy === undefined ? '' : DECIDED[decidedBy]
}

function basisText({ basis, from, now }: Pick<PercentageStep, 'basis' | 'from' | 'now'>): string {
  if (now !== undefined) return `${basis} as before (now ${now}, within hysteresisPercent)`
  if (from === 'earlier') return `${basis} as before (no node reports)`
  if (from === 'range') return `${basis} as the nearest range (no node reports)`
  if (from === 'remainder') return `${basis} as the remainder (no node reports)`
  return from === 'median' ? `the median ${basis}` : basis
}

function usedStepText(one: UsedStep): string {
  const { used, margin, raw, step } = one
  const stepped = step === undefined ? '' : `, in steps of ${step.size} ${step.result}`
  return `${used} used (${usedText(one)}) + ${margin} = ${raw}${stepped}`
}

const EVIDENCE_WORDS: Readonly<Record<NonNullable<UsedStep['evidence']>, string>> = {
  Sample: 'one look',
  Watch: 'a look of some minutes',
  Counters: "the kubelet's counters",
  Days: 'days',
}

/** Says where a figure of usage is from: what is measured, or from when or which group it is. */
export function usedText({
  days,
  pods,
  imported,
  evidence,
  like,
}: Pick<UsedStep, 'days' | 'pods' | 'imported' | 'evidence' | 'like'>): string {
  const counts = [...(days === 0 ? [] : [plural(days, 'day')]), ...(pods === 0 ? [] : [plural(pods, 'pod')])]
  const of = evidence === undefined ? '' : ` from ${EVIDENCE_WORDS[evidence]}`
  const what = imported === undefined ? 'third-busiest hour, 9 of 10 nodes' : `imported ${imported}${of}`
  return [...(like === undefined ? [] : [`like ${like}`]), what, ...counts].join(', ')
}

const BY = { percentage: 'by percentage', template: 'of the template', usage: 'by usage' } as const

/** Formats the amounts of which the largest is taken: `348Mi by percentage`. */
export function candidateTexts(of: LargestStep['of']): string[] {
  return of.map(({ by, amount, like }) => `${amount} ${BY[by]}${like === undefined ? '' : ` like ${like}`}`)
}

function largestStepText({ of }: LargestStep): string {
  const texts = candidateTexts(of)
  return texts.length === 1 ? `${texts[0]}` : `the largest of ${texts.join(', ')}`
}
