/** What pools need of a snapshot: how it is read, and what is wrong with it. */
import * as assert from 'uvu/assert'
import { type Live, readLive } from '../../../src/facts/inventory/index.ts'
import type { Subject } from '../../../src/krm/finding.ts'
import { usage } from '../../support/fit.ts'
import { codes } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'

const TIME = '2026-11-20T11:00:00Z'
const LATER = '2026-11-20T11:05:00Z'
const snapshot = (parts: object, name = 'prod') => {
  const { metadata, ...rest } = usage([], [], { nodes: undefined, daemonSets: undefined, ...parts })
  return { ...rest, metadata: { ...metadata, name } } as Subject
}
const read = (...parts: object[]) =>
  readLive(
    parts.map((one, index) => snapshot(one, `s${index}`)),
    'prod',
  )
const live = (...parts: object[]) => read(...parts).value as Live

suite('what pools need of a snapshot', (test) => {
  test('is unknown where it was not collected, and empty where there is none', () => {
    const { nodes, pending, claims, pools, machines, times } = live({})
    assert.equal(
      { nodes, pending, claims, pools, machines, times },
      {
        ...{ nodes: undefined, pending: undefined, claims: undefined, pools: undefined, machines: undefined },
        times: {},
      },
    )
    assert.equal(live({ pending: [], claims: [], pools: [], machines: [] }).pending, [])
  })
  test('of a node is read with its times, and what is missing is unknown', () => {
    const annotations = { 'karpenter.sh/do-not-disrupt': 'true' }
    const [full, bare] =
      live({
        nodes: [
          { name: 'a', uid: 'u', claim: 'small-1', machine: 'm', readySince: TIME, idleSince: LATER, blocking: 0 },
          { name: 'b', deleting: true, annotations, daemons: { cpu: '1' } },
        ],
      }).nodes ?? []
    assert.equal(
      [full?.uid, full?.claim, full?.machine, full?.readySince, full?.idleSince, full?.blocking, full?.isDeleting],
      ['u', 'small-1', 'm', new Date(TIME), new Date(LATER), 0, false],
    )
    assert.equal(
      [bare?.readySince, bare?.idleSince, bare?.blocking, bare?.isDeleting, bare?.annotations, bare?.daemons],
      [undefined, undefined, undefined, true, annotations, { cpu: '1' }],
    )
  })
  test('of pending pods is read with the defaults of a pod', () => {
    const [lot] = live({ pending: [{ like: {}, pods: [{ name: 'web-0', since: TIME }] }] }).pending ?? []
    assert.equal(lot, {
      requests: {},
      nodeSelector: {},
      affinity: undefined,
      tolerations: [],
      priority: 0,
      schedulerName: 'default-scheduler',
      gates: [],
      limits: [],
      pods: [{ name: 'web-0', namespace: '', since: new Date(TIME), isDeleting: false }],
    })
  })
  test('of claims, pools and machines is read with their times', () => {
    const { claims, pools, machines } = live({
      claims: [{ namespace: 'ns', deleting: true, claims: [{ name: 'small-1', createdAt: TIME, openedAt: LATER }] }],
      pools: [{ name: 'small', lastScaleActivity: TIME, nextClaimSequence: 8, limits: { maxNodes: 5 } }],
      machines: [{ kind: 'MachineDeployment', name: 'md', replicas: 2 }],
    })
    assert.equal(claims, [
      { namespace: 'ns', name: 'small-1', createdAt: new Date(TIME), openedAt: new Date(LATER), isDeleting: true },
    ])
    assert.equal(pools, [
      {
        ...{ name: 'small', namespace: '', nextClaimSequence: 8, limits: { maxNodes: 5 } },
        ...{ lastScaleActivity: new Date(TIME), isDeleting: false },
      },
    ])
    assert.equal(machines, [
      { kind: 'MachineDeployment', name: 'md', namespace: '', replicas: 2, createdAt: undefined, isDeleting: false },
    ])
  })
  for (const newestFirst of [false, true])
    test(`is that of the newest snapshot alone${newestFirst ? ', which comes first' : ''}`, () => {
      const both = [
        { observedAt: TIME, claims: [{ name: 'gone' }], pools: [{ name: 'small' }] },
        { observedAt: LATER, claims: [{ name: 'new' }] },
      ]
      const { claims, pools, times } = live(...(newestFirst ? both.reverse() : both))
      assert.equal([claims?.map(({ name }) => name), pools?.map(({ name }) => name)], [['new'], ['small']])
      assert.equal(times, { claims: new Date(LATER), pools: new Date(TIME) })
    })
  test('is that of all snapshots of one time', () => {
    const { claims } = live(
      { observedAt: TIME, claims: [{ claims: [{ name: 'a' }] }] },
      { observedAt: TIME, claims: [{ name: 'b' }] },
    )
    assert.equal(
      claims?.map(({ name }) => name),
      ['a', 'b'],
    )
  })
})

