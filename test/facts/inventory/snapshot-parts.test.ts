/** The parts of a WorkloadSnapshot beside nodes and Tickets: how claims are written, and what is checked of all when they are read. */
import * as assert from 'uvu/assert'
import {
  claimEntry,
  foldClaims,
  readLive,
  type SnapshotParts,
  snapshotFromParts,
} from '../../../src/facts/inventory/index.ts'
import type { Subject } from '../../../src/krm/finding.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { codes } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'

const MADE = '2026-11-20T11:00:00Z'
const claim = (name: string, more: object = {}, metadata: object = {}): KubernetesObject => ({
  apiVersion: 'kubenodesmith.parawell.cloud/v1alpha1',
  kind: 'NodeSmithClaim',
  metadata: { name, namespace: 'ns', ...metadata },
  ...more,
})
const withCondition = (type: string, status: unknown) => claim('c', { status: { conditions: [{ type, status }] } })

suite('NodeSmithClaims of a snapshot', (test) => {
  const ROWS: Array<[name: string, from: KubernetesObject, want: object]> = [
    ['nothing but a name', claim('c'), {}],
    ['no spec and no status', claim('c', { spec: null, status: null }), {}],
    [
      'what it asks for, and nothing else of it',
      claim('c', {
        spec: { poolRef: 'small', requirements: { cpuCores: 4, memoryMiB: 8192, x: 1 }, x: 1 },
      }),
      { poolRef: 'small', requirements: { cpuCores: 4, memoryMiB: 8192 } },
    ],
    [
      'what a host that hides earlier output needs to write it again',
      claim(
        'c',
        { spec: { idempotencyKey: 'k', terminationGracePeriod: '10m' } },
        { annotations: { 'nodefit.dev/owner': 'PoolPolicy/small', 'nodefit.dev/opened-at': MADE, x: 'y' } },
      ),
      { owner: 'PoolPolicy/small', openedAt: MADE, idempotencyKey: 'k', terminationGracePeriod: '10m' },
    ],
    ['opened at no time', claim('c', {}, { annotations: { 'nodefit.dev/opened-at': 'soon' } }), {}],
    [
      'amounts that are no integers',
      claim('c', { spec: { requirements: { cpuCores: '4', memoryMiB: 1.5 } } }),
      { requirements: {} },
    ],
    ['when it was made', claim('c', {}, { creationTimestamp: MADE }), { createdAt: MADE }],
    ['made at no time', claim('c', {}, { creationTimestamp: null }), {}],
    ['being deleted', claim('c', {}, { deletionTimestamp: MADE }), { deleting: true }],
    ['ready', withCondition('Ready', 'True'), { ready: true }],
    ['not ready', withCondition('Ready', 'False'), { ready: false }],
    ['unknown whether ready', withCondition('Ready', 'Unknown'), {}],
    ['failed', withCondition('Failed', 'True'), { failed: true }],
    ['another condition', withCondition('Launched', 'True'), {}],
    ['its node, of another name', claim('c', { status: { nodeName: 'n' } }), { nodeName: 'n' }],
    ['its node, of its own name', claim('c', { status: { nodeName: 'c' } }), {}],
    ['no node yet', claim('c', { status: { nodeName: '', conditions: 'none' } }), {}],
  ]
  for (const [name, from, want] of ROWS)
    test(name, () => {
      const { like, claim: one } = claimEntry(from)
      assert.equal({ ...like, ...one }, { namespace: 'ns', name: 'c', ...want })
    })
  test('that are equal are written together, in the order of their names, whatever the order they come in', () => {
    const size = { spec: { poolRef: 'small', requirements: { cpuCores: 4, memoryMiB: 8192 } } }
    const opened = (name: string) => claim(name, size, { creationTimestamp: MADE })
    const all = [claim('d'), opened('b'), claim('a', size), claim('c', {}, { namespace: 'a' })]
    for (const list of [all, [...all].reverse()])
      assert.equal(foldClaims(list.map(claimEntry)), [
        { namespace: 'a', claims: [{ name: 'c' }] },
        { namespace: 'ns', ...size.spec, claims: [{ name: 'a' }, { name: 'b', createdAt: MADE }] },
        { namespace: 'ns', claims: [{ name: 'd' }] },
      ])
  })
})

