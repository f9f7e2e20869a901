/** Nodes in a combination that nobody has seen. */
import * as assert from 'uvu/assert'
import { assignNames } from '../../../src/plan/sizing/index.ts'
import { groupsOf, text } from '../../support/grouping.ts'
import { fleetShape, settings } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'

const LABELS = ['one', 'two', 'three']
const remainders = (combinations: string[], labels = LABELS) => {
  const shapes = combinations.map((values, index) =>
    fleetShape(Object.fromEntries([...values].map((value, at) => [labels[at] ?? '', value])), [`n${index}`]),
  )
  const { groups } = groupsOf(shapes, { nodeGroupLabels: labels, remainder: true })
  return groups.filter(({ kind }) => kind === 'remainder')
}
const lines = (...args: Parameters<typeof remainders>) => remainders(...args).map(({ terms }) => text(terms))

suite('the remainder', (test) => {
  test('of one label', () => assert.equal(lines(['b', 'a'], ['one']), ['one Exists, one NotIn [a b]']))
  test('of two: known values with the same next values share one', () =>
    assert.equal(lines(['ax', 'ay', 'bx', 'by', 'cx'], ['one', 'two']), [
      'one Exists, one NotIn [a b c], two Exists',
      'one In [a b], two Exists, two NotIn [x y]',
      'one In [c], two Exists, two NotIn [x]',
    ]))
  test('of three: only where they form a full product', () =>
    assert.equal(lines(['axp', 'ayp', 'bxp']), [
      'one Exists, one NotIn [a b], two Exists, three Exists',
      'one In [a], two Exists, two NotIn [x y], three Exists',
      'one In [b], two Exists, two NotIn [x], three Exists',
      'one In [a], two In [x y], three Exists, three NotIn [p]',
      'one In [b], two In [x], three Exists, three NotIn [p]',
    ]))
  test('every one of them takes one term, whatever the order of the nodes', () => {
    const all = ['axp', 'ayp', 'bxp', 'bxq', 'cyq', 'czq', 'dyq', 'dzq']
    for (const { terms } of remainders(all)) assert.is(terms?.length, 1)
    assert.equal(lines([...all].reverse()), lines(all))
  })
  test('names: the first as ever, the others with a hash that only their own values change', () => {
    const namesOf = (combinations: string[]) => {
      const groups = remainders(combinations, ['one', 'two'])
      const own = settings({ nodeGroupLabels: ['one', 'two'] })
      const { names } = assignNames(groups, own, new Map(), { target: 'agent', suffix: '' })
      return groups.map(({ id }) => names.get(id))
    }
    const before = namesOf(['ax', 'by'])
    assert.equal(before[0], { name: 'agent-remainder', label: 'remainder' })
    assert.match(before[1]?.name ?? '', /^agent-remainder-[0-9a-f]{6}$/)
    assert.is(new Set(before.map((one) => one?.name)).size, 3)
    assert.equal(namesOf(['ax', 'by', 'cx']), before, 'a value that joins changes no name')
    const long = { target: 'a'.repeat(50), suffix: '' }
    const groups = remainders(['ax', 'by'], ['one', 'two'])
    const { names, findings } = assignNames(groups, settings({ nodeGroupLabels: ['one', 'two'] }), new Map(), long)
    assert.equal(findings, [])
    for (const { name } of names.values()) assert.ok(name.length <= 63)
  })
})
