import type { ChangesJson } from '../fleet-types.ts'
import { figure, type Html, html, nameHtml } from './html.ts'
import type { Part } from './part.ts'

/** How many objects, and how many fields of one, a page lists. */
const [MOST_OBJECTS, MOST_FIELDS] = [30, 8]

const COUNTS = ['added', 'changed', 'removed', 'released', 'unchanged'] as const

/** Returns what becomes of the objects of an agent since the earlier output. */
export function changesHtml(part: Part<ChangesJson>): Html {
  const counts = COUNTS.flatMap((key) => (part.value[key] === 0 ? [] : [html`<li>${figure(part.at(key))} ${key}`]))
  if (counts.length === 0) return html``
  const { objects } = part.value
  const shown = objects.slice(0, MOST_OBJECTS)
  const more = objects.length - shown.length
  const items = shown.map(({ object, change, fields }) => {
    const listed = fields.slice(0, MOST_FIELDS).join(', ')
    const rest = fields.length > MOST_FIELDS ? ` and ${fields.length - MOST_FIELDS} more` : ''
    return html`<li>${change}: ${nameHtml(object)}${fields.length === 0 ? undefined : html` <span class=n><bdi>${listed}</bdi>${rest}</span>`}`
  })
  return html`<h3>Objects since the earlier output</h3><ul class=key>${counts}</ul>${
    shown.length === 0
      ? undefined
      : html`<details><summary>Which</summary><ul>${items}${more === 0 ? undefined : html`<li>and ${more} more: nodefit diff shows all.`}</ul></details>`
  }`
}
