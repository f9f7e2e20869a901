export { runFunction } from './cli/run-function.ts'
export * from './krm/index.ts'
