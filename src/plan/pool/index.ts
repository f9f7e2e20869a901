export { POOL_CODES } from './codes.ts'
export { poolPlanner } from './planner.ts'
export { dataKey, objectsOfFile, type PoolMachine, readSingleFile, type SingleFile } from './single-file.ts'
