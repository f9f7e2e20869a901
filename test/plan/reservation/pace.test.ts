/** How many Tickets are replaced at once, and that none ends before it is renewed. */
import * as assert from 'uvu/assert'
import { untilOf } from '../../../src/face/index.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import type { Plan } from '../../../src/rules/plan.ts'
import { config, inventory, policy, shape, TYPE } from '../../support/objects.ts'
import {
  errorsOf,
  marksOf,
  NOON,
  namesOf,
  nodes,
  nodesAt,
  order,
  recurring,
  replacedNodes,
  rerun,
  runOrders,
  snapshot,
  ticketsIn,
} from '../../support/orders.ts'
import { suite } from '../../support/suite.ts'

const MINUTE = 60_000
const TEN = [...'abcdefghij']
const start = Date.parse(NOON)
const after = (minutes: number) => new Date(start + minutes * MINUTE).toISOString().replace('.000Z', 'Z')
const at = (minutes: number, names: readonly string[] = TEN) => nodesAt(after(minutes), nodes(...names))
const rollout = (maxNodes: number | string, every = '10m', more: object = { renewAfter: '0s' }) =>
  config({ korder: { rollout: { maxNodes, every }, ...more } })
const TWO = rollout(2)
const said = (result: Plan, code: string) =>
  result.findings.filter((one) => one.code === code).map(({ sentence }) => sentence)
const begun = (result: Plan) => marksOf(result, 'begun')
const larger = order({}, { resources: { requests: { cpu: '200m' } } })
const cpuOf = (result: Plan) =>
  ticketsIn(result).map(({ spec }) => (spec as { resources: { requests: { cpu: string } } }).resources.requests.cpu)
/** The Tickets as korder has them; those that `claimed` names by their node are claimed. */
const living = (result: Plan, claimed: readonly string[] = []): KubernetesObject =>
  snapshot(
    ...ticketsIn(result).map(({ metadata: { name, annotations = {} } }) => {
      const node = (annotations as Record<string, string>)['nodefit.dev/node'] ?? ''
      const expiresAt = new Date(
        Date.parse((annotations as Record<string, string>)['nodefit.dev/begun'] ?? '') + 24 * 60 * MINUTE,
      ).toISOString()
      const state = claimed.includes(node) ? { phase: 'Claimed', claimedAt: NOON } : { phase: 'Reserved' }
      return { namespace: 'ns', name, order: 'infra', node, expiresAt, ...state }
    }),
  )

