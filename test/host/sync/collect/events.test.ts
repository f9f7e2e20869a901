/** Which events are kept, and what they come to. */
import * as assert from 'uvu/assert'
import type { KubeObject } from '../../../../src/host/cluster/list.ts'
import { eventRows, eventsCollector, type KeptEvent, keptEvent } from '../../../../src/host/sync/collect/events.ts'
import {
  type OwnDaemonSet,
  ownDaemonSet,
  ownDaemonSetInformer,
} from '../../../../src/host/sync/collect/own-daemonsets.ts'
import { suite } from '../../../support/suite.ts'
import { rendered, watchOf } from './support.ts'

const event = (involvedObject: object, more: object = {}): KubeObject => ({
  metadata: { name: 'e', namespace: 'kubescape', creationTimestamp: '2026-11-20T11:00:00Z' } as KubeObject['metadata'],
  involvedObject,
  reason: 'FailedCreate',
  type: 'Warning',
  ...more,
})
const DAEMON_SET = { kind: 'DaemonSet', apiVersion: 'apps/v1', namespace: 'kubescape', name: 'agent', uid: 'u' }
const TICKET = { kind: 'Ticket', apiVersion: 'core.korder.dev/v1alpha1', namespace: 'infra', name: 't', uid: 'v' }
const POD = { kind: 'Pod', apiVersion: 'v1', namespace: 'kubescape', name: 'agent-x7k2p', uid: 'p' }

suite('what is kept of an event', (test) => {
  const KEPT: KeptEvent = {
    kind: 'DaemonSet',
    namespace: 'kubescape',
    name: 'agent',
    uid: 'u',
    reason: 'FailedCreate',
    count: 1,
    lastSeen: '2026-11-20T11:00:00Z',
  }
  const ROWS: Array<[name: string, from: KubeObject, want: Partial<KeptEvent> | undefined]> = [
    ['what it is about', event(DAEMON_SET, { message: 'no', source: { component: 'c' } }), {}],
    ['how often', event(DAEMON_SET, { count: 7 }), { count: 7 }],
    ['how often, as a series', event(DAEMON_SET, { count: 7, series: { count: 9 } }), { count: 9 }],
    ['how often, where nobody says it well', event(DAEMON_SET, { count: 0 }), {}],
    [
      'when it was last, to the minute',
      event(DAEMON_SET, { lastTimestamp: '2026-11-20T11:03:59Z' }),
      { lastSeen: '2026-11-20T11:03:00Z' },
    ],
    [
      'when it was last, in another zone',
      event(DAEMON_SET, { lastTimestamp: '2026-11-20T13:03:59+01:00' }),
      { lastSeen: '2026-11-20T12:03:00Z' },
    ],
    [
      'when it was, by the newer API',
      event(DAEMON_SET, { lastTimestamp: null, eventTime: '2026-11-20T11:04:05.123456Z' }),
      { lastSeen: '2026-11-20T11:04:00Z' },
    ],
    [
      'when it was last, as a series',
      event(DAEMON_SET, {
        eventTime: '2026-11-20T11:04:05.123456Z',
        series: { count: 1, lastObservedTime: '2026-11-20T11:09:05.123456Z' },
      }),
      { lastSeen: '2026-11-20T11:09:00Z' },
    ],
    ['a time that is none', event(DAEMON_SET, { lastTimestamp: 'soon' }), {}],
    ['another reason', event(DAEMON_SET, { reason: 'SuccessfulCreate' }), undefined],
    ['a reason of another kind', event(DAEMON_SET, { reason: 'SystemOOM' }), undefined],
    ['a reason that objects inherit', event({ ...DAEMON_SET, kind: 'constructor' }, { reason: 'length' }), undefined],
    ['another kind', event({ ...DAEMON_SET, kind: 'ReplicaSet' }), undefined],
    ['about nothing', event({}), undefined],
    ['a Ticket of somebody else', event({ ...TICKET, apiVersion: 'jira.example.com/v1' }), undefined],
    ['a Ticket', event(TICKET), { kind: 'Ticket', namespace: 'infra', name: 't', uid: 'v' }],
    [
      'a node, which has no namespace',
      event({ kind: 'Node', namespace: '', name: 'a', uid: 'a' }, { reason: 'SystemOOM' }),
      { kind: 'Node', namespace: undefined, name: 'a', uid: 'a', reason: 'SystemOOM' },
    ],
  ]
  for (const [name, from, want] of ROWS)
    test(name, () => assert.equal(keptEvent(from), want === undefined ? undefined : { ...KEPT, ...want }))
})

const own = (name: string): OwnDaemonSet => ownDaemonSet(rendered(name)) as OwnDaemonSet
const kept = (involved: object, more: object = {}): KeptEvent => keptEvent(event(involved, more)) as KeptEvent
const onPod = (name: string, more: object = {}) => kept({ ...POD, name }, { reason: 'FailedScheduling', ...more })
const AT = '2026-11-20T11:00:00Z'
const LONG = 'a'.repeat(63)
const OTHERS = [{ reason: 'FailedScheduling', object: 'Pod/kubescape/*', count: 1, lastSeen: AT }]

