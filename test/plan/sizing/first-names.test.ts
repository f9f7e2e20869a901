/** What a new policy names so that its first render has no two objects of one name. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { firstNames, plainName } from '../../../src/plan/sizing/index.ts'
import { plan } from '../../../src/rules/run.ts'
import { groupsOf } from '../../support/grouping.ts'
import { daemonSet, fleetShape, inventory, listOf, policy, shape, TYPE } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'

const NAMING = { target: 'agent', suffix: '' }
const WHOLE = { remainder: true, defaultNodeGroup: 'default' }
const fieldsFor = (values: Array<string | undefined>, taken: string[] = []) => {
  const shapes = values.map((value, at) => fleetShape(value === undefined ? {} : { [TYPE]: value }, [`n${at}`]))
  return firstNames(groupsOf(shapes, WHOLE).groups, NAMING, new Set(taken)).fields
}

suite('names of a new policy', (test) => {
  test('none where all differ', () => assert.equal(fieldsFor(['m5.large', 'm5.xlarge', undefined]), {}))
  test('a pool called default: the nodes without the label get another name', () => {
    assert.equal(fieldsFor(['default', 'spot']), { defaultNodeGroup: 'unlabelled' })
    assert.equal(fieldsFor(['default', undefined]), { defaultNodeGroup: 'unlabelled' })
    assert.equal(fieldsFor(['default', 'unlabelled']), { defaultNodeGroup: 'unlabelled-nodes' })
  })
  test('values that come to one name: all but the first', () => {
    assert.equal(fieldsFor(['m5.large', 'm5_large', 'm5-large']), {
      names: { 'm5.large': 'agent-m5-large-baa340', m5_large: 'agent-m5-large-ad36e8' },
    })
  })
  test('a value called like the group of new values', () => {
    const { names = {} } = fieldsFor(['remainder', 'm5.large'])
    assert.equal(Object.keys(names), ['remainder'])
    assert.match(names.remainder ?? '', /^agent-remainder-[0-9a-f]{6}$/)
  })
  test('a name that another policy of the namespace has', () => {
    const { names = {} } = fieldsFor(['m5.large'], ['agent-m5-large'])
    assert.equal(Object.keys(names), ['m5.large'])
  })
  test('of a drawn fleet: the first render has no collision, and no entry that names nothing', () => {
    const value = fc.constantFrom(
      'default',
      'Default',
      'remainder',
      'a.b',
      'a_b',
      'a-b',
      'A-B',
      'empty',
      '',
      'unlabelled',
      'x',
    )
    fc.assert(
      fc.property(fc.uniqueArray(fc.oneof(value, fc.constant(undefined)), { minLength: 1, maxLength: 8 }), (values) => {
        const fields = fieldsFor(values)
        const shapes = values.map((one, at) => shape(one === undefined ? {} : { [TYPE]: one }, [`n${at}`]))
        if (values.every((one) => one === undefined)) return
        const { findings } = plan(listOf([inventory(shapes), policy(fields), daemonSet()]))
        const found = findings.filter(({ code }) => ['NameCollision', 'NameInvalid', 'OverrideUnused'].includes(code))
        assert.equal(
          found.map(({ message }) => message),
          [],
        )
      }),
      { numRuns: 300 },
    )
  })
  test('begin as the names of the policy do', () =>
    assert.ok((fieldsFor(['a.b', 'a_b']).names?.a_b ?? '').startsWith(plainName(NAMING, 'a-b'))))
})
