/** Groups by ranges of a numeric label. */
import * as assert from 'uvu/assert'
import { readSizingPolicy } from '../../../src/kinds/index.ts'
import { basisText, groupsOf, nodesOf, text } from '../../support/grouping.ts'
import { codes, fleetShape, policy } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'

const BY = { nodeGroupRanges: { label: 'mem', bounds: [8192, 32768] } }
const of = (mem: string, node: string, cpu = '4', more = {}) => fleetShape({ mem, ...more }, [node], cpu)
const read = (spec: Record<string, unknown>) => codes(readSizingPolicy(policy({ ...BY, ...spec })).findings)

suite('ranges', (test) => {
  test('cover every integer, one term each, and there is no remainder', () => {
    const { groups } = groupsOf([of('4096', 'a'), of('8192', 'b'), of('32768', 'c'), of('32767', 'd')], {
      ...BY,
      remainder: true,
      defaultNodeGroup: 'default',
    })
    assert.equal(
      groups.map((group) => [group.kind, group.id, group.namePart, text(group.terms), nodesOf(group).join(' ')]),
      [
        ['range', 'range:lt-8192', 'lt-8192', 'mem Lt [8192]', 'a'],
        ['range', 'range:8192-32767', '8192-32767', 'mem Gt [8191], mem Lt [32768]', 'd b'],
        ['range', 'range:ge-32768', 'ge-32768', 'mem Gt [32767]', 'c'],
        ['default', 'default', 'default', 'mem DoesNotExist', ''],
      ],
    )
  })
  for (const [name, shapes, want] of [
    ['the nearest smaller', [of('1', 'a', '1')], ['1 16Gi', '1 16Gi', '1 16Gi']],
    ['else the nearest larger', [of('32768', 'a', '9')], ['9 16Gi', '9 16Gi', '9 16Gi']],
    ['the nearest of several', [of('1', 'a', '1'), of('8192', 'b', '2')], ['1 16Gi', '2 16Gi', '2 16Gi']],
    ['the smaller of two', [of('1', 'a', '1'), of('99999', 'b', '9')], ['1 16Gi', '1 16Gi', '9 16Gi']],
    ['like the remainder where none has any', [fleetShape({ gpu: 'x' }, ['a'], '3')], ['3 16Gi', '3 16Gi', '3 16Gi']],
  ] as const)
    test(`without nodes: sized by ${name}`, () => {
      const { groups } = groupsOf([...shapes], { ...BY, groups: [{ name: 'g', nodeSelector: { gpu: 'x' } }] })
      assert.equal(
        groups.slice(1).map((group) => basisText(group)),
        want,
      )
    })
  test('another value is an error, unless an explicit group takes it; it is never named in a range', () => {
    const shapes = [of('1', 'a'), of('many', 'b'), of('9223372036854775808', 'c')]
    assert.equal(codes(groupsOf(shapes, BY).findings), ['RangeNotInteger', 'RangeNotInteger'])
    const { groups, findings } = groupsOf(shapes.slice(0, 2), {
      ...BY,
      groups: [{ name: 'odd', nodeSelector: { mem: 'many' } }],
    })
    assert.equal(codes(findings), [])
    assert.equal(
      groups.map(({ terms }) => text(terms)),
      ['', 'mem Lt [8192]', 'mem Gt [8191], mem Lt [32768]', 'mem Gt [32767]'],
    )
  })
  test('explicit groups by other labels are excluded', () => {
    const { groups } = groupsOf([of('1', 'a', '4', { gpu: 'x' }), of('1', 'b')], {
      ...BY,
      groups: [{ name: 'g', nodeSelector: { gpu: 'x' } }],
    })
    assert.is(text(groups[1]?.terms), 'mem Lt [8192], gpu NotIn [x]')
  })
  test('exclude labels and classes, and bounds rise', () => {
    assert.equal(read({}), [])
    assert.equal(read({ nodeGroupLabel: 'x' }), ['InvalidField'])
    assert.equal(read({ nodeGroupLabels: ['x'] }), ['InvalidField'])
    assert.equal(read({ classes: { ratio: 2 } }), ['InvalidField'])
    for (const bounds of [
      [],
      [2, 2],
      [3, 2],
      [0],
      [1.5],
      [2 ** 53],
      ['1'],
      Array.from({ length: 33 }, (_, i) => i + 1),
    ])
      assert.equal(read({ nodeGroupRanges: { label: 'mem', bounds } }), ['InvalidField'], JSON.stringify(bounds))
    assert.equal(read({ nodeGroupRanges: { label: 'mem', bounds: [1, 2 ** 53 - 1] } }), [])
    assert.equal(read({ nodeGroupRanges: { label: 'not a key', bounds: [1] } }), ['InvalidField'])
  })
  test('an explicit group cannot be cut out of a range', () => {
    assert.equal(read({ groups: [{ name: 'g', nodeSelector: { mem: '16384' } }] }), ['InvalidField'])
    assert.equal(read({ groups: [{ name: 'g', nodeSelector: { mem: 'many' } }] }), [])
  })
})
