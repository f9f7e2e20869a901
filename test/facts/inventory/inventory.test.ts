import { readFileSync } from 'node:fs'
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { parse } from 'yaml'
import {
  DEFAULT_LABEL_KEYS,
  labelKeyMatcher,
  lastHeartbeat,
  readFleet,
  type Shape,
  shapeOfNode,
  toInventory,
} from '../../../src/facts/inventory/index.ts'
import { type Node, Quantity } from '../../../src/kube/index.ts'
import { codes, fleetShape, inventory, node, shape, TYPE } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'

const nodesIn = (name: string) =>
  (parse(readFileSync(new URL(`../../../testdata/nodes/${name}.yaml`, import.meta.url), 'utf8')) as { items: Node[] })
    .items
const written = (nodes: readonly Shape[], more: object = {}) =>
  toInventory(nodes, { name: 'x', cluster: 'x', labelKeys: DEFAULT_LABEL_KEYS, ...more }) as {
    spec: {
      nodeCount: number
      shapes: Array<{ nodes: string[]; labels: object; allocatable: Record<string, string>; uids?: object }>
    }
  }

suite('readFleet', (test) => {
  test('several inventories of one cluster are one fleet', () => {
    const { value: fleet } = readFleet(
      [
        inventory([shape({}, ['a'])], { labelKeys: ['x', 'y'], observedAt: '2026-01-01T00:00:00Z' }),
        inventory([shape({}, ['b'])], { labelKeys: ['y'], observedAt: '2026-02-01T00:00:00Z' }),
      ],
      undefined,
    )
    assert.equal(
      fleet?.shapes.flatMap(({ nodes }) => nodes),
      ['a', 'b'],
    )
    assert.is(fleet?.observedAt, '2026-02-01T00:00:00Z')
    assert.equal([fleet?.knows('x'), fleet?.knows('y')], [false, true])
  })
  test('the named cluster is chosen among several', () => {
    const other = inventory([shape({}, ['b'])], { cluster: 'other' })
    assert.is(readFleet([inventory([shape({}, ['a'])]), other], 'other').value?.cluster, 'other')
    assert.equal(codes(readFleet([other], 'prod').findings), ['WrongCluster'])
    assert.equal(codes(readFleet([node('a', {}, '4', '8Gi', { spec: { taints: {} } })], undefined).findings), [
      'InventoryInvalid',
    ])
    assert.equal(
      codes(readFleet([node('a', {}, '4', '8Gi', { status: { conditions: [null] } })], undefined).findings),
      ['InventoryInvalid'],
    )
  })
  test('Node objects carry all their labels and any cluster', () => {
    const { value: fleet } = readFleet([node('a', { anything: 'x' })], 'prod')
    assert.is(fleet?.knows('whatever'), true)
    assert.equal(fleet?.shapes[0]?.nodes, ['a'])
  })
  test('an empty inventory is no nodes', () =>
    assert.equal(codes(readFleet([inventory([])], undefined).findings), ['NoNodes']))
  test('a declared shape is enough', () =>
    assert.equal(codes(readFleet([inventory([shape({}, [])])], undefined).findings), []))
})

suite('label keys', (test) => {
  const covered = labelKeyMatcher(['kubernetes.io/os', 'node.kubernetes.io/*', 'a*b*c'])
  for (const [key, want] of [
    ['kubernetes.io/os', true],
    ['kubernetes.io/os2', false],
    ['node.kubernetes.io/x', true],
    ['xnode.kubernetes.io/x', false],
    ['abc', true],
    ['a.b.c', true],
    ['ab', false],
    ['nodeXkubernetes.io/x', false],
  ] as const) {
    test(`${key} is ${want ? '' : 'not '}covered`, () => assert.is(covered(key), want))
  }
})

