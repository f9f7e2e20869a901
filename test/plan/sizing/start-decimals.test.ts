/** The fraction that a first policy takes of a GOMEMLIMIT: the number that is there, on the nodes that it starts from. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { decimal, timesRoundedDown } from '../../../src/kinds/index.ts'
import { Quantity } from '../../../src/kube/index.ts'
import { startFrom, startHeap } from '../../../src/plan/sizing/index.ts'
import { suite } from '../../support/suite.ts'

const MI = 1n << 20n
const memory = Quantity.parse('7134852Ki')
const basis = { cpu: Quantity.parse('1930m'), memory }
/** The fraction for a container with this limit and this variable, on m5.large. */
function fractionOf(limit: string | undefined, ...values: Array<string | undefined>): number | undefined {
  const resources = { requests: { memory: '1Mi' }, ...(limit === undefined ? {} : { limits: { memory: limit } }) }
  const env = values.map((value) => ({ name: 'GOMEMLIMIT', ...(value === undefined ? {} : { value }) }))
  const { value: rule } = startFrom(resources, basis, { cpu: 40, memory: 40 })
  if (rule === undefined) throw new Error('no rule')
  return startHeap({ name: 'agent', resources, env }, rule, memory)
}

suite('the fraction of a first GOMEMLIMIT', (test) => {
  const cases: Array<[name: string, limit: string | undefined, value: string | undefined, want: number | undefined]> = [
    ['80 %, rounded down, as charts write it', '512Mi', '409MiB', 0.8],
    ['90 %', '1Gi', '921MiB', 0.9],
    ['a limit that is no whole number of Mi', '500M', '381MiB', 0.8],
    ['an odd number: as many digits as it takes', '512Mi', '333MiB', 0.651],
    ['the whole limit', '512Mi', '512MiB', 1],
    ['more than the limit', '512Mi', '513MiB', undefined],
    ['no limit', undefined, '409MiB', undefined],
    ['a limit of 0, which is none', '0', '409MiB', undefined],
    ['another unit, which would come out otherwise', '2Gi', '1GiB', undefined],
    ['bytes', '512Mi', '428867584', undefined],
    ['off', '512Mi', 'off', undefined],
    ['nothing', '512Mi', '0MiB', undefined],
    ['read from somewhere', '512Mi', undefined, undefined],
  ]
  for (const [name, limit, value, want] of cases) test(name, () => assert.is(fractionOf(limit, value), want))
  test('no variable, and two', () => {
    assert.is(fractionOf('512Mi'), undefined)
    assert.is(fractionOf('512Mi', '409MiB', '409MiB'), undefined)
  })
  test('of any limit: the number that is there, on these nodes and on smaller ones', () => {
    fc.assert(
      fc.property(fc.integer({ min: 2, max: 6000 }), fc.integer({ min: 1, max: 6000 }), (limit, heap) => {
        const fraction = fractionOf(`${limit}Mi`, `${heap}MiB`)
        if (heap > limit) return fraction === undefined
        if (fraction === undefined) return false
        const { value: rule } = startFrom({ limits: { memory: `${limit}Mi` } }, basis, { cpu: 40, memory: 40 })
        const percentage = decimal(Number(rule?.resourcePercentages.limitMemory ?? 0))
        const exact = timesRoundedDown(memory.value(), percentage, 100n)
        const least = BigInt(limit) * MI
        return [least, exact < least ? least : exact].every(
          (amount) => timesRoundedDown(amount, decimal(fraction), MI) === BigInt(heap),
        )
      }),
      { numRuns: 2000 },
    )
  })
})
