/** The 22 cases of Ticket names (section 5.2 of the korder report): the digits are ours, the properties are the rows'. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { isDns1123Subdomain, isLabelValue } from '../../../src/kube/index.ts'
import { digitsOf, type TicketIdentity, ticketName } from '../../../src/plan/reservation/ticket/ticket.ts'
import { codes, shape } from '../../support/objects.ts'
import {
  errorsOf,
  korder,
  NOON,
  namesOf,
  nodes,
  nodesAt,
  order,
  recurring,
  rerun,
  runOrders,
  ticketsIn,
} from '../../support/orders.ts'
import { suite } from '../../support/suite.ts'

const identity = (orderName: string, node: string, more: Partial<TicketIdentity> = {}): TicketIdentity => ({
  namespace: 'ns',
  order: orderName,
  node,
  uid: '',
  specHash: 'h',
  generation: '',
  ...more,
})
const name = (...args: Parameters<typeof identity>) => ticketName(identity(...args))
const isName = (text: string) => text.length <= 63 && isDns1123Subdomain(text) && isLabelValue(text)
const IP = 'ip-10-0-12-34.eu-central-1.compute.internal'

suite('names of Tickets', (test) => {
  test('M1 an ordinary name: the stem and ten digits', () =>
    assert.match(name('infrastructure-reservation', 'node-1'), /^infrastructure-reservation-node-1-[0-9a-f]{10}$/))
  test('M2 a long node name is cut, so that the guardian’s label holds it', () => {
    const long = name('monitoring-agent-reservation', IP)
    assert.is(long.length, 63)
    assert.ok(long.startsWith('monitoring-agent-reservation-ip-10-0-12-34.eu-centra-'))
    assert.ok(isName(long))
  })
  test('M3 a node name of 253 characters', () => assert.ok(isName(name('infrastructure-reservation', 'a'.repeat(253)))))
  test('M4 exactly 63 without digits', () => assert.is(name('a', 'n'.repeat(61)).length, 63))
  test('M5 64 without digits', () => assert.is(name('a', 'n'.repeat(62)).length, 63))
  test('M6 the same stem from another split', () => assert.is.not(name('a', 'b-c'), name('a-b', 'c')))
  test('M7 dots and dashes are different nodes', () => assert.is.not(name('x', 'a.b'), name('x', 'a-b')))
  test('M8 never the index name of a plain Order', () => assert.is.not(name('pool', '1'), 'pool-1'))
  test('M9 a cut that ends in a dot', () => {
    const text = name('order', `${'x'.repeat(45)}.zone.example.com`)
    assert.match(text, /^order-x{45}-[0-9a-f]{10}$/)
    assert.ok(isName(text))
  })
  test('M10 equal in their first 60 characters', () =>
    assert.is.not(name('o', `${'n'.repeat(60)}1`), name('o', `${'n'.repeat(60)}2`)))
  test('M11 two fires, two names, the same in between', () => {
    const at = (time: string) =>
      namesOf(runOrders(nodesAt(time, nodes('node-1')), order(recurring('0 */6 * * *', 'Always'))))
    assert.equal(at('2025-01-01T06:00:00Z'), at('2025-01-01T11:59:59Z'))
    assert.is.not(at('2025-01-01T06:00:00Z')['node-1'], at('2025-01-01T12:00:00Z')['node-1'])
  })
  test('M12 another request is another Ticket', () => {
    const of = (cpu: string) =>
      namesOf(runOrders(nodesAt(NOON, nodes('a')), order({}, { resources: { requests: { cpu } } })))
    assert.is.not(of('100m').a, of('200m').a)
    assert.equal(of('1'), of('1000m'))
  })
  test('M13 a node made anew under its name, where the uid counts', () => {
    const of = (uid: string, nodeIdentity: string) =>
      namesOf(
        runOrders(
          nodesAt(NOON, shape({}, ['a'], '4', '16Gi', { uids: { a: uid } })),
          order(),
          korder({ nodeIdentity }),
        ),
      ).a
    assert.is.not(of('1', 'uid'), of('2', 'uid'))
    assert.is(of('1', 'name'), of('2', 'name'))
    assert.equal(errorsOf(runOrders(nodesAt(NOON, nodes('a')), order(), korder({ nodeIdentity: 'uid' }))), [
      'NodeUidMissing',
    ])
  })
  test('M14 Orders of one name in two namespaces', () => {
    const result = runOrders(nodesAt(NOON, nodes('a')), order(), order({}, {}, { namespace: 'other' }))
    assert.equal(errorsOf(result), [])
    assert.is(new Set(ticketsIn(result).map(({ metadata }) => metadata.name)).size, 2)
  })
  test('M15 the same Order twice', () =>
    assert.equal(errorsOf(runOrders(nodesAt(NOON, nodes('a')), order(), order())), ['DuplicatePolicy']))
  test('M16 an Order name of 70 characters: no label, a warning, a name all the same', () => {
    const result = runOrders(nodesAt(NOON, nodes('a')), order({}, {}, { name: 'o'.repeat(70) }))
    assert.ok(codes(result.findings).includes('OrderNameTooLong'))
    const [ticket] = ticketsIn(result)
    assert.ok(isName(ticket?.metadata.name ?? ''))
    assert.is(ticket?.metadata.labels?.['korder.dev/order'], undefined)
  })
  test('M17 an Order name with dots', () => {
    const [ticket] = ticketsIn(
      runOrders(nodesAt(NOON, nodes('a')), order({}, {}, { name: 'team.gpu' }), korder({ orderLabel: true })),
    )
    assert.is(ticket?.metadata.labels?.['korder.dev/order'], 'team.gpu')
    assert.ok(isName(ticket?.metadata.name ?? ''))
  })
  test('M18 a node name too long for a label is in an annotation', () => {
    const [ticket] = ticketsIn(runOrders(nodesAt(NOON, nodes('n'.repeat(64))), order()))
    assert.is(ticket?.metadata.labels?.['korder.dev/node'], undefined)
    assert.is(ticket?.metadata.annotations?.['nodefit.dev/node'], 'n'.repeat(64))
  })
  test('M19 a node name that cannot be', () => {
    for (const bad of ['Node-1', 'node_1', ''])
      assert.equal(errorsOf(runOrders(nodesAt(NOON, nodes(bad)), order())), ['NodeNameInvalid'])
  })
  test('M20 a hand-written Ticket with the rendered name is not overwritten', () => {
    const first = runOrders(nodesAt(NOON, nodes('a')), order())
    const [own] = ticketsIn(first)
    const foreign = {
      apiVersion: own?.apiVersion ?? '',
      kind: 'Ticket',
      metadata: { name: own?.metadata.name ?? '', namespace: 'ns' },
      spec: {},
    }
    assert.equal(errorsOf(runOrders(nodesAt(NOON, nodes('a')), order(), foreign)), ['ForeignObject'])
  })
  test('M21 inner runs of dashes stay', () => assert.match(name('foo', 'a--b'), /^foo-a--b-/))
  test('M22 two Orders on one node: two Tickets, and the sum is said', () => {
    const result = runOrders(nodesAt(NOON, nodes('a')), order(), order({}, {}, { name: 'other' }))
    assert.is(ticketsIn(result).length, 2)
    const said = result.findings.find(({ code }) => code === 'OrdersOverlap')?.message
    assert.is(said, 'infra and other reserve cpu 200m, memory 256Mi together on 1 node: a')
  })
  test('the digits are those of the whole identity', () => {
    const base = identity('o', 'n')
    const others: Array<Partial<TicketIdentity>> = [
      { namespace: 'x' },
      { order: 'p' },
      { node: 'm' },
      { uid: 'u' },
      { specHash: 'i' },
      { generation: 'g' },
    ]
    const digits = [base, ...others.map((more) => ({ ...base, ...more }))].map(digitsOf)
    assert.is(new Set(digits).size, 7)
    assert.is(digitsOf(base), '4b5076b885', 'SHA-256 of ns/o/n//h/')
  })
  test('any Order and node have a valid name, and distinct nodes distinct ones', () => {
    const part = fc.stringMatching(/^[a-z0-9]([-a-z0-9.]{0,80}[a-z0-9])?$/)
    fc.assert(
      fc.property(part, fc.uniqueArray(part, { minLength: 2, maxLength: 6 }), (orderName, all) => {
        const made = all.map((node) => name(orderName, node))
        assert.is(new Set(made).size, all.length)
        for (const text of made) assert.ok(text.length <= 63)
      }),
    )
  })
  test('a rerun keeps every name', () => {
    const first = runOrders(nodesAt(NOON, nodes('a', 'b')), order())
    assert.equal(namesOf(rerun(first)), namesOf(first))
  })
  test('an Order has its Tickets in 16 files, above 2,000 of them in 256', () => {
    const filesOf = (count: number) => {
      const many = Array.from({ length: count }, (_, index) => `n${index}`)
      const rendered = ticketsIn(runOrders(nodesAt(NOON, nodes(...many)), order()))
      const paths = rendered.map(({ metadata }) => metadata.annotations?.['internal.config.kubernetes.io/path'] ?? '')
      const wrong = rendered.filter(({ metadata: { name } }, index) => {
        const digits = /^tickets-infra-([0-9a-f]+)\.yaml$/.exec(paths[index] ?? '')?.[1] ?? '-'
        return !name.slice(-10).startsWith(digits)
      })
      assert.equal(wrong, [])
      return new Set(paths).size
    }
    assert.equal([filesOf(2000), filesOf(2001)], [16, 256])
  })
})
