/** What a machine has room for beyond cores and memory: one pod of a kind, ephemeral storage; and whose place an idle one takes. */
import * as assert from 'uvu/assert'
import { decide, decideAgain, decideObjects, type NodeScene, type Scene, sceneObjects } from '../../support/pools.ts'
import { suite } from '../../support/suite.ts'

const replicas = (count: number, limits: readonly string[], more: object = {}): Scene['snapshot'] => ({
  collected: { nodes: 1, pending: count, claims: 0, pools: 0 },
  pending: [
    {
      like: { requests: { cpu: '1', memory: '1Gi' }, limits, ...more },
      pods: Array.from({ length: count }, (_, index) => ({
        namespace: 'default',
        name: `web-${index}`,
        since: '2026-01-15T09:50:00Z',
        reason: 'Unschedulable',
      })),
    },
  ],
})
const ALONE = ['hostPorts', 'onePerNode 80/TCP']

suite('pods of which a node has one', (test) => {
  for (const [name, limits, machines] of [
    ['each gets a machine', ALONE, 3],
    ['others share one', ['volumes'], 1],
  ] as const)
    test(name, () => {
      const decided = decide({ snapshot: replicas(3, limits) })
      assert.equal([decided.errors, decided.added.length], [[], machines])
      const again = decideAgain(decided)
      assert.equal([again.errors, again.added, again.pods], [[], [], decided.pods])
      assert.is(new Set(Object.values(decided.pods)).size, machines)
    })
  test('the limits of the pool hold', () => {
    const decided = decide({ pools: [{ limits: { maxNodes: 2 } }], snapshot: replicas(3, ALONE) })
    assert.is(decided.added.length, 2)
    assert.ok(decided.warnings.includes('PodsHeldBack'))
  })
  test('another kind of pod shares its machine', () => {
    const [first, ...others] = (replicas(1, ALONE) as { pending: object[] }).pending
    const second = {
      like: { requests: { cpu: '1', memory: '1Gi' } },
      pods: [{ namespace: 'default', name: 'other', since: '2026-01-15T09:50:00Z', reason: 'Unschedulable' }],
    }
    const snapshot = { collected: { nodes: 1, pending: 2, claims: 0, pools: 0 }, pending: [first, second, ...others] }
    assert.is(decide({ snapshot }).added.length, 1)
  })
  test('another kind with another port shares its machine, one with the same port does not', () => {
    const pods = (limit: string) =>
      ['a', 'b'].map((name, index) => ({ name, like: { limits: ['hostPorts', index === 0 ? ALONE[1] : limit] } }))
    assert.is(decide({ pods: pods('onePerNode 81/TCP') }).added.length, 1)
    assert.is(decide({ pods: pods('onePerNode 80/TCP') }).added.length, 2)
  })
  test('one whose machine another of its kind took gets another; it did not wait for something else', () => {
    const node: NodeScene = {
      name: 'small-000001',
      used: { cpu: '1', memory: '1Gi', pods: '1' },
      blocking: 1,
      claim: { opened: 4000, openedFor: ['a', 'b'] },
    }
    const pod = (limits: readonly string[]) => ({ name: 'a', since: 5000, like: { limits } })
    const alone = decide({ nodes: [node], pods: [pod(ALONE)] })
    assert.equal([alone.errors, alone.pods, alone.added], [[], { a: 'small-000002' }, ['small-000002']])
    const other = decide({ nodes: [node], pods: [pod(['volumes'])] })
    assert.equal([other.pods, other.added], [{ a: 'not helped' }, []])
  })
})

const STORAGE = { like: { requests: { cpu: '1', memory: '1Gi', 'ephemeral-storage': '2Gi' } } }
const shown = (storage: string): NodeScene => ({
  name: 'small-000001',
  used: 'full',
  shape: { allocatable: { cpu: '3900m', memory: '8192Mi', pods: '110', 'ephemeral-storage': storage } },
})

