/** What is collected of the workloads that policies name, and of the whole cluster. */
import * as assert from 'uvu/assert'
import { readLive } from '../../../../src/facts/inventory/index.ts'
import type { KubeObject } from '../../../../src/host/cluster/list.ts'
import { CapacityCollector } from '../../../../src/host/sync/collect/capacity.ts'
import type { NamedTargets } from '../../../../src/host/sync/collect/collector.ts'
import { workloadSnapshot } from '../../../../src/host/sync/collect/start.ts'
import { UsageCollector } from '../../../../src/host/sync/collect/usage.ts'
import {
  daemonSetInformer,
  measuredDaemonSet,
  selectedDaemonSets,
  troubledPod,
  troubledPodInformer,
  troublesOf,
  workloadsCollector,
} from '../../../../src/host/sync/collect/workloads.ts'
import { trimNode } from '../../../../src/host/sync/nodes/projected-node.ts'
import type { Subject } from '../../../../src/krm/finding.ts'
import { Schedule } from '../../../../src/kube/index.ts'
import { engineContext } from '../../../support/engine-context.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { suite } from '../../../support/suite.ts'
import { rendered, watchOf } from './support.ts'

const MINUTE = 60_000
const containerOf = (name: string) => ({
  name,
  image: 'registry.example.com/secret-name:1',
  env: [{ name: 'TOKEN', value: 'secret' }],
  resources: { requests: { cpu: '100m', memory: '128Mi' }, limits: { memory: '256Mi' } },
})
const daemonSet = (namespace: string, name: string): KubeObject => ({
  metadata: { name, namespace, uid: `uid-${name}`, annotations: { secret: 'x' } } as KubeObject['metadata'],
  spec: {
    selector: { matchLabels: { app: name } },
    template: { spec: { containers: [containerOf('main'), { name: 'side' }] } },
  },
  status: { desiredNumberScheduled: 3, updatedNumberScheduled: 2, numberReady: 1, currentNumberScheduled: 3 },
})
const podOf = (name: string, owner: string, statuses: object[], more: object = {}): KubeObject => ({
  metadata: {
    name,
    namespace: 'logging',
    uid: name,
    ownerReferences: [{ kind: 'DaemonSet', name: owner, uid: `uid-${owner}`, controller: true }],
  } as KubeObject['metadata'],
  spec: { nodeName: 'a', containers: [containerOf('main')] },
  status: { phase: 'Running', containerStatuses: statuses },
  ...more,
})
const WELL = { name: 'main', ready: true, restartCount: 0, state: { running: {} } }
const KILLED = { ...WELL, restartCount: 2, lastState: { terminated: { reason: 'OOMKilled', exitCode: 137 } } }
const LOOPING = { ...KILLED, state: { waiting: { reason: 'CrashLoopBackOff', message: 'secret' } } }

/** A collector of these objects, with what the metrics API says of each pod. */
async function collected(objects: KubeObject[], targets: NamedTargets | undefined, minutes = 61) {
  const clock = new FakeClock()
  const context = engineContext({ clock })
  const { watch, state } = watchOf(objects)
  const isOf = (api: string) =>
    objects.filter(({ spec }) => (api === 'pods') === Object.hasOwn(Object(spec), 'nodeName'))
  const asked: string[] = []
  const connection = {
    json: async ({ path, query }: { path: string; query?: Record<string, string> }) => {
      asked.push(`${path.replace('/apis/metrics.k8s.io/v1beta1', '')} ${query?.labelSelector ?? ''}`.trim())
      const timestamp = new Date(clock.now()).toISOString()
      const containers = [{ name: 'main', usage: { cpu: '40m', memory: '90Mi' } }]
      const pods = objects.filter(({ spec }) => Object.hasOwn(Object(spec), 'nodeName'))
      return { items: pods.map(({ metadata }) => ({ metadata, timestamp, containers })) }
    },
  }
  const all = daemonSetInformer(watchOf(isOf('daemonsets')).watch)
  const measured = selectedDaemonSets(all, (seen) => measuredDaemonSet(seen, targets))
  const daemonSets = selectedDaemonSets(all, ({ own }) => own)
  const usage = new UsageCollector({
    ...{ connection: connection as never, makeInformer: watchOf(isOf('pods')).watch, daemonSets, measured, context },
    ...{ nodes: () => [], policies: () => undefined, leads: () => true, isWriter: false, retain: 0 },
    ...{ schedule: Schedule.parse('@weekly'), onPoll: () => {}, onChange: () => {} },
  })
  const pods = troubledPodInformer(watchOf(isOf('pods')).watch)
  const collector = workloadsCollector({ daemonSets: all, pods, usage, targets: () => targets })
  const ending = new AbortController()
  const ended = usage.start(ending.signal)
  for (let minute = 0; minute < minutes; minute++) await clock.advance(MINUTE)
  ending.abort()
  await ended
  return { part: collector.part(clock.now()), usage: usage.part(clock.now()), asked, watch, state }
}

