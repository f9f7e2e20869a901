import { setFlagsFromString } from 'node:v8'

/** How much bytecode a function runs before the optimizing compiler takes it: 35 times V8's own default. */
const BUDGET = 2_400_000

/**
 * Makes the optimizing compiler wait. A run of many actions does a few thousand times what it does for one: too seldom
 * for optimized code to pay off, and often enough that most of it would be compiled.
 */
export function optimizeLate(): void {
  setFlagsFromString(`--interrupt-budget=${BUDGET}`)
}
