/** A run for one policy alone, beside what other runs rendered, and what its own run did. */
import * as assert from 'uvu/assert'
import { newItem } from '../../src/krm/index.ts'
import { plan } from '../../src/rules/run.ts'
import { daemonSet, inventory, listOf, policy, shape, TYPE } from '../support/objects.ts'
import { errorsOf } from '../support/orders.ts'
import { suite } from '../support/suite.ts'

const NODES = inventory([shape({ [TYPE]: 'm5' }, ['a', 'b'])])
const alone = (name: string) => newItem(policy({}, name))

suite('a run for one policy', (test) => {
  const first = plan(listOf([NODES, policy(), daemonSet()]))
  const items = [...first.items]
  const list = { apiVersion: 'config.kubernetes.io/v1', items, results: [] }
  test('goes on with its own output', () =>
    assert.equal(errorsOf(plan({ ...list, functionConfig: alone('agent') })), []))
  test('does not double that of another', () =>
    assert.ok(errorsOf(plan({ ...list, functionConfig: alone('second') })).includes('PolicyOverlap')))
})