const pod = { name: 'web-0', namespace: 'shop' }
const like = (fields: object) => ({ pending: [{ like: fields, pods: [pod] }] })
const required = (nodeSelectorTerms: unknown) => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
})

suite('what is wrong with it', (test) => {
  const ROWS: Record<string, [parts: object, want: string, path: string]> = {
    'a time of a node': [{ nodes: [{ name: 'a', idleSince: 'x' }] }, 'InvalidField', 'spec.nodes.0.idleSince'],
    'an amount of daemons': [
      { nodes: [{ name: 'a', daemons: { cpu: 'x' } }] },
      'InvalidField',
      'spec.nodes.0.daemons.cpu',
    ],
    'an amount of a pod': [like({ requests: { cpu: '1x' } }), 'InvalidField', 'spec.pending.0.like.requests.cpu'],
    'a toleration': [
      like({ tolerations: [{ key: 'a', operator: 'In' }] }),
      'InvalidField',
      'spec.pending.0.like.tolerations.0',
    ],
    'an affinity without terms': [like(required([])), 'InvalidField', 'spec.pending.0.like.affinity'],
    'an affinity whose terms are no list': [like(required('x')), 'InvalidField', 'spec.pending.0.like.affinity'],
    'a time of a pod': [
      { pending: [{ like: {}, pods: [{ ...pod, since: '5m' }] }] },
      'InvalidField',
      'spec.pending.0.pods.0.since',
    ],
    'a time of a claim': [
      { claims: [{ claims: [{ name: 'b' }, { name: 'a', openedAt: 'x' }] }] },
      'InvalidField',
      'spec.claims.0.claims.1.openedAt',
    ],
    'a claim without a name': [{ claims: [{ poolRef: 'small' }] }, 'InvalidField', 'spec.claims.0.name'],
    'a time of a pool': [
      { pools: [{ name: 'a', lastScaleActivity: 'x' }] },
      'InvalidField',
      'spec.pools.0.lastScaleActivity',
    ],
    'a time of a machine': [{ machines: [{ name: 'a', createdAt: 'x' }] }, 'InvalidField', 'spec.machines.0.createdAt'],
    'a node twice': [{ nodes: [{ name: 'a' }, { name: 'a' }] }, 'SnapshotDuplicate', 'spec.nodes'],
    'a pod twice, in two entries': [
      { pending: [...like({}).pending, ...like({ priority: 1 }).pending] },
      'SnapshotDuplicate',
      'spec.pending',
    ],
    'a claim twice, in two entries': [
      {
        claims: [{ claims: [{ name: 'a' }] }, { ready: true, name: 'a' }],
      },
      'SnapshotDuplicate',
      'spec.claims',
    ],
    'a pool twice': [{ pools: [{ name: 'a' }, { name: 'a' }] }, 'SnapshotDuplicate', 'spec.pools'],
    'a machine twice': [{ machines: [{ name: 'a' }, { name: 'a' }] }, 'SnapshotDuplicate', 'spec.machines'],
  }
  for (const [name, [parts, code, path]] of Object.entries(ROWS))
    test(name, () => {
      const { findings } = read(parts)
      assert.equal(codes(findings), [code])
      assert.is(findings[0]?.field?.path, path)
    })
  test('nothing, where names differ by namespace or kind', () => {
    const parts = {
      claims: [{ namespace: 'x', claims: [{ name: 'a' }] }, { name: 'a' }],
      machines: [{ name: 'a' }, { name: 'a', kind: 'MachineDeployment' }],
      ...like({ ...required([{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n1'] }] }]) }),
    }
    assert.equal(read(parts).findings, [])
  })
})
