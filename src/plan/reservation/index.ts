export { isOrder } from './order/former.ts'
export { orderPlanner } from './planner.ts'
