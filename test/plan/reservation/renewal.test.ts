/**
 * What has ended is made anew: by what a snapshot says, or by what the Tickets themselves remember. V are the rows of strategies and
 * policies (section 4.3 of the korder report).
 */
import * as assert from 'uvu/assert'
import { render } from '../../../src/face/render.ts'
import { newItem, readResourceList, writeResourceList } from '../../../src/krm/index.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import type { Plan } from '../../../src/rules/plan.ts'
import { plan } from '../../../src/rules/run.ts'
import { codes, config, listOf, SIZES, shape } from '../../support/objects.ts'
import {
  errorsOf,
  korder,
  marksOf,
  NOON,
  namesOf,
  nodes,
  nodesAt,
  order,
  recurring,
  rerun,
  runOrders,
  snapshot,
  ticketsIn,
} from '../../support/orders.ts'
import { suite } from '../../support/suite.ts'

const EVERY_6 = '0 */6 * * *'
const NEXT_DAY = '2025-01-02T12:00:00Z'
const RENEW = korder({ renewAfter: '1m' })
const a = nodes('a')
const at = (time: string | undefined) => nodesAt(time, a)
const mark = (result: Plan, key: string) => Object.values(marksOf(result, key))[0]
const generation = (result: Plan) => mark(result, 'generation') ?? ''
const begun = (result: Plan) => mark(result, 'begun')
const said = (result: Plan, code: string) => result.findings.find((one) => one.code === code)?.sentence
const live = (result: Plan, state: object) =>
  snapshot({ namespace: 'ns', name: namesOf(result).a, order: 'infra', node: 'a', ...state })
/** Without a host that keeps files. */
const unseen = (...objects: KubernetesObject[]) =>
  plan({ apiVersion: 'config.kubernetes.io/v1', items: objects.map((object) => newItem(object)), results: [] })

suite('when a Ticket was begun', (test) => {
  test('is written by the render that makes it, in whole seconds, and never changed', () => {
    const first = runOrders(at('2025-01-01T13:00:00.5+01:00'), order())
    assert.is(begun(first), '2025-01-01T12:00:00Z')
    assert.is(begun(rerun(first, at(NEXT_DAY))), '2025-01-01T12:00:00Z')
  })
  test('a node that comes later has its own', () => {
    const second = rerun(runOrders(at(NOON), order()), nodesAt('2025-01-01T18:00:00Z', nodes('a', 'b')))
    const all = ticketsIn(second).map(({ metadata }) => metadata.annotations?.['nodefit.dev/begun'])
    assert.equal(all.sort(), [NOON, '2025-01-01T18:00:00Z'])
  })
  test('a changed reservation and a new generation are begun anew', () => {
    const first = runOrders(at(NOON), order())
    const other = rerun(first, at(NEXT_DAY), order({}, { resources: { requests: { cpu: '1' } } }))
    assert.is(begun(other), NEXT_DAY)
    const refreshed = runOrders(at(NOON), order(recurring(EVERY_6, 'Always')))
    assert.is(begun(rerun(refreshed, at('2025-01-01T18:30:00Z'))), '2025-01-01T18:30:00Z')
  })
  test('is not written where earlier output is unseen, nor without a time', () => {
    assert.is(begun(unseen(at(NOON), order())), undefined)
    assert.is(begun(runOrders(at(undefined), order())), undefined)
  })
  test('is not added to a Ticket that was made without', () => {
    const first = unseen(at(NOON), order())
    assert.is(begun(rerun(first, at(NEXT_DAY))), undefined)
  })
  test('what is written there by hand stays, and is no time', () => {
    const first = runOrders(at(NOON), order())
    for (const text of ['yesterday', '']) {
      const edited = first.items.map(({ object }) => {
        if (object.kind !== 'Ticket') return object
        const annotations = { ...object.metadata.annotations, 'nodefit.dev/begun': text }
        return { ...object, metadata: { ...object.metadata, annotations } }
      })
      const second = plan(
        listOf([...edited.filter(({ kind }) => kind !== 'NodeInventory'), at('2026-01-01T00:00:00Z'), RENEW]),
      )
      assert.equal([begun(second), generation(second)], [text, ''])
    }
  })
  test('is the start of the window, which korder would fill in', () => {
    const windowed = (window: object) => order({}, { duration: undefined, window: { duration: '24h', ...window } })
    const spec = (result: Plan) => (ticketsIn(result)[0] as unknown as { spec: { window?: object } }).spec.window
    const first = runOrders(at(NOON), windowed({}))
    const want = { duration: '24h0m0s', startTime: NOON, timeZone: 'UTC' }
    assert.equal(spec(first), want)
    assert.equal(spec(rerun(first, at(NEXT_DAY))), want)
    assert.is((spec(runOrders(at(NOON), windowed({ startTime: NEXT_DAY }))) as typeof want).startTime, NEXT_DAY)
    assert.not.ok('startTime' in (spec(unseen(at(NOON), windowed({}))) as object))
  })
  test('output fed back gives identical bytes', () => {
    const text = (one: ReturnType<typeof render>) => writeResourceList({ ...one, results: [] })
    const once = text(render(listOf([at(NOON), order(), RENEW])))
    assert.is(text(render(readResourceList(once))), once)
  })
})

