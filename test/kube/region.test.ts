/** Where pods may be, as a set of nodes: what is in it, what is left of it, and what cannot be read. */
import * as assert from 'uvu/assert'
import {
  firstOverlap,
  KubeError,
  matchesNode,
  type NodeIdentity,
  type NodeSelectorTerm,
  type PodPlacement,
  Region,
  regionOfPod,
} from '../../src/kube/index.ts'
import { suite } from '../support/suite.ts'

const LIMIT = 1000
const where = (...nodeSelectorTerms: NodeSelectorTerm[]): PodPlacement => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
})
const label = (key: string, operator: string, ...values: string[]) =>
  values.length === 0 ? { key, operator } : { key, operator, values }
const on = (...matchExpressions: NonNullable<NodeSelectorTerm['matchExpressions']>) =>
  regionOfPod(where({ matchExpressions }))
const named = (operator: string, value: string, key = 'metadata.name') =>
  regionOfPod(where({ matchFields: [{ key, operator, values: [value] }] }))
const without = (from: Region, ...regions: Region[]) => {
  const left = from.minus(Region.union(regions), LIMIT)
  assert.ok(left !== undefined)
  return left as Region
}

const WITNESSES: Array<[name: string, region: Region, want: NodeIdentity | undefined]> = [
  ['a pod that asks for nothing', regionOfPod({}), { name: 'any-node', labels: {} }],
  [
    'null says nothing',
    regionOfPod({ nodeName: null, nodeSelector: null, affinity: null }),
    { name: 'any-node', labels: {} },
  ],
  ['no terms match nothing', regionOfPod(where()), undefined],
  ['an empty term matches nothing', regionOfPod(where({})), undefined],
  ['nor does one of empty lists', regionOfPod(where({ matchExpressions: [], matchFields: [] })), undefined],
  [
    'beside another it does not matter',
    regionOfPod(where({}, { matchExpressions: [label('a', 'Exists')] })),
    { name: 'any-node', labels: { a: 'other' } },
  ],
  ['nodeName', regionOfPod({ nodeName: 'n1' }), { name: 'n1', labels: {} }],
  ['an empty nodeName', regionOfPod({ nodeName: '' }), { name: 'any-node', labels: {} }],
  ['a nodeName that no node has', regionOfPod({ nodeName: 'N_1' }), undefined],
  ['nodeName and another name', regionOfPod({ nodeName: 'n1' }).and(named('In', 'n2')), undefined],
  [
    'nodeName and not another name',
    regionOfPod({ nodeName: 'n1' }).and(named('NotIn', 'n2')),
    { name: 'n1', labels: {} },
  ],
  ['matchFields', named('In', 'n1'), { name: 'n1', labels: {} }],
  ['matchFields NotIn', named('NotIn', 'any-node'), { name: 'any-node-2', labels: {} }],
  ['another field is empty', named('In', '', 'spec.unschedulable'), { name: 'any-node', labels: {} }],
  ['and nothing else', named('In', 'true', 'spec.unschedulable'), undefined],
  ['so that NotIn holds', named('NotIn', 'true', 'spec.unschedulable'), { name: 'any-node', labels: {} }],
  ['but not of the empty value', named('NotIn', '', 'spec.unschedulable'), undefined],
  ['no name is empty', named('In', ''), undefined],
  [
    'a label called metadata.name is not the name',
    named('In', 'n1').and(on(label('metadata.name', 'In', 'n2'))),
    { name: 'n1', labels: { 'metadata.name': 'n2' } },
  ],
  [
    'labels are sorted',
    regionOfPod({ nodeSelector: { b: '1', a: '2' } }),
    { name: 'any-node', labels: { a: '2', b: '1' } },
  ],
  [
    'nodeSelector and a term that contradicts it',
    regionOfPod({ nodeSelector: { a: '1' }, ...where({ matchExpressions: [label('a', 'NotIn', '1')] }) }),
    undefined,
  ],
  ['a selector value that no label may have', regionOfPod({ nodeSelector: { a: '-5' } }), undefined],
  ['a selector key that no label may have', regionOfPod({ nodeSelector: { 'a b': 'x' } }), undefined],
  ['a selector value that is no text', regionOfPod({ nodeSelector: { a: 1 as never } }), undefined],
  [
    'one integer in two requirements',
    on(label('a', 'Gt', '5'), label('a', 'Lt', '7'), label('a', 'NotIn', '6')),
    { name: 'any-node', labels: { a: '06' } },
  ],
]

const GROUPS = ['m5', 'c5', 'r5']
const values = GROUPS.map((one) => on(label('type', 'In', one)))
const remainder = on(label('type', 'Exists'), label('type', 'NotIn', ...GROUPS))
const unlabelled = on(label('type', 'DoesNotExist'))
const ranges = [
  on(label('memory', 'Lt', '8192')),
  on(label('memory', 'Gt', '8191'), label('memory', 'Lt', '32768')),
  on(label('memory', 'Gt', '32767')),
]
const one = (key: string, value: string) => label(key, 'In', value)

