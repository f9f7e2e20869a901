/** Rows K01 to K07 of the specification, and one suite over every output: what a pool renders for its machines. */
import * as assert from 'uvu/assert'
import { withoutWireAnnotations } from '../../../src/krm/identity.ts'
import { OPENED } from '../../../src/krm/remembered.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import type { PlanOptions } from '../../../src/rules/plan.ts'
import { listOf } from '../../support/objects.ts'
import {
  ago,
  changeKinds,
  type Decided,
  DYNAMIC,
  decide,
  decideAgain,
  decideObjects,
  deployment,
  earlierNodePool,
  type NodeScene,
  POOL_LABEL,
  type Scene,
  STATIC,
  sceneObjects,
  WRITTEN,
} from '../../support/pools.ts'
import { suite } from '../../support/suite.ts'

const MD = { kind: 'MachineDeployment', name: 'small-md' }
const TEMPLATE = {
  kind: 'Template',
  template: {
    apiVersion: 'proxmox.alperen.cloud/v1alpha1',
    kind: 'VirtualMachine',
    spec: { name: '$(name)', cores: '$(cpuCores)', tags: ['$(pool)-$(memoryMiB)Mi'], dollars: '$(other)' },
  },
}
const objectOf = ({ plan }: Decided, kind: string, name?: string) =>
  plan.items
    .map(({ object }) => object)
    .find((one) => one.kind === kind && (name ?? one.metadata.name) === one.metadata.name)
const specOf = (decided: Decided, kind: string) => objectOf(decided, kind)?.spec as Record<string, unknown> | undefined
const replicasOf = (decided: Decided) => specOf(decided, 'MachineDeployment')?.replicas
const waiting = (...names: string[]) => names.map((name) => ({ name, cpu: '3', memory: '1Gi' }))
const node = (letter: string, more: Partial<NodeScene> = {}): NodeScene => ({
  ...{ name: `node-${letter}`, claim: null, more: { machine: `small-md-x-${letter}` } },
  ...more,
})
const machine = (letter: string, more: object = {}) => ({
  ...{ name: `small-md-x-${letter}`, namespace: 'kubenodesmith', owner: 'small-md', createdAt: ago(4000) },
  ...{ nodeName: `node-${letter}`, ...more },
})
const ofDeployment = (
  replicas: number | undefined,
  scene: Scene,
  machines: object[],
  policy: object = {},
  annotations?: Record<string, string>,
): Scene => ({
  ...scene,
  pools: [{ policy: { output: MD, ...policy } }],
  more: [deployment(replicas, annotations)],
  snapshot: { machines },
})
const full = { used: 'full' as const }
const idle = { idle: 600 }