const ONCE = { strategy: { type: 'OneTime' } }
const ONCE_NEVER = { strategy: { type: 'OneTime', refreshPolicy: 'Never' } }
const NIGHTLY = { strategy: { type: 'Scheduled', schedule: '0 2 * * *' } }

/** Rendered at noon, and again with these; what generation comes of it. */
interface Row {
  readonly spec?: Record<string, unknown>
  readonly template?: Record<string, unknown>
  readonly time: string
  readonly options?: object
  readonly live?: object
  readonly want: string
}
const E = '20250102T1200Z'
const EXPIRED = { phase: 'Expired', expiresAt: NEXT_DAY }
const ROWS: Record<string, Row> = {
  'V1 OneTime, from memory, the moment it counts': {
    time: '2025-01-02T12:01:00Z',
    options: { renewAfter: '1m' },
    want: E,
  },
  'from memory, a second earlier': { time: '2025-01-02T12:00:59Z', options: { renewAfter: '1m' }, want: '' },
  'from memory, at once': { time: NEXT_DAY, options: { renewAfter: '0s' }, want: E },
  'from memory, long after': { time: '2025-03-01T00:00:00Z', options: { renewAfter: '1h' }, want: E },
  'no renewAfter': { time: '2025-03-01T00:00:00Z', want: '' },
  'a duration with seconds': {
    template: { duration: '1h0m7s' },
    time: NEXT_DAY,
    options: { renewAfter: '1m' },
    want: '20250101T130007Z',
  },
  'OneTime and Never': { spec: ONCE_NEVER, time: '2025-03-01T00:00:00Z', options: { renewAfter: '1m' }, want: '' },
  'OneTime and Never, Expired': { spec: ONCE_NEVER, time: '2025-03-01T00:00:00Z', live: EXPIRED, want: '' },
  'OneTime and Always': {
    spec: { strategy: { type: 'OneTime', refreshPolicy: 'Always' } },
    time: '2025-03-01T00:00:00Z',
    options: { renewAfter: '1m' },
    want: E,
  },
  Expired: { time: '2025-01-02T12:00:05Z', live: EXPIRED, want: E },
  'Expired, seen late': {
    time: '2025-01-02T13:00:00Z',
    live: { phase: 'Expired', expiresAt: '2025-01-02T12:07:03Z' },
    want: E,
  },
  'Expired before its computed end': {
    time: '2025-01-01T18:00:00Z',
    live: { phase: 'Expired', expiresAt: '2025-01-01T17:00:03Z' },
    want: '20250101T170003Z',
  },
  'Expired, nobody knows when': { time: '2025-01-01T18:00:00Z', live: { phase: 'Expired' }, want: '20250101T1800Z' },
  'its time is over, and korder has not seen it': {
    time: NEXT_DAY,
    live: { phase: 'Ready', expiresAt: NEXT_DAY },
    want: E,
  },
  Ready: { time: '2025-01-02T12:30:00Z', live: { phase: 'Ready', expiresAt: '2025-01-02T12:31:00Z' }, want: '' },
  'Ready, and memory says ended': {
    time: '2025-01-02T12:30:00Z',
    options: { renewAfter: '1m' },
    live: { phase: 'Ready', expiresAt: '2025-01-02T12:31:00Z' },
    want: '',
  },
  'Claimed, before it ends': {
    time: '2025-01-02T12:30:00Z',
    options: { renewAfter: '1m' },
    live: { phase: 'Claimed', claimedAt: NOON, expiresAt: '2025-01-02T12:31:00Z' },
    want: '',
  },
  'Claimed, no end is said, before its computed end': {
    time: '2025-01-02T11:59:59Z',
    live: { phase: 'Claimed', claimedAt: NOON },
    want: '',
  },
  'Claimed, no end is said': { time: NEXT_DAY, live: { phase: 'Claimed', claimedAt: NOON }, want: E },
  'Claimed, and it would end before it began': {
    time: NOON,
    live: { phase: 'Claimed', expiresAt: '2025-01-01T11:00:00Z' },
    want: '',
  },
  'Ready, no end is said': {
    time: '2025-03-01T00:00:00Z',
    options: { renewAfter: '1m' },
    live: { phase: 'Ready' },
    want: '',
  },
  'Claimed, and its time is over': {
    time: '2025-01-02T12:31:00Z',
    live: { phase: 'Claimed', claimedAt: NOON, expiresAt: '2025-01-02T12:31:00Z' },
    want: E,
  },
  'another Ticket is Expired': { time: NEXT_DAY, live: { ...EXPIRED, name: 'other' }, want: '' },
  'of another namespace': { time: NEXT_DAY, live: { ...EXPIRED, namespace: 'other' }, want: '' },
  'V5 Recurring, Never': {
    spec: recurring(EVERY_6, 'Never'),
    template: { duration: '4h' },
    time: '2025-01-01T16:01:00Z',
    options: { renewAfter: '1m' },
    want: '20250101T1600Z',
  },
  'V4 Recurring, OnClaim, before its next fire': {
    spec: recurring(EVERY_6, 'OnClaim'),
    template: { duration: '4h' },
    time: '2025-01-01T17:00:00Z',
    live: { phase: 'Expired', expiresAt: '2025-01-01T16:00:00Z' },
    want: '20250101T1600Z',
  },
  'Recurring, OnClaim, from memory': {
    spec: recurring(EVERY_6, 'OnClaim'),
    template: { duration: '4h' },
    time: '2025-01-01T17:00:00Z',
    options: { renewAfter: '5m' },
    want: '20250101T1600Z',
  },
  'V3 Recurring, Always, before its next fire': {
    spec: recurring(EVERY_6, 'Always'),
    template: { duration: '4h' },
    time: '2025-01-01T17:00:00Z',
    options: { renewAfter: '5m' },
    want: '20250101T1600Z',
  },
  'Recurring, Always, after its next fire': {
    spec: recurring(EVERY_6, 'Always'),
    template: { duration: '4h' },
    time: '2025-01-01T18:00:00Z',
    options: { renewAfter: '5m' },
    want: '20250101T1800Z',
  },
  'V2 Scheduled, its window open': {
    spec: { strategy: { type: 'Scheduled', schedule: '0 11 * * *' } },
    template: { duration: '4h' },
    time: '2025-01-01T14:00:00Z',
    live: { phase: 'Expired', expiresAt: '2025-01-01T13:30:00Z' },
    want: '20250101T1330Z',
  },
}

