import { setFlagsFromString } from 'node:v8'

/** How much bytecode a function runs before the optimizing compiler takes it; V8's own default is a fifth of it. */
const BUDGET = 600_000

/**
 * Makes the optimizing compiler wait. A run of many actions does a few thousand times what it does for one: too seldom
 * for optimized code to pay off, and often enough that most of it would be compiled.
 */
export function optimizeLate(): void {
  setFlagsFromString(`--interrupt-budget=${BUDGET}`)
}
