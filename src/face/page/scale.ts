import { scaleLinear } from 'd3-scale'
import { Html } from './html.ts'

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
export interface Bar {
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
