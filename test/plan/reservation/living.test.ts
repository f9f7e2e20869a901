/** What the cluster has of an Order's Tickets, and Tickets whose room is reserved twice. */
import * as assert from 'uvu/assert'
import { snapshotTickets } from '../../../src/facts/inventory/index.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import type { Plan } from '../../../src/rules/plan.ts'
import { config, shape } from '../../support/objects.ts'
import { NOON, namesOf, nodes, nodesAt, order, rerun, runOrders, snapshot, ticketsIn } from '../../support/orders.ts'
import { suite } from '../../support/suite.ts'

const THREE = nodesAt(NOON, nodes('a', 'b', 'c'))
const first = runOrders(THREE, order())
const names = namesOf(first)
const live = (node: string, more: object) => ({ namespace: 'ns', name: names[node], order: 'infra', node, ...more })
const RESERVED = (node: string) => live(node, { phase: 'Reserved', expiresAt: '2025-01-02T12:00:00Z' })
const CLAIMED = (node: string, more: object = {}) =>
  live(node, { phase: 'Claimed', claimedAt: '2025-01-01T11:00:00Z', expiresAt: '2025-01-02T12:00:00Z', ...more })
const LATER = '2025-01-02T13:00:00Z'
const said = (result: Plan, code: string) =>
  result.findings.filter((one) => one.code === code).map(({ sentence }) => sentence)
const at = (time: string, tickets: object[], ...more: KubernetesObject[]) =>
  rerun(
    first,
    ...(more.some(({ kind }) => kind === 'NodeInventory') ? [] : [nodesAt(time, nodes('a', 'b', 'c'))]),
    snapshot(...tickets),
    ...more,
  )

suite('a pod that has held its Ticket for long', (test) => {
  const LONG: Array<[what: string, time: string, state: object, more: KubernetesObject[], isSaid: boolean]> = [
    ['for half of its duration', '2025-01-01T23:00:00Z', {}, [], true],
    ['not for so long', '2025-01-01T22:59:59Z', {}, [], false],
    ['which is gone', '2025-01-01T23:00:00Z', { podGone: true }, [], false],
    ['where claimed Tickets are kept', '2025-01-01T23:00:00Z', {}, [config({ korder: { claimed: 'keep' } })], false],
  ]
  for (const [what, time, state, more, isSaid] of LONG)
    test(what, () => {
      const result = at(time, [CLAIMED('a', state), RESERVED('b'), RESERVED('c')], ...more)
      const sentence =
        'infra: a pod has held a claimed Ticket for half of its 24h0m0s on a: at its end the room is reserved a second time'
      assert.equal(said(result, 'ClaimReservedTwice'), isSaid ? [sentence] : [])
    })
  test('of an Order that nothing renews', () => {
    const never = order({ strategy: { type: 'OneTime', refreshPolicy: 'Never' } })
    const result = at('2025-01-01T23:00:00Z', [CLAIMED('a')], never)
    assert.equal(said(result, 'ClaimReservedTwice'), [])
  })
})

