import { UserError } from '../../files/user-error.ts'
import { displayWidth, printable, shortened } from '../../view/index.ts'
import type { Effect } from './evaluation.ts'
import type { SaidChanges } from './object-changes.ts'
import { type Trailers, trailersText } from './trailers.ts'

/** What tools show of a commit's first line. */
const SUBJECT_COLUMNS = 72
const MORE = ', ...'

/** What a message is made of. */
export interface MessageParts {
  readonly effect: Effect
  readonly changes: SaidChanges
  readonly nodes: readonly string[]
  /** Why the render failed. */
  readonly failure?: string
  /** Whether Git had no inventory before. */
  readonly isFirst: boolean
  readonly trailers: Trailers
}

/** The placeholders of a template, and what stands in their place. */
const PLACEHOLDERS = {
  summary: (parts: MessageParts) => printable(summaryOf(parts)),
  cluster: ({ trailers }: MessageParts) => trailers.cluster,
  effect: ({ effect }: MessageParts) => effect,
  version: ({ trailers }: MessageParts) => trailers.version,
  changes: ({ changes, failure }: MessageParts) => linesText([...failureLines(failure), ...changes.lines]),
  nodes: ({ nodes }: MessageParts) => linesText(nodes),
} as const

const DEFAULT_TEMPLATE = '{{cluster}}: {{summary}}\n\n{{changes}}\n\n{{nodes}}'
const PLACEHOLDER = /\{\{\s*([^{}]*?)\s*\}\}/g

/** What is wrong with a template, as a sentence; undefined where nothing is. */
export function templateProblem(template: string): string | undefined {
  const names = Object.keys(PLACEHOLDERS)
  const unknown = [...template.matchAll(PLACEHOLDER)].find(([, name = '']) => !names.includes(name))
  if (unknown !== undefined)
    return `${unknown[0]} is no placeholder of a commit's message: ${names.map((name) => `{{${name}}}`).join(', ')}`
  return template.trim() === '' ? 'the template of the commit message is empty' : undefined
}

/**
 * The message of a commit: first what changes for whom, then the facts about nodes that led to it, and in any case the trailers by
 * which the commit can be rendered again. Throws `UserError` for a template that is none.
 */
export function messageOf(parts: MessageParts, template = DEFAULT_TEMPLATE): string {
  const problem = templateProblem(template)
  if (problem !== undefined) throw new UserError(problem)
  const text = template.replaceAll(PLACEHOLDER, (_, name: string) =>
    PLACEHOLDERS[name as keyof typeof PLACEHOLDERS](parts),
  )
  const [subject = '', ...body] = text.trim().split('\n')
  const lines = [...cutSubject(printable(subject)), ...body.map(printable)]
  return `${lines
    .join('\n')
    .replaceAll(/\n{3,}/g, '\n\n')
    .trim()}\n\n${trailersText(parts.trailers)}`
}

/** One line: what comes of it. */
export function summaryOf({ effect, changes, nodes, failure, isFirst }: MessageParts): string {
  const count = (nodes[0] ?? '').replace('Nodes: ', '')
  if (effect === 'age') return `inventory renewed, ${count} nodes`
  if (effect === 'failed') return `${count} nodes, and rendering fails: ${failure?.split(':')[0] ?? ''}`
  if (changes.brief !== '') return changes.brief
  return isFirst ? `first inventory, ${count} nodes` : `${count} nodes`
}

/** What a repository says ends no line of a message: it could forge one. */
function linesText(lines: readonly string[]): string {
  return lines.map(printable).join('\n')
}

function failureLines(failure: string | undefined): string[] {
  return failure === undefined ? [] : [`Rendering fails, and what was rendered stays as it is: ${failure}`]
}

/** What does not fit on the first line goes on in the body; a list is cut behind one of its members. */
function cutSubject(subject: string): string[] {
  if (displayWidth(subject) <= SUBJECT_COLUMNS) return [subject]
  const members = subject.split(', ')
  const counts = members.map((_, index) => displayWidth(members.slice(0, index + 1).join(', ')))
  const fitting = counts.filter((width) => width <= SUBJECT_COLUMNS - MORE.length).length
  const first = fitting === 0 ? shortened(subject, SUBJECT_COLUMNS) : `${members.slice(0, fitting).join(', ')}${MORE}`
  return [first, '', subject]
}