suite('ephemeral storage', (test) => {
  const pods = [{ name: 'a', ...STORAGE }]
  test('is unlimited where nobody shows it', () => assert.equal(decide({ pods }).pods, { a: 'small-000001' }))
  test('is what the nodes of the pool show', () => {
    assert.equal(decide({ pods, nodes: [shown('90Gi')] }).pods, { a: 'small-000002' })
    assert.equal(decide({ pods, nodes: [shown('1Gi')] }).pods, { a: 'too large' })
  })
  test('is what a size says', () => {
    const sized = (storage: string) => ({
      policy: { machines: [{ cpuCores: 4, memoryMiB: 8192, resources: { 'ephemeral-storage': storage } }] },
    })
    assert.equal(decide({ pods, pools: [sized('1Gi')] }).pods, { a: 'too large' })
    assert.equal(decide({ pods, pools: [sized('40Gi')] }).pods, { a: 'small-000001' })
  })
  test('a resource of which no size has any is asked for by name', () => {
    const { plan } = decide({ pods: [{ name: 'a', like: { requests: { cpu: '1', 'example.com/gpu': '2' } } }] })
    const found = plan.findings.find(({ code }) => code === 'PodsTooLarge')
    assert.match(found?.message ?? '', 'resources: { example.com/gpu: "2" }')
    const larger = decide({ pods: [{ name: 'a', cpu: '64' }] }).plan.findings.find(
      ({ code }) => code === 'PodsTooLarge',
    )
    assert.match(larger?.message ?? '', 'Add a larger machine')
  })
})

suite('an idle machine that is too small', (test) => {
  const idle: NodeScene = {
    name: 'small-000001',
    idle: 3600,
    ready: 7200,
    shape: { allocatable: { cpu: '1900m', memory: '4Gi', pods: '110' } },
  }
  const scene = (cpu: string): Scene => ({
    pools: [
      {
        limits: { maxNodes: 1 },
        policy: {
          machines: [
            { cpuCores: 2, memoryMiB: 4096 },
            { cpuCores: 8, memoryMiB: 16384 },
          ],
        },
      },
    ],
    nodes: [{ ...idle, claim: { requirements: { cpuCores: 2, memoryMiB: 4096 } } }],
    pods: [{ name: 'big', cpu, since: 7300 }],
  })
  const isMarked = ({ plan }: ReturnType<typeof decide>) =>
    plan.items.some(
      ({ object }) => object.kind === 'Node' && object.metadata.annotations?.['nodefit.dev/leaving'] !== undefined,
    )
  test('leaves, since the pod that waits does not fit it', () => assert.ok(isMarked(decide(scene('6')))))
  test('stays where a waiting pod has room on it', () => {
    const young = scene('1')
    assert.not(
      isMarked(
        decide({
          ...young,
          pools: young.pools?.map((pool) => ({ ...pool, spec: { scaleUp: { stabilizationWindow: '10h' } } })),
        }),
      ),
    )
  })
})

suite('a mark that is withdrawn before the cluster had it', (test) => {
  test('leaves its document as it is until a later snapshot', () => {
    const node: NodeScene = { name: 'small-000001', used: 'full', marked: 3600 }
    const objects = sceneObjects({ nodes: [node] }).map((object) => {
      if (object.kind !== 'WorkloadSnapshot') return object
      const spec = object.spec as { nodes: Array<Record<string, unknown>> }
      return { ...object, spec: { ...spec, nodes: spec.nodes.map(({ annotations: _, ...one }) => one) } }
    })
    const first = decideObjects(objects)
    assert.equal(first.warnings.includes('DrainTimeout'), true)
    const second = decideAgain(first)
    const documents = ({ plan }: typeof first) =>
      plan.items.filter(({ object }) => object.kind === 'Node').map(({ object }) => object)
    assert.equal(documents(second), documents(first))
    assert.is(documents(first).length, 1)
    assert.is(documents(first)[0]?.spec, undefined)
    const later = decideObjects(
      second.plan.items.map(({ object }) => {
        if (object.kind !== 'WorkloadSnapshot' && object.kind !== 'NodeInventory') return object
        return { ...object, spec: { ...(object.spec as object), observedAt: '2026-01-15T10:05:00Z' } }
      }),
    )
    assert.equal(documents(later), [])
  })
})