suite('writing inventories', (test) => {
  const base = (name: string, cpu: string, memory: string) => fleetShape({ [TYPE]: 't' }, [name], cpu, memory)
  test('nodes a few Ki apart are one shape with the smallest of each', () => {
    const { shapes, nodeCount } = written([base('b', '1930m', '7134868Ki'), base('a', '1930m', '7134852Ki')]).spec
    assert.is(nodeCount, 2)
    assert.equal(
      shapes.map(({ nodes, allocatable }) => [nodes, allocatable]),
      [[['a', 'b'], { cpu: '1930m', memory: '7134852Ki' }]],
    )
  })
  test('1 % apart they are two shapes, exactly equal ones one even with --exact', () => {
    assert.is(written([base('a', '4', '10000Ki'), base('b', '4', '10100Ki')]).spec.shapes.length, 2)
    assert.is(written([base('a', '4', '10000Ki'), base('b', '4', '10099Ki')]).spec.shapes.length, 1)
    assert.is(written([base('a', '4', '10000Ki'), base('b', '4', '10001Ki')], { exact: true }).spec.shapes.length, 2)
    assert.is(
      written([base('a', '4', '10000Ki'), base('b', '4000m', '10240000')], { exact: true }).spec.shapes.length,
      1,
    )
  })
  test('jitter in two resources at once still makes one shape a kind', () => {
    const nodes = Array.from({ length: 40 }, (_, index) => ({
      ...base(`n${index}`, '4', `${10000000 + ((index * 37) % 40)}Ki`),
      capacity: {
        cpu: '4',
        memory: `${12000000 + ((index * 11) % 40)}Ki`,
        'ephemeral-storage': `${50000000 + ((index * 7) % 40)}Ki`,
      },
    }))
    assert.is(written(nodes).spec.shapes.length, 1)
  })
  test('taints, readiness, cordon, system and labels keep nodes apart', () => {
    const variants: Array<Partial<Shape>> = [
      {},
      { taints: [{ key: 'x', effect: 'NoSchedule' }] },
      { ready: 'False' },
      { ready: undefined },
      { unschedulable: true },
      { osImage: 'B' },
      { labels: { [TYPE]: 'u' } },
    ]
    assert.is(
      written(variants.map((more, index) => ({ ...base(`n${index}`, '4', '8Gi'), ...more }))).spec.shapes.length,
      variants.length,
    )
  })
  test('taints stand in the order of key, value and effect, and of one key that without a value after a number', () => {
    const taints = [
      { key: 'b', effect: 'NoSchedule' },
      { key: 'a', effect: 'NoExecute' },
      { key: 'a', value: '1', effect: 'NoSchedule' },
    ]
    const [one] = written([{ ...base('n', '4', '8Gi'), taints }]).spec.shapes as Array<{ taints?: object[] }>
    assert.equal(one?.taints, [taints[2], taints[1], taints[0]])
  })
  test('uids only where they are asked for', () => {
    const own = { ...base('a', '4', '8Gi'), uids: { a: 'u' } }
    assert.is(written([own]).spec.shapes[0]?.uids, undefined)
    assert.equal(written([own], { uid: true }).spec.shapes[0]?.uids, { a: 'u' })
  })
  test('when the nodes were seen is written where it is known, and otherwise left out', () => {
    const at = (more: object) => Object.entries(written([base('a', '4', '8Gi')], more).spec)
    const isTime = ([field]: [string, unknown]) => field === 'observedAt'
    const observedAt = '2026-01-01T00:00:00Z'
    assert.equal(at({ observedAt }).filter(isTime), [['observedAt', observedAt]])
    assert.equal(at({}).filter(isTime), [])
  })
  test('heartbeats and times leave no trace', () => {
    const later = (one: Node): Node =>
      JSON.parse(
        JSON.stringify(one).replaceAll(
          /"(lastHeartbeatTime|lastTransitionTime|timeAdded)":"[^"]*"/g,
          '"$1":"2030-01-01T00:00:00Z"',
        ),
      ) as Node
    const nodes = nodesIn('eks')
    assert.equal(written(nodes.map(later).map(shapeOfNode)), written(nodes.map(shapeOfNode)))
    assert.is(lastHeartbeat(later(nodes[0] as Node)), '2030-01-01T00:00:00Z')
  })
  for (const name of ['eks', 'gke', 'aks', 'k3s']) {
    const nodes = nodesIn(name).map(shapeOfNode)
    test(`${name}: no node is lost, and the smallest of each type stays the smallest`, () => {
      assert.ok(nodes.length >= 8)
      const { shapes } = written(nodes).spec
      assert.equal(shapes.flatMap((one) => one.nodes).sort(), nodes.flatMap((one) => one.nodes).sort())
      for (const type of new Set(nodes.map(({ labels }) => labels[TYPE] ?? ''))) {
        const before = smallest(
          nodes
            .filter(({ labels }) => (labels[TYPE] ?? '') === type)
            .map(({ allocatable }) => String(allocatable.memory ?? '0')),
        )
        const after = smallest(
          shapes
            .filter(({ labels }) => ((labels as Record<string, string>)[TYPE] ?? '') === type)
            .map(({ allocatable }) => allocatable.memory ?? '0'),
        )
        assert.is(after, before)
      }
    })
    test(`${name}: the order of nodes does not matter`, () => {
      fc.assert(
        fc.property(fc.shuffledSubarray(nodes, { minLength: nodes.length }), (shuffled) =>
          assert.equal(written(shuffled), written(nodes)),
        ),
        { numRuns: 20 },
      )
    })
  }
})

function smallest(texts: string[]): string {
  return texts
    .map((text) => Quantity.parse(text))
    .reduce((least, one) => (one.compare(least) < 0 ? one : least))
    .toString()
}
