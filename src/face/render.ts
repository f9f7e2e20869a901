import type { ResourceList } from '../krm/types.ts'
import { CODES } from '../rules/all-codes.ts'
import type { PlanOptions } from '../rules/plan.ts'
import { plan } from '../rules/run.ts'
import { toResults, withoutOurs } from './index.ts'

/**
 * The ResourceList that a plan leads to, with results. Where the plan failed, the items are the input's, unchanged,
 * and a result of severity error says why. Results of an earlier run of ours give way. Throws nothing for user errors.
 */
export function render(list: ResourceList, options: PlanOptions = {}): ResourceList {
  const { items, findings } = plan(list, options)
  return { ...list, items, results: [...withoutOurs(list.results, CODES), ...toResults(findings)] }
}
