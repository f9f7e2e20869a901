/** How pending pods are written: what is listed of each, and which are one entry. */
import * as assert from 'uvu/assert'
import { foldPending, type PodObject, pendingPod, readLive, toSnapshot } from '../../../src/facts/inventory/index.ts'
import type { Subject } from '../../../src/krm/finding.ts'
import { suite } from '../../support/suite.ts'

const CREATED = '2026-11-20T11:00:00Z'
const REFUSED = '2026-11-20T11:00:05Z'
const unschedulable = (reason = 'Unschedulable') => ({
  phase: 'Pending',
  conditions: [{ type: 'PodScheduled', status: 'False', reason, lastTransitionTime: REFUSED }],
})
const pod = (spec: object = {}, metadata: object = {}, status: object = unschedulable()): PodObject =>
  ({
    metadata: { name: 'web-0', namespace: 'shop', uid: 'u', creationTimestamp: CREATED, ...metadata },
    spec: { containers: [{ name: 'c', resources: { requests: { cpu: '500m', memory: '512Mi' } } }], ...spec },
    status,
  }) as never
const like = (spec: object, metadata: object = {}) => pendingPod(pod(spec, metadata))?.like
const REQUESTS = { cpu: '500m', memory: '512Mi' }
const owned = (kind: string, controller = true) => ({ ownerReferences: [{ kind, name: 'o', controller }] })

suite('a pending pod', (test) => {
  const OUT: Record<string, PodObject> = {
    'that has a node': pod({ nodeName: 'a' }),
    'that runs': pod({}, {}, { phase: 'Running' }),
    'that has ended': pod({}, {}, { phase: 'Failed' }),
    'of a DaemonSet': pod({}, owned('DaemonSet')),
    'of a node': pod({}, owned('Node')),
    'that is static': pod({}, { annotations: { 'kubernetes.io/config.mirror': 'x' } }),
  }
  for (const [name, one] of Object.entries(OUT))
    test(`${name} is left out`, () => assert.is(pendingPod(one), undefined))
  test('that a DaemonSet owns and does not control is listed', () =>
    assert.is(like({}, owned('DaemonSet', false))?.controller, undefined))

  const PODS: Record<string, [one: PodObject, want: object]> = {
    'has been refused since its condition says so': [pod(), { since: REFUSED, reason: 'Unschedulable' }],
    'may be gated': [pod({}, {}, unschedulable('SchedulingGated')), { since: REFUSED, reason: 'SchedulingGated' }],
    'that the scheduler has not looked at has an age and no reason': [pod({}, {}, {}), { since: CREATED }],
    'that is bound has no reason': [
      pod({}, {}, { conditions: [{ type: 'PodScheduled', status: 'True', lastTransitionTime: REFUSED }] }),
      { since: CREATED },
    ],
    'may be nominated': [
      pod({}, {}, { ...unschedulable(), nominatedNodeName: 'a' }),
      { since: REFUSED, reason: 'Unschedulable', nominated: 'a' },
    ],
    'may be on its way out': [
      pod({}, { deletionTimestamp: CREATED }),
      { since: REFUSED, reason: 'Unschedulable', deleting: true },
    ],
  }
  for (const [name, [one, want]] of Object.entries(PODS))
    test(name, () => assert.equal(pendingPod(one)?.pod, { namespace: 'shop', name: 'web-0', uid: 'u', ...want }))

  const term = { matchExpressions: [{ key: 'a', operator: 'Exists' }] }
  const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } }
  const preferred = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: term }] }
  const hard = { requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'x' }] }
  const soft = { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1 }] }
  const spread = (whenUnsatisfiable: string) => ({ topologySpreadConstraints: [{ whenUnsatisfiable }] })
  const port = (hostPort?: number) => ({ containers: [{ name: 'c', ports: [{ containerPort: 1, hostPort }] }] })
  const LIKE: Record<string, [spec: object, want: object]> = {
    'its node selector, sorted': [{ nodeSelector: { b: '1', a: '2' } }, { nodeSelector: { a: '2', b: '1' } }],
    'an empty node selector is none': [{ nodeSelector: {} }, {}],
    'required node affinity alone': [
      { affinity: { nodeAffinity: { ...required, ...preferred } } },
      { affinity: { nodeAffinity: required } },
    ],
    'not what it prefers': [{ affinity: { nodeAffinity: preferred, podAffinity: soft } }, {}],
    'its tolerations': [{ tolerations: [{ operator: 'Exists' }] }, { tolerations: [{ operator: 'Exists' }] }],
    'its priority': [
      { priority: -20, priorityClassName: 'low' },
      { priority: -20, priorityClassName: 'low' },
    ],
    'no priority of 0': [{ priority: 0 }, {}],
    'another scheduler': [{ schedulerName: 'volcano' }, { schedulerName: 'volcano' }],
    'not the usual scheduler': [{ schedulerName: 'default-scheduler' }, {}],
    'its gates': [{ schedulingGates: [{ name: 'example.com/quota' }] }, { gates: ['example.com/quota'] }],
    'a claimed volume': [{ volumes: [{ persistentVolumeClaim: { claimName: 'data' } }] }, { limits: ['volumes'] }],
    'a volume of its own': [{ volumes: [{ ephemeral: {} }] }, { limits: ['volumes'] }],
    'no volume that any node has': [{ volumes: [{ emptyDir: {} }, { configMap: { name: 'c' } }] }, {}],
    'required spread, in the order of the list': [
      { ...spread('DoNotSchedule'), volumes: [{ ephemeral: {} }] },
      { limits: ['volumes', 'spread'] },
    ],
    'no spread that is preferred': [spread('ScheduleAnyway'), {}],
    'required pod affinity': [{ affinity: { podAffinity: hard } }, { limits: ['podAffinity'] }],
    'required anti-affinity': [{ affinity: { podAntiAffinity: hard } }, { limits: ['podAffinity'] }],
    'resource claims': [{ resourceClaims: [{ name: 'gpu' }] }, { limits: ['resourceClaims'] }],
  }
  for (const [name, [spec, want]] of Object.entries(LIKE))
    test(`says ${name}`, () => assert.equal(like(spec), { requests: REQUESTS, ...want }))
  test('says a host port', () =>
    assert.equal(like(port(80)), { requests: {}, limits: ['hostPorts', 'onePerNode 80/TCP'] }))
  for (const [name, term, isAlone] of [
    ['its own labels', { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'web' } } }, true],
    ['other labels', { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'db' } } }, false],
    [
      'its own labels in a zone',
      { topologyKey: 'topology.kubernetes.io/zone', labelSelector: { matchLabels: { app: 'web' } } },
      false,
    ],
    [
      'its own labels in another namespace',
      { topologyKey: 'kubernetes.io/hostname', namespaces: ['b'], labelSelector: { matchLabels: { app: 'web' } } },
      false,
    ],
    [
      'its own labels but of another version',
      {
        topologyKey: 'kubernetes.io/hostname',
        mismatchLabelKeys: ['v'],
        labelSelector: { matchLabels: { app: 'web' } },
      },
      false,
    ],
    ['no labels', { topologyKey: 'kubernetes.io/hostname' }, false],
    [
      'a malformed selector',
      { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchExpressions: [{ key: 'app', operator: 'Foo' }] } },
      false,
    ],
  ] as const)
    test(`an anti-affinity to ${name} is ${isAlone ? '' : 'not '}one pod a node`, () => {
      const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [term] } }
      const metadata = { name: 'web-0', namespace: 'a', labels: { app: 'web' } }
      const found = pendingPod({ metadata, spec: { affinity, containers: [] } } as unknown as Parameters<
        typeof pendingPod
      >[0])
      assert.equal(found?.like.limits, [
        'podAffinity',
        ...(isAlone ? [`onePerNode a ${JSON.stringify((term as { labelSelector?: object }).labelSelector)}`] : []),
      ])
    })
  test('says no port of its own network', () => assert.equal(like(port()), { requests: {} }))
  test('says its effective requests, extended ones too', () => {
    const requests = { cpu: '0.25', 'nvidia.com/gpu': 1 }
    const containers = [1, 2].map((number) => ({ name: `c${number}`, resources: { requests } }))
    const init = { name: 'i', resources: { requests: { cpu: 3, memory: '1Gi' } } }
    assert.equal(like({ containers, initContainers: [init], overhead: { cpu: '250m' } })?.requests, {
      cpu: '3250m',
      memory: '1Gi',
      'nvidia.com/gpu': '2',
    })
  })
  test('says nothing of env, args and volumes', () => {
    const container = { name: 'c', args: ['SECRET'], env: [{ name: 'A', value: 'SECRET' }] }
    const one = pod({ containers: [container], volumes: [{ secret: { secretName: 'SECRET' } }] })
    assert.not.match(
      JSON.stringify(pendingPod({ ...one, metadata: { ...one.metadata, annotations: { SECRET: '' } } })),
      'SECRET',
    )
  })
})