suite('what lives of an Order', (test) => {
  const deleteTickets = (...of: string[]) => `kubectl -n ns delete ticket ${of.map((node) => names[node]).join(' ')}`
  const PENDING = { phase: 'Pending', since: '2025-01-01T11:00:00Z' }
  const ROWS: Array<[name: string, tickets: object[], want: string]> = [
    ['all reserve', ['a', 'b', 'c'].map(RESERVED), '3 Reserved'],
    ['in the words of later versions', ['a', 'b', 'c'].map((node) => live(node, { phase: 'Ready' })), '3 Reserved'],
    ['one of each', [RESERVED('a'), CLAIMED('b'), live('c', { phase: 'Expired' })], '1 Reserved, 1 Claimed, 1 Expired'],
    ['without a phase', ['a', 'b', 'c'].map((node) => live(node, {})), '3 Pending'],
    [
      'whose pods do not run',
      ['a', 'b'].map((node) => live(node, { phase: 'Reserved', reason: 'Activated' })),
      '2 Pending, 1 not seen',
    ],
    ['not one is seen', [], '3 not seen'],
    [
      'those that korder made for the same Order, on a node without a rendered one too',
      [
        { ...RESERVED('a'), name: 'infra-0' },
        { ...RESERVED('a'), name: 'infra-1', node: 'z' },
      ],
      '3 not seen, 2 of this Order that are not rendered',
    ],
    [
      'one that korder made',
      [{ ...RESERVED('a'), name: 'infra-0' }],
      '3 not seen, 1 of this Order that is not rendered',
    ],
    [
      'those of an Order of that name in another namespace are not counted',
      [{ ...RESERVED('a'), name: 'infra-0', namespace: 'other' }],
      '3 not seen',
    ],
    ['another Order’s are not counted', [{ ...RESERVED('a'), name: 'x', order: 'other' }], '3 not seen'],
  ]
  for (const [name, tickets, want] of ROWS)
    test(name, () => assert.equal(said(at(NOON, tickets), 'TicketsLive'), [`infra: in the cluster are ${want}`]))
  test('nothing is said without a snapshot, nor of Tickets that are new', () => {
    assert.equal(said(rerun(first), 'TicketsLive'), [])
    assert.equal(said(runOrders(THREE, order(), snapshot()), 'TicketsLive'), [])
  })
  test('those that wait for five minutes are said by reason, the pod’s name aside', () => {
    const why = (node: string) => `pods "korder-guardian-${names[node]}" is forbidden: exceeded quota`
    const tickets = [
      ...['a', 'b'].map((node) => live(node, { ...PENDING, reason: why(node) })),
      live('c', { phase: 'Reserved', since: '2025-01-01T11:30:00Z', reason: 'Activated' }),
    ]
    assert.equal(said(at(NOON, tickets), 'TicketsPending'), [
      `infra: 2 Tickets reserve nothing since 2025-01-01T11:00:00Z, on a, b: pods the guardian pod is forbidden: exceeded quota. Once the cause is gone, run ${deleteTickets('a', 'b')}`,
      `infra: 1 Ticket reserves nothing since 2025-01-01T11:30:00Z, on c: the guardian pod exists and does not run. Once the cause is gone, run ${deleteTickets('c')}`,
    ])
  })
  test('of an Order without a namespace, with the one in which they are, and not more than a command holds', () => {
    const many = nodesAt(NOON, nodes(...Array.from({ length: 21 }, (_, index) => `n${index}`)))
    const bare = order({}, {}, { namespace: undefined })
    const rendered = runOrders(many, bare)
    const pending = Object.entries(namesOf(rendered)).map(([node, name]) => ({
      ...{ namespace: node === 'n0' ? '' : 'elsewhere', name, order: 'infra', node },
      ...PENDING,
    }))
    const found = said(rerun(rendered, snapshot(...pending)), 'TicketsPending')
    assert.equal(
      found
        .map((text) => /kubectl (.*)delete ticket (.*)$/.exec(text)?.slice(1, 3))
        .map((parts) => [parts?.[0], parts?.[1]?.split(' ').length]),
      [
        ['', 1],
        ['-n elsewhere ', 20],
      ],
    )
  })
  test('and not before', () => {
    assert.equal(said(at(NOON, [live('a', { ...PENDING, since: '2025-01-01T11:55:01Z' })]), 'TicketsPending'), [])
    assert.is(said(at(NOON, [live('a', { ...PENDING, since: '2025-01-01T11:55:00Z' })]), 'TicketsPending').length, 1)
    assert.equal(said(at(NOON, [live('a', { phase: 'Pending' })]), 'TicketsPending'), [])
  })
})

suite('Tickets of another owner on the same nodes', (test) => {
  const by = (order: string, node: string, more: object = {}) => ({
    namespace: 'ns',
    name: `${order}-0`,
    order,
    node,
    phase: 'Reserved',
    ...more,
  })
  const ROWS: Array<[name: string, tickets: object[], want: string[]]> = [
    [
      'of the live Order itself',
      [by('infra', 'a'), by('infra', 'b', { name: 'infra-1' })],
      [
        'Order ns/infra has 2 Tickets that this package does not render, infra-0, infra-1, on a, b, where its Tickets reserve too',
      ],
    ],
    [
      'of an Order of another package',
      [by('gpu', 'a', { namespace: 'team' })],
      ['Order team/gpu has 1 Ticket that this package does not render, gpu-0, on a, where its Tickets reserve too'],
    ],
    ['that have ended', [by('infra', 'a', { phase: 'Expired' })], []],
    ['on another node', [by('infra', 'z')], []],
    ['its own', ['a', 'b', 'c'].map(RESERVED), []],
  ]
  for (const [name, tickets, want] of ROWS)
    test(name, () => assert.equal(said(at(NOON, tickets), 'ReservedByOthers'), want))
  test('those of the run before, which this one renews, are its own', () => {
    const renewed = at(LATER, ['a', 'b', 'c'].map(RESERVED))
    assert.not.equal(namesOf(renewed), names)
    assert.equal([said(renewed, 'ReservedByOthers'), said(renewed, 'TicketDuplicated')], [[], []])
  })
})