suite('what has ended', (test) => {
  for (const [name, { spec = ONCE, template = {}, time, options = {}, live: state, want }] of Object.entries(ROWS)) {
    test(name, () => {
      const first = runOrders(at(NOON), order(spec, template))
      const start = generation(first)
      const more = state === undefined ? [] : [live(first, state)]
      const second = rerun(first, at(time), korder(options), ...more)
      assert.equal(errorsOf(second), [])
      assert.is(generation(second), want === '' ? start : want)
      assert.is(namesOf(second).a === namesOf(first).a, generation(second) === start)
      assert.is(begun(second), generation(second) === start ? NOON : time)
      assert.equal(namesOf(rerun(second, korder(options))), namesOf(second), 'and stays')
    })
  }
  test('again and again, each from the end of the one before', () => {
    let last = runOrders(at(NOON), order({}, { duration: '1h' }), RENEW)
    const seen: string[] = []
    for (const time of ['13:00:30', '13:01:00', '13:30:00', '14:01:30', '15:02:30', '18:00:00']) {
      last = rerun(last, at(`2025-01-01T${time}Z`))
      seen.push(generation(last))
    }
    const want = ['', '20250101T1300Z', '20250101T1300Z', '20250101T1300Z', '20250101T1401Z', '20250101T160230Z']
    assert.equal(seen, want)
  })
  test('what was renewed since the last fire stays until the next, and not when time goes back', () => {
    const first = runOrders(at(NOON), order(recurring(EVERY_6, 'Always'), { duration: '4h' }), RENEW)
    const second = rerun(first, at('2025-01-01T17:00:00Z'))
    assert.is(generation(rerun(second, at('2025-01-01T17:59:00Z'))), '20250101T1600Z')
    assert.is(generation(rerun(second, at('2025-01-01T18:00:00Z'))), '20250101T1800Z')
    assert.is(generation(rerun(second, at('2025-01-01T13:00:00Z'))), '20250101T1200Z')
  })
  test('a Scheduled one is gone with its window, renewed or not', () => {
    const first = runOrders(at('2025-01-01T03:00:00Z'), order(NIGHTLY, { duration: '4h' }), RENEW)
    const second = rerun(first, at('2025-01-01T06:00:00Z'))
    assert.equal([ticketsIn(second).length, errorsOf(second)], [0, []])
  })
  test('OnClaim: claimed before a fire comes before the end', () => {
    const first = runOrders(at(NOON), order(recurring(EVERY_6, 'OnClaim'), { duration: '4h' }))
    const claimed = { phase: 'Claimed', claimedAt: '2025-01-01T13:00:00Z', expiresAt: '2025-01-01T16:00:00Z' }
    assert.is(generation(rerun(first, at('2025-01-01T17:00:00Z'), live(first, claimed))), '20250101T1600Z')
    assert.is(generation(rerun(first, at('2025-01-01T18:30:00Z'), live(first, claimed))), '20250101T1800Z')
  })
  test('a Ticket without a beginning is renewed by a snapshot, and not by startTime, which korder does not read', () => {
    const first = unseen(at(NOON), order({}, { startTime: '2025-01-01T00:00:00Z' }))
    assert.is(generation(rerun(first, at('2025-01-02T00:01:00Z'), RENEW)), '')
    const bare = unseen(at(NOON), order())
    assert.is(generation(rerun(bare, at('2025-03-01T00:00:00Z'), RENEW)), '')
    assert.is(
      generation(rerun(bare, at(NEXT_DAY), live(bare, { ...EXPIRED, expiresAt: '2025-01-02T11:00:09Z' }))),
      '20250102T110009Z',
    )
  })
  test('startTime, which korder does not read, says less than the beginning', () => {
    const first = runOrders(at(NOON), order({}, { startTime: '2025-01-05T00:00:00Z' }), RENEW)
    assert.is(generation(rerun(first, at('2025-01-02T13:00:00Z'))), E)
  })
  test('another uid of the node is another Ticket, which has not ended', () => {
    const withUid = (time: string, uid: string) => nodesAt(time, { ...(a as object), uids: { a: uid } })
    const options = korder({ nodeIdentity: 'uid', renewAfter: '1m' })
    const first = runOrders(withUid(NOON, 'u1'), order(), options)
    const second = rerun(first, withUid('2025-01-05T00:00:00Z', 'u2'))
    assert.equal([generation(second), begun(second)], ['', '2025-01-05T00:00:00Z'])
  })
  test('paused wins', () => {
    const first = runOrders(at(NOON), order(), RENEW)
    const second = rerun(first, at('2025-03-01T00:00:00Z'), order({ paused: true }), live(first, EXPIRED))
    assert.equal(namesOf(second), namesOf(first))
  })
  test('keep does not stop it', () => {
    const first = runOrders(at(NOON), order())
    const down = nodesAt(
      '2025-01-02T13:00:00Z',
      shape({ 'kubernetes.io/os': 'linux' }, ['a'], '4', '16Gi', { ready: 'False' }),
    )
    assert.is(generation(rerun(first, down, korder({ keep: true, renewAfter: '1m' }))), E)
  })
  test('the dialect does not matter', () => {
    const first = runOrders(at(NOON), order(), korder({ dialect: 'window', renewAfter: '1m' }))
    assert.is(generation(rerun(first, at('2025-01-02T13:00:00Z'))), E)
  })
  test('a host that does not show earlier output cannot renew from memory', () => {
    assert.equal(errorsOf(unseen(at(NOON), order(), RENEW)), ['NeedsEarlierOutput'])
    assert.equal(errorsOf(unseen(at(NOON), order(ONCE_NEVER), RENEW)), [])
    const always = order(recurring(EVERY_6, 'Always'))
    const expired = snapshot({
      namespace: 'ns',
      name: namesOf(runOrders(at(NOON), always)).a,
      phase: 'Expired',
      expiresAt: '2025-01-01T12:30:00Z',
    })
    assert.is(generation(unseen(at(NOON), always, expired)), '20250101T1200Z', 'the next run could not know')
  })
  const BAD = ['soon', '-1m', '5', '']
  for (const renewAfter of BAD)
    test(`renewAfter "${renewAfter}" is refused`, () =>
      assert.equal(errorsOf(runOrders(at(NOON), order(), korder({ renewAfter }))), ['InvalidField']))
})

