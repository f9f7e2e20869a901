export { POOL_CODES } from './codes.ts'
export { poolPlanner } from './planner.ts'
export { dataKey, readSingleFile, type SingleFile } from './single-file.ts'
export { objectsOfFile, type PoolMachine } from './single-file-objects.ts'
