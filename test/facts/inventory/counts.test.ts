/** Inventories that count nodes and do not name them: how they are written and read. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { isCounted, isDeclared, readFleet, toInventory } from '../../../src/facts/inventory/index.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { plan } from '../../../src/rules/run.ts'
import { inventoryFrom, NODE_LISTS, nodesIn } from '../../support/node-lists.ts'
import {
  codes,
  countedShape,
  daemonSet,
  inventory,
  listOf,
  node,
  policy,
  rendered,
  shape,
  TYPE,
} from '../../support/objects.ts'
import { errorsOf } from '../../support/orders.ts'
import { suite } from '../../support/suite.ts'

const runs = (...objects: KubernetesObject[]) => plan(listOf(objects))

suite('writing counts', (test) => {
  for (const file of NODE_LISTS)
    test(`${file}: the same shapes, with no name and no uid`, () => {
      const nodes = nodesIn(file)
      const text = JSON.stringify(inventoryFrom(nodes, { counts: true }))
      for (const { metadata } of nodes) {
        assert.not.ok(text.includes(metadata.name))
        assert.not.ok(metadata.uid !== undefined && text.includes(String(metadata.uid)))
      }
      const specOf = (options: object) => inventoryFrom(nodes, options).spec as { nodeCount: number; shapes: object[] }
      const withCounts = specOf({}).shapes.map((one) => {
        const { nodes: names, ...rest } = one as { nodes: string[] }
        return { ...rest, count: names.length }
      })
      assert.equal(specOf({ counts: true }).shapes, withCounts)
      assert.is(specOf({ counts: true }).nodeCount, nodes.length)
    })
  test('the order of nodes does not matter', () => {
    const nodes = nodesIn('eks.yaml')
    const written = inventoryFrom(nodes, { counts: true })
    fc.assert(
      fc.property(fc.shuffledSubarray(nodes, { minLength: nodes.length }), (shuffled) =>
        assert.equal(inventoryFrom(shuffled, { counts: true }), written),
      ),
      { numRuns: 20 },
    )
  })
  test('what was read of counts is written as counts', () => {
    const shapes = [shape({ [TYPE]: 'm5' }, ['a'], '4', '16Gi', { capacity: {} }), countedShape({ [TYPE]: 'c5' }, 3)]
    const { value } = readFleet([inventory(shapes)], undefined)
    const { spec } = toInventory(value?.shapes ?? [], { name: 'x', cluster: 'x', labelKeys: ['*'] }) as {
      spec: { nodeCount: number; shapes: Array<{ nodes?: string[]; count?: number }> }
    }
    assert.is(spec.nodeCount, 4)
    assert.equal(
      spec.shapes.map(({ nodes, count }) => nodes ?? count),
      [3, ['a']],
    )
  })
  test('a label that says which node it is on is refused', () => {
    const named = [node('a.b', { 'kubernetes.io/hostname': 'a' }), node('c', { id: 'c', pool: 'p' })]
    const write = (...label: string[]) => inventoryFrom(named, { counts: true, label })
    assert.throws(() => write('kubernetes.io/*'), /the label kubernetes\.io\/hostname contains them/)
    assert.throws(() => write('id'), /the label id contains them/)
    assert.not.throws(() => write('pool'))
    assert.not.throws(() => inventoryFrom(named, { label: ['id'] }))
  })
})

suite('reading counts', (test) => {
  const read = (one: object) => readFleet([inventory([], { nodeCount: 3, shapes: [one] })], undefined)
  test('a shape has a count, and no names', () => {
    const { value, findings } = read(countedShape({ [TYPE]: 'm5' }, 3))
    assert.equal(findings, [])
    const [only] = value?.shapes ?? []
    assert.equal([only?.nodes, only?.nodeCount], [[], 3])
    assert.equal([only && isCounted(only), only && isDeclared(only)], [true, false])
  })
  test('count: 0 is nodes: []', () => {
    const declared = [countedShape({ [TYPE]: 'm5' }, 0), shape({ [TYPE]: 'm5' }, [])]
    const [zero, none] = declared.map((one) => runs(inventory([one]), policy(), daemonSet()))
    assert.equal(errorsOf(zero as never), [])
    assert.equal([...rendered(zero?.items ?? [])], [...rendered(none?.items ?? [])])
    assert.equal(
      zero?.findings.map(({ message }) => message),
      none?.findings.map(({ message }) => message),
    )
    assert.equal(codes(readFleet([inventory([declared[0] as object])], undefined).findings), [])
  })
  test('nodeCount is names and counts together', () => {
    const both = (nodeCount: number) =>
      readFleet([inventory([shape({}, ['a']), countedShape({ x: 'y' }, 2)], { nodeCount })], undefined)
    assert.equal(codes(both(3).findings), [])
    for (const nodeCount of [1, 2, 4]) assert.equal(codes(both(nodeCount).findings), ['InventoryCut'])
    assert.match(both(4).findings[0]?.sentence ?? '', 'has 3 nodes, but nodeCount is 4')
  })
  for (const [what, one, message] of [
    ['negative', countedShape({}, -1), 'spec.shapes.0.count must be >= 0, but is -1'],
    ['1e300', countedShape({}, 1e300), 'spec.shapes.0.count must be <= 2147483647'],
    ['2^53+1', countedShape({}, 2 ** 53 + 1), 'spec.shapes.0.count must be <= 2147483647'],
    ['2^53+1 as it was read', countedShape({}, 2n ** 53n + 1n), 'spec.shapes.0.count must be integer'],
    ['one more than replicas can be', countedShape({}, 2 ** 31), 'spec.shapes.0.count must be <= 2147483647'],
    ['a fraction', countedShape({}, 1.5), 'spec.shapes.0.count must be integer, but is 1.5'],
    ['no number', countedShape({}, Number.NaN), 'spec.shapes.0.count must be integer'],
    ['a string', countedShape({}, '3'), 'spec.shapes.0.count must be integer, but is "3"'],
    ['null', countedShape({}, null), 'spec.shapes.0.count must be integer, but is null'],
    ['a list', countedShape({}, ['a']), 'spec.shapes.0.count must be integer'],
    ['both', { ...shape({}, ['a', 'b', 'c']), count: 3 }, 'spec.shapes.0 must have exactly one of nodes and count'],
    ['both, and none', { ...shape({}, []), count: 0 }, 'spec.shapes.0 must have exactly one of nodes and count'],
    ['neither', { labels: {} }, 'spec.shapes.0 must have exactly one of nodes and count'],
  ] as const)
    test(`a count that is ${what} is refused in one sentence`, () => {
      const { value, findings } = read(one)
      assert.is(value, undefined)
      assert.equal(codes(findings), ['InventoryInvalid'])
      assert.match(findings[0]?.sentence ?? '', message)
    })
  test('the largest count there can be is a number of replicas', () => {
    const most = countedShape({ [TYPE]: 'm5' }, 2 ** 31 - 1)
    assert.equal(errorsOf(runs(inventory([most]), policy(), daemonSet())), [])
  })
})

suite('several inventories of one cluster', (test) => {
  const two = (one: object, other: object, more: Record<string, unknown> = {}) =>
    readFleet([inventory([one]), inventory([other], more)], undefined)
  const counted = countedShape({ [TYPE]: 'm5' }, 2)
  for (const [what, other] of [
    ['names', shape({ [TYPE]: 'm5' }, ['a'])],
    ['counts', countedShape({ [TYPE]: 'm5' }, 2)],
  ] as const) {
    test(`what one counts and another ${what} may be the same nodes`, () => {
      assert.equal(codes(two(counted, other).findings), ['NodesNotNamed'])
      assert.equal(codes(two(other, counted).findings), ['NodesNotNamed'])
      assert.match(
        two(other, counted).findings[0]?.sentence ?? '',
        `two inventories of prod have nodes of shape ${TYPE}=m5`,
      )
    })
    test(`what one counts and another ${what} is told apart by labels that both export`, () => {
      const finer = { ...other, labels: { [TYPE]: 'm5', zone: 'b' } }
      assert.equal(codes(two({ ...counted, labels: { [TYPE]: 'm5', zone: 'a' } }, finer).findings), [])
      assert.equal(codes(two(counted, finer, { labelKeys: [TYPE] }).findings), ['NodesNotNamed'])
    })
  }
  test('a declared shape is no node', () =>
    assert.equal(codes(two(counted, countedShape({ [TYPE]: 'm5' }, 0)).findings), []))
  test('one inventory may count two shapes of the same labels, also beside another', () => {
    const twice = inventory([counted, counted])
    const beside = inventory([shape({ [TYPE]: 'c5' }, ['a'])])
    for (const all of [[twice], [twice, beside], [beside, twice]])
      assert.equal(codes(readFleet(all, undefined).findings), [])
  })
  test('what one names, another may name and count: the counted ones may be those of the first', () => {
    const named = (node: string) => shape({ [TYPE]: 'm5' }, [node])
    const read = (...shapes: object[]) => readFleet([inventory([named('a')]), inventory(shapes)], undefined)
    assert.equal(codes(read(named('b'), counted).findings), ['NodesNotNamed'])
    assert.equal(codes(read(counted, named('b')).findings), ['NodesNotNamed'])
    assert.equal(codes(read(named('b'), { ...counted, labels: { [TYPE]: 'c5' } }).findings), [])
  })
  test('another cluster has nodes of its own', () =>
    assert.equal(codes(two(counted, counted, { cluster: 'other' }).findings), ['SeveralClusters']))
})