suite('the room of a claimed Ticket', (test) => {
  const KEEP = config({ korder: { claimed: 'keep' } })
  const TWICE = (nodes: string) => `infra: a new Ticket reserves beside the pod that claimed the old one on ${nodes}`
  const bigger = order({}, { resources: { requests: { cpu: '1' } } })
  const down = nodesAt(
    NOON,
    nodes('b', 'c'),
    shape({ 'kubernetes.io/os': 'linux' }, ['a'], '4', '16Gi', { ready: 'False' }),
  )
  const ROWS: Array<[name: string, time: string, more: KubernetesObject[], want: string[]]> = [
    ['while it lasts', NOON, [], []],
    ['at its end', LATER, [], [TWICE('a')]],
    ['when its Order changes', NOON, [bigger], [TWICE('a')]],
    [
      'while its node is not ready',
      NOON,
      [down],
      ['infra: the claimed Ticket is removed on a, and made anew beside its pod when the node is eligible again'],
    ],
  ]
  for (const [name, time, more, want] of ROWS) {
    const run = (...also: KubernetesObject[]) =>
      at(time, [CLAIMED('a'), RESERVED('b'), RESERVED('c')], ...more, ...also)
    test(name, () => {
      const result = run()
      assert.equal(said(result, 'ClaimReservedTwice'), want)
      assert.is(namesOf(result).a === names.a, want.length === 0)
    })
    test(`${name}, with claimed: keep`, () => {
      const result = run(KEEP)
      assert.equal(said(result, 'ClaimReservedTwice'), [])
      const [before, now] = [first, result].map((one) =>
        ticketsIn(one).find(({ metadata }) => metadata.name === names.a),
      )
      assert.equal(now?.spec, before?.spec)
      if (time === LATER) assert.not.equal(namesOf(result).b, names.b)
    })
  }
  const ofPod = (podGone: boolean) => [CLAIMED('a', { pod: 'team/api-0', podGone }), RESERVED('b'), RESERVED('c')]
  test('is reserved anew once its pod is gone, and once only', () => {
    const gone = at(NOON, ofPod(true), KEEP)
    assert.not.equal(namesOf(gone).a, names.a)
    assert.equal(said(gone, 'ClaimReservedTwice'), [])
    assert.is(namesOf(gone).b, names.b)
    assert.equal(namesOf(rerun(gone)), namesOf(gone))
    assert.equal(namesOf(at(NOON, ofPod(false), KEEP)), names)
    assert.equal(namesOf(at(NOON, ofPod(true))), names, 'renewed at its end, as ever')
  })
  test('a Ticket that the Order no longer may have on its node goes, claimed or not', () => {
    const elsewhere = order({}, { nodeSelector: { 'kubernetes.io/os': 'windows' } })
    const result = at(
      NOON,
      [CLAIMED('a')],
      elsewhere,
      config({ korder: { claimed: 'keep' }, allow: ['NoEligibleNodes'] }),
    )
    assert.equal(namesOf(result), {})
  })
})

suite('what a snapshot says of Tickets', (test) => {
  const ticket = (status: object) => ({
    apiVersion: 'core.korder.dev/v1alpha1',
    kind: 'Ticket',
    metadata: { name: 't', namespace: 'ns', creationTimestamp: '2025-01-01T10:00:00Z' },
    spec: {},
    status,
  })
  const SINCE = '2025-01-01T10:00:00Z'
  const ROWS: Array<[name: string, status: object, want: object]> = [
    ['that korder has not seen', {}, { since: SINCE }],
    [
      'whose pod was refused',
      { phase: 'Pending', reason: 'Failed', message: 'no', activationTime: NOON },
      { phase: 'Pending', since: NOON, reason: 'no' },
    ],
    [
      'whose pod does not run',
      { phase: 'Reserved', reason: 'Activated', message: 'x' },
      { phase: 'Reserved', since: SINCE, reason: 'Activated' },
    ],
    ['whose pod runs', { phase: 'Reserved', reason: 'Ready', message: 'x' }, { phase: 'Reserved' }],
    [
      'that a pod has',
      { phase: 'Claimed', claimedPod: 'team/api-0' },
      { phase: 'Claimed', pod: 'team/api-0', podGone: false },
    ],
    [
      'that a pod had',
      { phase: 'Claimed', claimedPod: 'team/api-1' },
      { phase: 'Claimed', pod: 'team/api-1', podGone: true },
    ],
  ]
  for (const [name, status, want] of ROWS)
    test(name, () =>
      assert.equal(snapshotTickets([ticket(status)], new Set(['team/api-0'])), [
        { namespace: 'ns', name: 't', ...want },
      ]),
    )
  test('without the pods nothing is said of them', () =>
    assert.equal(snapshotTickets([ticket({ phase: 'Claimed', claimedPod: 'team/api-1' })]), [
      { namespace: 'ns', name: 't', phase: 'Claimed', pod: 'team/api-1' },
    ]))
})
