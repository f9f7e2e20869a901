/** What is kept of a Node, and how nodes become the shapes that Git has. */
import * as assert from 'uvu/assert'
import type { Shape } from '../../../../src/facts/inventory/index.ts'
import { project } from '../../../../src/host/sync/nodes/project.ts'
import {
  type KnownNodes,
  labelKeysWith,
  NO_KNOWN_NODES,
  newNodeMemory,
  trimNode,
} from '../../../../src/host/sync/nodes/projected-node.ts'
import { type ApiNode, apiNode, projected, START, turned } from '../../../support/api-nodes.ts'
import { TYPE } from '../../../support/objects.ts'
import { suite } from '../../../support/suite.ts'

const MINUTE = 60_000
const NOW = Date.parse(START)
const LABEL_KEYS = labelKeysWith([])
const SETTINGS = { labelKeys: LABEL_KEYS, exact: false, counts: false, readyDebounce: 2 * MINUTE, retainShapes: 0 }

const shapesOf = (nodes: ApiNode[], known: KnownNodes = NO_KNOWN_NODES, settings = SETTINGS) =>
  project(projected(nodes), known, { now: NOW, memory: newNodeMemory(), settings }).shapes
const knownOf = (nodes: ApiNode[], settings = SETTINGS): KnownNodes => ({
  shapes: shapesOf(nodes, NO_KNOWN_NODES, settings),
  labelKeys: LABEL_KEYS,
})
const memories = (shapes: readonly Shape[]) =>
  shapes.map(({ allocatable, nodes }) => `${allocatable.memory} ${nodes.join(' ')}`)

/** Nodes by their memory in Ki, what Git has of them, and what comes of it. */
const AMOUNTS: Record<string, [known: Array<[string, number]>, now: Array<[string, number]>, shapes: string[]]> = {
  'nothing known: the smallest of what is less than 1 % apart': [
    [],
    [
      ['a', 1_000_100],
      ['b', 1_000_000],
      ['c', 1_009_999],
    ],
    ['1000000Ki a b c'],
  ],
  'a little less than known': [[['a', 1_000_000]], [['a', 990_001]], ['1000000Ki a']],
  'a little more than known': [[['a', 1_000_000]], [['a', 1_009_999]], ['1000000Ki a']],
  '1 % less': [[['a', 1_000_000]], [['a', 990_000]], ['990000Ki a']],
  '1 % more': [[['a', 1_000_000]], [['a', 1_010_000]], ['1010000Ki a']],
  'another node of the kind': [
    [['a', 1_000_000]],
    [
      ['a', 1_000_000],
      ['b', 995_000],
    ],
    ['1000000Ki a b'],
  ],
  'between two, named by the upper': [
    [
      ['a', 1_000_000],
      ['b', 1_010_000],
    ],
    [
      ['a', 1_000_000],
      ['b', 1_000_500],
    ],
    ['1000000Ki a', '1010000Ki b'],
  ],
  'between two, new: the nearer': [
    [
      ['a', 1_000_000],
      ['b', 1_015_000],
    ],
    [
      ['a', 1_000_000],
      ['b', 1_015_000],
      ['c', 1_009_000],
    ],
    ['1000000Ki a', '1015000Ki b c'],
  ],
  'some known and some not: the others among themselves': [
    [['a', 1_000_000]],
    [
      ['a', 1_000_000],
      ['b', 2_001_000],
      ['c', 2_000_000],
    ],
    ['1000000Ki a', '2000000Ki b c'],
  ],
}

