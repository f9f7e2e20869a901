import { displayWidth, printable, shortened } from '../../../face/index.ts'
import { UserError } from '../../files/user-error.ts'
import type { AppliedChanges } from './applied-changes.ts'
import type { Effect } from './evaluation.ts'
import type { ObjectChanges } from './object-changes.ts'
import { type Trailers, trailersText } from './trailers.ts'
import { type UsageChanges, usageBrief, usageLines } from './usage-changes.ts'

/** The width of a subject line that tools show. */
const SUBJECT_WIDTH = 72
const ELLIPSIS = ', ...'

/** What a commit message is made of. */
export interface MessageParts {
  readonly effect: Effect
  readonly changes: ObjectChanges
  /** Objects of the packages that are copied to the output. */
  readonly applied?: AppliedChanges
  /** Sizes that usage has settled. */
  readonly usage?: UsageChanges
  /** Edits of the output that the commit undoes. */
  readonly undone?: readonly string[]
  /** What differs of the nodes; `node counts only` where nothing in a cluster changes. */
  readonly reason?: string
  /** What a guard held, and why it is accepted. */
  readonly settled?: string
  readonly nodes: readonly string[]
  /** The error of the render, where it fails. */
  readonly failure?: string
  /** Whether Git had no inventory before. */
  readonly isFirst: boolean
  readonly trailers: Trailers
}

/** The placeholders of a template. */
const PLACEHOLDERS = {
  summary: (parts: MessageParts) => printable(summaryOf(parts)),
  cluster: ({ trailers }: MessageParts) => trailers.cluster,
  effect: ({ effect }: MessageParts) => effect,
  version: ({ trailers }: MessageParts) => trailers.version,
  changes: ({ changes, applied, usage = [], undone, settled, failure }: MessageParts) =>
    printableLines([
      ...failureLines(failure),
      ...(settled === undefined ? [] : [`A guard held this, and it is accepted: ${settled}`]),
      ...usageLines(usage),
      ...(applied?.lines ?? []),
      ...(undone ?? []).map(sentence),
      ...changes.lines,
    ]),
  nodes: ({ nodes }: MessageParts) => printableLines(nodes),
} as const

const DEFAULT_TEMPLATE = '{{cluster}}: {{summary}}\n\n{{changes}}\n\n{{nodes}}'
const PLACEHOLDER = /\{\{\s*([^{}]*?)\s*\}\}/g

/** What is wrong with a template; undefined where nothing is. */
export function templateProblem(template: string): string | undefined {
  const names = Object.keys(PLACEHOLDERS)
  const unknown = [...template.matchAll(PLACEHOLDER)].find(([, name = '']) => !names.includes(name))
  if (unknown !== undefined)
    return `${unknown[0]} is not a placeholder: use ${names.map((name) => `{{${name}}}`).join(', ')}`
  return template.trim() === '' ? 'it is empty' : undefined
}

/**
 * The message of a commit: what changes, then the nodes that caused it, and always the trailers by which the commit can
 * be rendered again. Throws `UserError` for an invalid template.
 */
export function messageOf(parts: MessageParts, template = DEFAULT_TEMPLATE): string {
  const problem = templateProblem(template)
  if (problem !== undefined) throw new UserError(`git.messageTemplate is not a valid template: ${problem}`)
  const text = template.replaceAll(PLACEHOLDER, (_, name: string) =>
    PLACEHOLDERS[name as keyof typeof PLACEHOLDERS](parts),
  )
  const [subject = '', ...body] = text.trim().split('\n')
  const lines = [...wrapSubject(printable(subject)), ...body.map(printable)]
  return `${lines
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()}\n\n${trailersText(parts.trailers)}`
}

/** The change in one line. */
export function summaryOf({
  effect,
  changes,
  applied,
  usage = [],
  undone = [],
  reason = '',
  nodes,
  failure,
  isFirst,
}: MessageParts) {
  const count = (nodes[0] ?? '').replace('Nodes: ', '')
  const counted = `${count} ${count === '1' ? 'node' : 'nodes'}`
  if (effect === 'age') return `inventory renewed, ${counted}`
  if (effect === 'failed') return `${counted}, and the render fails: ${failure?.split(':')[0] ?? ''}`
  // a long list of edits is in the body
  const edits = undone.length > 1 ? [`undoes ${undone.length} edits of the output`] : undone
  const briefs = [usageBrief(usage), applied?.brief ?? '', ...edits, changes.brief].filter((brief) => brief !== '')
  if (briefs.length > 0) return briefs.join(', ')
  if (isFirst) return `first inventory, ${counted}`
  return reason === '' ? counted : `${counted}: ${reason}`
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

/** Lines without line breaks and control characters of the repository's content, which could forge a trailer. */
function printableLines(lines: readonly string[]): string {
  return lines.map(printable).join('\n')
}

function failureLines(failure: string | undefined): string[] {
  return failure === undefined ? [] : [`The render fails, and the output stays as it is: ${failure}`]
}

/** The subject line; one that is too long is cut after a member of its list, and continued in the body. */
function wrapSubject(subject: string): string[] {
  if (displayWidth(subject) <= SUBJECT_WIDTH) return [subject]
  const members = subject.split(', ')
  const widths = members.map((_, index) => displayWidth(members.slice(0, index + 1).join(', ')))
  const fitting = widths.filter((width) => width <= SUBJECT_WIDTH - ELLIPSIS.length).length
  const first = fitting === 0 ? shortened(subject, SUBJECT_WIDTH) : `${members.slice(0, fitting).join(', ')}${ELLIPSIS}`
  return [first, '', subject]
}
