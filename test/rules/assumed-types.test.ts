/** What a NodePool may create of an instance type that no node has. */
import * as assert from 'uvu/assert'
import { assumedType } from '../../src/rules/autoscaler/counts.ts'
import type { InstanceType } from '../../src/rules/autoscaler/instance-type.ts'
import { ZONE } from '../../src/rules/autoscaler/label-keys.ts'
import type { Pool } from '../../src/rules/autoscaler/node-pool.ts'
import { suite } from '../support/suite.ts'

const CORES = 'karpenter.k8s.aws/instance-cpu'
const POOL: Pool = { name: 'p', wants: new Map(), taints: [], limits: new Map(), isShown: true }
const known: InstanceType[] = [
  {
    name: 'm5.large',
    values: new Map([
      [ZONE, ['eu-central-1a']],
      [CORES, ['2']],
    ]),
    capacity: {},
  },
]

suite('an instance type that no node has', (test) => {
  test('has the zones of those that nodes have, and none of their own labels', () => {
    const { candidates } = assumedType('', POOL, [], { keys: [ZONE, CORES], known })
    assert.equal(
      candidates.map(({ values }) => [...values]),
      [[[ZONE, ['eu-central-1a']]]],
    )
  })
})
