/** Rows P01 to P33, P46 and P50 to P52 of the specification: which machines pending pods open. */
import * as assert from 'uvu/assert'
import { withoutWireAnnotations } from '../../../src/krm/identity.ts'
import { type PodSpec, podRequests } from '../../../src/kube/index.ts'
import {
  ago,
  changeKinds,
  claimsIn,
  type Decided,
  decide,
  decideAgain,
  decideObjects,
  POOL_LABEL,
  type PodScene,
  type Scene,
  sceneObjects,
} from '../../support/pools.ts'
import { suite } from '../../support/suite.ts'

const WORKER = 'node-role.kubernetes.io/worker'
const small = (...numbers: number[]) => numbers.map((number) => `small-${String(number).padStart(6, '0')}`)
const pods = (names: string[], cpu: string, memory: string, more: Partial<PodScene> = {}): PodScene[] =>
  names.map((name) => ({ name, cpu, memory, ...more }))
const q = (count: number) => Array.from({ length: count }, (_, index) => `q${index + 1}`)
const affinity = (...nodeSelectorTerms: object[]) => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
})
const term = (...matchExpressions: object[]) => ({ matchExpressions })
const full = (...numbers: number[]) => small(...numbers).map((name) => ({ name, used: 'full' as const }))

const requirementsIn = (decided: Decided) =>
  claimsIn(decided).map(({ spec }) => (spec as { requirements: object }).requirements)

interface Row {
  readonly scene: Scene
  readonly added?: readonly string[]
  readonly dropped?: readonly string[]
  readonly pods?: Readonly<Record<string, string>>
  readonly warnings?: readonly string[]
  readonly also?: (decided: Decided) => void
}

const threePods = pods(['a', 'b', 'c'], '2', '2Gi')
const requestsOf = (spec: PodSpec) =>
  Object.fromEntries(Object.entries(podRequests(spec)).map(([name, amount]) => [name, String(amount)]))
const container = (cpu: string, memory: string, more: object = {}) => ({
  name: 'c',
  resources: { requests: { cpu, memory } },
  ...more,
})

