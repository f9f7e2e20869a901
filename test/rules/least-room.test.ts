/** The short way of `proof/fit`: a pod that it calls fitting everywhere lacks nothing on any node that says what it has. */
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import type { Fleet } from '../../src/facts/inventory/index.ts'
import { Quantity, resourceShortages } from '../../src/kube/index.ts'
import type { Pod } from '../../src/rules/fit/agents.ts'
import { fitsEverywhereIn, isKnown, reports } from '../../src/rules/fit/shortages.ts'
import { leastCount } from '../support/least-count.ts'
import { fleetShape } from '../support/objects.ts'
import { suite } from '../support/suite.ts'

const amount = (...texts: string[]) => fc.constantFrom(...texts)
const allocatable = fc.record(
  {
    cpu: amount('0', '100m', '1', '1500m', '4'),
    memory: amount('0', '64Mi', '1Gi', '1073741825', '4G'),
    'ephemeral-storage': amount('1Gi', '10Gi', 'x'),
    pods: amount('0', '1', '110'),
    'nvidia.com/gpu': amount('0', '1', '8'),
  },
  { requiredKeys: [] },
)
const requests = fc.record(
  {
    cpu: amount('0', '100m', '100001u', '1', '4'),
    memory: amount('1', '64Mi', '1Gi', '1073741824500m'),
    'ephemeral-storage': amount('1Gi', '2Gi'),
    'nvidia.com/gpu': amount('0', '1', '2'),
  },
  { requiredKeys: [] },
)

suite('a pod that fits on every node', (test) => {
  test('lacks nothing on any that says what it has', () => {
    const counts = { yes: 0, no: 0 }
    fc.assert(
      fc.property(fc.array(allocatable, { minLength: 1, maxLength: 4 }), requests, (nodes, own) => {
        const shapes = nodes.map((one, index) => fleetShape({}, [`n${index}`], '1', '1Gi', { allocatable: one }))
        const quantities = Object.fromEntries(Object.entries(own).map(([name, text]) => [name, Quantity.parse(text)]))
        const pod = { requests: quantities } as unknown as Pod
        const isYes = fitsEverywhereIn([{ shapes } as unknown as Fleet])(pod)
        counts[isYes ? 'yes' : 'no']++
        if (!isYes) return
        for (const shape of shapes.filter((one) => reports(one))) {
          const lacks = resourceShortages(quantities, shape.allocatable).filter(({ resource }) =>
            isKnown(resource, shape.allocatable),
          )
          assert.equal(lacks, [])
        }
      }),
      { numRuns: 3000, seed: 7 },
    )
    const least = leastCount(counts.yes + counts.no, 0.38)
    assert.ok(Math.min(counts.yes, counts.no) >= least, JSON.stringify(counts))
  })
})
