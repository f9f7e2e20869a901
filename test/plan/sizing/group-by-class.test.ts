/** Label values of similar size share a group. */
import * as assert from 'uvu/assert'
import { readSizingPolicy } from '../../../src/kinds/index.ts'
import { newItem } from '../../../src/krm/index.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { plan } from '../../../src/rules/run.ts'
import { basisText, groupsOf, nodesOf, text } from '../../support/grouping.ts'
import {
  codes,
  daemonSet,
  fleetShape,
  inventory,
  listOf,
  policy,
  rendered,
  shape,
  TYPE,
} from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'

const of = (type: string, cpu: string, memory: string, node = type) => fleetShape({ [TYPE]: type }, [node], cpu, memory)
const by = (ratio: number) => ({ classes: { ratio } })
const earlier = (id: string, values: unknown) => {
  const terms = [{ matchExpressions: [{ key: TYPE, operator: 'In', values }] }]
  const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } }
  const annotations = { 'nodefit.dev/owner': 'SizingPolicy/agent', 'nodefit.dev/group': id }
  return newItem(daemonSet({ affinity }, { name: `agent-${id.slice(6)}`, annotations }) as KubernetesObject)
}

suite('classes', (test) => {
  for (const [cpu, memory, ratio, want] of [
    ['1930m', '7134856Ki', 2, '2cpu-8gi'],
    ['1500m', '6Gi', 2, '2cpu-8gi'],
    ['1499999999n', '6442450943', 2, '1cpu-4gi'],
    ['3', '12Gi', 2, '4cpu-16gi'],
    ['2999m', '12Gi', 2, '2cpu-16gi'],
    ['750m', '768Mi', 2, '1cpu-1gi'],
    ['749m', '767Mi', 2, '500m-512mi'],
    ['250m', '256Mi', 3, '333m-341mi'],
    ['1n', '1', 2, '1m-1mi'],
    ['1n', '1', 16, '3m-4mi'],
    ['11', '47Gi', 16, '1cpu-16gi'],
    ['12', '48Gi', 16, '16cpu-16gi'],
  ] as const)
    test(`${cpu} and ${memory} by ${ratio} is ${want}`, () =>
      assert.equal(groupsOf([of('t', cpu, memory)], by(ratio)).ids, [`class:${want}`]))
  test('H37 thirty instance types of three sizes are three groups', () => {
    const shapes = Array.from({ length: 30 }, (_, index) => of(`t${index}`, `${2 ** (1 + (index % 3))}`, '16Gi'))
    assert.equal(groupsOf(shapes, by(2)).ids, ['class:2cpu-16gi', 'class:4cpu-16gi', 'class:8cpu-16gi'])
  })
  test('one term, values sorted bytewise, and a remainder beside them', () => {
    const { groups } = groupsOf(
      [of('b', '4', '16Gi'), of('a', '3900m', '15Gi'), of('B', '4', '16Gi'), of('z', '64', '1Ti')],
      {
        ...by(2),
        remainder: true,
      },
    )
    assert.equal(
      groups.map(({ kind, terms }) => [kind, text(terms)]),
      [
        ['class', `${TYPE} In [B a b]`],
        ['class', `${TYPE} In [z]`],
        ['remainder', `${TYPE} Exists, ${TYPE} NotIn [B a b z]`],
      ],
    )
  })
  test('by the smallest node of the value, and by no other value’s', () => {
    const shapes = [of('t', '16', '64Gi', 'big'), of('t', '2', '8Gi', 'small'), of('u', '2', '8Gi')]
    assert.equal(groupsOf(shapes, by(2)).ids, ['class:2cpu-8gi'])
    assert.equal(groupsOf(shapes.slice(0, 2), by(2)).ids, ['class:2cpu-8gi'])
  })
  for (const [cpu, percent, want] of [
    ['2910m', 3, 'class:2cpu-8gi'],
    ['2911m', 3, 'class:4cpu-8gi'],
    ['2999m', 0, 'class:2cpu-8gi'],
    ['6', 3, 'class:4cpu-8gi'],
    ['6179m', 3, 'class:4cpu-8gi'],
    ['6180m', 3, 'class:8cpu-8gi'],
    ['100m', 96, 'class:125m-8gi'],
    ['100m', 99, 'class:4cpu-8gi'],
  ] as const)
    test(`${cpu} that was 4cpu is ${want} within ${percent} percent`, () => {
      const input = { earlier: [earlier('class:4cpu-8gi', ['t'])] }
      assert.equal(groupsOf([of('t', cpu, '8Gi')], { ...by(2), hysteresisPercent: percent }, input).ids, [want])
    })
  test('earlier output that a user garbled is no earlier class', () => {
    const values = [undefined, null, 'ab', [7], { a: 1 }]
    for (const value of values)
      assert.equal(groupsOf([of('t', '2', '8Gi')], by(2), { earlier: [earlier('class:4cpu-8gi', value)] }).ids, [
        'class:2cpu-8gi',
      ])
    const garbled = groupsOf([of('t', '2', '8Gi')], by(2), { earlier: [earlier('class:2cpu-8gi', 7)] })
    assert.equal(codes(garbled.findings), [], 'nobody knows who joined')
    const input = { earlier: [earlier('class:odd', ['t'])] }
    assert.equal(groupsOf([of('t', '2', '8Gi')], { ...by(2), hysteresisPercent: 50 }, input).ids, ['class:2cpu-8gi'])
  })
  test('a value that reports nothing stays in its class, or is the remainder’s', () => {
    const bare = fleetShape({ [TYPE]: 'bare' }, ['x'], '0', '0')
    const shapes = [of('t', '2', '8Gi'), bare]
    const left = groupsOf(shapes, { ...by(2), remainder: true })
    assert.equal(
      [codes(left.findings), text(left.groups.at(-1)?.terms)],
      [['NodesNotSized'], `${TYPE} Exists, ${TYPE} NotIn [t]`],
    )
    const remainder = left.groups.at(-1)
    assert.equal([remainder && nodesOf(remainder), basisText(remainder)], [['x'], '2 8Gi'])
    assert.equal(codes(groupsOf(shapes, by(2)).findings), ['NoAllocatable'])
    const stays = groupsOf(shapes, by(2), { earlier: [earlier('class:2cpu-8gi', ['bare', 't'])] })
    assert.equal([codes(stays.findings), text(stays.groups[0]?.terms)], [[], `${TYPE} In [bare t]`])
  })
  test('the middle of a class is of all its nodes; values are told apart by their smallest', () => {
    const shapes = [of('t', '3', '8Gi', 't-1'), of('t', '5', '8Gi', 't-2'), of('u', '4', '8Gi', 'u-1')]
    const { groups, ids } = groupsOf(shapes, { ...by(2), basis: 'median' })
    assert.equal([ids, groups.map((group) => basisText(group, 'median'))], [['class:4cpu-8gi'], ['4 8Gi']])
  })
  test('who joins and who leaves is said with the count, from render to render', () => {
    const nodes = (...types: string[]) =>
      inventory(types.map((type) => shape({ [TYPE]: type }, [`${type}-1`, `${type}-2`])))
    const first = plan(listOf([nodes('a', 'b'), policy(by(2)), daemonSet()]))
    const again = (inventoryNow: KubernetesObject) =>
      plan(listOf(first.items.map(({ object }) => (object.kind === 'NodeInventory' ? inventoryNow : object))))
    const said = (inventoryNow: KubernetesObject) =>
      again(inventoryNow).findings.flatMap(({ code, sentence }) => (code === 'ClassChanged' ? [sentence] : []))
    assert.equal([...rendered(first.items).keys()].sort(), ['agent-4cpu-16gi', 'agent-default', 'agent-remainder'])
    assert.equal(said(nodes('a', 'b')), [])
    assert.equal(
      said(nodes('c', 'a')),
      ['agent: c joined class:4cpu-16gi; its pods on 4 nodes restart'],
      'b may come back',
    )
  })
  test('who is gone leaves its class after retainGroups', () => {
    const nodes = (...types: string[]) => inventory(types.map((type) => shape({ [TYPE]: type }, [`${type}-1`])))
    const first = plan(listOf([nodes('a', 'b'), policy({ ...by(2), retainGroups: '0s' }), daemonSet()]))
    const gone = plan(listOf(first.items.map(({ object }) => (object.kind === 'NodeInventory' ? nodes('a') : object))))
    const said = gone.findings.flatMap(({ code, sentence }) => (code === 'ClassChanged' ? [sentence] : []))
    assert.equal(said, ['agent: b left class:4cpu-16gi; its pods on 1 node restart'])
  })
  test('one label only, and a ratio from 2 to 16', () => {
    const read = (spec: Record<string, unknown>) => codes(readSizingPolicy(policy(spec)).findings)
    assert.equal(read({ ...by(2), nodeGroupLabels: ['a'] }), [])
    assert.equal(read({ ...by(2), nodeGroupLabels: ['a', 'b'] }), ['InvalidField'])
    assert.equal(read({ nodeGroupLabels: ['a', 'a'] }), ['InvalidField'])
    for (const ratio of [1, 17, 2.5, '2']) assert.equal(read({ classes: { ratio } }), ['InvalidField'], String(ratio))
    assert.equal(read({ classes: {} }), ['InvalidField'])
  })
})
