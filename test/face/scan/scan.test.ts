/** What `nodefit scan` says of the DaemonSets of a cluster. */
import * as assert from 'uvu/assert'
import { plain } from '../../../src/face/index.ts'
import { type ScanInput, scanDaemonSets, scanJson, scanLines, scanSummary } from '../../../src/face/scan/index.ts'
import { amountText, sizeText } from '../../../src/face/scan/types.ts'
import type { PodObject } from '../../../src/facts/inventory/index.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import type { Node } from '../../../src/kube/index.ts'
import { suite } from '../../support/suite.ts'

const nodeOf = (name: string, cpu: string, memory: string, more: object = {}): Node => ({
  metadata: { name, labels: { size: cpu } },
  status: { allocatable: { cpu, memory, pods: '110' } },
  ...more,
})
const [SMALL, LARGE] = [nodeOf('small', '2', '8Gi'), nodeOf('large', '8', '32Gi')]

const SIZES = { requests: { cpu: '100m', memory: '100Mi' }, limits: { memory: '200Mi' } }
const daemonOf = (resources: object = SIZES, { name = 'agent', spec = {}, metadata = {} } = {}): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind: 'DaemonSet',
  metadata: { name, namespace: 'ops', ...metadata },
  spec: { template: { spec: { containers: [{ name: 'agent', image: 'agent:1', resources }], ...spec } } },
})
const podOn = (node: string, { status = { phase: 'Running' }, resources = SIZES, name = 'agent' } = {}): PodObject =>
  ({
    metadata: {
      name: `${name}-${node}`,
      namespace: 'ops',
      ownerReferences: [{ kind: 'DaemonSet', name, controller: true }],
    },
    spec: { nodeName: node, containers: [{ name: 'agent', resources }] },
    status,
  }) as unknown as PodObject
const usageOn = (node: string, cpu: unknown, memory: unknown, container = 'agent'): KubernetesObject => ({
  apiVersion: 'metrics.k8s.io/v1beta1',
  kind: 'PodMetrics',
  metadata: { name: `agent-${node}`, namespace: 'ops' },
  containers: [{ name: container, usage: { cpu, memory } }],
})
const waitingPod = (message: string, others: object[] = [], name = 'agent-'): PodObject =>
  ({
    ...podOn(''),
    metadata: { ...podOn('').metadata, name },
    status: { phase: 'Pending', conditions: [...others, { type: 'PodScheduled', status: 'False', message }] },
  }) as unknown as PodObject
const killedIn = (state: string, list = 'containerStatuses', reason = 'OOMKilled') => ({
  phase: 'Running',
  [list]: [{ name: 'agent', [state]: { terminated: { reason } } }],
})

const killedAt = (finishedAt: string) => ({
  phase: 'Running',
  containerStatuses: [{ name: 'agent', lastState: { terminated: { reason: 'OOMKilled', finishedAt } } }],
})

const BASE: ScanInput = { nodes: [SMALL, LARGE], daemonSets: [daemonOf()], pods: [podOn('small'), podOn('large')] }
const scanned = (more: Partial<ScanInput> = {}) => {
  const [row] = scanDaemonSets({ ...BASE, ...more })
  if (row === undefined) throw new Error('no row')
  return row
}
const HUGE = nodeOf('large', '9', '32Gi')