suite('an Order without a namespace, which is given one when it is applied', (test) => {
  const bare = (spec: object = {}) => order({ ...spec }, {}, { namespace: undefined })
  const liveIn = (result: Plan, namespace: string, state: object, more: object = {}) => ({
    ...{ namespace, name: namesOf(result).a, order: 'infra', node: 'a' },
    ...state,
    ...more,
  })
  const first = runOrders(at(NOON), bare())
  const LATER = at('2025-01-02T12:01:00Z')
  const LIVING = { phase: 'Reserved', expiresAt: '2025-01-03T00:00:00Z' }
  const AMBIGUOUS = 'infra: the cluster has 1 Ticket of the same name in the namespaces default, prod'
  const CASES: Array<[name: string, tickets: object[], want: string, ambiguous?: string]> = [
    ['is renewed in default', [liveIn(first, 'default', EXPIRED)], E],
    ['is renewed in the namespace that a tool sets', [liveIn(first, 'prod', EXPIRED)], E],
    ['is not renewed while it holds', [liveIn(first, 'default', LIVING)], ''],
    ['is not renewed for the Ticket of another Order', [liveIn(first, 'default', EXPIRED, { order: 'other' })], ''],
    [
      'holds while one of several does',
      [liveIn(first, 'default', EXPIRED), liveIn(first, 'prod', LIVING)],
      '',
      AMBIGUOUS,
    ],
    [
      'is renewed when all of several have ended',
      [liveIn(first, 'prod', EXPIRED), liveIn(first, 'default', EXPIRED)],
      E,
      AMBIGUOUS,
    ],
  ]
  for (const [name, tickets, want, ambiguous] of CASES)
    test(name, () => {
      const second = rerun(first, LATER, snapshot(...tickets))
      assert.equal([generation(second), said(second, 'LiveTicketsAmbiguous')], [want, ambiguous])
    })
  test('with a namespace nothing is ambiguous', () => {
    const named = runOrders(at(NOON), order())
    const both = snapshot(liveIn(named, 'ns', LIVING), liveIn(named, 'other', EXPIRED))
    const second = rerun(named, LATER, both)
    assert.equal([generation(second), said(second, 'LiveTicketsAmbiguous')], ['', undefined])
  })
})