suite('a MachineDeployment', (test) => {
  const grown = (replicas: number) =>
    decide(
      ofDeployment(replicas, { nodes: [node('a', full), node('b', full)], pods: waiting('q1', 'q2', 'q3') }, [
        machine('a'),
        machine('b'),
      ]),
    )
  test('K01 its replicas grow by the machines that pods need', () => {
    const decided = grown(2)
    assert.equal([decided.errors, replicasOf(decided)], [[], 5])
  })
  test('its machines are counted, since nobody knows their names yet', () => {
    const placed = ({ plan }: Decided) =>
      plan.packages
        .flatMap(({ planned }) => planned.flatMap(({ account }) => account))
        .flatMap((line) => (line.kind === 'note' && line.code === 'PodsPlaced' ? [line.sentence] : []))
    const machines = (state: string) => [1, 2, 3].map((number) => `small (machine ${number} ${state})`).join(', ')
    const pods = '3 pending pods (default/q1, default/q2, default/q3)'
    assert.equal(placed(grown(2)), [`small: ${pods} on 3 new machines: ${machines('to add')}`])
    assert.equal(placed(grown(5)), [`small: ${pods} on 3 joining machines: ${machines('to come')}`])
  })
  test('K02 machines in flight absorb the pods that they are for', () => {
    assert.is(replicasOf(grown(5)), 5)
    const again = decideAgain(grown(2))
    assert.equal([again.errors, replicasOf(again)], [[], 5])
  })
  const three = (first: Partial<NodeScene>, marked: object = {}) =>
    ofDeployment(3, { nodes: [node('a', full), node('b', full), node('c', first)] }, [
      machine('a'),
      machine('b'),
      machine('c', marked),
    ])
  test('K03 an idle Machine is marked first, and replicas shrink once the cluster shows the mark', () => {
    const decided = decide(three(idle))
    assert.equal([decided.errors, replicasOf(decided)], [[], 3])
    const document = objectOf(decided, 'Machine')
    assert.is(document?.metadata.name, 'small-md-x-c')
    const { 'nodefit.dev/fields': _, ...annotations } = document?.metadata.annotations ?? {}
    assert.is(annotations['cluster.x-k8s.io/delete-machine'], 'true')
    assert.is(annotations['argocd.argoproj.io/sync-wave'], '-1')
    assert.match(annotations['argocd.argoproj.io/sync-options'] ?? '', 'Prune=false')
    assert.is(objectOf(decided, 'Node'), undefined, 'nodes may be of another cluster')
    const shown = decideObjects(later(decided, three(idle, { marked: true })))
    assert.equal([shown.errors, replicasOf(shown)], [[], 2])
    assert.is(objectOf(shown, 'Machine')?.metadata.annotations?.['cluster.x-k8s.io/delete-machine'], 'true')
    const again = decideAgain(shown)
    assert.equal([again.errors, replicasOf(again)], [[], 2])
  })
  test('K03 a marked Machine that has a pod again stays', () => {
    const busy = { ...full, blocking: 1 }
    const shown = decideObjects(later(decide(three(idle)), three(busy, { marked: true })))
    assert.is(replicasOf(shown), 3)
  })
  test('K04 while one leaves, no second is marked', () => {
    const decided = decide(
      ofDeployment(
        2,
        { nodes: [node('a', full), node('b', idle), node('c', { blocking: 1 })] },
        [machine('a'), machine('b'), machine('c', { marked: true })],
        {},
        WRITTEN,
      ),
    )
    assert.equal([decided.errors, replicasOf(decided), objectOf(decided, 'Machine')], [[], 2, undefined])
  })
  test('of more Machines than replicas the marked one is not counted on', () => {
    const nodes = [node('a', { blocking: 1 }), node('b', full), node('c')]
    const machines = [machine('a', { marked: true }), machine('b'), machine('c')]
    const decided = decide(
      ofDeployment(2, { nodes, pods: [{ name: 'q', cpu: '3', since: 200 }] }, machines, {}, WRITTEN),
    )
    assert.equal([decided.errors, decided.pods.q, replicasOf(decided)], [[], 'small-md-x-c', 2])
  })
  test('where the host does not keep the file of its user, replicas are those of the earlier output', () => {
    const scene = ofDeployment(2, { nodes: [node('a', full), node('b', full)], pods: waiting('q1', 'q2', 'q3') }, [
      machine('a'),
      machine('b'),
    ])
    const first = decideObjects(sceneObjects(scene), { earlier: listOf([]), keepsFiles: false })
    const earlier = listOf(first.plan.items.map(({ object }) => withoutWireAnnotations(object)))
    const second = decideObjects(sceneObjects({ ...scene, pods: [] }), { earlier, keepsFiles: false })
    assert.equal([first.errors, replicasOf(first), second.errors, replicasOf(second)], [[], 5, [], 5])
  })
  const BUSY = { nodes: ['a', 'b', 'c'].map((letter) => node(letter, full)) }
  const THREE = ['a', 'b', 'c'].map((letter) => machine(letter))
  const live = (replicas: number) => ({
    ...{ kind: 'MachineDeployment', name: 'small-md' },
    namespace: 'kubenodesmith',
    replicas,
  })
  test('replicas that nobody says are as many as there are Machines, and never 1', () => {
    const decided = decide(ofDeployment(undefined, BUSY, THREE))
    assert.equal([decided.errors, replicasOf(decided)], [[], 3])
    const deleting = decide(ofDeployment(undefined, BUSY, [...THREE, machine('d', { deleting: true })]))
    assert.is(replicasOf(deleting), 3, 'one that is deleted already goes by itself')
  })
  const DIFFERING: Record<string, readonly [Scene, readonly string[]]> = {
    'other ones in the cluster': [ofDeployment(1, BUSY, [...THREE, live(3)]), ['ReplicasDiffer']],
    'fewer in the cluster': [ofDeployment(5, BUSY, [...THREE, live(3)]), ['ReplicasDiffer']],
    'more Machines than they are': [ofDeployment(1, BUSY, THREE), ['ReplicasDiffer']],
    'fewer Machines, which are still to come': [ofDeployment(5, BUSY, THREE), []],
    'the same in the cluster': [ofDeployment(3, BUSY, [...THREE, live(3)]), []],
    'other ones in the cluster, since a run has written them': [
      ofDeployment(2, BUSY, [...THREE, live(3)], {}, WRITTEN),
      [],
    ],
  }
  for (const [name, [scene, codes]] of Object.entries(DIFFERING))
    test(`replicas that a user wrote, with ${name}: ${codes.join() || 'taken'}`, () =>
      assert.equal(decide(scene).errors, codes))
  test('replicas that were never written are those of the cluster', () => {
    const live = [
      machine('a'),
      { kind: 'MachineDeployment', name: 'small-md', namespace: 'kubenodesmith', replicas: 1 },
    ]
    const decided = decide(ofDeployment(undefined, { nodes: [node('a', full)], pods: waiting('q') }, live))
    assert.equal([decided.errors, replicasOf(decided)], [[], 2])
  })
  test('without the Machines of the cluster nothing is planned', () => {
    const scene = ofDeployment(2, { nodes: [node('a', full)], pods: waiting('q') }, [])
    const decided = decide({ ...scene, snapshot: {} })
    assert.equal([decided.errors, replicasOf(decided)], [['PoolInputUnknown'], 2])
  })
  for (const [name, policy, code] of [
    ['several sizes', { machines: [1, 2].map((cpuCores) => ({ cpuCores, memoryMiB: 2048 })) }, 'PoolInvalid'],
    ['sizes for a pod', { sizing: 'Elastic' }, 'PoolInvalid'],
    ['sizes to pick from', { choice: 'any' }, 'PoolInvalid'],
    ['another name', { output: { ...MD, name: 'other' } }, 'OutputInvalid'],
  ] as const)
    test(`it is refused: ${name}`, () => {
      const decided = decide(ofDeployment(2, { pods: waiting('q') }, [], policy))
      assert.equal([decided.errors, replicasOf(decided)], [[code], 2])
    })
})

