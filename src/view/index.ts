export { explained } from './explain.ts'
export { toResults, withoutOurs } from './results.ts'