const VERDICTS: Array<[name: string, more: Partial<ScanInput>, verdict: string, why: RegExp]> = [
  ['without usage', {}, 'fine', /^its usage is not known$/],
  ['usage between the limits', { metrics: [usageOn('small', '50m', '90Mi')] }, 'fine', /./],
  ['cpu of nodes exactly four times apart', {}, 'fine', /./],
  [
    'cpu of nodes more than four times apart',
    { nodes: [SMALL, HUGE] },
    'uneven',
    /^100m of cpu on nodes of 2 to 9 cores$/,
  ],
  [
    'nodes far apart, nothing requested of what differs',
    { nodes: [SMALL, HUGE], daemonSets: [daemonOf({ requests: { memory: '100Mi' } })] },
    'fine',
    /./,
  ],
  ['a node far larger on which it does not run', { nodes: [SMALL, LARGE, nodeOf('huge', '96', '768Gi')] }, 'fine', /./],
  ['usage of exactly 90 % of the limit', { metrics: [usageOn('small', '50m', '180Mi')] }, 'fine', /./],
  [
    'usage above 90 % of the limit',
    { metrics: [usageOn('small', '50m', '181Mi')] },
    'starved',
    /^agent uses 181Mi of its memory limit of 200Mi$/,
  ],
  ['usage of a container without that limit', { metrics: [usageOn('small', '50m', '90Mi', 'other')] }, 'fine', /./],
  [
    'a kill in the past',
    { pods: [podOn('small', { status: killedIn('lastState') })] },
    'starved',
    /1 pod had .*OOMKilled/,
  ],
  [
    'a kill of six days before the usage was measured',
    {
      pods: [podOn('small', { status: killedAt('2026-11-18T10:00:00Z') })],
      metrics: [{ ...usageOn('small', '50m', '90Mi'), timestamp: '2026-11-24T10:00:00Z' }],
    },
    'starved',
    /^1 pod had agent killed for want of memory \(OOMKilled\), last at 2026-11-18T10:00:00Z$/,
  ],
  [
    'a kill of eight days before, which has passed',
    {
      pods: [podOn('small', { status: killedAt('2026-11-16T10:00:00Z') })],
      metrics: [{ ...usageOn('small', '50m', '90Mi'), timestamp: '2026-11-24T10:00:00Z' }],
    },
    'fine',
    /./,
  ],
  ['a kill now', { pods: [podOn('small', { status: killedIn('state') })] }, 'starved', /OOMKilled/],
  [
    'a pod that waits for room',
    { pods: [podOn('small'), waitingPod('Insufficient memory')] },
    'starved',
    /^1 pod waits for room on its node$/,
  ],
  [
    'two pods that wait for room, which is one of their conditions',
    {
      pods: [podOn('small'), ...['a', 'b'].map((name) => waitingPod('Insufficient memory', [{ type: 'Ready' }], name))],
    },
    'starved',
    /^2 pods wait for room on their nodes$/,
  ],
  [
    'a kill of a container that ends before the others begin',
    { pods: [podOn('small', { status: killedIn('lastState', 'initContainerStatuses') })] },
    'starved',
    /OOMKilled/,
  ],
  [
    'a container that ended for another reason',
    { pods: [podOn('small', { status: killedIn('lastState', 'containerStatuses', 'Error') })] },
    'fine',
    /./,
  ],
  [
    'usage of a container beside the others, such as a sidecar',
    {
      daemonSets: [daemonOf(SIZES, { spec: { initContainers: [{ name: 'side', image: 's', resources: SIZES }] } })],
      metrics: [usageOn('small', '50m', '199Mi', 'side')],
    },
    'starved',
    /^side uses 199Mi of its memory limit of 200Mi$/,
  ],
  [
    'usage under a limit of nothing, which is no limit',
    {
      daemonSets: [daemonOf({ ...SIZES, limits: { cpu: '0' } })],
      metrics: [usageOn('small', '50m', '90Mi')],
    },
    'fine',
    /./,
  ],
  [
    'usage above the smallest limit',
    { daemonSets: [daemonOf({ ...SIZES, limits: { cpu: '1m' } })], metrics: [usageOn('small', '50m', '90Mi')] },
    'starved',
    /^agent uses 50m of its cpu limit of 1m$/,
  ],
  [
    'the smallest request on nodes far apart',
    { nodes: [SMALL, HUGE], daemonSets: [daemonOf({ requests: { cpu: '1m' } })] },
    'uneven',
    /^1m of cpu on nodes of 2 to 9 cores$/,
  ],
  [
    'a node that reports no cpu is not the smallest of nodes far apart',
    { nodes: [nodeOf('small', '0', '8Gi'), HUGE] },
    'fine',
    /./,
  ],
  [
    'the smallest node there can be',
    { nodes: [nodeOf('small', '1m', '8Gi'), HUGE] },
    'uneven',
    /^100m of cpu on nodes of 0 to 9 cores$/,
  ],
  ['nothing of pods', { pods: undefined }, 'fine', /./],
  ['a pod that waits for something else', { pods: [podOn('small'), waitingPod('untolerated taint')] }, 'fine', /./],
  [
    'what the first look says',
    { nodes: [SMALL, HUGE], judge: () => ({ verdict: 'lower', why: 'cpu 100m -> 50m of agent' }) },
    'lower',
    /^cpu 100m -> 50m of agent$/,
  ],
  [
    'starved before what the first look says',
    { metrics: [usageOn('small', '50m', '199Mi')], judge: () => ({ verdict: 'lower', why: 'x' }) },
    'starved',
    /limit of 200Mi$/,
  ],
  [
    'twice the memory that it requests, on half of the pods',
    {
      metrics: [usageOn('small', '50m', '190Mi'), usageOn('large', '50m', '90Mi')],
      daemonSets: [daemonOf({ requests: { cpu: '100m', memory: '40Mi' } })],
    },
    'starved',
    /^half of its pods use 90Mi of memory or more and request 40Mi: a node that lacks memory evicts them first$/,
  ],
  [
    'twice the memory that it requests, on fewer',
    {
      metrics: [usageOn('small', '50m', '60Mi'), usageOn('large', '50m', '190Mi')],
      daemonSets: [daemonOf({ requests: { cpu: '100m', memory: '40Mi' } })],
    },
    'fine',
    /./,
  ],
  ['left alone', { leave: () => 'it is kube-proxy', nodes: [SMALL, HUGE] }, 'leave it', /^it is kube-proxy$/],
  [
    'left alone and starved',
    { leave: () => 'it is kube-proxy', metrics: [usageOn('small', '50m', '199Mi')] },
    'leave it',
    /^it is kube-proxy; .*limit of 200Mi$/,
  ],
  [
    'an add-on',
    { leave: () => 'its size is set by the Kubernetes addon manager' },
    'leave it',
    /^its size is set by the Kubernetes addon manager$/,
  ],
  [
    'a Helm release, which has values',
    { daemonSets: [daemonOf(SIZES, { metadata: { annotations: { 'meta.helm.sh/release-name': 'r' } } })] },
    'fine',
    /./,
  ],
]

