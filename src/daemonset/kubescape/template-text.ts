import { KrmError } from '../../krm/error.ts'
import { readYaml } from '../../krm/read-yaml.ts'
import { kindsOf, type LineKind } from './text-lines.ts'

/**
 * The two renderings of a chart's template: for a group of a label value, and for the group of nodes without the label.
 */
export interface TemplateText {
  readonly valued: unknown
  readonly unlabelled: unknown
}

/** Said of text that is no template: the sentence begins as the operator's own message does. */
export class TemplateTextError extends Error {}

const DIRECTIVE = /^\s*\{\{-?\s*(if(?:\s+not)?\s+\.IsDefaultGroup|else|end)\s*-?\}\}\s*$/
const ACTION_LINE = /^\s*(\{\{.*\}\})\s*$/

/** A key that is a placeholder, and a value that begins with one, both without quotes: YAML takes them for maps. */
const BARE_KEY = /^(\s*(?:-\s+)*)(\{\{-?\s*\.[\w.]+\s*-?\}\})(\s*:(?:\s.*)?)$/
const BARE_VALUE =
  /^(\s*(?:-\s+)*(?:(?:[^\s'"{}#&*[\]-][^#]*?|"[^"]*"\s*|'[^']*'\s*):\s+)?)(\{\{-?\s*\.[\w.]+\s*-?\}\}[^{}#'"\s]*)(\s*(?:\s#.*)?)$/

/**
 * Reads the template of Kubescape's chart, which is YAML with a few actions of Go's text/template (research: kubescape
 * section 1.8). Only lines that are wholly `if .IsDefaultGroup`, `if not .IsDefaultGroup`, `else` or `end` are acted
 * upon, and none within a text; everything else is YAML. Throws `TemplateTextError`.
 */
export function readTemplateText(text: string): TemplateText {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  const kinds = kindsOf(lines)
  return {
    valued: parse(branch(lines, kinds, false)),
    unlabelled: parse(branch(lines, kinds, true)),
  }
}

/** The lines of one branch, each placeholder without quotes in quotes. */
function branch(lines: readonly string[], kinds: readonly LineKind[], isDefaultGroup: boolean): string[] {
  const kept: string[] = []
  let open: { line: number; keep: boolean; hasElse: boolean } | undefined
  for (const [index, line] of lines.entries()) {
    const kind = kinds[index]
    const found = kind === 'text' ? undefined : DIRECTIVE.exec(line)?.[1]
    // a plain text may go on over lines that look like any action but a condition of the chart, and what belongs to one
    const action = kind === 'continued' && open === undefined && !found?.startsWith('if') ? undefined : found
    if (action === undefined) {
      if (open === undefined || open.keep) kept.push(kind === 'yaml' ? quoted(line) : line)
      else kept.push('')
      continue
    }
    kept.push('')
    if (action.startsWith('if')) {
      if (open !== undefined) throw failed(`line ${index + 1} has a condition within the one of line ${open.line}`)
      open = { line: index + 1, keep: isDefaultGroup !== /\snot\s/.test(action), hasElse: false }
    } else if (open === undefined) throw failed(`line ${index + 1} has {{ ${action} }} without a condition before it`)
    else if (action === 'end') open = undefined
    else if (open.hasElse) throw failed(`line ${index + 1} has a second {{ else }}`)
    else open = { ...open, keep: !open.keep, hasElse: true }
  }
  if (open !== undefined) throw failed(`the condition of line ${open.line} has no {{ end }}`)
  return kept
}

function parse(lines: readonly string[]): unknown {
  try {
    return readYaml(lines.join('\n'), 'the text')
  } catch (error) {
    if (!(error instanceof KrmError)) throw error
    const action = lines.map((line) => ACTION_LINE.exec(line)?.[1]).find((found) => found !== undefined)
    throw failed(action === undefined ? error.message : `it has the action ${action}, which nodefit does not evaluate`)
  }
}

function quoted(line: string): string {
  const key = BARE_KEY.exec(line)
  const [before, rest] = key === null ? ['', line] : [`${key[1]}'${key[2]}'`, key[3] ?? '']
  const value = BARE_VALUE.exec(key === null ? rest : `k${rest}`)
  if (value === null) return before + rest
  const [, head = '', text, tail] = value
  return `${before}${key === null ? head : head.slice(1)}'${text}'${tail}`
}

function failed(sentence: string): TemplateTextError {
  return new TemplateTextError(`failed to parse template: ${sentence}`)
}
