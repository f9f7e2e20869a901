/** A sample of the pairs of fleet and agent; e2e/long has all. */
import { SAMPLE } from './pair.ts'
import { firstHour } from './suite.ts'

firstHour(SAMPLE)
