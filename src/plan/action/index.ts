export { actionPlanner } from './planner.ts'
