/** Tickets as kubectl prints them, as a WorkloadSnapshot, and what a run makes of it. */
import * as assert from 'uvu/assert'
import { snapshotTickets, ticketProblem, toSnapshot } from '../../../src/facts/inventory/index.ts'
import { inventoryOf } from '../../../src/host/cli/inventory.ts'
import { snapshotOf } from '../../../src/host/files/snapshot-of.ts'
import { newItem } from '../../../src/krm/index.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { inventory } from '../../support/objects.ts'
import { errorsOf, NOON, namesOf, nodes, nodesAt, order, rerun, runOrders, ticketsIn } from '../../support/orders.ts'
import { suite } from '../../support/suite.ts'

const ticket = (name: string, more: object = {}, metadata: object = {}): KubernetesObject => ({
  apiVersion: 'core.korder.dev/v1alpha1',
  kind: 'Ticket',
  metadata: { name, namespace: 'ns', ...metadata },
  spec: {},
  ...more,
})
/** A Ticket with a required term for each list of nodes. */
const pinned = (...terms: string[][]) => {
  const nodeSelectorTerms = terms.map((values) => ({ matchFields: [{ key: 'metadata.name', operator: 'In', values }] }))
  const nodeAffinity = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } }
  return ticket('t', { spec: { affinity: { nodeAffinity } }, status: { nodeName: '' } })
}
const END = '2025-01-02T12:00:00Z'

suite('Tickets of a snapshot', (test) => {
  const ROWS: Array<[name: string, from: KubernetesObject, want: object]> = [
    ['nothing but a name', ticket('t'), {}],
    ['no status yet', ticket('t', { status: null }), {}],
    [
      'its state',
      ticket('t', { status: { phase: 'Claimed', claimedTime: NOON, expirationTime: END, nodeName: 'a' } }),
      {
        node: 'a',
        phase: 'Claimed',
        claimedAt: NOON,
        expiresAt: END,
      },
    ],
    ['empty texts say nothing', ticket('t', { status: { phase: '', nodeName: '', claimedTime: null } }), {}],
    [
      'rendered, and not bound yet',
      ticket('t', { status: { nodeName: '' } }, { annotations: { 'nodefit.dev/node': 'a' } }),
      { node: 'a' },
    ],
    ['by nodeName', ticket('t', { spec: { nodeName: 'a' } }), { node: 'a' }],
    ['pinned by hand, and its guardian has not run', pinned(['a']), { node: 'a' }],
    ['pinned to several nodes', pinned(['a', 'b']), {}],
    ['pinned to either of two', pinned(['a'], ['b']), {}],
    [
      'selected by hostname',
      ticket('t', { spec: { nodeSelector: { 'kubernetes.io/hostname': 'a' } }, status: { nodeName: '' } }),
      { node: 'a' },
    ],
    ['bound elsewhere', { ...pinned(['a']), status: { nodeName: 'b' } }, { node: 'b' }],
    ['the label of an Order', ticket('t', {}, { labels: { 'korder.dev/order': 'o' } }), { order: 'o' }],
    ['its group alone', ticket('t', {}, { annotations: { 'korder.dev/ticket-group': 'o' } }), { order: 'o' }],
    [
      'made by a controller',
      ticket('t', {}, { ownerReferences: [{ kind: 'Order', name: 'mine' }], labels: { 'korder.dev/order': 'o' } }),
      { order: 'mine' },
    ],
  ]
  for (const [name, from, want] of ROWS)
    test(name, () => assert.equal(snapshotTickets([from]), [{ namespace: 'ns', name: 't', ...want }]))
  test('in the order of their names, whatever the order they come in', () => {
    const all = [ticket('b'), ticket('a'), ticket('c', {}, { namespace: 'a' })]
    const want = ['c', 'a', 'b']
    assert.equal(
      snapshotTickets(all).map(({ name }) => name),
      want,
    )
    assert.equal(
      snapshotTickets([...all].reverse()).map(({ name }) => name),
      want,
    )
  })
  test('a state that cannot be read is named', () => {
    assert.is(ticketProblem(ticket('t')), undefined)
    assert.is(ticketProblem(ticket('t', { status: [] })), 'its status is not a map')
    const bad = ticketProblem(ticket('t', { status: { expirationTime: 'soon' } }))
    assert.is(bad, 'status.expirationTime is soon, not an RFC 3339 time')
  })
})