suite('events as they are told', (test) => {
  const ROWS: Array<[name: string, from: KeptEvent[], want: object[]]> = [
    ['none', [], []],
    [
      'of a DaemonSet',
      [kept(DAEMON_SET, { count: 3 })],
      [{ uid: 'u', reason: 'FailedCreate', object: 'DaemonSet/kubescape/agent', count: 3, lastSeen: AT }],
    ],
    ['of a DaemonSet of somebody else', [kept({ ...DAEMON_SET, name: 'other' })], []],
    ['of one in another namespace', [kept({ ...DAEMON_SET, namespace: 'other' })], []],
    [
      'of pods, as one of their DaemonSet',
      [onPod('agent-x7k2p', { count: 2 }), onPod('agent-z9z9z', { lastTimestamp: '2026-11-20T11:05:00Z' })],
      [
        {
          uid: 'uid-agent',
          reason: 'FailedScheduling',
          object: 'DaemonSet/kubescape/agent',
          count: 3,
          lastSeen: '2026-11-20T11:05:00Z',
        },
      ],
    ],
    ['of a pod of a Deployment that is called alike', [onPod('agent-5d4f7c9b8-x7k2p')], OTHERS],
    ['of a pod of no controller', [onPod('agent')], OTHERS],
    ['of one that is called as a name is cut', [onPod(LONG.slice(0, 58))], OTHERS],
    ['of a pod with another name', [onPod('agent-manager')], OTHERS],
    [
      'of a pod whose name was cut',
      [onPod(`${LONG.slice(0, 58)}x7k2p`)],
      [
        {
          uid: `uid-${LONG}`,
          reason: 'FailedScheduling',
          object: `DaemonSet/kubescape/${LONG}`,
          count: 1,
          lastSeen: AT,
        },
      ],
    ],
    [
      'of a guardian, as of its Ticket',
      [kept({ ...POD, namespace: 'infra', name: 'korder-guardian-t' }, { reason: 'FailedScheduling' })],
      [{ reason: 'FailedScheduling', object: 'Ticket/infra/t', count: 1, lastSeen: AT }],
    ],
    [
      'of a node',
      [kept({ kind: 'Node', name: 'a', uid: 'a' }, { reason: 'SystemOOM' })],
      [{ uid: 'a', reason: 'SystemOOM', object: 'Node/a', count: 1, lastSeen: AT }],
    ],
    [
      'of one object under two uids apart',
      [kept({ ...TICKET, uid: 'w' }), kept(TICKET)],
      [
        { uid: 'v', reason: 'FailedCreate', object: 'Ticket/infra/t', count: 1, lastSeen: AT },
        { uid: 'w', reason: 'FailedCreate', object: 'Ticket/infra/t', count: 1, lastSeen: AT },
      ],
    ],
  ]
  for (const [name, from, want] of ROWS)
    test(name, () => {
      const sets = [own('agent'), own(LONG)]
      assert.equal(eventRows(from, sets), want)
      assert.equal(eventRows([...from].reverse(), sets), want)
    })
  const many = (count: number, kind: 'Ticket' | 'Node') =>
    Array.from({ length: count }, (_, index) => {
      const lastTimestamp = new Date(Date.parse(AT) + (count - index) * 60_000).toISOString()
      const about = kind === 'Ticket' ? TICKET : { kind }
      const reason = kind === 'Ticket' ? 'FailedCreate' : 'SystemOOM'
      return kept({ ...about, name: `x${String(index).padStart(3, '0')}`, uid: '' }, { reason, lastTimestamp })
    })
  const names = (from: KeptEvent[]) => eventRows(from, []).map(({ object }) => object)
  test('are a hundred at most, the latest', () => {
    const told = names(many(150, 'Ticket'))
    assert.is(told.length, 100)
    assert.is(told[0], 'Ticket/infra/x000')
    assert.is(told.at(-1), 'Ticket/infra/x099')
  })
  test('of other pods are one row for each namespace and reason, without their names, after all others', () => {
    const other = (namespace: string, name: string, more: object = {}) =>
      kept({ ...POD, namespace, name }, { reason: 'Evicted', ...more })
    const pods = [other('shop', 'web-1', { count: 3 }), other('shop', 'db-0'), other('blog', 'a')]
    assert.equal(
      eventRows(pods, []).map(({ object, count }) => `${object} ${count}`),
      ['Pod/blog/* 1', 'Pod/shop/* 4'],
    )
    assert.not.match(JSON.stringify(eventRows(pods, [])), /web|db-0|"p"/)
    const told = names([...pods, ...many(99, 'Node')])
    assert.is(told.filter((object) => object.startsWith('Pod/')).length, 1)
  })
  test('of nodes give way to those of our own', () => {
    const told = names([...many(99, 'Node'), ...many(60, 'Ticket')])
    assert.is(told.filter((object) => object.startsWith('Ticket/')).length, 60)
    assert.is(told.length, 100)
  })
})

suite('the events of a cluster', (test) => {
  const collectorOf = (objects: KubeObject[]) => {
    const { watch, watched, state } = watchOf(objects)
    return { collector: eventsCollector(watch, ownDaemonSetInformer(watch)), watched, state }
  }
  test('are warnings, of all namespaces', () => {
    const { watched } = collectorOf([])
    assert.equal(watched, [
      { path: '/apis/apps/v1/daemonsets', query: undefined },
      { path: '/api/v1/events', query: { fieldSelector: 'type=Warning' } },
    ])
  })
  test('are those of what was rendered', () => {
    const { collector } = collectorOf([rendered('agent'), event(DAEMON_SET)])
    assert.equal(
      collector.part(0).events?.map(({ object }) => object),
      ['DaemonSet/kubescape/agent'],
    )
  })
  test('are absent until they were listed, and the DaemonSets too', () => {
    const { collector, state } = collectorOf([])
    for (const unread of ['/api/v1/events', '/apis/apps/v1/daemonsets']) {
      state.unread = unread
      assert.equal([collector.isSynced, collector.part(0)], [false, {}])
    }
    state.unread = ''
    assert.equal([collector.isSynced, collector.part(0)], [true, { events: [] }])
  })
})
