import type { BeforeAfter, CostJson } from '../fleet-types.ts'
import { figure, type Html, html } from './html.ts'
import type { Part } from './part.ts'

/** Formats a figure, and what it was where it changes. */
export function changed<Key extends string, One extends Readonly<Partial<Record<Key, string | number>>>>(
  pair: Part<BeforeAfter<One>> | undefined,
  key: Key,
): Html {
  const [before, after] = [pair?.at('before'), pair?.at('after')] as ReadonlyArray<Part<One> | undefined>
  const now = figure(after?.at(key) as Part<string | number> | undefined)
  if (before === undefined || before.value[key] === after?.value[key]) return now
  return html`${figure(before.at(key) as Part<string | number> | undefined)} <span aria-hidden=true>→</span><span class=vh>to</span> ${now}`
}

/** The same of a text that has no members. */
function changedText(pair: Part<BeforeAfter<string>> | undefined): Html {
  const [before, after] = [pair?.at('before'), pair?.at('after')]
  if (before === undefined || before.value === after?.value) return figure(after)
  return html`${figure(before)} <span aria-hidden=true>→</span><span class=vh>to</span> ${figure(after)}`
}

/** A cost for a month, for a card. */
export function monthHtml(cost: Part<CostJson>): Html {
  return changedText(cost.at('month'))
}

/** Says what agents cost, and on which nodes that is known. */
export function costHtml(cost: Part<CostJson>): Html {
  return html`<p>They cost ${changedText(cost.at('hour'))} an hour, ${changedText(cost.at('month'))} a month, on the nodes with a price, ${figure(cost.at('pricedNodes'))} of ${figure(cost.at('nodes'))}.</p>`
}

/** The rule by which agents are charged. */
export const COST_RULE: Html = html`<p>Prices are those of the list that was given, in its currency; a month has 730 hours. Of the price of its node a pod is charged half for its share of the allocatable cpu, and half for its share of the allocatable memory, by what it requests.</p>`
