import { type Codes, type Finding, findingOf, listNames, plural, type Subject } from '../finding/index.ts'
import { type Fleet, firstNames, nodesText } from '../inventory/index.ts'
import type { CountLine, GroupLine, Line, NodesLine, Step, World } from '../world/index.ts'
import type { Change, ChangeKind, PlannedChanges } from './change.ts'
import { totalsOf, totalsText } from './totals.ts'

type Report = (code: string, sentence: string, place?: { subject: Subject }) => Finding

/**
 * What each subject comes to: the counts first, then the numbers of each group, then the nodes it leaves out. `codes`
 * are those of the run, each planner's included.
 */
export function summaries(planned: readonly PlannedChanges[], { fleets, planners }: World, codes: Codes): Finding[] {
  const report = findingOf(codes)
  return planned.flatMap((one) => summaryOf(one, fleets, planners.summary(one.subject), report))
}

function summaryOf(planned: PlannedChanges, fleets: readonly Fleet[], code: string, report: Report): Finding[] {
  const { account, isEnabled, changes } = planned
  const subject = planned.subject.object
  const { name } = subject.metadata
  const said = isEnabled || account.length > 0 ? account : [{ kind: 'state', state: 'disabled' } as const]
  const states = said.flatMap((line) => (line.kind === 'state' ? [line.state] : []))
  const own = said.filter((line): line is CountLine => line.kind === 'count')
  const first = own.filter(({ words }) => words === undefined).map(countText)
  const last = own.filter(({ words }) => words !== undefined).map(countText)
  const counted = [...states, ...first, objectsText(changes), ...last].join(', ')
  const totals = isEnabled ? totalsOf(planned, fleets) : undefined
  const notSized = said.flatMap((line) => (line.kind === 'containers' ? line.notSized : []))
  const closed = said.flatMap((line) => (line.kind === 'nodes' && line.code === 'NoNewPods' ? [line.nodeCount] : []))
  const more = [
    ...(totals === undefined
      ? []
      : [
          totalsText(
            totals,
            closed.reduce((sum, count) => sum + count, 0),
          ),
        ]),
    ...(notSized.length === 0 ? [] : [`not sized: ${listNames(notSized)}`]),
  ]
  const sentence = `${name}: ${[counted, ...more].join('; ')}`
  return [
    report(code, sentence, { subject }),
    ...said.flatMap((line) => lineFindings(line, name, report)).map((one) => ({ ...one, subject })),
  ]
}

function lineFindings(line: Line, name: string, report: Report): Finding[] {
  if (line.kind === 'group') return [report('GroupSized', groupText(line))]
  if (line.kind === 'note') return [report(line.code, line.sentence)]
  return line.kind === 'nodes' ? [report(line.code, missedText(line, name))] : []
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

/** A group's numbers in one line: each percentage, what it was taken of, what came of it, and what decided. */
function groupText({ name, id, groupKind, nodeCount, steps }: GroupLine): string {
  const unseen = groupKind === 'remainder' ? ['nodes with label values not seen yet'] : []
  const own = nodeCount > 0 || groupKind !== 'remainder' ? [plural(nodeCount, 'node')] : []
  return `${name} for ${id} (${[...own, ...unseen].join(' and ')}): ${steps.map(stepText).join('; ')}`
}

function stepText({ name, percentage, raw, step, decidedBy, printed, ...basis }: Step): string {
  const unit = name.endsWith('CPU') ? 'm' : ' bytes'
  const stepped = step === undefined ? '' : `, in steps of ${step.size} ${step.result}${unit}`
  const decided = decidedBy === undefined ? '' : DECIDED[decidedBy]
  return `${name} ${percentage} of ${basisText(basis)} = ${raw}${unit}${stepped}${decided} -> ${printed}`
}

const DECIDED: Record<NonNullable<Step['decidedBy']>, string> = {
  minimum: ', held at the minimum',
  maximum: ', held at the maximum',
  request: ', raised to the request',
}

function basisText({ basis, from, now }: Pick<Step, 'basis' | 'from' | 'now'>): string {
  if (now !== undefined) return `${basis} as before (now ${now}, which is near)`
  if (from === 'earlier') return `${basis} as before (no node reports)`
  if (from === 'range') return `${basis} as the nearest range (no node reports)`
  if (from === 'remainder') return `${basis} as the remainder (no node reports)`
  return from === 'median' ? `the median ${basis}` : basis
}
