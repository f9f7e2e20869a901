import { type Finding, plural } from '../finding/index.ts'
import { nodesText } from '../inventory/index.ts'
import type { CountLine, GroupLine, Line, NodesLine, Planned, Step } from '../world/index.ts'
import type { Change, ChangeKind } from './change.ts'
import { finding } from './codes.ts'

/** What each subject says of itself: the counts first, then every group's numbers, then the nodes it leaves out. */
export function summaries(planned: readonly Planned[], changes: readonly Change[]): Finding[] {
  const counts = new Map(planned.map((by) => [by, { added: 0, changed: 0, removed: 0, unchanged: 0 }]))
  for (const { by, kind } of changes) {
    const own = by === undefined ? undefined : counts.get(by)
    if (own !== undefined) own[kind]++
  }
  return planned.flatMap((by) => summaryOf(by, counts.get(by)))
}

function summaryOf(planned: Planned, counts: Readonly<Record<ChangeKind, number>> | undefined): Finding[] {
  const { account, isEnabled, summary } = planned
  const subject = planned.subject.object
  const { name } = subject.metadata
  const said = isEnabled ? account : [{ kind: 'state', state: 'disabled' } as const]
  const states = said.flatMap((line) => (line.kind === 'state' ? [line.state] : []))
  const own = said.filter((line): line is CountLine => line.kind === 'count')
  const first = own.filter(({ words }) => words === undefined).map(countText)
  const last = own.filter(({ words }) => words !== undefined).map(countText)
  const sentence = `${name}: ${[...states, ...first, objectsText(counts), ...last].join(', ')}`
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

function objectsText(counts: Readonly<Record<ChangeKind, number>> | undefined): string {
  const { added, changed, removed, unchanged } = counts ?? { added: 0, changed: 0, removed: 0, unchanged: 0 }
  return `${plural(added, 'object')} added, ${changed} changed, ${removed} removed, ${unchanged} unchanged`
}

function missedText(line: NodesLine, name: string): string {
  const who = line.nodes.length === 0 ? '' : `: ${nodesText(line)}`
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
