/** What makes a commit and what does not, mode by mode. */
import * as assert from 'uvu/assert'
import { readTargets } from '../../../../src/host/sync/effect/evaluate.ts'
import { newMemory } from '../../../../src/host/sync/effect/evaluation.ts'
import type { KubernetesObject } from '../../../../src/krm/types.ts'
import { writeYaml } from '../../../../src/krm/write-yaml.ts'
import { apiNode, turned } from '../../../support/api-nodes.ts'
import { daemonSet, inventory, policy, shape, TYPE } from '../../../support/objects.ts'
import { order } from '../../../support/orders.ts'
import { suite } from '../../../support/suite.ts'
import { DAY, HOUR, INVENTORY, MINUTE, Scene } from '../../../support/sync-repository.ts'

const AGENT = [
  policy({
    nodeGroupLabel: TYPE,
    resourcePercentages: { requestMemory: 10, requestCPU: 2, limitCPU: null, limitMemory: null },
  }),
  daemonSet(),
]
const TICKETS = [order()]
const OUTPUT = { output: 'clusters/prod/rendered' }

/** Nodes of one type, eight unless told, and one of another, in Git. */
function sceneOf(
  settings: ConstructorParameters<typeof Scene>[0] = {},
  policies: readonly KubernetesObject[] = AGENT,
  count = 8,
): Scene {
  const scene = new Scene(policies.length > 0 ? settings : { ...settings, packages: [] }, policies)
  scene.add(
    ...Array.from({ length: count }, (_, index) => apiNode(`a${index + 1}`)),
    apiNode('b1', 'm5.xlarge', 15_000_000),
  )
  scene.turn()
  scene.now += HOUR
  return scene
}

/** What happens to a fleet, and what comes of it with a DaemonSet to size, with Tickets, and without policies. */
const CHANGES: Array<[name: string, change: (scene: Scene) => void, agents: string, tickets: string, none: string]> = [
  ['nothing', () => {}, 'unchanged', 'unchanged', 'unchanged'],
  [
    'a heartbeat and a list of images',
    (scene) =>
      scene.change('a1', (node) => {
        for (const condition of node.status.conditions) condition.lastHeartbeatTime = new Date(scene.now).toISOString()
        return { ...node, status: { ...node.status, images: [{ names: ['agent:2'], sizeBytes: 1 }] } }
      }),
    'unchanged',
    'unchanged',
    'unchanged',
  ],
  [
    'annotations, a resource version and a label that is not exported',
    (scene) =>
      scene.change('a1', ({ metadata, ...node }) => ({
        ...node,
        metadata: {
          ...metadata,
          resourceVersion: '99',
          annotations: { a: 'b' },
          labels: { ...metadata.labels, team: 'x' },
        },
      })),
    'unchanged',
    'unchanged',
    'unchanged',
  ],
  [
    'allocatable that is a few Ki less',
    (scene) =>
      scene.change('a1', ({ status, ...node }) => ({
        ...node,
        status: { ...status, allocatable: { ...status.allocatable, memory: '7130000Ki' } },
      })),
    'unchanged',
    'unchanged',
    'unchanged',
  ],
  [
    'allocatable that is 2 % less',
    (scene) =>
      scene.change('a1', ({ status, ...node }) => ({
        ...node,
        status: { ...status, allocatable: { ...status.allocatable, memory: '6990000Ki' } },
      })),
    'inventory',
    'unchanged',
    'inventory',
  ],
  [
    'a node replaced by another of its type',
    (scene) => {
      scene.nodes.delete('a1')
      scene.add(apiNode('a9', 'm5.large', 7_135_000))
    },
    'unchanged',
    'inventory',
    'unchanged',
  ],
  ['one more node of a type', (scene) => scene.add(apiNode('a9')), 'unchanged', 'inventory', 'unchanged'],
  ['a new type', (scene) => scene.add(apiNode('c1', 'c5.large')), 'inventory', 'inventory', 'inventory'],
  ['the last node of a type gone', (scene) => scene.nodes.delete('b1'), 'unchanged', 'inventory', 'unchanged'],
  [
    'a cordon',
    (scene) =>
      scene.change('a1', (node) => ({
        ...node,
        spec: { unschedulable: true, taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] },
      })),
    'unchanged',
    'inventory',
    'unchanged',
  ],
  [
    'a taint that nothing tolerates',
    (scene) => scene.change('b1', (node) => ({ ...node, spec: { taints: [{ key: 'own', effect: 'NoExecute' }] } })),
    'unchanged',
    'inventory',
    'inventory',
  ],
  [
    'a node that is not ready for a minute',
    (scene) => scene.change('a1', (node) => turned(node, 'False', scene.now - MINUTE)),
    'unchanged',
    'unchanged',
    'unchanged',
  ],
  [
    'a node that is not ready for three minutes',
    (scene) => scene.change('a1', (node) => turned(node, 'Unknown', scene.now - 3 * MINUTE)),
    'unchanged',
    'inventory',
    'unchanged',
  ],
  [
    'a newer image of the nodes',
    (scene) =>
      scene.change('a1', ({ status, ...node }) => ({
        ...node,
        status: { ...status, nodeInfo: { osImage: 'Amazon Linux 2027' } },
      })),
    'unchanged',
    'unchanged',
    'inventory',
  ],
]