const ROWS: Readonly<Record<string, Row>> = {
  'P01 a pod opens a machine': {
    scene: { pods: pods(['a'], '500m', '512Mi') },
    added: small(1),
    pods: { a: 'small-000001' },
    also: (decided) => assert.equal(requirementsIn(decided), [{ cpuCores: 4, memoryMiB: 8192 }]),
  },
  'P02 pods of which two exceed a machine get one each': { scene: { pods: threePods }, added: small(1, 2, 3) },
  'P03 the largest are packed first': {
    scene: {
      pods: [
        ['a', '1900m'],
        ['b', '1900m'],
        ['c', '1800m'],
        ['d', '1000m'],
        ['e', '900m'],
        ['f', '100m'],
      ].map(([name = '', cpu]) => ({ name, cpu, memory: '1Gi' })),
    },
    added: small(1, 2),
    pods: {
      ...Object.fromEntries(['a', 'b'].map((name) => [name, 'small-000001'])),
      ...Object.fromEntries(['c', 'd', 'e', 'f'].map((name) => [name, 'small-000002'])),
    },
  },
  'P04 memory bounds a machine too': {
    scene: { pods: pods(['m1', 'm2', 'm3', 'm4', 'm5'], '100m', '3Gi') },
    added: small(1, 2, 3),
    pods: { m1: 'small-000001', m2: 'small-000001', m3: 'small-000002', m4: 'small-000002', m5: 'small-000003' },
  },
  'P05 a pod larger than a machine opens none': {
    scene: { pods: pods(['big'], '4', '2Gi') },
    pods: { big: 'too large' },
    warnings: ['PodsTooLarge'],
  },
  'P06 an elastic machine is enlarged to its pod': {
    scene: { pools: [{ policy: { sizing: 'Elastic' } }], pods: pods(['big'], '4', '2Gi') },
    added: small(1),
    also: (decided) => assert.equal(requirementsIn(decided), [{ cpuCores: 5, memoryMiB: 8192 }]),
  },
  'P07 machines in flight absorb the pods that opened them': {
    scene: { pods: threePods, claims: small(1, 2, 3).map((name) => ({ name, opened: 0 })) },
    pods: { a: 'small-000001', b: 'small-000002', c: 'small-000003' },
  },
  'P09 nodes are added up to the limit': {
    scene: { nodes: full(1, 2, 3), pods: pods(q(4), '3', '1Gi') },
    added: small(4, 5),
    pods: { q1: 'small-000004', q2: 'small-000005', q3: 'MaxNodes', q4: 'MaxNodes' },
    warnings: ['PodsHeldBack'],
  },
  'P10 a node that is not Ready and its claim are one machine': {
    scene: {
      pools: [{ limits: { maxNodes: 3 } }],
      nodes: [...full(1), { name: 'small-000002', ready: false, claim: { opened: 300, live: {} } }],
      pods: pods(q(2), '3', '1Gi'),
    },
    added: small(3),
    pods: { q1: 'small-000002', q2: 'small-000003' },
  },
  'P11 the memory ceiling counts what the provider adds': {
    scene: { pools: [{ limits: { memoryMiB: 30720 } }], pods: pods(q(5), '3', '1Gi') },
    added: small(1, 2, 3),
    pods: { q1: 'small-000001', q2: 'small-000002', q3: 'small-000003', q4: 'MemoryCeiling', q5: 'MemoryCeiling' },
    warnings: ['PodsHeldBack'],
  },
  'P12 a fourth machine is above the memory ceiling': {
    scene: { pools: [{ limits: { memoryMiB: 32768 } }], pods: pods(q(4), '3', '7Gi') },
    added: small(1, 2, 3),
    pods: { q1: 'small-000001', q2: 'small-000002', q3: 'small-000003', q4: 'MemoryCeiling' },
    warnings: ['PodsHeldBack'],
  },
  'P13 machines are added up to the cpu ceiling': {
    scene: { pools: [{ limits: { cpuCores: 10 } }], pods: pods(q(4), '3', '1Gi') },
    added: small(1, 2),
    pods: { q1: 'small-000001', q2: 'small-000002', q3: 'CpuCeiling', q4: 'CpuCeiling' },
    warnings: ['PodsHeldBack'],
  },
  'P14 maxNodes 0 is no limit': {
    scene: { pools: [{ limits: { maxNodes: 0 } }], pods: pods(q(12), '3', '1Gi') },
    added: small(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
  },
  'P15 a batch limits the machines in flight': {
    scene: { pools: [{ policy: { scaleUp: { batchSize: 2 } } }], pods: pods(q(5), '3', '1Gi') },
    added: small(1, 2),
    pods: { q1: 'small-000001', q2: 'small-000002', q3: 'BatchSize', q4: 'BatchSize', q5: 'BatchSize' },
    warnings: ['PodsHeldBack'],
  },
  'P16 a batch in flight is full': {
    scene: {
      pools: [{ policy: { scaleUp: { batchSize: 2 } } }],
      pods: pods(q(5), '3', '1Gi'),
      claims: small(1, 2).map((name) => ({ name, opened: 0 })),
    },
    pods: { q1: 'small-000001', q2: 'small-000002', q3: 'BatchSize', q4: 'BatchSize', q5: 'BatchSize' },
    warnings: ['PodsHeldBack'],
  },
  'P17 a machine that joined makes room in the batch': {
    scene: {
      pools: [{ policy: { scaleUp: { batchSize: 2 } } }],
      nodes: [{ name: 'small-000001', ready: 60, used: { cpu: '3', memory: '1Gi', pods: '1' }, blocking: 1 }],
      claims: [{ name: 'small-000002' }],
      pods: pods(['q2', 'q3', 'q4', 'q5'], '3', '1Gi'),
    },
    added: small(3),
    pods: { q2: 'small-000002', q3: 'small-000003', q4: 'BatchSize', q5: 'BatchSize' },
    warnings: ['PodsHeldBack'],
  },
  'P18 a pod that is pending for less than the window opens nothing': {
    scene: { pods: pods(['a'], '1', '1Gi', { since: 119 }) },
    pods: { a: 'young' },
  },
  'P19 the window itself is long enough': { scene: { pods: pods(['a'], '1', '1Gi', { since: 120 }) }, added: small(1) },
  'P20 pods that no machine is for open none': {
    scene: {
      pods: [
        { name: 'daemon', like: { controller: 'DaemonSet' } },
        { name: 'static', like: { controller: 'Node' } },
        { name: 'terminating', pod: { deleting: true } },
        { name: 'nominated', pod: { nominated: 'n1' } },
        { name: 'gated', pod: { reason: 'SchedulingGated' } },
        { name: 'new', pod: { reason: undefined } },
        { name: 'cheap', like: { priority: -20 } },
        { name: 'gates', like: { gates: ['example.com/quota'] } },
      ],
    },
    pods: {},
  },
  'P21 a pod requests what the scheduler sums': {
    scene: {
      pods: [
        {
          name: 'a',
          like: {
            requests: requestsOf({
              containers: [container('500m', '256Mi'), container('500m', '256Mi')],
              initContainers: [container('200m', '128Mi', { restartPolicy: 'Always' }), container('3', '1Gi')],
              overhead: { cpu: '250m', memory: '120Mi' },
            }),
          },
        },
        { name: 'b', cpu: '300m', memory: '256Mi' },
      ],
    },
    added: small(1),
    pods: { a: 'small-000001', b: 'small-000001' },
    also: ({ run }) => {
      const [a] = [...(run?.packing.outcomes.keys() ?? [])].filter(({ id }) => id === 'default/a')
      assert.equal([...(a?.group.request ?? [])], [3450, 1333788672, 1])
    },
  },
  'P22 a pool is filled up to minNodes': { scene: { pools: [{ limits: { minNodes: 2 } }] }, added: small(1, 2) },
  'P23 a ceiling wins over minNodes': {
    scene: { pools: [{ limits: { minNodes: 3, memoryMiB: 20480 } }] },
    added: small(1, 2),
    warnings: ['MinNodesNotReached'],
  },
  'P24 a claim that failed without a node is dropped and replaced': {
    scene: { claims: [{ name: 'small-000001', live: { failed: true } }], pods: pods(['a'], '1', '1Gi') },
    added: small(2),
    dropped: small(1),
    warnings: ['ClaimFailed'],
  },
  'P25 a machine that is late counts and gives no room': {
    scene: { claims: [{ name: 'small-000001', opened: 1200, live: {} }], pods: pods(['a'], '1', '1Gi') },
    added: small(2),
    pods: { a: 'small-000002' },
    warnings: ['ClaimStale'],
  },
  'P26 a fresh node absorbs a pod that waited for it': {
    scene: { nodes: [{ name: 'small-000001', ready: 60 }], pods: pods(['a'], '1', '1Gi', { since: 900 }) },
    pods: { a: 'small-000001' },
  },
  'P27 an old pod is not for a node that the scheduler has refused': {
    scene: { nodes: [{ name: 'small-000001' }], pods: pods(['a'], '1', '1Gi', { since: 900 }) },
    added: small(2),
  },
  'P27b a young pod may still be scheduled to it': {
    scene: { nodes: [{ name: 'small-000001' }], pods: pods(['a'], '1', '1Gi', { since: 180 }) },
    pods: { a: 'small-000001' },
  },
  'P28 a node that others cordoned has no room': {
    scene: { nodes: [{ name: 'small-000001', cordoned: true }], pods: pods(['a'], '1', '1Gi') },
    added: small(2),
  },
  'P29 only pods that a machine of the pool would match open one': {
    scene: {
      pods: [
        { nodeSelector: { [POOL_LABEL]: 'big' } },
        { nodeSelector: { [POOL_LABEL]: 'small', [WORKER]: '' } },
        affinity({}),
        affinity({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }),
        { nodeSelector: { 'kubernetes.io/arch': 'arm64' } },
      ].map((like, index) => ({ name: `p${index + 1}`, cpu: '500m', memory: '512Mi', like })),
    },
    added: small(1),
    pods: { p1: 'no pool', p2: 'small-000001', p3: 'no pool', p4: 'no pool', p5: 'no pool' },
  },
  'P30 NotIn and terms that are alternatives': {
    scene: {
      pods: [
        affinity(term({ key: POOL_LABEL, operator: 'NotIn', values: ['small'] })),
        affinity(term({ key: POOL_LABEL, operator: 'NotIn', values: ['big'] })),
        affinity(term({ key: 'gpu', operator: 'Exists' }), term({ key: WORKER, operator: 'Exists' })),
      ].map((like, index) => ({ name: `p${index + 1}`, like })),
    },
    added: small(1),
    pods: { p1: 'no pool', p2: 'small-000001', p3: 'small-000001' },
  },
  'P31 each pod is placed once, in the pools by priority': {
    scene: {
      pools: [
        { policy: { priority: 10 }, limits: { maxNodes: 1 } },
        { name: 'big', limits: { maxNodes: 0 }, policy: { machines: [{ cpuCores: 8, memoryMiB: 16384 }] } },
      ],
      pods: [...pods(['a', 'b'], '3', '4Gi'), ...pods(['c'], '6', '4Gi')],
    },
    added: ['big-000001', 'big-000002', 'small-000001'],
    pods: { a: 'small-000001', c: 'big-000001', b: 'big-000002' },
  },
  'P32 only pods that tolerate the taints of the pool open a machine': {
    scene: {
      pools: [{ policy: { taints: [{ key: 'dedicated', value: 'batch', effect: 'NoSchedule' }] } }],
      pods: [
        { name: 'plain' },
        { name: 'batch', like: { tolerations: [{ key: 'dedicated', value: 'batch', effect: 'NoSchedule' }] } },
      ],
    },
    added: small(1),
    pods: { plain: 'no pool', batch: 'small-000001' },
  },
  'P33 a new name is above those of claims and nodes': {
    scene: {
      nodes: full(7),
      claims: [{ name: 'small-000003', opened: 1000, live: {} }],
      pods: pods(['a'], '3', '1Gi'),
    },
    added: small(8),
    warnings: ['ClaimStale'],
  },
  'P50 a pod without requests takes one place': {
    scene: { pods: [{ name: 'a', like: { requests: {} } }] },
    added: small(1),
  },
}

suite('pools: scale-up', (test) => {
  for (const [title, { scene, added = [], dropped = [], pods: places, warnings = [], also }] of Object.entries(ROWS))
    test(title, () => {
      const decided = decide(scene)
      assert.equal(decided.errors, [])
      assert.equal(decided.added, [...added])
      assert.equal(decided.dropped, [...dropped])
      if (places !== undefined) assert.equal(decided.pods, places)
      assert.equal(decided.warnings, [...warnings])
      also?.(decided)
      const again = decideAgain(decided)
      assert.equal(again.errors, [])
      assert.equal(
        changeKinds(again).filter((kind) => kind !== 'unchanged'),
        [],
      )
    })
  test('with requireTargeting a pod has to select the pool, and not only to refuse others', () => {
    const term = (...matchExpressions: object[]) => ({ matchExpressions })
    const affinity = (...nodeSelectorTerms: object[]) => ({
      affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
    })
    const [OWN, OTHER] = [POOL_LABEL, 'node-role.kubernetes.io/worker']
    const LIKE: Array<[like: object, isServed: boolean]> = [
      [{}, false],
      [{ nodeSelector: { [OWN]: 'small' } }, true],
      [affinity(term({ key: OWN, operator: 'In', values: ['small'] })), true],
      [affinity(term({ key: OWN, operator: 'Exists' })), true],
      [affinity(term({ key: OWN, operator: 'NotIn', values: ['big'] })), false],
      [affinity(term({ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] })), false],
      [affinity(term({ key: OWN, operator: 'Exists' }), term({ key: 'kubernetes.io/os', operator: 'Exists' })), false],
      [affinity(term({ key: OWN, operator: 'Exists' }, { key: OTHER, operator: 'NotIn', values: ['x'] })), true],
    ]
    const served = LIKE.map(
      ([like]) =>
        decide({ pools: [{ policy: { requireTargeting: true } }], pods: [{ name: 'a', like }] }).added.length > 0,
    )
    assert.equal(
      served,
      LIKE.map(([, isServed]) => isServed),
    )
  })
  test('P08 where the earlier output is hidden, live claims are rendered again', () => {
    const scene = {
      pods: threePods,
      claims: small(1, 2, 3).map((name) => ({ name, opened: 30, inGit: false, live: {} })),
    }
    const stream = { keepsFiles: false }
    const objects = sceneObjects(scene)
    assert.equal(decideObjects(objects, stream).errors, ['NeedsEarlierOutput'])
    const allowed = decideObjects(objects, { ...stream, allow: ['NeedsEarlierOutput'] })
    assert.equal(allowed.errors, [])
    assert.equal(
      claimsIn(allowed).map(({ metadata }) => metadata.name),
      small(1, 2, 3),
    )
    assert.equal(requirementsIn(allowed), Array(3).fill({ cpuCores: 4, memoryMiB: 8192 }))
    assert.equal(allowed.pods, { a: 'small-000001', b: 'small-000002', c: 'small-000003' })
    const unknown = { ...scene, snapshot: { claims: undefined, collected: {} } }
    assert.equal(decideObjects(sceneObjects(unknown), { ...stream, allow: ['NeedsEarlierOutput'] }).errors, [
      'ClaimsUnknown',
    ])
    // where it is not hidden, a claim that Git does not have counts and is its user's
    const seen = decide(scene)
    assert.equal(seen.added, [])
    assert.equal(seen.pods, allowed.pods)
    assert.equal(seen.warnings, ['ClaimsNotInGit'])
  })
  test('P46 a claim of a pool that is not in the package is kept', () => {
    const [claim] = sceneObjects({ claims: [{ name: 'gone-000001', pool: 'gone' }] }).filter(
      ({ kind }) => kind === 'NodeSmithClaim',
    )
    const { annotations: _, ...metadata } = claim?.metadata ?? { name: '' }
    const decided = decide({ more: [{ ...claim, metadata } as never] })
    assert.equal([decided.errors, decided.warnings], [[], ['UnknownPool']])
    assert.ok(decided.plan.items.some(({ object }) => object.metadata.name === 'gone-000001'))
    // one that was rendered here for a policy that is gone is kept by an error
    const orphan = decide({ claims: [{ name: 'gone-000001', pool: 'gone' }] })
    assert.ok(orphan.errors.includes('OrphanedOutput'))
  })
  test('P51 the order of pods, nodes, pools and claims changes no byte', () => {
    const scene: Scene = {
      pools: [{}, { name: 'big', policy: { machines: [{ cpuCores: 8, memoryMiB: 16384 }] } }],
      nodes: full(1, 2, 3),
      claims: small(4).map((name) => ({ name, live: {} })),
      pods: [...pods(q(4), '3', '1Gi'), ...pods(['c'], '6', '4Gi')],
    }
    const turned: Scene = {
      pools: [...(scene.pools ?? [])].reverse(),
      nodes: [...(scene.nodes ?? [])].reverse(),
      claims: scene.claims,
      pods: [...(scene.pods ?? [])].reverse(),
    }
    const bytes = (one: Scene) =>
      claimsIn(decide(one))
        .map((claim) => JSON.stringify(withoutWireAnnotations(claim)))
        .sort()
    assert.equal(bytes(turned), bytes(scene))
    assert.equal(decide(scene).added, ['big-000001', 'big-000002', 'big-000003'])
  })
  test('P52 input that cannot be planned keeps every claim', () => {
    const claims = [{ name: 'small-000001' }]
    const wrong: ReadonlyArray<readonly [Scene, string]> = [
      [{ pools: [{ spec: { scaleUp: { stabilizationWindow: '1d' } } }] }, 'PoolInvalid'],
      [{ pools: [{ spec: { scaleDown: { stabilizationWindow: '30' } } }] }, 'PoolInvalid'],
      [{ pools: [{ limits: { minNodes: 2, maxNodes: 1 } }] }, 'PoolInvalid'],
      [{ pools: [{}, {}] }, 'DuplicatePool'],
      [{ pools: [{}, { name: 'big', policy: { output: { namePrefix: 'small' } } }] }, 'DuplicatePool'],
      [{ pools: [{ policy: { output: { namePrefix: 'x'.repeat(57) } } }] }, 'PoolInvalid'],
      [{ snapshot: { observedAt: undefined } }, 'NoTime'],
      [{ claims: [{ name: 'small-000002', opened: -1 }] }, 'SnapshotOlder'],
      [{ pools: [{ policy: { poolRef: 'other' } }] }, 'PoolMissing'],
      [{ pools: [{ spec: { providerRef: 'other' } }] }, 'ProviderMissing'],
      [{ snapshot: { cluster: 'other' } }, 'WrongCluster'],
      [{ snapshot: { observedAt: ago(61) } }, 'SnapshotsApart'],
      [{ snapshot: { pending: undefined, collected: {} } }, 'PoolInputUnknown'],
    ]
    for (const [scene, code] of wrong) {
      const decided = decide({ pods: threePods, claims, ...scene })
      assert.ok(decided.errors.includes(code), `${code}: ${JSON.stringify(scene)}: ${decided.errors}`)
      assert.ok(decided.plan.failed)
      assert.ok(decided.plan.items.some(({ object }) => object.kind === 'NodeSmithClaim'))
    }
  })
})
