import type { Item } from '../krm/types.ts'
import type { Outcome } from './outcome.ts'

/** The input's items in their order, changed or left out as the outcomes say, and new ones behind them. */
export function itemsAfter(items: readonly Item[], outcomes: readonly Outcome[]): Item[] {
  const replaced = new Map(outcomes.flatMap((outcome) => [...outcome.replaced]))
  const kept = items.flatMap((item) => (replaced.has(item) ? (replaced.get(item) ?? []) : [item]))
  return [...kept, ...outcomes.flatMap(({ added }) => added)]
}