suite('the snapshot of a command', (test) => {
  const item = (object: KubernetesObject) => newItem(object)
  const node = (name: string) => item({ apiVersion: 'v1', kind: 'Node', metadata: { name } })
  const written = inventory([], { observedAt: NOON }) as never
  const of = (...tickets: KubernetesObject[]) => snapshotOf({ tickets: tickets.map(item) }, [node('a')], written)
  test('of Tickets alone says nothing of pods', () => {
    const { spec } = of(ticket('t', { status: { nodeName: 'a' } })) as { spec: Record<string, unknown> }
    assert.equal(Object.keys(spec), ['cluster', 'observedAt', 'collected', 'tickets'])
    assert.equal(spec.collected, { tickets: 1 })
  })
  test('no Ticket at all is said, too', () => {
    const { spec } = of() as { spec: Record<string, unknown> }
    assert.equal([spec.collected, spec.tickets], [{ tickets: 0 }, []])
  })
  test('of both has both', () => {
    const both = toSnapshot([], { name: 'x', cluster: 'prod', nodes: ['a'], parts: { tickets: [] } }) as {
      spec: object
    }
    assert.equal(Object.keys(both.spec), ['cluster', 'collected', 'nodes', 'daemonSets', 'namespaces', 'tickets'])
  })
  const REFUSED: Array<[name: string, objects: KubernetesObject[], why: RegExp]> = [
    ['another kind', [{ ...ticket('p'), kind: 'Order' }], /Order p is not a Ticket/],
    ['another group', [{ ...ticket('p'), apiVersion: 'v1' }], /Ticket p is not a Ticket/],
    ['another cluster', [ticket('t', { status: { nodeName: 'z' } })], /WrongCluster: the Tickets are on none/],
    ['a bad time', [ticket('t', { status: { claimedTime: 7 } })], /Ticket t: status.claimedTime is 7/],
  ]
  for (const [name, objects, why] of REFUSED)
    test(`${name} is refused`, () =>
      assert.throws(
        () => of(...objects),
        (error: Error) => why.test(error.message),
      ))
  test('Expired ones may be on nodes that are gone', () =>
    assert.ok(of(ticket('t', { status: { nodeName: 'z', phase: 'Expired' } }))))
  test('renews what it shows as Expired', () => {
    const first = runOrders(nodesAt(NOON, nodes('a')), order())
    const [made] = ticketsIn(first)
    const live = { ...made, status: { phase: 'Expired', expirationTime: END, nodeName: 'a' } } as KubernetesObject
    const snapshot = of(live) as unknown as KubernetesObject
    const second = rerun(first, snapshot)
    assert.equal(errorsOf(second), [])
    assert.is.not(namesOf(second).a, namesOf(first).a)
  })
  test('of which a part is missing is cut', () => {
    const { spec, ...rest } = of(ticket('t')) as unknown as KubernetesObject
    const cut = { ...rest, spec: { ...(spec as object), tickets: [] } } as KubernetesObject
    assert.equal(errorsOf(runOrders(nodesAt(NOON, nodes('a')), order(), cut)), ['SnapshotCut'])
  })
})

suite('the time of an inventory', (test) => {
  const item = newItem({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'a' },
    status: { conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: '2026-11-20T13:00:00Z' }] },
  })
  const at = (exported?: string) => {
    const readTime = exported === undefined ? undefined : { at: new Date(exported) }
    return (inventoryOf([item], 'prod', { readTime }).spec as { observedAt?: string }).observedAt
  }
  const ROWS: Array<[name: string, exported: string | undefined, want: string]> = [
    ['is that of the export', '2026-11-20T13:04:58Z', '2026-11-20T13:04:58Z'],
    ['is that of the export at the last moment of a heartbeat', '2026-11-20T13:05:00Z', '2026-11-20T13:05:00Z'],
    ['is that of the newest heartbeat, of a file that was copied', '2026-11-20T13:05:01Z', '2026-11-20T13:00:00Z'],
    ['is that of the newest heartbeat, where the clock is behind', '2026-11-20T12:59:59Z', '2026-11-20T13:00:00Z'],
    ['is that of the newest heartbeat, where nothing is known', undefined, '2026-11-20T13:00:00Z'],
  ]
  for (const [name, exported, want] of ROWS) test(name, () => assert.is(at(exported), want))
})
