export type { Mismatch } from './compare-test.ts'
export { testJson, testJunit, testLines, testTap } from './formats.ts'
export { type PolicyTest, readTest } from './read-test.ts'
export { type PlacedOutcome, runTest, type TestOutcome } from './run-test.ts'