suite('workloads', (test) => {
  const TARGETS: NamedTargets = new Map([['logging/fluent-bit', 'logging/fluent-bit-policy']])
  const objects = [
    daemonSet('logging', 'fluent-bit'),
    daemonSet('kube-system', 'kube-proxy'),
    rendered('agent-large'),
    podOf('well', 'fluent-bit', [WELL]),
    podOf('killed', 'fluent-bit', [KILLED, WELL]),
    podOf('looping', 'fluent-bit', [LOOPING]),
    podOf('other', 'kube-proxy', [LOOPING]),
    podOf('own', 'agent-large', [WELL]),
  ]
  test('that a policy names, and that are rendered: pods, restarts, requests and usage', async () => {
    const { part } = await collected(objects, TARGETS)
    const amounts = { cpu: '41m', memory: '92Mi' }
    assert.equal(part.metricsAvailable, true)
    assert.equal(
      part.workloads?.map(({ object }) => object),
      ['DaemonSet/kubescape/agent-large', 'DaemonSet/logging/fluent-bit'],
    )
    assert.equal(part.workloads?.[1], {
      object: 'DaemonSet/logging/fluent-bit',
      policy: 'logging/fluent-bit-policy',
      desired: 3,
      updated: 2,
      ready: 1,
      restarts: 4,
      waiting: { CrashLoopBackOff: 1 },
      terminated: { OOMKilled: 2 },
      containers: [
        {
          name: 'main',
          requests: { cpu: '100m', memory: '128Mi' },
          limits: { memory: '256Mi' },
          seen: { ...amounts, peak: amounts.memory, peakAt: '2026-11-20' },
        },
        { name: 'side' },
      ],
    })
    assert.is(part.workloads?.[0]?.group, 'value:m5.large')
  })
  test('of nobody are not measured, and a target is no row of usage, which sizes are made from', async () => {
    const { asked, usage } = await collected(objects, TARGETS)
    assert.equal([...new Set(asked)].sort(), [
      '',
      '/namespaces/kubescape/pods nodefit.dev/node-group',
      '/namespaces/logging/pods app=fluent-bit',
    ])
    assert.equal(
      usage.usage?.map(({ group }) => group),
      ['value:m5.large'],
    )
  })
  test('have nothing of environment, images, annotations and messages', async () => {
    const { part } = await collected(objects, TARGETS)
    assert.not.match(JSON.stringify(part), /secret/)
  })
  test('are unknown until a render has read the policies, and then those that are rendered are known', async () => {
    assert.equal((await collected(objects, undefined)).part, {})
    const { part } = await collected(objects, new Map())
    assert.equal(
      part.workloads?.map(({ object }) => object),
      ['DaemonSet/kubescape/agent-large'],
    )
  })
  test('have no usage before an hour', async () => {
    const { part } = await collected(objects, TARGETS, 30)
    assert.equal(Object.keys(part.workloads?.[1]?.containers?.[0] ?? {}), ['name', 'requests', 'limits'])
  })
  test('are read again without a finding, and counted', async () => {
    const { part } = await collected(objects, TARGETS)
    const written = workloadSnapshot([part], { cluster: 'c', name: 'c', now: new Date(0) }) as unknown as Subject
    assert.equal(readLive([written], 'c').findings, [])
    const { spec } = written as unknown as { spec: { collected: object; workloads: object[] } }
    assert.equal(spec.collected, { workloads: 2 })
    spec.workloads.pop()
    assert.equal(
      readLive([written], 'c').findings.map(({ code }) => code),
      ['SnapshotCut'],
    )
  })
})

