import { annotationLines, explained, planJson, sarifLog } from '../../face/index.ts'
import { type Finding, findingOf } from '../../krm/finding/index.ts'
import { CODES } from '../../rules/all-codes.ts'
import type { Plan } from '../../rules/plan.ts'
import type { StaleFile } from '../files/output-change.ts'
import { placeFindings } from '../files/place-findings.ts'
import { UserError } from '../files/user-error.ts'

declare const NODEFIT_VERSION: string

const FORMS = {
  json: (plan: Plan) => json(planJson(plan)),
  sarif: (plan: Plan) => json(sarifLog(placeFindings(plan.findings), CODES, NODEFIT_VERSION)),
  github: (plan: Plan) =>
    annotationLines(placeFindings(explained(plan.findings, false)))
      .map((line) => `${line}\n`)
      .join(''),
} as const

type Form = keyof typeof FORMS
const NAMES = Object.keys(FORMS) as Form[]

/**
 * Returns how a checked plan is printed for programs; undefined for people. Throws `UserError` where two forms are
 * given.
 */
export function formOf(values: Readonly<Partial<Record<Form | 'all', boolean>>>): ((plan: Plan) => string) | undefined {
  const given = NAMES.filter((name) => values[name] === true)
  const [form] = given
  if (form === undefined) return undefined
  const two = [...given, ...(values.all === true ? ['all'] : [])]
  if (two.length > 1)
    throw new UserError(`${two.map((name) => `--${name}`).join(' and ')} exclude each other: give one`)
  return FORMS[form]
}

/** Returns what is stale in an output folder as findings, each with the command that updates it. */
export function staleFindings(stale: readonly StaleFile[], mend: string): Finding[] {
  const finding = findingOf({ OutputStale: CODES.OutputStale })
  return stale.map(({ sentence }) => finding('OutputStale', sentence, { mend: `To update it, run ${mend}` }))
}

function json(value: object): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}