const PARTS = {
  nodes: [{ name: 'a' }],
  pending: [{ like: { requests: { cpu: '1' } }, pods: [{ namespace: 'ns', name: 'web-0' }] }],
  claims: [{ namespace: 'ns', requirements: { cpuCores: 4 }, claims: [{ name: 'small-1' }] }],
  pools: [{ namespace: 'ns', name: 'small', limits: { maxNodes: 5 } }],
  machines: [{ namespace: 'ns', name: 'm', nodeName: 'a' }],
  tickets: [{ name: 't' }],
  usage: [{ policy: 'ns/p', container: 'c', group: 'default', seen: { cpu: '11m' } }],
  events: [{ uid: 'u', reason: 'Evicted', object: 'DaemonSet/ns/a', count: 2, lastSeen: MADE }],
} as const satisfies Record<string, readonly object[]>
type Spec = Record<string, unknown> & { collected: Record<string, number> }
const written = (): { spec: Spec } =>
  snapshotFromParts(
    { ...(PARTS as unknown as SnapshotParts), metricsAvailable: true },
    { name: 's', cluster: 'c' },
  ) as never
const read = (subject: unknown) => codes(readLive([subject as Subject], 'c').findings)

suite('the parts of a snapshot', (test) => {
  test('are written in one order, each with its count', () => {
    const { spec } = written()
    assert.equal(Object.keys(spec), ['cluster', 'metricsAvailable', 'collected', ...Object.keys(PARTS)])
    assert.equal(spec.collected, {
      ...{ nodes: 1, pending: 1, claims: 1, pools: 1, machines: 1 },
      ...{ tickets: 1, usage: 1, events: 1 },
    })
  })
  test('that nobody looked at are absent, and none of them is counted', () => {
    const { spec } = snapshotFromParts({ tickets: [] }, { name: 's', cluster: 'c' }) as { spec: object }
    assert.equal(spec, { cluster: 'c', collected: { tickets: 0 }, tickets: [] })
  })
  test('can be read', () => assert.equal(read(written()), []))
  for (const part of Object.keys(PARTS)) {
    test(`${part} with another count are told`, () => {
      const { spec, ...rest } = written()
      const collected = { ...spec.collected, [part]: 2 }
      assert.equal(read({ ...rest, spec: { ...spec, collected } }), ['SnapshotCut'])
    })
    test(`${part} that were counted and are gone are told`, () => {
      const { spec, ...rest } = written()
      assert.equal(read({ ...rest, spec: { ...spec, [part]: undefined } }), ['SnapshotCut'])
    })
    test(`${part} of a newer writer only warn`, () => {
      const { spec, ...rest } = written()
      const [entry] = spec[part] as object[]
      assert.equal(read({ ...rest, spec: { ...spec, [part]: [{ ...entry, newer: 1 }] } }), ['InventoryFieldUnknown'])
    })
  }
  test('requirements of a newer writer only warn', () => {
    const { spec, ...rest } = written()
    const claims = [{ name: 'small-1', requirements: { gpus: 1 } }]
    assert.equal(read({ ...rest, spec: { ...spec, claims } }), ['InventoryFieldUnknown'])
  })
  test('pending pods are counted, not their entries', () => {
    const pending = [{ like: {}, pods: [{ name: 'a' }, { name: 'b' }] }]
    const snapshot = snapshotFromParts({ pending }, { name: 's', cluster: 'c' }) as { spec: Spec }
    assert.equal(snapshot.spec.collected, { pending: 2 })
    pending[0]?.pods.pop()
    assert.equal(read(snapshot), ['SnapshotCut'])
  })
  test('claims are counted, not their entries', () => {
    const claims = [{ name: 'c' }, { claims: [{ name: 'a' }, { name: 'b' }] }]
    const snapshot = snapshotFromParts({ claims }, { name: 's', cluster: 'c' }) as { spec: Spec }
    assert.equal(snapshot.spec.collected, { claims: 3 })
    claims[1]?.claims?.pop()
    assert.equal(read(snapshot), ['SnapshotCut'])
  })
  for (const [name, more] of Object.entries({
    'equal claims': { claims: [{ newer: 1, claims: [] }] },
    'a claim': { claims: [{ claims: [{ name: 'a', newer: 1 }] }] },
    'equal pods': { pending: [{ like: { newer: 1 }, pods: [] }] },
    'a pending pod': { pending: [{ like: {}, pods: [{ name: 'a', newer: 1 }] }] },
    'the limits of a pool': { pools: [{ name: 'p', limits: { newer: 1 } }] },
  }))
    test(`fields of ${name} of a newer writer only warn`, () =>
      assert.equal(read(snapshotFromParts(more as SnapshotParts, { name: 's', cluster: 'c' })), [
        'InventoryFieldUnknown',
      ]))
})
