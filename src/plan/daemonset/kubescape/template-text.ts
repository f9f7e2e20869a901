import { KrmError } from '../../../krm/error.ts'
import { isDeepEqual } from '../../../krm/map.ts'
import { readYaml } from '../../../krm/read-yaml.ts'

/**
 * The two renderings of a chart's template: for the group of a label value, and for the default group, whose nodes lack
 * the label.
 */
export interface TemplateText {
  readonly valued: unknown
  readonly unlabelled: unknown
}

/** Thrown for text that is not a template; the message begins like the operator's own. */
export class TemplateTextError extends Error {}

const DIRECTIVE = /^\s*\{\{-?\s*(if(?:\s+not)?\s+\.IsDefaultGroup|else|end)\s*-?\}\}\s*$/
/** Begins what ends with its own `end`. */
const OTHER_CONDITION = /^\s*(\{\{-?\s*(?:if|with|range|block|define)\s.*\}\})\s*$/
const ACTION_LINE = /^\s*(\{\{.*\}\})\s*$/

/**
 * Match a key that is a placeholder, and a value that begins with one, without quotes: YAML would read them as maps.
 */
const BARE_KEY = /^(\s*(?:-\s+)*)(\{\{-?\s*\.[\w.]+\s*-?\}\})(\s*:(?:\s.*)?)$/
const BARE_VALUE =
  /^(\s*(?:-\s+)*(?:(?:[^\s'"{}#&*[\]-][^#]*?|"[^"]*"\s*|'[^']*'\s*):\s+)?)(\{\{-?\s*\.[\w.]+\s*-?\}\}[^{}#'"\s]*)(\s*(?:\s#.*)?)$/

/**
 * Reads the template of Kubescape's chart, which is YAML with a few actions of Go's text/template (research: kubescape
 * section 1.8). Evaluates only lines that consist of `if .IsDefaultGroup`, `if not .IsDefaultGroup`, `else` or `end`,
 * and none within a multi-line text; everything else is YAML. Throws `TemplateTextError`.
 */
export function readTemplateText(text: string): TemplateText {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  const kinds = kindsOf(lines)
  return {
    valued: parse(branch(lines, kinds, false)),
    unlabelled: parse(branch(lines, kinds, true)),
  }
}

/**
 * Returns the lines of one branch, with quotes around each bare placeholder. Removed lines become empty, so that line
 * numbers stay.
 */
function branch(lines: readonly string[], kinds: readonly LineKind[], isDefaultGroup: boolean): string[] {
  const kept: string[] = []
  let open: { line: number; keep: boolean; hasElse: boolean } | undefined
  for (const [index, line] of lines.entries()) {
    const kind = kinds[index]
    const found = kind === 'text' ? undefined : DIRECTIVE.exec(line)?.[1]
    // a plain text may continue over lines that look like an action, except for a condition of the chart and its else
    // and end
    const action = kind === 'continued' && open === undefined && !found?.startsWith('if') ? undefined : found
    if (action === undefined) {
      const other = kind === 'yaml' ? OTHER_CONDITION.exec(line)?.[1] : undefined
      if (other !== undefined) throw failed(`line ${index + 1} has ${other}, which nodefit does not evaluate`)
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

/**
 * Returns the template's text without blanks at the ends of its lines and empty lines at its end, so that it can be
 * written as a block; the text itself where a line of a block of its own ends in blanks, or where it would be read as
 * something else.
 */
export function withoutTrailingBlanks(text: string): string {
  const lines = text.split('\n')
  const kinds = kindsOf(lines)
  const shorter = `${lines
    .map((line, index) => (kinds[index] === 'text' && line.trim() !== '' ? line : line.trimEnd()))
    .join('\n')
    .trimEnd()}\n`
  try {
    return isDeepEqual(readTemplateText(shorter), readTemplateText(text)) ? shorter : text
  } catch (error) {
    if (error instanceof TemplateTextError) return text
    throw error
  }
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

/** How a line of YAML is read: as structure, as text in a block or in quotes, or as a continued plain text. */
export type LineKind = 'yaml' | 'text' | 'continued'

const BLOCK_SCALAR = /(?:^|[\s:-])[|>](?:[+-]?[1-9]?|[1-9][+-])\s*(?:#.*)?$/
const COMMENT = /^\s*#/
/** Matches a key or list marker before a plain text; any other kind of value does not match. */
const PLAIN_VALUE = /^\s*(?:-\s+)*(?:(?:"[^"]*"\s*|'[^']*'\s*|[^\s'"{}#&*[\]-][^#]*?):\s+|-\s+)[^\s"'|>{}[\]&*!#%@`-]/

/**
 * Returns the kind of each line of a YAML text. Lines of kind `text` never hold an action of the template: they are
 * left as the author wrote them.
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

/**
 * Returns the quote that is open at the end of a line, undefined if none is; `open` is the one open at its beginning.
 */
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

/**
 * Returns the column that the lines of a value must be indented beyond: that of its key, or of the list marker before
 * it.
 */
function columnOfKey(line: string): number {
  const [markers = ''] = /^\s*(?:-\s+)*/.exec(line) ?? []
  const isKey = /^(?:"[^"]*"\s*|'[^']*'\s*|[^'"{}#&*[\]]+?):(?:\s|$)/.test(line.slice(markers.length))
  return isKey ? markers.length : markers.lastIndexOf('-')
}