suite('evaluate', (test) => {
  for (const [name, change, agents, tickets, none] of CHANGES)
    for (const [kind, policies, wanted] of [
      ['agents', AGENT, agents],
      ['tickets', TICKETS, tickets],
      ['no policies', [], none],
    ] as const) {
      test(`${name}, with ${kind}: ${wanted}`, () => {
        const scene = sceneOf({}, policies)
        change(scene)
        assert.is(scene.after(0), wanted)
        assert.is(scene.after(MINUTE / 2), 'unchanged')
        scene.end()
      })
      test(`${name}, with ${kind} and rendered output: ${wanted}`, () => {
        const scene = sceneOf(OUTPUT, policies)
        change(scene)
        const rendered = wanted === 'inventory' && policies.length > 0 ? 'rendered' : wanted
        assert.is(scene.after(0), rendered)
        assert.is(scene.after(MINUTE / 2), 'unchanged')
        scene.end()
      })
    }

  for (const [name, left, wanted] of [
    ['a quarter of the nodes', 16, 'unchanged'],
    ['more than a quarter of them', 15, 'inventory'],
  ] as const)
    test(`${name} gone: ${wanted}, so that guards count from what was there of late`, () => {
      const scene = sceneOf(OUTPUT, AGENT, 20)
      for (const key of [...scene.nodes.keys()].slice(left)) scene.nodes.delete(key)
      assert.is(scene.after(0), wanted)
      assert.is(scene.after(MINUTE / 2), 'unchanged')
      scene.end()
    })
  for (const [name, more, wanted] of [
    ['a third more nodes', 7, 'unchanged'],
    ['more than a third more', 8, 'inventory'],
  ] as const)
    test(`${name}: ${wanted}, so that guards count from what was there of late`, () => {
      const scene = sceneOf(OUTPUT, AGENT, 20)
      for (let index = 0; index < more; index++) scene.add(apiNode(`new${index}`))
      assert.is(scene.after(0), wanted)
      assert.is(scene.after(MINUTE / 2), 'unchanged')
      scene.end()
    })
  test('most of a fleet that has grown since it was rendered goes at once: a guard stops', () => {
    const scene = sceneOf({ ...OUTPUT, retainShapes: 0 })
    const burst = Array.from({ length: 36 }, (_, index) => apiNode(`new${index}`))
    scene.add(...burst)
    scene.after(MINUTE)
    // as many as there were before are left, but for one whole type
    for (const { metadata } of burst) scene.nodes.delete(metadata.name)
    scene.nodes.delete('b1')
    assert.match(scene.after(HOUR), /^stopped: GuardTripped: agent: its groups had 45 nodes and would have 8/)
    scene.end()
  })
  test('a group of two that becomes one of three changes nothing that is applied', () => {
    const scene = sceneOf(OUTPUT)
    scene.add(apiNode('b2', 'm5.xlarge', 15_000_000))
    assert.is(scene.after(0), 'unchanged')
    scene.end()
  })

  test('the first commit holds the inventory, and where it is asked for the output with its list', () => {
    const scene = new Scene(OUTPUT, AGENT).add(apiNode('a1'))
    assert.is(scene.after(0), 'rendered')
    const paths = Object.keys(scene.files())
    assert.ok(paths.includes(INVENTORY))
    assert.ok(paths.includes('clusters/prod/rendered/kustomization.yaml'))
    assert.ok(paths.includes('clusters/prod/rendered/daemonset.apps_agent-m5-large.yaml'))
    assert.match(scene.read(INVENTORY), /^# Written by nodefit sync of cluster prod, /)
    scene.end()
  })
  test('a cluster that lists no nodes stops, and commits nothing', () => {
    const scene = sceneOf()
    scene.nodes.clear()
    assert.match(scene.after(0), /^stopped: the cluster has no nodes: nothing is committed/)
    scene.end()
  })
  test('where nodes are only counted, a label that names them stops', () => {
    const scene = new Scene({ counts: true, labels: ['kubernetes.io/*'] }, AGENT).add(apiNode('a1'))
    assert.match(
      scene.after(0),
      /^stopped: inventory\.counts is true, but the exported label kubernetes\.io\/hostname contains names of nodes: remove it from labels/,
    )
    scene.end()
  })
  test('what is older than maxAge is committed again, and not before', () => {
    const scene = sceneOf({ maxAge: DAY })
    assert.is(scene.after(22 * HOUR), 'unchanged')
    assert.is(scene.after(HOUR), 'age')
    assert.is(scene.after(HOUR), 'unchanged')
    scene.end()
  })
  test('a second evaluation of the same says so without rendering, and a policy that changed is rendered', () => {
    const scene = sceneOf(OUTPUT)
    assert.equal(
      [scene.evaluate(), scene.evaluate()].map((one) => one.kind === 'unchanged' && one.why),
      ['effect', 'inputs'],
    )
    scene.write(
      'policies/policies.yaml',
      scene.read('policies/policies.yaml').replace('requestMemory: 10', 'requestMemory: 11'),
    )
    assert.is(scene.after(MINUTE), 'rendered')
    scene.end()
  })
  test('two evaluations of the same commit give the same bytes', () => {
    const scene = sceneOf(OUTPUT)
    scene.add(apiNode('c1', 'c5.large'))
    const one = scene.evaluate()
    scene.restart()
    assert.equal(scene.evaluate(), one)
    scene.end()
  })
  for (const [name, write, sentence] of [
    ['a file', ['clusters/prod/nodes/notes.md', 'mine'], /notes\.md was not written by nodefit sync, which owns/],
    ['a folder', ['clusters/prod/nodes/more/x.yaml', 'a: b'], /more was not written by nodefit sync/],
    [
      'an inventory of somebody',
      [INVENTORY, writeYaml(inventory([shape({}, ['n1'])]))],
      /inventory\.yaml was not written by nodefit sync: delete it/,
    ],
    [
      'an inventory of another cluster',
      [INVENTORY, '# Written by nodefit sync of cluster other, which rewrites this file: do not edit it.\n'],
      /inventory\.yaml is of cluster other, not of prod: set git\.folder/,
    ],
    [
      'an inventory that was cut',
      [INVENTORY, '# Written by nodefit sync of cluster prod, which rewrites this file: do not edit it.\na: b\n'],
      /inventory\.yaml was changed after nodefit sync wrote it: .*Restore it, or delete it/,
    ],
    [
      'another inventory of the cluster',
      ['policies/inventory.yaml', writeYaml(inventory([shape({}, ['n1'])]))],
      /NodeInventory prod in policies\/inventory\.yaml duplicates the inventory of cluster prod .*: remove that file/,
    ],
    [
      'a Node',
      ['policies/node.yaml', writeYaml({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' } })],
      /Node n1 in policies\/node\.yaml duplicates the inventory of cluster prod .*: remove that file/,
    ],
  ] as const) {
    test(`${name} that nodefit sync did not write stops, and nothing is committed`, () => {
      const scene = sceneOf()
      scene.write(write[0], write[1])
      scene.add(apiNode('c1', 'c5.large'))
      assert.match(scene.after(0), sentence)
      scene.end()
    })
  }
})

suite('the DaemonSets that policies name', (test) => {
  const read = (scene: Scene) => {
    const memory = newMemory()
    readTargets({ commit: '', path: scene.path }, memory, scene.settings)
    return memory.targets && [...memory.targets]
  }
  const NAMED = [['default/agent', 'default/agent']]
  test('are known from an evaluation', () => {
    const scene = sceneOf()
    assert.equal([...(scene.memory.targets ?? [])], NAMED)
    scene.end()
  })
  test('are known before the first inventory, and in a process that begins anew', () => {
    for (const scene of [sceneOf(), new Scene({}, AGENT)]) {
      assert.equal(read(scene), NAMED)
      scene.end()
    }
  })
  test('stay where a file cannot be read, and are unknown where it never was', () => {
    const scene = sceneOf()
    scene.write('policies/bad.yaml', 'kind: [')
    scene.evaluate()
    assert.equal([...(scene.memory.targets ?? [])], NAMED)
    assert.is(read(scene), undefined)
    scene.end()
  })
  test('are those of this cluster, and of DaemonSets', () => {
    const spec = { nodeGroupLabel: TYPE }
    const mine = policy({ ...spec, cluster: 'prod' })
    const policies = [
      mine,
      { ...policy({ ...spec, cluster: 'dev' }), metadata: { ...mine.metadata, name: 'other' } },
      {
        ...policy({ ...spec, targetRef: { kind: 'Order', name: 'o' } }),
        metadata: { ...mine.metadata, name: 'order' },
      },
    ]
    const scene = new Scene({}, policies)
    assert.equal(read(scene), NAMED)
    scene.end()
  })
  test('are none without policies', () => {
    const scene = sceneOf({}, [])
    assert.equal([...(scene.memory.targets ?? ['unknown'])], [])
    scene.end()
  })
})