/** The output of a run with the snapshot and inventory of a later scene. */
function later({ plan }: Decided, scene: Scene): KubernetesObject[] {
  const isRead = ({ kind }: KubernetesObject) => kind === 'NodeInventory' || kind === 'WorkloadSnapshot'
  const kept = plan.items.map(({ object }) => withoutWireAnnotations(object)).filter((one) => !isRead(one))
  return [...kept, ...sceneObjects(scene).filter(isRead)]
}

suite('a NodePool', (test) => {
  const limits = { maxNodes: 5, cpuCores: 16, memoryMiB: 30720 }
  const pool = (policy: object, more: object = limits) => decide({ pools: [{ limits: more, policy }] })
  test('K05 left to Karpenter it has the limits of the pool', () => {
    const decided = pool({ output: DYNAMIC })
    assert.equal([decided.errors, decided.warnings], [[], []])
    const { limits: most, disruption, template, ...others } = specOf(decided, 'NodePool') ?? {}
    assert.equal(most, { nodes: '5', cpu: '16', memory: '30720Mi' })
    assert.equal(disruption, { consolidationPolicy: 'WhenEmpty', consolidateAfter: '5m', budgets: [{ nodes: '1' }] })
    assert.equal(others, {})
    const { metadata, spec } = template as { metadata: { labels: object }; spec: Record<string, unknown> }
    assert.equal(metadata.labels, { 'node-role.kubernetes.io/worker': '', [POOL_LABEL]: 'small' })
    assert.equal([spec.terminationGracePeriod, spec.expireAfter], [undefined, undefined])
    assert.is(specOf(pool({ output: DYNAMIC, priority: 10 }), 'NodePool')?.weight, 10)
  })
  for (const [forceDrainAfter, window, written] of [
    ['24h', '1m30s', ['24h', '1m30s']],
    ['none', '1500ms', [undefined, '2s']],
    ['90s', '1ns', ['90s', '0s']],
  ] as const)
    test(`its times are such that Karpenter takes: ${forceDrainAfter}, ${window}`, () => {
      const scaleDown = { stabilizationWindow: window }
      const decided = decide({
        pools: [{ spec: { scaleDown }, policy: { output: { ...DYNAMIC, forceDrainAfter } } }],
      })
      const { disruption, template } = specOf(decided, 'NodePool') as {
        disruption: { consolidateAfter: string }
        template: { spec: { terminationGracePeriod: string } }
      }
      assert.equal([template.spec.terminationGracePeriod, disruption.consolidateAfter], written)
    })
  for (const [field, policy, more] of [
    ['spec.limits.minNodes', {}, { minNodes: 1 }],
    ['spec.scaleUp.batchSize', { scaleUp: { batchSize: 1 } }, {}],
    ['spec.headroom', { headroom: { pods: 1 } }, {}],
    ['spec.requireTargeting', { requireTargeting: true }, {}],
    ['spec.sizing', { sizing: 'Elastic' }, {}],
  ] as const)
    test(`what Karpenter has nothing for is told: ${field}`, () => {
      const { plan, errors, warnings } = pool({ output: DYNAMIC, ...policy }, { ...limits, ...more })
      assert.equal([errors, warnings], [[], ['NotInNodePool']])
      assert.is(plan.findings.find(({ code }) => code === 'NotInNodePool')?.field?.path, field)
      const fixed = pool({ output: STATIC, ...policy }, { ...limits, ...more }).warnings
      assert.equal([...new Set(fixed)].includes('NotInNodePool'), false)
    })
  test('K06 a limit of 0 is left out', () => {
    assert.equal(specOf(pool({ output: DYNAMIC }, { ...limits, cpuCores: 0, maxNodes: 0 }), 'NodePool')?.limits, {
      memory: '30720Mi',
    })
    assert.is(specOf(pool({ output: DYNAMIC }, { maxNodes: 0 }), 'NodePool')?.limits, undefined)
  })
  test('K07 with replicas it has no weight, and no limit but that of nodes', () => {
    const decided = pool({ output: STATIC, priority: 10 }, { ...limits, minNodes: 5, cpuCores: 20, memoryMiB: 40960 })
    assert.equal([decided.errors, decided.warnings], [[], ['StaticCapacityOff', 'WeightDropped']])
    const { replicas, limits: most, weight, disruption } = specOf(decided, 'NodePool') ?? {}
    assert.equal([replicas, most, weight, disruption], [5, { nodes: '5' }, undefined, undefined])
  })
  test('with replicas it grows beyond the nodes that joined', () => {
    const before = decide({ pools: [{ limits, policy: { output: STATIC } }], pods: waiting('a') })
    const nodes = [{ name: 'n1', used: 'full' as const, claim: null }]
    const after = decideObjects(
      later(before, { pools: [{ limits, policy: { output: STATIC } }], nodes, pods: waiting('b') }),
    )
    assert.equal([specOf(before, 'NodePool')?.replicas, after.errors], [1, []])
    assert.is(specOf(after, 'NodePool')?.replicas, 2)
  })
  const templateOf = (decided: Decided) =>
    (specOf(decided, 'NodePool') as { template: { spec: Record<string, unknown> } }).template.spec
  const over = (more: object, policy: object = {}, options?: PlanOptions) =>
    decideObjects(
      sceneObjects({
        pools: [{ limits, policy: { output: { ...DYNAMIC, ...policy } } }],
        more: [earlierNodePool(more)],
      }),
      options,
    )
  const codesOf = ({ plan }: Decided) =>
    plan.findings.map(({ code }) => code).filter((code) => /^NodePool(Forces|Drifts)/.test(code))
  test('a grace period that an earlier run has written stays, and is said, until the policy says another', () => {
    const kept = over({ terminationGracePeriod: '10m' })
    assert.equal([templateOf(kept).terminationGracePeriod, codesOf(kept)], ['10m', ['NodePoolForcesDrain']])
    const same = over({ terminationGracePeriod: '10m' }, { forceDrainAfter: '10m' })
    assert.equal([templateOf(same).terminationGracePeriod, codesOf(same)], ['10m', []])
    const none = over({ terminationGracePeriod: '10m' }, { forceDrainAfter: 'none' })
    assert.equal([templateOf(none).terminationGracePeriod, codesOf(none)], [undefined, ['NodePoolDrifts']])
    const said = none.plan.findings.find(({ code }) => code === 'NodePoolDrifts')?.sentence ?? ''
    assert.match(
      said,
      'another template (terminationGracePeriod): Karpenter replaces every node, 0 nodes now, whose pods are deleted after 10m',
    )
    const longer = over({ terminationGracePeriod: '10m' }, { forceDrainAfter: '24h' })
    assert.equal([templateOf(longer).terminationGracePeriod, codesOf(longer)], ['24h', ['NodePoolDrifts']])
  })
  test('nothing drifts where the template is the same, but for its requirements', () => {
    assert.equal(codesOf(over({})), [])
    assert.equal(codesOf(over({ requirements: [] })), [])
    assert.equal(codesOf(over({ taints: [{ key: 'a', effect: 'NoSchedule' }] })), ['NodePoolDrifts'])
  })
  test('what the messages propose changes nothing of a NodePool that is there', () => {
    const first = over({ terminationGracePeriod: '10m' })
    const proposed = (code: string) => first.plan.findings.find((one) => one.code === code)?.field?.proposedValue
    const [forceDrainAfter, expireAfter] = [proposed('NodePoolForcesDrain'), proposed('NodePoolExpires')] as string[]
    assert.equal([forceDrainAfter, expireAfter], ['10m', '720h'])
    const policy = { output: { ...DYNAMIC, forceDrainAfter }, expireAfter }
    const pasted = decideObjects(
      sceneObjects({ pools: [{ limits, policy }], more: [earlierNodePool({ terminationGracePeriod: '10m' })] }),
    )
    assert.equal([pasted.errors, codesOf(pasted)], [[], []])
    assert.not(pasted.plan.findings.some(({ code }) => code === 'NodePoolExpires'))
  })
  test('where earlier output is hidden the grace period of today is written, and said', () => {
    const hidden = decideObjects(sceneObjects({ pools: [{ limits, policy: { output: DYNAMIC } }] }), {
      keepsFiles: false,
    })
    assert.equal([templateOf(hidden).terminationGracePeriod, codesOf(hidden)], ['10m', ['NodePoolForcesDrain']])
  })
  test('its nodes expire as the policy says, and that is said where it does not', () => {
    const never = pool({ output: DYNAMIC, expireAfter: 'Never' })
    assert.is(templateOf(never).expireAfter, 'Never')
    assert.not(never.plan.findings.some(({ code }) => code === 'NodePoolExpires'))
    const silent = pool({ output: DYNAMIC }).plan.findings.find(({ code }) => code === 'NodePoolExpires')
    assert.is(silent?.severity, 'info')
  })
  for (const [field, policy] of [
    ['spec.expireAfter', { expireAfter: '720h' }],
    ['spec.output.forceDrainAfter', { output: { kind: 'NodeSmithClaim', forceDrainAfter: '1h' } }],
  ] as const)
    test(`${field} of another output is an error`, () => {
      const { plan, errors } = pool(policy)
      assert.equal(errors, ['PoolInvalid'])
      assert.ok(plan.findings.some((one) => one.field?.path === field))
    })
  test('its mode cannot be changed', () => {
    const [before] = [pool({ output: STATIC }, limits)]
    const scene = { pools: [{ limits, policy: { output: DYNAMIC } }] }
    const [policy] = sceneObjects(scene).filter(({ kind }) => kind === 'PoolPolicy')
    const objects = later(before as Decided, scene).filter(({ kind }) => kind !== 'PoolPolicy')
    assert.equal(decideObjects([...objects, policy as KubernetesObject]).errors, ['OutputInvalid'])
  })
})