suite('verdicts', (test) => {
  for (const [name, more, verdict, why] of VERDICTS)
    test(name, () => {
      const row = scanned(more)
      assert.is(row.verdict, verdict, row.why)
      assert.match(row.why, why)
    })
})

suite('scanDaemonSets', (test) => {
  test('sums what the pods that run request, as they are', () => {
    const larger = { requests: { cpu: '300m', memory: '1Gi' }, limits: { memory: '1Gi' } }
    const { total, nodes, request } = scanned({ pods: [podOn('small'), podOn('large', { resources: larger })] })
    assert.equal(total, { cpu: 400n, memory: (1024n + 100n) << 20n })
    assert.equal(request, { cpu: 100n, memory: 100n << 20n })
    assert.is(nodes, 2)
  })
  test('pods that have ended, and those of others, do not count', () => {
    const pods = [podOn('small'), podOn('large', { status: { phase: 'Failed' } }), podOn('large', { name: 'other' })]
    assert.is(scanned({ pods }).nodes, 1)
  })
  test('without pods it runs wherever the DaemonSet controller starts one', () => {
    const tainted = nodeOf('tainted', '2', '8Gi', { spec: { taints: [{ key: 'a', effect: 'NoSchedule' }] } })
    const row = scanned({ nodes: [SMALL, LARGE, tainted], pods: undefined })
    assert.is(row.nodes, 2)
    assert.equal(row.total, { cpu: 200n, memory: 200n << 20n })
    assert.is(scanned({ nodes: [SMALL, LARGE], pods: [] }).nodes, 0, 'no pod runs')
  })
  test('shares are those of the smallest and the largest node that it runs on', () => {
    const { smallest, largest } = scanned({ nodes: [nodeOf('huge', '96', '768Gi'), LARGE, SMALL] })
    assert.equal([smallest?.cpu, largest?.cpu], [5, 1.25])
    assert.is(smallest?.memory, 1.22)
  })
  test('usage is the 95th percentile of the pods; what each requests beyond its own is unused', () => {
    const names = Array.from({ length: 20 }, (_, index) => `n${index}`)
    const row = scanned({
      nodes: names.map((name) => nodeOf(name, '2', '8Gi')),
      pods: names.map((name) => podOn(name)),
      metrics: names.map((name, index) => usageOn(name, `${index + 1}m`, `${index + 1}Mi`)),
    })
    assert.equal(row.used, { cpu: 19n, memory: 19n << 20n, pods: 20 })
    assert.equal(row.unused, { cpu: 2000n - 210n, memory: (2000n - 210n) << 20n })
  })
  test('shares are found in whatever order nodes and pods come, by memory, then by cpu', () => {
    const nodes = ['b', 'c', 'a'].map((name, index) => nodeOf(name, `${[4, 8, 2][index]}`, '8Gi'))
    const at = (...names: string[]) => {
      const { smallest, largest } = scanned({ nodes: [...nodes, LARGE], pods: names.map((name) => podOn(name)) })
      return [smallest?.allocatable.cpu, largest?.allocatable.cpu]
    }
    assert.equal(at('c', 'a', 'b'), [2000n, 8000n])
    assert.equal(at('large', 'c'), [8000n, 8000n])
    assert.equal(scanned({ nodes: [LARGE, SMALL], pods: [podOn('large'), podOn('small')] }).smallest?.cpu, 5)
  })
  test('a pod may request a whole node, and one of a node that reports nothing has no share', () => {
    const whole = { requests: { cpu: '2', memory: '8Gi' } }
    const row = (node: Node) => scanned({ nodes: [node], daemonSets: [daemonOf(whole)], pods: [podOn('small')] })
    assert.equal(row(SMALL).smallest?.cpu, 100)
    const silent = row({ metadata: { name: 'small', labels: {} } }).smallest
    assert.equal([silent?.cpu, silent?.memory, silent?.allocatable], [0, 0, { cpu: 0n, memory: 0n }])
  })
  test('pods that request nothing, or in amounts that cannot be read, add nothing', () => {
    const of = (resources: object) =>
      scanned({ pods: [podOn('small', { resources: resources as typeof SIZES })] }).total
    for (const resources of [{}, { requests: { cpu: 'much', memory: '1Gi' } }])
      assert.equal(of(resources), { cpu: 0n, memory: 0n })
  })
  test('the 95th percentile is of all pods in whatever order they come', () => {
    const names = Array.from({ length: 20 }, (_, index) => `n${index}`)
    const order = [19, 3, 0, 12, 7, 18, 1, 9, 15, 4, 17, 2, 11, 6, 14, 8, 16, 5, 13, 10]
    const { used } = scanned({
      nodes: names.map((name) => nodeOf(name, '2', '8Gi')),
      pods: names.map((name) => podOn(name)),
      metrics: names.map((name, index) => usageOn(name, `${(order[index] ?? 0) + 1}m`, `${(order[index] ?? 0) + 1}Mi`)),
    })
    assert.equal(used, { cpu: 19n, memory: 19n << 20n, pods: 20 })
  })
  test('a pod that uses more than it requests leaves nothing unused; metrics without containers are none', () => {
    assert.equal(scanned({ metrics: [usageOn('small', '150m', '150Mi')] }).unused, { cpu: 0n, memory: 0n })
    assert.is(scanned({ metrics: [{ ...usageOn('small', '1m', '1Mi'), containers: [] }] }).used, undefined)
  })
  test('a core counts as much as 4 GiB, and what is left alone comes last', () => {
    const amounts = { core: ['1', '0'], less: ['0', '4292819812'], more: ['0', '4402341478'], left: ['9', '9Gi'] }
    const daemons = Object.entries(amounts).map(([name, [cpu, memory]]) =>
      daemonOf({ requests: { cpu, memory } }, { name }),
    )
    const leave = ({ metadata }: KubernetesObject) => (metadata.name === 'left' ? 'it is a proxy' : undefined)
    const rows = scanDaemonSets({ nodes: [SMALL], daemonSets: daemons, leave })
    assert.equal(
      rows.map(({ name }) => name),
      ['more', 'core', 'less', 'left'],
    )
  })
  test('sorts by verdict, then by what is requested, then by name', () => {
    const daemons = ['b', 'a', 'large', 'waits'].map((name) =>
      daemonOf(name === 'large' ? { requests: { cpu: '1' } } : SIZES, { name }),
    )
    const pods = ['a', 'b', 'large', 'waits'].map((name) =>
      podOn('small', {
        name,
        ...(name === 'waits' ? { status: killedIn('state') } : {}),
        ...(name === 'large' ? { resources: { requests: { cpu: '1', memory: '0' }, limits: { memory: '1Gi' } } } : {}),
      }),
    )
    const order = scanDaemonSets({ ...BASE, daemonSets: daemons, pods }).map(({ name }) => name)
    assert.equal(order, ['waits', 'large', 'a', 'b'])
  })
  test('the first policy is asked for what is not left alone', () => {
    const asked: string[] = []
    const first = ({ metadata }: KubernetesObject) => {
      asked.push(metadata.name)
      return { cpu: 400n, memory: 0n }
    }
    const { first: sized, name } = scanned({ first })
    assert.equal([sized, name], [{ cpu: 400n, memory: 0n }, 'agent'])
    assert.is(scanned({ first, leave: () => 'x' }).first, undefined)
    assert.equal(asked, ['agent'])
  })
  test('whoever is sent to nodefit init is told that it changes nothing', () => {
    const first = () => 'nothing to gain'
    assert.is(
      scanned({ first, nodes: [SMALL, HUGE] }).why,
      '100m of cpu on nodes of 2 to 9 cores; nodefit init: nothing to gain',
    )
    assert.is(scanned({ first, nodes: [SMALL, HUGE] }).name, 'agent')
    assert.not.match(scanned({ first }).why, 'nodefit init')
    assert.is(scanned({ first, nodes: [SMALL, HUGE] }).first, undefined)
  })
  for (const [name, daemonSet] of Object.entries({
    'no spec': { apiVersion: 'apps/v1', kind: 'DaemonSet', metadata: { name: 'agent', namespace: 'ops' } },
    'containers that are no list': daemonOf({}, { spec: { containers: { a: 1 } } }),
    'amounts that are none': daemonOf({ requests: { cpu: 'much', memory: null } }),
  }))
    test(`of ${name} nothing is known, and nothing breaks`, () => {
      const row = scanned({ daemonSets: [daemonSet as KubernetesObject], pods: undefined })
      assert.equal(row.request, { cpu: 0n, memory: 0n })
    })
  for (const [cpu, memory] of [
    ['1x', '1Mi'],
    ['1', undefined],
    ['-1', '1Mi'],
    ['1', '-1'],
    ['1e30', '1Mi'],
    ['1', '1e30'],
  ] as const)
    test(`usage of ${cpu} and ${memory} is no measurement`, () =>
      assert.is(scanned({ metrics: [usageOn('small', cpu, memory)] }).used, undefined))
})

