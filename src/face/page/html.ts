import { printable } from '../width.ts'
import type { Part } from './part.ts'

/** Text that is HTML already. */
export class Html {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

type Content = Html | string | number | undefined | ReadonlyArray<Html | string | undefined>

/** Builds HTML: whatever is filled in is text and cannot become markup, unless it is HTML itself. */
export function html(parts: TemplateStringsArray, ...contents: readonly Content[]): Html {
  return new Html(parts.map((part, index) => part + (index < contents.length ? filled(contents[index]) : '')).join(''))
}

function filled(content: Content): string {
  if (content === undefined) return ''
  if (content instanceof Html) return content.text
  if (typeof content === 'object') return content.map(filled).join('')
  return escaped(String(content))
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Returns text without the characters that HTML or a value of an attribute gives a meaning, and without controls. */
export function escaped(text: string): string {
  return printable(text).replaceAll(/[&<>"']/g, (one) => ENTITIES[one] ?? '')
}

/**
 * Returns the attribute that names the path of a figure. Paths consist of keys of our own and of numbers, which need no
 * quotes. Below an element with `data-base` a path without a slash at its start follows that one. In a table with
 * `data-rows` a figure is a cell, and its path that of the table, its row and its column.
 */
export function pathAttribute(path: string, base?: string): Html {
  const isBelow = base !== undefined && path.startsWith(`${base}/`)
  return new Html(`data-path=${isBelow ? path.slice(base.length + 1) : path}`)
}

/** Returns a figure as text, with its path. */
export function figure(part: Part<string | number> | undefined, base?: string): Html {
  if (part === undefined) return new Html('')
  return html`<i ${pathAttribute(part.path, base)}>${part.value}</i>`
}

/** The end of a line, which text does not have. */
export const NEWLINE = new Html('\n')

/** Returns a name that may be in any script: it does not turn the direction of what is beside it. */
export function nameHtml(name: string): Html {
  return html`<bdi>${name}</bdi>`
}

/** The noun that goes with a count, which is shown as a figure. */
export function nounOf(count: number | undefined, noun: string): string {
  return count === 1 ? noun : `${noun}s`
}