suite('a template', (test) => {
  test('is filled for each machine', () => {
    const decided = decide({ pools: [{ policy: { output: TEMPLATE } }], pods: waiting('q') })
    const { metadata, spec } = objectOf(decided, 'VirtualMachine') as KubernetesObject
    assert.equal([metadata.name, metadata.namespace], ['small-000001', 'kubenodesmith'])
    assert.equal(spec, { name: 'small-000001', cores: 4, tags: ['small-8192Mi'], dollars: '$(other)' })
  })
  test('whose provider picks is packed by the smallest size and charged by the largest', () => {
    const machines = [
      { cpuCores: 4, memoryMiB: 8192 },
      { cpuCores: 8, memoryMiB: 4096 },
    ]
    const policy = { output: TEMPLATE, choice: 'any', machines }
    const made = (limits: object, memory: string) =>
      decide({ pools: [{ limits, policy }], pods: [{ name: 'a', cpu: '3', memory }] }).pods.a
    assert.is(made({ cpuCores: 7 }, '1Gi'), 'CpuCeiling')
    assert.is(made({ cpuCores: 8 }, '1Gi'), 'small-000001')
    assert.is(made({ memoryMiB: 8191 }, '1Gi'), 'MemoryCeiling')
    assert.is(made({}, '6Gi'), 'too large')
  })
  /** Three machines that joined, the last of them idle, full again or marked. */
  const joined = (third: Partial<NodeScene>): Scene => ({
    pools: [{ policy: { output: TEMPLATE } }],
    nodes: ['1', '2', '3'].map((number) => ({
      ...{ name: `small-00000${number}`, claim: null },
      ...(number === '3' ? third : full),
    })),
  })
  const first = decide({ pools: [{ policy: { output: TEMPLATE } }], pods: waiting('a', 'b', 'c') })
  /** The next scene, an hour after the machines were opened. */
  const hourLater = (to: Scene) =>
    decideObjects(
      later(first, to).map((object) => {
        const { annotations } = object.metadata
        if (object.kind !== 'VirtualMachine') return object
        return { ...object, metadata: { ...object.metadata, annotations: { ...annotations, [OPENED]: ago(3600) } } }
      }),
    )
  const virtualMachines = ({ plan }: Decided) =>
    plan.items.flatMap(({ object }) => (object.kind === 'VirtualMachine' ? [object.metadata.name] : []))
  test('whose machine is idle goes as a claim does: marked first, then removed with the mark', () => {
    const marked = hourLater(joined(idle))
    assert.equal([marked.errors, marked.marked, virtualMachines(marked).length], [[], ['small-000003'], 3])
    const shown = decideObjects(later(marked, joined({ ...idle, marked: 0, git: null })))
    assert.equal([shown.errors, shown.marked], [[], []])
    assert.equal(virtualMachines(shown), ['small-000001', 'small-000002'])
    assert.is(objectOf(shown, 'Node'), undefined)
  })
  test('whose marked machine has a pod again stays', () => {
    const marked = hourLater(joined(idle))
    const busy = decideObjects(later(marked, joined({ ...full, marked: 0, git: null })))
    assert.equal([busy.errors, virtualMachines(busy).length], [[], 3])
  })
  test('whose machine went is not made again, and its name is not used twice', () => {
    const marked = hourLater(joined(idle))
    const gone = decideObjects(later(marked, joined({ ...idle, marked: 0, git: null })))
    const more = { ...joined(full), nodes: joined(full).nodes?.slice(0, 2), pods: waiting('d') }
    const next = decideObjects(later(gone, more))
    assert.equal([next.errors, virtualMachines(next)], [[], ['small-000001', 'small-000002', 'small-000004']])
  })
  test('begins with what every object begins with, whatever the order of the template', () =>
    assert.equal(Object.keys(objectOf(first, 'VirtualMachine') ?? {}), ['apiVersion', 'kind', 'metadata', 'spec']))
  test('without a kind is refused', () =>
    assert.equal(decide({ pools: [{ policy: { output: { kind: 'Template', template: {} } } }] }).errors, [
      'OutputInvalid',
    ]))
})