suite('what is printed', (test) => {
  const metrics = [usageOn('small', '29m', '90Mi')]
  const judge: ScanInput['judge'] = ({ metadata }) =>
    metadata.name === 'idle' || metadata.name.startsWith('n')
      ? undefined
      : { verdict: 'lower', why: 'cpu 100m -> 50m of agent' }
  test('a table, and the figures of each verdict but fine', () => {
    const rows = scanDaemonSets({ ...BASE, daemonSets: [daemonOf(), daemonOf({}, { name: 'idle' })], metrics, judge })
    const lines = scanLines(rows, plain)
    assert.equal(lines, [
      'DAEMONSET  NODES  CPU   MEMORY  SMALLEST NODE  LARGEST NODE  ALL PODS            USED       VERDICT',
      'ops/agent      2  100m  100Mi   5.0 %          1.3 %         0.2 cores, 0.2 GiB  29m, 90Mi  lower',
      'ops/idle       0  -     -       -              -             0 cores, 0 GiB      -          fine',
      '',
      'lower: ops/agent: cpu 100m -> 50m of agent',
    ])
  })
  test('totals, what is unused, and what nodefit init would add', () => {
    const rows = scanDaemonSets({ ...BASE, metrics, first: () => ({ cpu: 1200n, memory: 1n << 30n }) })
    assert.is(
      scanSummary(rows),
      '1 DaemonSet requests 0.2 cores, 0.2 GiB; of this 0.1 cores, 0 GiB are not used at this moment; with the first policy of nodefit init 1 of them would request 1.2 cores, 1 GiB instead of 0.2 cores, 0.2 GiB',
    )
  })
  const OWNER = {
    metadata: { annotations: { 'meta.helm.sh/release-name': 'r', 'meta.helm.sh/release-namespace': 's' } },
  }
  test('of those that a first policy sizes alone', () => {
    const daemonSets = [daemonOf(), daemonOf(SIZES, { name: 'other' })]
    const first = ({ metadata }: KubernetesObject) =>
      metadata.name === 'agent' ? { cpu: 1200n, memory: 0n } : undefined
    assert.match(
      scanSummary(scanDaemonSets({ ...BASE, daemonSets, pods: undefined, first })),
      'nodefit init 1 of them would request 1.2 cores, 0 GiB instead of 0.2 cores, 0.2 GiB',
    )
  })
  for (const [cpu, text] of Object.entries({ '20m': '1.0 %', '200m': '10 %', '208m': '10 %', '199m': '9.9 %' }))
    test(`${cpu} of 2 cores are ${text}`, () => {
      const rows = scanDaemonSets({ nodes: [SMALL], daemonSets: [daemonOf({ requests: { cpu } })] })
      assert.match(scanLines(rows, plain)[1] ?? '', `  ${text}  `)
    })
  test('verdicts have their colours, long names and owners their widths', () => {
    const metadata = {
      annotations: { 'meta.helm.sh/release-name': 'r'.repeat(60), 'meta.helm.sh/release-namespace': 's' },
    }
    const daemonSets = [daemonOf(SIZES, { name: 'n'.repeat(60) }), daemonOf(SIZES, { metadata })]
    const rows = scanDaemonSets({
      ...BASE,
      daemonSets,
      metrics,
      judge,
      leave: ({ metadata: { name } }) => (name === 'agent' ? undefined : 'it is a proxy'),
    })
    const lines = scanLines(rows, plain)
    const cells = lines.slice(0, lines.indexOf('')).map((line) => line.split(/ {2,}/))
    assert.equal(
      [
        Math.max(...cells.map(([name = '']) => name.length)),
        Math.max(
          ...cells
            .flat()
            .filter((cell) => cell.includes('rrr'))
            .map((cell) => cell.length),
        ),
      ],
      [48, 40],
    )
    const painted = scanLines(rows, (role, text) => `<${role}>${text}`).join('\n')
    for (const text of ['<warning>lower: ops/agent', '<quiet>leave it: ops/nnn']) assert.match(painted, text)
  })
  test('a column that is empty is not said to be left out, and one that is not empty in a single row is', () => {
    const daemonSets = [daemonOf(SIZES, { name: 'a' }), daemonOf(SIZES, OWNER)]
    const at = (all: KubernetesObject[], columns: number) =>
      scanLines(scanDaemonSets({ nodes: [SMALL, LARGE], daemonSets: all }), plain, columns).find((line) =>
        line.startsWith('without'),
      )
    assert.is(at([daemonOf()], 60), 'without LARGEST NODE, SMALLEST NODE: the terminal has 60 columns')
    assert.match(at(daemonSets, 95) ?? '', /^without OWNER: /)
  })
  test('a table is too wide where one of its lines is', () => {
    const rows = scanDaemonSets({ ...BASE, leave: () => 'it is a proxy' })
    const table = scanLines(rows, plain).slice(0, 2)
    const [heading = '', row = ''] = table
    assert.ok(row.length > heading.length)
    assert.equal(scanLines(rows, plain, row.length).slice(0, 2), table)
    assert.match(scanLines(rows, plain, heading.length)[2] ?? '', /^without /)
  })
  const WIDTHS: Array<[columns: number, table: string[]]> = [
    [
      110,
      [
        'DAEMONSET  NODES  CPU   MEMORY  SMALLEST NODE  LARGEST NODE  ALL PODS            USED       VERDICT',
        'ops/agent      2  100m  100Mi   5.0 %          1.3 %         0.2 cores, 0.2 GiB  29m, 90Mi  lower',
        'without OWNER: the terminal has 110 columns',
      ],
    ],
    [
      60,
      [
        'DAEMONSET  NODES  CPU   MEMORY  ALL PODS            VERDICT',
        'ops/agent      2  100m  100Mi   0.2 cores, 0.2 GiB  lower',
        'without OWNER, LARGEST NODE, SMALLEST NODE, USED: the terminal has 60 columns',
      ],
    ],
    [
      1,
      [
        'DAEMONSET  VERDICT',
        'ops/agent  lower',
        'without OWNER, LARGEST NODE, SMALLEST NODE, USED, ALL PODS, MEMORY, CPU, NODES: the terminal has 1 column',
      ],
    ],
  ]
  for (const [columns, table] of WIDTHS)
    test(`a terminal of ${columns} columns has the verdicts, and says what it has no room for`, () => {
      const rows = scanDaemonSets({ ...BASE, daemonSets: [daemonOf(SIZES, OWNER)], metrics, judge })
      assert.equal(scanLines(rows, plain, columns).slice(0, 3), table)
      const [heading = ''] = scanLines(rows, plain)
      assert.equal(scanLines(rows, plain, 200), scanLines(rows, plain))
      assert.match(heading, 'OWNER')
    })
  test('no lines without DaemonSets', () => assert.equal(scanLines([], plain), []))
  test('a name cannot end its line', () => {
    const lines = scanLines(
      scanDaemonSets({ ...BASE, daemonSets: [daemonOf(SIZES, { name: 'a\nb\u001b[2J' })] }),
      plain,
    )
    assert.not.match(lines.join('|'), '\u001b')
    assert.is(lines.length, 2)
  })
  test('programs get quantities', () => {
    const [row] = scanJson(scanDaemonSets({ ...BASE, metrics, judge })).daemonSets
    assert.equal(row?.total, { cpu: '200m', memory: '200Mi' })
    assert.equal(row?.used, { cpu: '29m', memory: '90Mi', pods: 1, statistic: 'p95 of one moment' })
    assert.equal(row?.unused, { cpu: '71m', memory: '10Mi' })
    assert.equal([row?.namespace, row?.name, row?.nodes, row?.verdict], ['ops', 'agent', 2, 'lower'])
    const [unknown] = scanJson(
      scanDaemonSets({ ...BASE, nodes: [], first: () => ({ cpu: 1n, memory: 0n }) }),
    ).daemonSets
    assert.equal(unknown?.first, { cpu: '1m', memory: '0' })
    assert.equal(
      ['smallestNode', 'largestNode', 'used', 'unused'].filter((key) => Object.hasOwn(unknown ?? {}, key)),
      [],
    )
    assert.equal(row?.smallestNode, { allocatable: { cpu: '2', memory: '8Gi' }, percent: { cpu: 5, memory: 1.22 } })
  })
})

suite('amounts', (test) => {
  for (const [amount, text] of [
    [1n, '1Mi'],
    [90n << 20n, '90Mi'],
    [(90n << 20n) + 1n, '91Mi'],
  ] as const)
    test(`${amount} bytes are ${text}`, () => assert.is(amountText('memory', amount), text))
  for (const [resource, amount, text] of [
    ['cpu', 49n, '0 cores'],
    ['cpu', 50n, '0.1 cores'],
    ['cpu', 12_000n, '12 cores'],
    ['cpu', 99_900n, '99.9 cores'],
    ['cpu', 100_400n, '100 cores'],
    ['cpu', 100_500n, '101 cores'],
    ['memory', 1_138_166_333n, '1.1 GiB'],
    ['memory', 1_127_000_000n, '1 GiB'],
  ] as const)
    test(`${amount} of ${resource} is ${text}`, () => assert.is(sizeText(resource, amount), text))
})