const REST: Array<[name: string, from: Region, taken: Region[], want: NodeIdentity | undefined]> = [
  ['values, remainder and the default group are all', Region.everywhere, [...values, remainder, unlabelled], undefined],
  [
    'without the remainder: a type nobody has seen',
    Region.everywhere,
    [...values, unlabelled],
    { name: 'any-node', labels: { type: 'other' } },
  ],
  ['without the default group: no label', Region.everywhere, [...values, remainder], { name: 'any-node', labels: {} }],
  [
    'without a group that the remainder excludes',
    Region.everywhere,
    [...values.slice(1), remainder, unlabelled],
    { name: 'any-node', labels: { type: 'm5' } },
  ],
  [
    'the template’s other terms do not matter',
    regionOfPod({ nodeSelector: { os: 'linux' } }),
    [...values, remainder, unlabelled],
    undefined,
  ],
  [
    'a group of linux alone',
    Region.everywhere,
    [...values.slice(1), values[0]?.and(on(one('os', 'linux'))) ?? Region.nowhere, remainder, unlabelled],
    { name: 'any-node', labels: { type: 'm5' } },
  ],
  [
    'ranges leave what is no integer',
    on(label('memory', 'Exists')),
    ranges,
    { name: 'any-node', labels: { memory: 'other' } },
  ],
  ['and nothing else', on(label('memory', 'Gt', '0')), ranges, undefined],
  [
    'ranges with a gap',
    on(label('memory', 'Gt', '0')),
    [...ranges.slice(0, 1), on(label('memory', 'Gt', '8192'))],
    { name: 'any-node', labels: { memory: '8192' } },
  ],
  [
    'the rest of a combination of labels',
    Region.everywhere,
    [on(one('a', '1'), one('b', '1')), on(label('a', 'NotIn', '1'))],
    { name: 'any-node', labels: { a: '1' } },
  ],
  ['one by name', Region.everywhere, [named('NotIn', 'n1')], { name: 'n1', labels: {} }],
  [
    'a pinned pod on all but its node',
    regionOfPod({ nodeName: 'n1' }),
    [named('NotIn', 'n1')],
    { name: 'n1', labels: {} },
  ],
  ['all but nowhere', regionOfPod({ nodeName: 'n1' }), [], { name: 'n1', labels: {} }],
]

const MALFORMED: Array<[name: string, term: unknown]> = [
  ['an unknown operator', { matchExpressions: [label('a', 'Near')] }],
  ['a bound that is no label value', { matchExpressions: [label('a', 'Gt', '-5')] }],
  ['a key that is none', { matchExpressions: [label('a b', 'Exists')] }],
  ['a field with two values', { matchFields: [label('metadata.name', 'In', 'a', 'b')] }],
  ['a field that exists', { matchFields: [label('metadata.name', 'Exists')] }],
  ['a term that is no map', 'a'],
  ['expressions that are no list', { matchExpressions: {} }],
]

suite('Region', (test) => {
  for (const [name, region, want] of WITNESSES)
    test(`a witness: ${name}`, () => {
      assert.equal(region.witness(), want)
      assert.is(region.isEmpty(), want === undefined)
    })
  for (const [name, from, taken, want] of REST)
    test(`what is left: ${name}`, () => assert.equal(without(from, ...taken).witness(), want))
  for (const [name, term] of MALFORMED)
    test(`malformed: ${name}`, () => {
      const pod = where({ matchExpressions: [label('x', 'In', 'y')] }, term as NodeSelectorTerm)
      for (const act of [() => regionOfPod(pod), () => matchesNode({ name: 'n', labels: {} }, pod as never)])
        assert.throws(act, (error: unknown) => error instanceof KubeError)
    })
  test('groups of one label come to one alternative', () => {
    assert.is(Region.union([...values, remainder]).alternatives.length, 1)
    assert.is(Region.union([...values, remainder, unlabelled]).alternatives.length, 1)
    assert.is(without(Region.everywhere, ...values).alternatives.length, 1)
  })
  test('the full product of two labels does, too', () => {
    const product = GROUPS.flatMap((type) => ['a', 'b'].map((zone) => on(one('type', type), one('zone', zone))))
    assert.is(Region.union(product).alternatives.length, 1)
  })
  test('beyond the limit nothing is known', () => {
    const pairs = Array.from({ length: 12 }, (_, index) => on(one(`a${index}`, '1'), one(`b${index}`, '1')))
    assert.is(Region.everywhere.minus(Region.union(pairs), LIMIT), undefined)
    assert.is(Region.everywhere.minus(Region.union(pairs), 5000)?.alternatives.length, 2 ** 12)
    assert.is(Region.everywhere.minus(Region.union(pairs.slice(0, 9)), LIMIT)?.alternatives.length, 2 ** 9)
  })
  test('the first two that meet, with a node', () => {
    assert.is(firstOverlap([]), undefined)
    assert.is(firstOverlap([...values, remainder, unlabelled]), undefined)
    const node = { name: 'any-node', labels: { type: 'c5' } }
    assert.equal(firstOverlap([...values, on(one('type', 'c5'))]), { earlier: 1, later: 3, node })
    assert.equal(firstOverlap([on(label('type', 'NotIn', 'm5')), ...values])?.later, 2)
    assert.equal(firstOverlap([...values, on(label('type', 'NotIn', 'm5'))])?.earlier, 1)
    assert.is(
      firstOverlap([regionOfPod(where({ matchExpressions: [one('a', '1')] }, { matchExpressions: [one('b', '1')] }))]),
      undefined,
    )
  })
  test('fixed labels are those that all alternatives have', () => {
    const pod = {
      nodeSelector: { os: 'linux' },
      ...where(
        { matchExpressions: [one('a', '1'), one('b', '1')] },
        { matchExpressions: [one('a', '1'), one('b', '2')] },
      ),
    }
    assert.equal(regionOfPod(pod).fixedLabels, { os: 'linux', a: '1' })
    assert.equal(Region.everywhere.fixedLabels, {})
    assert.equal(Region.nowhere.fixedLabels, {})
  })
})
