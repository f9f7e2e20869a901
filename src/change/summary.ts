import { type Finding, listNames, plural } from '../finding/index.ts'
import { type Fleet, firstNames, nodesText } from '../inventory/index.ts'
import type { CountLine, GroupLine, Line, NodesLine, Planned, Step } from '../world/index.ts'
import type { Change, ChangeKind } from './change.ts'
import { finding } from './codes.ts'
import { totalsOf } from './totals.ts'
import { totalsText } from './totals-text.ts'

/** What each subject says of itself: the counts first, then every group's numbers, then the nodes it leaves out. */
export function summaries(
  planned: readonly Planned[],
  changes: readonly Change[],
  fleets: readonly Fleet[],
): Finding[] {
  const own = new Map(planned.map((by) => [by, [] as Change[]]))
  for (const change of changes) if (change.by !== undefined) own.get(change.by)?.push(change)
  return planned.flatMap((by) => summaryOf(by, own.get(by) ?? [], fleets))
}

function summaryOf(planned: Planned, changes: readonly Change[], fleets: readonly Fleet[]): Finding[] {
  const { account, isEnabled, summary } = planned
  const subject = planned.subject.object
  const { name } = subject.metadata
  const said = isEnabled || account.length > 0 ? account : [{ kind: 'state', state: 'disabled' } as const]
  const states = said.flatMap((line) => (line.kind === 'state' ? [line.state] : []))
  const own = said.filter((line): line is CountLine => line.kind === 'count')
  const first = own.filter(({ words }) => words === undefined).map(countText)
  const last = own.filter(({ words }) => words !== undefined).map(countText)
  const counted = [...states, ...first, objectsText(changes), ...last].join(', ')
  const totals = isEnabled ? totalsOf(planned, changes, fleets) : undefined
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
    finding(summary, sentence, { subject }),
    ...said.flatMap((line) => lineFinding(line, name)).map((one) => ({ ...one, subject })),
  ]
}

function lineFinding(line: Line, name: string): Finding[] {
  if (line.kind === 'group') return [finding('GroupSized', groupText(line))]
  return line.kind === 'nodes' ? [finding(line.code, missedText(line, name))] : []
}

function countText({ count, noun, words }: CountLine): string {
  return words === undefined ? plural(count, noun) : `${plural(count, noun)} ${words}`
}

function objectsText(changes: readonly Change[]): string {
  const count = (kind: ChangeKind) => changes.filter((one) => one.kind === kind && one.isNeverApplied !== true).length
  const [added, changed, removed, unchanged] = [count('added'), count('changed'), count('removed'), count('unchanged')]
  return `${plural(added, 'object')} added, ${changed} changed, ${removed} removed, ${unchanged} unchanged`
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