const TRIMMED: Record<string, (node: ApiNode) => unknown> = {
  'a heartbeat': (node) => {
    for (const condition of node.status.conditions) condition.lastHeartbeatTime = START
    return node
  },
  'a list of images': (node) => ({ ...node, status: { ...node.status, images: [{ names: ['a'] }] } }),
  'a label that is not exported': (node) => ({
    ...node,
    metadata: { ...node.metadata, labels: { ...node.metadata.labels, team: 'x' } },
  }),
  'a resource version and annotations': (node) => ({
    ...node,
    metadata: { ...node.metadata, resourceVersion: '7', annotations: { a: 'b' }, managedFields: [{}] },
  }),
  'other conditions and addresses': (node) => ({
    ...node,
    status: {
      ...node.status,
      addresses: [{ type: 'InternalIP', address: '10.0.0.1' }],
      conditions: [...node.status.conditions, { type: 'DiskPressure', status: 'True' }],
    },
  }),
  'the order of its labels': (node) => ({
    ...node,
    metadata: { ...node.metadata, labels: Object.fromEntries(Object.entries(node.metadata.labels).reverse()) },
  }),
}

const UNREADABLE: Record<string, [node: unknown, sentence: RegExp]> = {
  'no name': [{ metadata: {} }, /it has no name/],
  'an amount that is none': [{ metadata: { name: 'n' }, status: { capacity: { cpu: 'much' } } }, /much/],
  'a taint that is none': [{ metadata: { name: 'n' }, spec: { taints: 'all' } }, /spec\.taints is not a list/],
  'a label without text': [{ metadata: { name: 'n', labels: { a: 1 } } }, /Node n: a label value is not text/],
}

