import { CHANGE_CODES } from './change/index.ts'
import type { CodeDefinition } from './finding/index.ts'
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

type Planners = ReadonlyArray<Pick<AnyPlanner, 'codes'>>
type CodesIn<Planner> = Planner extends { readonly codes: infer Table } ? keyof Table & string : never

/** Every code that a run with these planners can report; a closed union where the planners are known. */
export type CodeOf<All extends Planners> = keyof typeof COMMON_CODES | CodesIn<All[number]>

/** The same codes with what is fixed about each. */
export function codesOf<All extends Planners>(planners: All): Readonly<Record<CodeOf<All>, CodeDefinition>> {
  return Object.assign({}, COMMON_CODES, ...planners.map(({ codes }) => codes))
}