suite('a rollout of Tickets', (test) => {
  const first = runOrders(at(0), order(), TWO)
  test('the first render makes all of them', () => {
    assert.equal([ticketsIn(first).length, said(first, 'TicketsHeldBack'), errorsOf(first)], [10, [], []])
  })
  test('a changed Order reaches two nodes in ten minutes, in name order, and each Ticket stays whole', () => {
    const second = rerun(first, at(60), larger)
    assert.equal(replacedNodes(first, second), ['a', 'b'])
    assert.equal(cpuOf(second).sort(), [...new Array(8).fill('100m'), '200m', '200m'])
    assert.equal(said(second, 'TicketsHeldBack'), [
      `infra: 8 of 10 Tickets to replace stay as they are: c, d, e and 5 more. spec.korder.rollout replaces at most 2 of 10 nodes within 10m0s; render at ${after(70)} or later for more`,
    ])
    assert.equal(untilOf(second)?.toISOString(), new Date(start + 70 * MINUTE).toISOString())
    assert.equal(replacedNodes(second, rerun(second, at(69), larger)), [])
    assert.equal(replacedNodes(second, rerun(second, at(70), larger)), ['c', 'd'])
  })
  test('the output fed back is the same', () => {
    const second = rerun(first, at(60), larger)
    const again = rerun(second)
    assert.equal([namesOf(again), begun(again)], [namesOf(second), begun(second)])
  })
  test('a change that is taken back before it reached a node replaces none there', () => {
    const second = rerun(first, at(60), larger)
    const back = rerun(second, at(80), order())
    assert.equal(replacedNodes(second, back), ['a', 'b'])
    assert.equal(namesOf(back), namesOf(first))
  })
  test('a new node has its Ticket at once, which counts', () => {
    const more = [...TEN, 'k', 'l']
    const second = rerun(first, at(60, more), larger)
    assert.equal(replacedNodes(first, second), ['k', 'l'])
    assert.equal(replacedNodes(second, rerun(second, at(70, more), larger)), ['a', 'b'])
  })
  test('a node created again under its name has its Ticket at once', () => {
    const uids = (uid: string) => ({
      ...(nodes(...TEN) as object),
      uids: Object.fromEntries(TEN.map((n) => [n, n === 'j' ? uid : n])),
    })
    const config = rollout(2, '10m', { nodeIdentity: 'uid', renewAfter: '0s' })
    const was = runOrders(nodesAt(NOON, uids('j')), order(), config)
    const is = rerun(was, nodesAt(after(60), uids('x')), larger)
    assert.equal(replacedNodes(was, is), ['a', 'j'])
  })
  test('a percentage is rounded down, and one may always change', () => {
    const one = rollout('5%')
    const was = runOrders(at(0), order(), one)
    assert.equal(replacedNodes(was, rerun(was, at(60), larger)), ['a'])
  })
  test('a label changes on all of them at once, since it replaces none', () => {
    const changed = order({ template: { metadata: { labels: { tier: 'x' } }, spec: { duration: '24h' } } })
    const second = rerun(first, at(60), changed)
    assert.equal(replacedNodes(first, second), [])
    assert.ok(ticketsIn(second).every(({ metadata }) => metadata.labels?.tier === 'x'))
  })
  test('needs the time of the run', () => {
    const timeless = runOrders(nodesAt(undefined, nodes(...TEN)), order(), TWO)
    assert.equal(errorsOf(timeless), ['NoTime'])
  })
  test('of a policy for an Order all groups together count', () => {
    const half = inventory(
      [shape({ [TYPE]: 'm5' }, ['a', 'b', 'c']), shape({ [TYPE]: 'c5' }, ['d', 'e', 'f'], '8', '32Gi')],
      { observedAt: after(60) },
    )
    const sizing = policy({ targetRef: { kind: 'Order', name: 'infra' } }, 'p', { namespace: 'ns' })
    const was = runOrders({ ...half, spec: { ...(half.spec as object), observedAt: NOON } }, order(), sizing, TWO)
    const changed = order({}, { priorityClassName: 'low' })
    const is = rerun(was, half, changed)
    assert.equal([errorsOf(is), replacedNodes(was, is)], [[], ['a', 'b']])
    assert.match(
      said(is, 'TicketsHeldBack')[0] ?? '',
      /^p: 4 of 6 Tickets to replace stay as they are: c, d, e and 1 more/,
    )
  })
  const BAD: Array<[what: object, path: string]> = [
    [{ maxNodes: 0, every: '10m' }, 'spec.korder.rollout.maxNodes'],
    [{ maxNodes: '0%', every: '10m' }, 'spec.korder.rollout.maxNodes'],
    [{ maxNodes: 2, every: 'soon' }, 'spec.korder.rollout.every'],
    [{ maxNodes: 2, every: '0s' }, 'spec.korder.rollout.every'],
  ]
  for (const [written, path] of BAD)
    test(`${JSON.stringify(written)} is refused at ${path}`, () => {
      const result = runOrders(at(0), order(), config({ korder: { rollout: written } }))
      assert.equal([errorsOf(result), result.findings[0]?.field?.path], [['InvalidField'], path])
    })
})

