export type { Code, Finding } from './finding/index.ts'
export { type Plan, type PlanOptions, plan } from './plan.ts'
export { render } from './render.ts'