suite('nodes as shapes', (test) => {
  for (const [name, change] of Object.entries(TRIMMED)) {
    test(`${name} changes nothing of what is kept of a node`, () => {
      const trim = trimNode(LABEL_KEYS)
      assert.is(JSON.stringify(trim(change(structuredClone(apiNode('n1'))))), JSON.stringify(trim(apiNode('n1'))))
    })
  }
  for (const [name, [node, sentence]] of Object.entries(UNREADABLE)) {
    test(`${name} is an error that says so`, () => {
      assert.throws(() => trimNode(LABEL_KEYS)(node), sentence)
    })
  }
  test('kept are the exported labels, taints without their times, and since when it is ready', () => {
    const node = apiNode('n1')
    const taint = { key: 'gpu', value: 'yes', effect: 'NoSchedule', timeAdded: START }
    const kept = trimNode(labelKeysWith(['kubernetes.io/hostname']))({
      ...node,
      spec: { taints: [taint], unschedulable: true },
    })
    assert.equal(Object.keys(kept.labels), ['kubernetes.io/hostname', 'kubernetes.io/os', TYPE])
    assert.equal(kept.taints, [{ key: 'gpu', value: 'yes', effect: 'NoSchedule' }])
    assert.is(kept.readySince, Date.parse('2026-11-01T00:00:00Z'))
    assert.is(kept.createdAt, kept.readySince)
    assert.is(kept.unschedulable, true)
    assert.is(kept.uid, 'uid-n1')
  })
  test('a node without a Ready condition, or with a time that is none, counts as it is', () => {
    const bare = { ...apiNode('n1'), status: { ...apiNode('n1').status, conditions: [] } }
    assert.is(trimNode(LABEL_KEYS)(bare).readySince, undefined)
    assert.equal(
      shapesOf([bare], knownOf([apiNode('n1')])).map(({ ready }) => ready),
      [undefined],
    )
  })
  for (const [name, [known, now, wanted]] of Object.entries(AMOUNTS)) {
    test(`amounts: ${name}`, () => {
      const nodesOf = (all: Array<[string, number]>) => all.map(([own, memory]) => apiNode(own, 'm5.large', memory))
      // capacity is the same for all
      const level = (node: ApiNode) => ({
        ...node,
        status: { ...node.status, capacity: { cpu: '2', memory: '9000000Ki', pods: '29' } },
      })
      const git = knownOf(nodesOf(known).map(level))
      const shapes = shapesOf(nodesOf(now).map(level), git)
      assert.equal(memories(shapes).sort(), [...wanted].sort())
      const again = shapesOf(nodesOf([...now].reverse()).map(level), { shapes, labelKeys: LABEL_KEYS })
      assert.equal(again, shapes, 'the same when it is fed back')
    })
  }
  test('where amounts are to be exact, none is taken for another', () => {
    const exact = { ...SETTINGS, exact: true }
    const [a, b] = [apiNode('a', 'm5.large', 1_000_000), apiNode('b', 'm5.large', 1_000_001)]
    assert.is(shapesOf([a, b], knownOf([a], exact), exact).length, 2)
  })
  test('amounts are those of nodes of the same labels and resources only', () => {
    const [large, other] = [apiNode('a', 'm5.large', 1_000_000), apiNode('b', 'm6.large', 1_000_100)]
    const more = apiNode('c', 'm5.large', 1_000_100)
    const gpu = { ...more, status: { ...more.status, allocatable: { ...more.status.allocatable, gpu: '1' } } }
    assert.equal(memories(shapesOf([large, other, gpu], knownOf([large]))).sort(), [
      '1000000Ki a',
      '1000100Ki b',
      '1000100Ki c',
    ])
  })
  test('a cordon or an upgrade of the image keeps the amounts', () => {
    const known = knownOf([apiNode('a', 'm5.large', 1_000_000)])
    const node = apiNode('a', 'm5.large', 1_000_100)
    const changed = {
      ...node,
      spec: { unschedulable: true },
      status: { ...node.status, nodeInfo: { osImage: 'newer' } },
    }
    assert.equal(memories(shapesOf([changed], known)), ['1000000Ki a'])
  })

  const at = (milliseconds: number) => NOW - milliseconds
  const READY: Record<string, [was: ApiNode, is: ApiNode, ready: string, taints: number, until: number | undefined]> = {
    'not ready for a moment': [
      apiNode('a'),
      turned(apiNode('a'), 'False', at(1000)),
      'True',
      0,
      NOW + 2 * MINUTE - 1000,
    ],
    'not ready for as long as it takes': [
      apiNode('a'),
      turned(apiNode('a'), 'False', at(2 * MINUTE)),
      'False',
      2,
      undefined,
    ],
    'unreachable for a moment': [apiNode('a'), turned(apiNode('a'), 'Unknown', at(MINUTE)), 'True', 0, NOW + MINUTE],
    'ready again for a moment': [
      turned(apiNode('a'), 'False', at(60 * MINUTE)),
      turned(apiNode('a'), 'True', at(1000)),
      'False',
      2,
      NOW + 2 * MINUTE - 1000,
    ],
    'ready as before, after it was not': [apiNode('a'), turned(apiNode('a'), 'True', at(1000)), 'True', 0, undefined],
    'in the future, by another clock': [
      apiNode('a'),
      turned(apiNode('a'), 'False', at(-MINUTE)),
      'True',
      0,
      NOW + 3 * MINUTE,
    ],
    'of another name': [apiNode('b'), turned(apiNode('a'), 'False', at(1000)), 'False', 2, undefined],
  }
  for (const [name, [was, is, ready, taints, until]] of Object.entries(READY)) {
    test(`a node that is ${name}`, () => {
      const { shapes, ...rest } = project(projected([is]), knownOf([was]), {
        now: NOW,
        memory: newNodeMemory(),
        settings: SETTINGS,
      })
      assert.equal(
        shapes.map((shape) => [shape.ready, shape.taints.length]),
        [[ready, taints]],
      )
      assert.is(rest.until, until)
    })
  }
  test('a taint that somebody sets counts at once, also on a node that is not ready yet', () => {
    const is = turned({ ...apiNode('a'), spec: { taints: [{ key: 'own', effect: 'NoExecute' }] } }, 'False', at(1000))
    const [shape] = shapesOf([is], knownOf([apiNode('a')]))
    assert.equal([shape?.ready, shape?.taints], ['True', [{ key: 'own', effect: 'NoExecute' }]])
  })
})

suite('texts of a node', (test) => {
  test('are cut at the length of a name, whatever its kubelet writes', () => {
    const node = apiNode('a')
    node.status.nodeInfo.osImage = 'x'.repeat(200_000)
    const kept = trimNode(LABEL_KEYS)(node)
    assert.is(kept.osImage.length, 253)
  })
})