suite('a NodePool left to Karpenter', (test) => {
  const scene = (policy: object = {}): Scene => ({ pools: [{ policy: { output: DYNAMIC, ...policy } }] })
  const first = decide(scene())
  const after = (to: Scene) => {
    const [policy] = sceneObjects(to).filter(({ kind }) => kind === 'PoolPolicy')
    return decideObjects([...later(first, to).filter(({ kind }) => kind !== 'PoolPolicy'), policy as KubernetesObject])
  }
  test('needs no snapshot, and is unchanged by what it rendered', () => {
    const inputs = sceneObjects(scene()).filter(({ kind }) => kind !== 'WorkloadSnapshot')
    assert.equal([decideObjects(inputs).errors, decideAgain(first).errors], [[], []])
    assert.equal(changeKinds(decideAgain(first)), ['unchanged'])
  })
  test('is given back by a policy that is disabled, and kept by bad input', () => {
    const off = after(scene({ enabled: false }))
    assert.equal([off.errors, specOf(off, 'NodePool')], [[], specOf(first, 'NodePool')])
    assert.equal(changeKinds(off).includes('removed'), false)
    const bad = after(scene({ times: { settle: '1d' } }))
    assert.equal([bad.errors, specOf(bad, 'NodePool')], [['PoolInvalid'], specOf(first, 'NodePool')])
  })
})

