export { orderPlanner } from './planner.ts'