suite('pods that are not well', (test) => {
  const CASES: ReadonlyArray<readonly [name: string, pod: KubeObject, want: object | undefined]> = [
    ['one that is', podOf('p', 'd', [WELL]), undefined],
    ['one without a status', podOf('p', 'd', [], { status: undefined }), undefined],
    ['one of a Deployment', { ...podOf('p', 'd', [KILLED]), metadata: { name: 'p', namespace: 'n' } }, undefined],
    [
      'one whose init container loops',
      podOf('p', 'd', [], { status: { initContainerStatuses: [LOOPING] } }),
      { restarts: 2, waiting: ['CrashLoopBackOff'], terminated: ['OOMKilled'] },
    ],
    [
      'a reason that is a sentence',
      podOf('p', 'd', [{ state: { waiting: { reason: 'pulling registry.example.com/x' } } }]),
      { restarts: 0, waiting: ['Unknown'], terminated: [] },
    ],
  ]
  for (const [name, pod, want] of CASES)
    test(name, () => assert.equal(troubledPod(pod), want && { daemonSet: 'logging/d', ...want }))
  test('are counted by reason, ten at most', () => {
    const letters = [...'abcdefghijkl']
    const pods = letters.map((letter, index) => ({
      daemonSet: 'n/d',
      restarts: 1,
      waiting: Array(index + 1).fill(letter),
      terminated: [],
    }))
    const troubles = troublesOf(pods).get('n/d')
    assert.equal([troubles?.restarts, troubles?.terminated], [12, undefined])
    assert.equal(Object.keys(troubles?.waiting ?? {}), letters.slice(2))
  })
})

suite('capacity', (test) => {
  const node = (name: string, ready: string, cpu: string, unschedulable = false) =>
    trimNode([])({
      metadata: { name },
      spec: { unschedulable },
      status: {
        capacity: { cpu, memory: '8Gi', pods: '29' },
        allocatable: { cpu: '1930m', memory: '7134856Ki', pods: '29' },
        conditions: [{ type: 'Ready', status: ready }],
      },
    })
  const nodes = [node('a', 'True', '2'), node('b', 'Unknown', '4', true)]
  const part = async (answer: () => Promise<unknown>) => {
    const ending = new AbortController()
    const components: Array<[string, boolean]> = []
    const context = engineContext({ clock: new FakeClock() })
    const meter = { ...context.meter, component: (name: string, isUp: boolean) => void components.push([name, isUp]) }
    let onPoll: () => void = () => {}
    const polled = new Promise<void>((resolve) => {
      onPoll = resolve
    })
    const options = { connection: { json: answer } as never, nodes: () => nodes, context: { ...context, meter } }
    const collector = new CapacityCollector({ ...options, onPoll })
    assert.equal([collector.isSynced, collector.part()], [false, {}])
    void collector.start(ending.signal)
    await polled
    ending.abort()
    return { part: collector.part(), components }
  }
  const SUMS = {
    nodes: 2,
    ready: 1,
    unschedulable: 1,
    capacity: { cpu: '6', memory: '16Gi', pods: '58' },
    allocatable: { cpu: '3860m', memory: '14269712Ki', pods: '58' },
  }
  test('is the sum of the nodes, with what is measured of them', async () => {
    const items = [{ usage: { cpu: '1230m', memory: '3Gi' } }, { usage: { cpu: '500000n', memory: 'x' } }, {}]
    const found = await part(async () => ({ items }))
    assert.equal(found.components, [['metrics-nodes', true]])
    assert.equal(found.part, { capacity: { ...SUMS, measured: 2, usage: { cpu: '1270m', memory: '3Gi' } } })
    const written = workloadSnapshot([found.part], { cluster: 'c', name: 'c', now: new Date(0) })
    assert.equal(readLive([written as unknown as Subject], 'c').findings, [])
  })
  test('is there without the metrics API', async () => {
    const found = await part(() => Promise.reject(new Error('404')))
    assert.equal(found, { part: { capacity: SUMS }, components: [['metrics-nodes', false]] })
  })
})
