/** Every agent on every fleet; where a sample is asked for, what e2e/first-hour leaves out and takes longest. */
import { ALL_PAIRS, type Pair } from '../first-hour/pair.ts'
import { firstHour } from '../first-hour/suite.ts'
import { sampled } from '../support/sampled.ts'

const LARGEST: readonly Pair[] = [{ fleet: 'eks-karpenter', agent: 'splunk' }]

firstHour(sampled(ALL_PAIRS, LARGEST))
