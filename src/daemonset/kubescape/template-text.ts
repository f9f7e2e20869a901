import { KrmError } from '../../krm/error.ts'
import { readYaml } from '../../krm/read-yaml.ts'

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
      if (open !== undefined)
        throw failed(`line ${index + 1} has a condition inside the condition of line ${open.line}`)
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

/** What a line of YAML is: structure; text in a block or in quotes; or a plain text going on from the line before. */
export type LineKind = 'yaml' | 'text' | 'continued'

const BLOCK_SCALAR = /(?:^|[\s:-])[|>](?:[+-]?[1-9]?|[1-9][+-])\s*(?:#.*)?$/
const COMMENT = /^\s*#/
/** A key or list marker with a plain text behind it: nothing that begins another kind of value. */
const PLAIN_VALUE = /^\s*(?:-\s+)*(?:(?:"[^"]*"\s*|'[^']*'\s*|[^\s'"{}#&*[\]-][^#]*?):\s+|-\s+)[^\s"'|>{}[\]&*!#%@`-]/

/**
 * Which lines of a YAML text are structure. Nothing but these may be taken for an action of a template: the text within
 * a scalar is its author's, whatever it looks like.
 */
export function kindsOf(lines: readonly string[]): LineKind[] {
  let quote: string | undefined
  let block: number | undefined
  let plain: number | undefined
  return lines.map((line) => {
    const indent = line.search(/\S/)
    if (quote !== undefined) {
      quote = quoteAfter(line, quote)
      return 'text'
    }
    if (block !== undefined && (indent < 0 || indent > block)) return 'text'
    block = undefined
    if (plain !== undefined && !COMMENT.test(line) && (indent < 0 || indent > plain)) return 'continued'
    plain = undefined
    if (COMMENT.test(line) || indent < 0) return 'yaml'
    if (BLOCK_SCALAR.test(line)) block = columnOfKey(line)
    else {
      quote = quoteAfter(line, undefined)
      if (quote === undefined && PLAIN_VALUE.test(line)) plain = columnOfKey(line)
    }
    return 'yaml'
  })
}

/** The quote that is still open at the end of a line; `open` is the one open at its beginning. */
function quoteAfter(line: string, open: string | undefined): string | undefined {
  let quote = open
  for (let at = 0; at < line.length; at++) {
    const character = line[at]
    if (quote === undefined) {
      if (character === '#' && /(^|\s)$/.test(line.slice(0, at))) return undefined
      if ((character === '"' || character === "'") && /(^|[[{,?]|[:-]\s)\s*$/.test(line.slice(0, at))) quote = character
    } else if (quote === '"' && character === '\\') at++
    else if (character === quote) {
      if (quote === "'" && line[at + 1] === "'") at++
      else quote = undefined
    }
  }
  return quote
}

/** The column that a text must be right of: that of its key, or of the list marker it stands behind. */
function columnOfKey(line: string): number {
  const [markers = ''] = /^\s*(?:-\s+)*/.exec(line) ?? []
  const isKey = /^(?:"[^"]*"\s*|'[^']*'\s*|[^'"{}#&*[\]]+?):(?:\s|$)/.test(line.slice(markers.length))
  return isKey ? markers.length : markers.lastIndexOf('-')
}