suite('pending pods', (test) => {
  const entries = (...pods: PodObject[]) => pods.flatMap((one) => pendingPod(one) ?? [])
  const named = (name: string, cpu: string) =>
    pod({ containers: [{ name: 'c', resources: { requests: { cpu } } }] }, { name })
  test('that are equal are one entry, whatever notation and order they come in', () => {
    const pods = [named('b', '1'), named('c', '2'), named('a', '1000m')]
    const want = [
      [{ cpu: '1' }, ['a', 'b']],
      [{ cpu: '2' }, ['c']],
    ]
    for (const list of [pods, [...pods].reverse()])
      assert.equal(
        foldPending(entries(...list)).map(({ like: { requests }, pods: all }) => [
          requests,
          all.map(({ name }) => name),
        ]),
        want,
      )
  })
  test('are written and read back', () => {
    const all = [
      named('a', '1'),
      named('b', '1'),
      pod({ tolerations: [{ key: 'x', operator: 'Exists' }], priority: 5 }),
    ]
    const completion = { details: new Map(), earlier: new Map() }
    const text = toSnapshot(all, { name: 's', cluster: 'c', nodes: [], completion })
    const { value, findings } = readLive([text as unknown as Subject], 'c')
    assert.equal(findings, [])
    assert.equal((text.spec as { collected: object }).collected, { nodes: 0, namespaces: 0, pending: 3 })
    assert.equal(
      value?.pending?.map(({ priority, pods }) => [priority, pods.map(({ since }) => since)]),
      [
        [0, [new Date(REFUSED), new Date(REFUSED)]],
        [5, [new Date(REFUSED)]],
      ],
    )
  })
})
