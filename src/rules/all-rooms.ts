import { type AnyPlanner, WORLD_CODES } from '../core/index.ts'
import { OBJECT_CODES } from '../core/object/index.ts'
import { INVENTORY_CODES } from '../facts/inventory/index.ts'
import { CHANGE_CODES } from '../fate/index.ts'
import { POLICY_CODES } from '../kinds/index.ts'
import type { CodeDefinition } from '../krm/finding/index.ts'
import { PROOF_CODES } from './index.ts'

/** What every run can say, whatever it plans. */
export const COMMON_CODES = {
  ...WORLD_CODES,
  ...POLICY_CODES,
  ...INVENTORY_CODES,
  ...OBJECT_CODES,
  ...PROOF_CODES,
  ...CHANGE_CODES,
}

type Planners = ReadonlyArray<Pick<AnyPlanner, 'codes'>>
type CodesIn<Planner> = Planner extends { readonly codes: infer Table } ? keyof Table & string : never

/** Every code that a run with these planners can report; a closed union where the planners are known. */
export type CodeOf<All extends Planners> = keyof typeof COMMON_CODES | CodesIn<All[number]>

/** The same codes with what is fixed about each. */
export function codesOf<All extends Planners>(planners: All): Readonly<Record<CodeOf<All>, CodeDefinition>> {
  return Object.assign({}, COMMON_CODES, ...planners.map(({ codes }) => codes))
}
