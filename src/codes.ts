import { CHANGE_CODES } from './change/index.ts'
import type { Codes } from './finding/index.ts'
import { INVENTORY_CODES } from './inventory/index.ts'
import { OBJECT_CODES } from './object/index.ts'
import { POLICY_CODES } from './policy/index.ts'
import { PROOF_CODES } from './proof/index.ts'
import { type AnyPlanner, WORLD_CODES } from './world/index.ts'

/** What every run can say, whatever it plans. */
export const COMMON_CODES = {
  ...WORLD_CODES,
  ...POLICY_CODES,
  ...INVENTORY_CODES,
  ...OBJECT_CODES,
  ...PROOF_CODES,
  ...CHANGE_CODES,
}

/** Everything that a run with these planners can say. */
export function codesOf(planners: ReadonlyArray<Pick<AnyPlanner, 'codes'>>): Codes {
  return Object.assign({}, COMMON_CODES, ...planners.map(({ codes }) => codes)) as Codes
}