suite('a snapshot counts for what it shows', (test) => {
  const seenAt = (time: string, ...tickets: object[]) => {
    const { spec, ...rest } = snapshot(...tickets)
    return { ...rest, spec: { ...(spec as object), observedAt: time } }
  }
  const first = runOrders(at(NOON), order())
  const expired = { namespace: 'ns', name: namesOf(first).a, order: 'infra', node: 'a', ...EXPIRED }
  const renewed = rerun(first, at(NEXT_DAY), seenAt(NEXT_DAY, expired))
  test('one that is kept up silences what ends later', () => {
    assert.is(generation(renewed), E)
    for (const code of ['ReservationLapses', 'ReservationEnded', 'SnapshotStale'])
      assert.is(said(renewed, code), undefined, code)
  })
  test('one of days ago renews once, and then says that it does not', () => {
    const LATE = '2025-01-03T13:00:00Z'
    const late = rerun(renewed, at(LATE))
    assert.is(generation(late), E)
    assert.is(
      said(late, 'SnapshotStale'),
      'WorkloadSnapshot live is of 2025-01-02T12:00:00Z, 25h0m0s before the inventory',
    )
    assert.is(said(late, 'ReservationEnded'), 'infra: 1 Ticket has ended, the first at 2025-01-03T12:00:00Z')
    const early = rerun(renewed, at('2025-01-02T14:00:00Z'))
    const lapses = 'infra: the reservation holds until 2025-01-03T12:00:00Z, and nothing renews it'
    assert.equal([said(early, 'ReservationLapses'), said(early, 'ReservationEnded')], [lapses, undefined])
    const again = rerun(late, seenAt(LATE, { ...expired, name: namesOf(renewed).a, expiresAt: '2025-01-03T12:00:00Z' }))
    assert.equal([generation(again), said(again, 'SnapshotStale')], ['20250103T1200Z', undefined])
  })
  test('an ended Ticket that a new one does not show is not renewed by it', () => {
    const second = rerun(first, at('2025-01-02T13:00:00Z'), seenAt('2025-01-02T13:00:00Z'))
    assert.is(generation(second), '')
    assert.is(said(second, 'ReservationEnded'), 'infra: 1 Ticket has ended, the first at 2025-01-02T12:00:00Z')
  })
  const AGES: Array<[time: string, isStale: boolean]> = [
    ['2025-01-01T11:00:00Z', false],
    ['2025-01-01T10:59:59Z', true],
    ['2025-01-01T13:00:00Z', false],
  ]
  for (const [time, isStale] of AGES)
    test(`one of ${time} beside nodes of noon is ${isStale ? '' : 'not '}stale`, () => {
      const result = runOrders(at(NOON), order(), seenAt(time))
      assert.is(codes(result.findings).includes('SnapshotStale'), isStale)
      assert.is(codes(result.findings).includes('ReservationLapses'), isStale)
    })
  test('of several the newest with Tickets is asked', () => {
    const old = seenAt('2025-01-01T00:00:00Z')
    const other = { ...old, metadata: { name: 'old' } }
    assert.not(codes(runOrders(at(NOON), order(), other, seenAt(NOON)).findings).includes('SnapshotStale'))
  })
})