const OUTPUTS: Readonly<Record<string, [output: object, more: KubernetesObject[]]>> = {
  NodeSmithClaim: [{ kind: 'NodeSmithClaim' }, []],
  MachineDeployment: [MD, [deployment(0)]],
  'NodePool with replicas': [STATIC, []],
  Template: [TEMPLATE, []],
}

suite('every output', (test) => {
  for (const [name, [output, more]] of Object.entries(OUTPUTS)) {
    const scene = (policy: object = {}, others: Scene = {}): Scene => ({
      pools: [{ policy: { output, ...policy } }],
      ...{ more, snapshot: { machines: [] }, pods: waiting('a', 'b', 'c'), ...others },
    })
    const machines = (decided: Decided) =>
      Number(replicasOf(decided) ?? specOf(decided, 'NodePool')?.replicas ?? 0) ||
      decided.plan.items.filter(({ object }) => ['NodeSmithClaim', 'VirtualMachine'].includes(object.kind)).length
    test(`${name}: opens what pods need, once`, () => {
      const decided = decide(scene())
      assert.equal([decided.errors, machines(decided)], [[], 3])
      const again = decideAgain(decided)
      assert.equal([again.errors, machines(again)], [[], 3])
      assert.equal(
        changeKinds(again).filter((kind) => kind !== 'unchanged'),
        [],
      )
    })
    test(`${name}: keeps the limits`, () => {
      const limited = scene()
      assert.is(machines(decide({ ...limited, pools: [{ ...limited.pools?.[0], limits: { maxNodes: 2 } }] })), 2)
      assert.is(machines(decide({ ...limited, pools: [{ ...limited.pools?.[0], limits: { cpuCores: 4 } }] })), 1)
    })
    test(`${name}: is kept by a policy that is disabled, and by bad input`, () => {
      const first = decide(scene())
      const changed = (to: Scene) => {
        const [policy] = sceneObjects(to).filter(({ kind }) => kind === 'PoolPolicy')
        const objects = later(first, to).filter(({ kind }) => kind !== 'PoolPolicy')
        return decideObjects([...objects, policy as KubernetesObject])
      }
      const off = changed(scene({ enabled: false }))
      assert.equal([off.errors, machines(off), changeKinds(off).includes('removed')], [[], 3, false])
      const bad = changed(scene({ times: { settle: '1d' } }))
      assert.equal([bad.errors, machines(bad)], [['PoolInvalid'], 3])
    })
    test(`${name}: order changes nothing`, () => {
      const objects = sceneObjects(scene())
      const turned = decideObjects([...objects].reverse())
      assert.equal([turned.errors, machines(turned)], [[], 3])
    })
  }
})
