import type { ResourceList } from './krm/types.ts'
import { type PlanOptions, plan } from './plan.ts'
import { toResults } from './results.ts'

/**
 * The ResourceList that a plan leads to, with results. Where the plan failed, the items are the input's, unchanged,
 * and a result of severity error says why. Throws nothing for user errors.
 */
export function render(list: ResourceList, options: PlanOptions = {}): ResourceList {
  const { items, findings } = plan(list, options)
  return { ...list, items, results: [...list.results, ...toResults(findings)] }
}