suite('until when a reservation holds', (test) => {
  const LINES: Array<[name: string, objects: KubernetesObject[], lapses?: string, ends?: string]> = [
    ['OneTime', [at(NOON), order()], 'infra: the reservation holds until 2025-01-02T12:00:00Z, and nothing renews it'],
    [
      'OneTime and Never',
      [at(NOON), order(ONCE_NEVER), RENEW],
      undefined,
      'infra: the reservation holds until 2025-01-02T12:00:00Z',
    ],
    [
      'no time',
      [at(undefined), order()],
      'infra: the reservation holds for 24h0m0s after its Tickets are applied, and nothing renews it',
    ],
    [
      'OnClaim, which acts as Never',
      [at(NOON), order(recurring(EVERY_6))],
      'infra: the reservation holds until 2025-01-02T12:00:00Z, and nothing renews it',
    ],
    ['renewed from memory', [at(NOON), order(), RENEW]],
    ['renewed by a snapshot', [at(NOON), order(), snapshot()]],
    ['made anew by its schedule', [at(NOON), order(recurring(EVERY_6, 'Always'))]],
    ['within its window', [at('2025-01-01T03:00:00Z'), order(NIGHTLY)]],
  ]
  for (const [name, objects, lapses, ends] of LINES)
    test(name, () => {
      const result = runOrders(...objects)
      assert.equal([said(result, 'ReservationLapses'), said(result, 'ReservationEnds')], [lapses, ends])
    })
  test('the two ways out are named, and of a paused one that it is to be unpaused', () => {
    const message = (result: Plan, code: string) => result.findings.find((one) => one.code === code)?.message ?? ''
    const first = runOrders(at(NOON), order())
    assert.match(message(first, 'ReservationLapses'), /Permanent: .*87600h.*Never.*Renewed: .*--tickets.*renewAfter/)
    for (const time of [NOON, NEXT_DAY]) {
      const paused = rerun(first, at(time), order({ paused: true }))
      const code = time === NOON ? 'ReservationEnds' : 'ReservationEnded'
      assert.match(message(paused, code), / Set spec\.paused: false to have them renewed\.$/)
      assert.not.match(message(paused, code), 'renewAfter')
    }
  })
  test('of a paused one, whatever its schedule', () => {
    const always = recurring(EVERY_6, 'Always')
    const first = runOrders(at(NOON), order(always))
    const paused = rerun(first, at('2025-01-01T19:00:00Z'), order({ ...always, paused: true }))
    assert.is(said(paused, 'ReservationEnds'), 'infra: the reservation holds until 2025-01-02T12:00:00Z')
  })
  test('on several nodes, and where one does not say', () => {
    const second = rerun(runOrders(at(NOON), order()), nodesAt('2025-01-01T18:00:00Z', nodes('a', 'b')))
    const want =
      'infra: the reservation holds until 2025-01-02T12:00:00Z on the first node, until 2025-01-02T18:00:00Z on the last'
    assert.is(said(second, 'ReservationLapses'), `${want}, and nothing renews it`)
    const old = rerun(unseen(at(NOON), order()), nodesAt(NOON, nodes('a', 'b')))
    assert.match(said(old, 'ReservationLapses') ?? '', 'until 2025-01-02T12:00:00Z; the start of 1 Ticket is unknown')
  })
  test('what has ended and is not renewed is a warning', () => {
    const second = rerun(runOrders(at(NOON), order()), nodesAt(NEXT_DAY, nodes('a', 'b')))
    assert.is(said(second, 'ReservationEnded'), 'infra: 1 Ticket of 2 has ended, the first at 2025-01-02T12:00:00Z')
    assert.is(said(second, 'ReservationLapses'), undefined)
    const paused = rerun(runOrders(at(NOON), order(), RENEW), at(NEXT_DAY), order({ paused: true }))
    assert.is(said(paused, 'ReservationEnded'), 'infra: 1 Ticket has ended, the first at 2025-01-02T12:00:00Z')
  })
  test('a gap before the next fire is none where what has ended is renewed', () => {
    const always = order(recurring(EVERY_6, 'Always'), { duration: '4h' })
    assert.ok(codes(runOrders(at(NOON), always).findings).includes('DurationBelowPeriod'))
    for (const more of [RENEW, snapshot()])
      assert.not(codes(runOrders(at(NOON), always, more).findings).includes('DurationBelowPeriod'))
  })
  test('of a sized Order once, and its Tickets are renewed like any', () => {
    const policy = {
      apiVersion: 'nodefit.dev/v1alpha1',
      kind: 'SizingPolicy',
      metadata: { name: 'p', namespace: 'ns' },
      spec: {
        targetRef: { apiVersion: 'core.korder.dev/v1alpha1', kind: 'Order', name: 'infra' },
        nodeGroupLabel: 'type',
        ...SIZES,
      },
    }
    const fleet = (time: string) =>
      nodesAt(time, shape({ type: 'x' }, ['a'], '4', '16Gi'), shape({ type: 'y' }, ['b'], '8', '32Gi'))
    const run = (...more: KubernetesObject[]) => runOrders(fleet(NOON), order(), policy, ...more)
    const first = run(config({ allow: ['NoGroups'] }))
    assert.equal(errorsOf(first), [])
    const ends = first.findings.filter(({ code }) => code === 'ReservationLapses').map(({ sentence }) => sentence)
    assert.equal(ends, ['p: the reservation holds until 2025-01-02T12:00:00Z, and nothing renews it'])
    const second = rerun(first, fleet('2025-01-02T13:00:00Z'), RENEW)
    const all = ticketsIn(second).map(({ metadata }) => metadata.annotations?.['nodefit.dev/generation'])
    assert.equal(all, [E, E])
  })
})

suite('a paused Order whose Tickets have ended', (test) => {
  for (const refreshPolicy of ['OnClaim', 'Never'])
    test(`${refreshPolicy}: its user is told to unpause it, and nothing else`, () => {
      const spec = { strategy: { type: 'OneTime', refreshPolicy } }
      const first = runOrders(nodesAt(NOON, nodes('a')), order(spec))
      const paused = rerun(first, nodesAt('2025-01-03T12:00:00Z', nodes('a')), order({ ...spec, paused: true }))
      const found = paused.findings.find(({ code }) => code === 'ReservationEnded')
      assert.match(found?.message ?? '', /Set spec\.paused: false/)
      assert.not.match(found?.message ?? '', /renewAfter|Delete/)
    })
})
