import { scaleLinear } from 'd3-scale'
import { printable } from '../columns.ts'

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
function pathAttribute(path: string, base?: string): Html {
  const isBelow = base !== undefined && path.startsWith(`${base}/`)
  return new Html(`data-path=${isBelow ? path.slice(base.length + 1) : path}`)
}

/** Returns a figure as text, with its path. */
export function figure(
  part: Part<string | number> | undefined,
  base?: string,
  textOf: (value: string | number) => string | number = (value) => value,
): Html {
  if (part === undefined) return new Html('')
  return html`<i ${pathAttribute(part.path, base)}>${textOf(part.value)}</i>`
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

/** A value of a JSON document, with its path in it as a JSON pointer (RFC 6901). */
export class Part<T> {
  readonly value: T
  readonly path: string

  constructor(value: T, path: string) {
    this.value = value
    this.path = path
  }

  /** Returns a member of an object; undefined where it is absent. */
  at<K extends keyof T & string>(key: K): Part<NonNullable<T[K]>> | undefined {
    const member = this.value[key]
    return member === undefined || member === null ? undefined : new Part(member, `${this.path}/${key}`)
  }

  /** Returns the entries of a member that is a list. */
  all<K extends keyof T & string>(key: K): Array<Part<Entry<T[K]>>> {
    const list: unknown = this.value[key]
    if (!Array.isArray(list)) return []
    return list.map((one, index) => new Part(one as Entry<T[K]>, `${this.path}/${key}/${index}`))
  }
}

type Entry<List> = NonNullable<List> extends ReadonlyArray<infer One> ? One : never

/** The common scale of all bars of a page: shares of allocatable in percent, from 0 to `most`. */
export interface BarScale {
  readonly most: number
  readonly ticks: readonly number[]
  /** Where a share is, in percent of the width of a bar. */
  readonly place: (percent: number) => number
}

const ALL = 100
const TICKS = 4

/** Returns a scale on which all of these shares have their place; larger ones than the whole end with it. */
export function barScale(percents: readonly number[]): BarScale {
  const largest = percents.reduce((most, percent) => Math.max(most, percent), 0)
  const scale = scaleLinear([0, Math.min(largest === 0 ? 1 : largest, ALL)], [0, ALL])
    .nice(TICKS)
    .clamp(true)
  return {
    most: scale.domain()[1] ?? ALL,
    ticks: scale.ticks(TICKS),
    place: (percent) => Math.round(scale(percent) * 100) / 100,
  }
}

/** The shares that one bar shows, in percent. */
interface Bar {
  readonly request?: number
  readonly limit?: number
  readonly template?: number
  readonly used?: number
}

/** Draws a bar: the limit behind the request, the template's own amount as a line, what is used as a dot. */
export function barSvg(bar: Bar, scale: BarScale): Html {
  const at = (percent: number) => `${scale.place(percent)}%`
  const shapes = [
    bar.limit === undefined ? '' : `<rect class=l width=${at(bar.limit)} />`,
    bar.request === undefined ? '' : `<rect class=r width=${at(bar.request)} />`,
    bar.template === undefined ? '' : `<rect class=t x=${at(bar.template)} />`,
    bar.used === undefined ? '' : `<circle cx=${at(bar.used)} />`,
  ].join('')
  return new Html(shapes === '' ? '' : `<svg>${shapes}</svg>`)
}

/** Draws the numbers of the scale, above bars. */
export function axisHtml({ ticks, most, place }: BarScale): Html {
  const marks = ticks.map((tick) => `<i style=left:${place(tick)}%>${tick}${tick === ticks.at(-1) ? ' %' : ''}</i>`)
  return new Html(`<span class=axis aria-hidden=true data-most=${most}>${marks.join('')}</span>`)
}