suite('renewal that is spread before the end', (test) => {
  const DAY = 24 * 60
  /** Renders as often as `step` says, and returns how many were replaced by minute, and how long any Ticket was over. */
  const simulate = (
    settings: KubernetesObject,
    { days, step, live }: { days: number; step: number; live: boolean },
  ) => {
    let result = runOrders(at(0), order(), settings)
    const byTime = new Map<number, number>()
    let lapsed = Number.NEGATIVE_INFINITY
    for (let minute = step; minute < days * DAY; minute += step) {
      const next = rerun(result, at(minute), ...(live ? [living(result)] : []))
      const count = replacedNodes(result, next).length
      if (count > 0) byTime.set(minute, count)
      result = next
      const ages = Object.values(begun(result)).map((time) => start + minute * MINUTE - Date.parse(String(time)))
      lapsed = Math.max(lapsed, Math.max(...ages) - DAY * MINUTE)
    }
    return { byTime, lapsed }
  }
  for (const live of [false, true])
    test(`over four days at most two in ten minutes, and none ever ends${live ? ', by snapshots' : ''}`, () => {
      const { byTime, lapsed } = simulate(TWO, { days: 4, step: 10, live })
      assert.ok(lapsed < 0, `${lapsed}`)
      assert.is(Math.max(...byTime.values()), 2)
      const renewals = [...byTime.values()].reduce((sum, one) => sum + one, 0)
      assert.ok(renewals >= 30 && renewals <= 40, `${renewals} renewals of ten Tickets in four days`)
    })
  test('begins as late as it can: five intervals before the common end', () => {
    const first = runOrders(at(0), order(), TWO)
    assert.is(untilOf(first)?.toISOString(), new Date(start + (DAY - 50) * MINUTE).toISOString())
    assert.equal(replacedNodes(first, rerun(first, at(DAY - 51))), [])
    assert.equal(replacedNodes(first, rerun(first, at(DAY - 50))), ['a', 'b'])
    assert.equal(replacedNodes(first, rerun(first, at(DAY - 50), config({ korder: { renewAfter: '0s' } }))), [])
  })
  test('a Ticket renewed early has the name that it has when it is renewed at its end', () => {
    const first = runOrders(at(0), order(), TWO)
    const early = rerun(first, at(DAY - 50))
    const late = rerun(first, at(DAY), config({ korder: { renewAfter: '0s' } }))
    assert.equal([namesOf(early).a, namesOf(early).b], [namesOf(late).a, namesOf(late).b])
  })
  test('nothing is renewed early that nothing renews, nor what a pod has claimed', () => {
    const none = rollout(2, '10m', {})
    const first = runOrders(at(0), order(), none)
    assert.equal(replacedNodes(first, rerun(first, at(DAY - 10))), [])
    assert.is(said(first, 'ReservationLapses').length, 1)
    const shown = rerun(first, at(DAY - 10), living(first, ['a', 'c']))
    assert.equal(replacedNodes(first, shown), ['b', 'd'])
    const never = runOrders(at(0), order({ strategy: { type: 'OneTime', refreshPolicy: 'Never' } }), TWO)
    assert.equal(replacedNodes(never, rerun(never, at(DAY - 10))), [])
  })
  test('what has ended comes first and is bounded too, with a warning', () => {
    const first = runOrders(at(0), order(), TWO)
    const second = rerun(first, at(DAY - 50))
    const late = rerun(second, at(DAY + 60), larger)
    assert.equal(replacedNodes(second, late), ['c', 'd'])
    assert.equal(said(late, 'RolloutTooSlow'), [
      'infra: 6 Tickets have ended, and spec.korder.rollout, at most 2 of 10 nodes within 10m0s, leaves them for later: e, f, g and 3 more',
    ])
  })
  test('a rollout that takes longer than a Ticket lasts is a warning at the first render', () => {
    const first = runOrders(at(0), order(), rollout(1, '3h'))
    assert.equal(said(first, 'RolloutTooSlow'), [
      'infra: spec.korder.rollout, at most 1 of 10 nodes within 3h0m0s, takes 30h0m0s for all Tickets, and each lasts 24h0m0s: some end before they are renewed',
    ])
  })
  test('a fire time replaces two at once, and each node keeps its Ticket until its turn', () => {
    const always = order(recurring('0 */6 * * *', 'Always'))
    const first = runOrders(at(10), always, TWO)
    const fired = rerun(first, at(370))
    assert.equal(replacedNodes(first, fired), ['a', 'b'])
    assert.equal(replacedNodes(fired, rerun(fired, at(380))), ['c', 'd'])
    assert.is(ticketsIn(fired).length, 10)
    // an end before the next fire time is none of the early ones
    assert.equal(untilOf(fired)?.toISOString(), new Date(start + 380 * MINUTE).toISOString())
  })
})
