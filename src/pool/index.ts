export { POOL_CODES } from './codes.ts'
export { poolPlanner } from './planner.ts'
