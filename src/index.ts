export { CODES, type Code } from './all-codes.ts'
export type { CodeDefinition, Finding } from './finding/index.ts'
export { type PackagePlan, type Plan, type PlanOptions, plan } from './plan.ts'
export { render } from './render.ts'
