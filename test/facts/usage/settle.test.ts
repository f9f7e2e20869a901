/** What is settled at the regular time, and at once. */
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import {
  answerKills,
  type Evidence,
  type InForce,
  type Kill,
  type Seen,
  type Settled,
  settleRegularly,
} from '../../../src/facts/usage/index.ts'
import { suite } from '../../support/suite.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR
const AT = Date.UTC(2026, 10, 17, 9)
const seen = (cpu: number, memory: number, more: Partial<Seen> = {}): Seen => ({
  used: { cpu, memory },
  peakMemory: memory,
  peakAt: '2026-11-12',
  days: 14,
  pods: 20,
  week: { medianMemory: memory, shareAtLimit: 0 },
  ...more,
})
const settled = (cpu: number, memory: number | undefined, more: Partial<Settled> = {}): Settled => ({
  used: { cpu, ...(memory !== undefined && { memory }) },
  limits: {},
  at: AT - 7 * DAY,
  why: 'Regular',
  raisedAt: [],
  ...more,
})
const LIMITS: InForce = { limits: { cpu: 500, memory: 256 }, hasHeapByLimit: false }
const evidence = (of: Seen | undefined, more: Partial<Evidence> = {}): Evidence => ({
  ...(of && { seen: of }),
  kills: [],
  inForce: LIMITS,
  ...more,
})
const kill = (pod: string, ago: number, more: Partial<Kill> = {}): Kill => ({
  pod,
  at: AT - ago,
  limit: 256,
  count: 1,
  ...more,
})

suite('settled at the regular time: requests', (test) => {
  const rows: ReadonlyArray<readonly [string, was: number, is: number, next: number]> = [
    ['15 % more is no change', 100, 115, 100],
    ['more than that is', 100, 116, 116],
    ['by 5m at least', 20, 24, 20],
    ['5m are enough', 20, 25, 25],
    ['20 % less is no change', 100, 80, 100],
    ['more than that is', 100, 79, 79],
    ['by 10m at least', 40, 31, 40],
    ['10m are enough', 40, 30, 30],
    ['half is taken at most', 101, 20, 51],
  ]
  for (const [name, was, is, next] of rows)
    test(`cpu ${was} -> ${is}: ${name}`, () =>
      assert.is(settleRegularly(settled(was, 60), evidence(seen(is, 60)), AT)?.used.cpu, next))
  const memory: typeof rows = [
    ['by 8Mi at least', 40, 47, 40],
    ['8Mi are enough', 40, 48, 48],
    ['by 16Mi at least', 60, 45, 60],
    ['16Mi are enough', 60, 44, 44],
    ['half is taken at most', 101, 20, 51],
  ]
  for (const [name, was, is, next] of memory)
    test(`memory ${was} -> ${is}: ${name}`, () =>
      assert.is(settleRegularly(settled(60, was), evidence(seen(60, is)), AT)?.used.memory, next))
  test('what was never settled is what was seen, after seven days', () => {
    assert.equal(settleRegularly(undefined, evidence(seen(63, 71)), AT), {
      used: { cpu: 63, memory: 71 },
      limits: { memory: 142 },
      at: AT,
      why: 'Regular',
      raisedAt: [],
    })
    assert.is(settleRegularly(undefined, evidence(seen(63, 71, { days: 6 })), AT), undefined)
    assert.is(settleRegularly(undefined, evidence(undefined), AT), undefined)
  })
  test('without seven days nothing changes, not even a limit', () => {
    const was = settled(10, 10)
    assert.is(settleRegularly(was, evidence(seen(500, 200, { days: 6 })), AT), was)
  })
  test('the same object where nothing changes', () => {
    const was = settled(63, 71, { limits: { memory: 512 }, raisedAt: [AT - 20 * DAY] })
    assert.is(settleRegularly(was, evidence(seen(63, 71)), AT), was)
  })
})

suite('settled at the regular time: limits', (test) => {
  const limitOf = (of: Evidence, was = settled(63, 71)) => settleRegularly(was, of, AT)?.limits
  test('twice the peak, where that is a tenth above the limit in force', () => {
    assert.equal(limitOf(evidence(seen(63, 71, { peakMemory: 141 }))), { memory: 282 })
    assert.equal(limitOf(evidence(seen(63, 71, { peakMemory: 140 }))), {})
  })
  test('twice the peak at first, whatever is in force: that may have been a neighbour’s', () => {
    const of = evidence(seen(63, 71, { peakMemory: 100 }))
    assert.equal(settleRegularly(undefined, of, AT)?.limits, { memory: 200 })
    const killedBefore = settled(63, 71, { used: {}, limits: { memory: 512 }, why: 'OOMKilled' })
    assert.equal(settleRegularly(killedBefore, of, AT)?.limits, { memory: 512 })
    assert.equal(settleRegularly(undefined, { ...of, inForce: { limits: {}, hasHeapByLimit: false } }, AT)?.limits, {})
  })
  test('twice the limit after two kills at it within seven days', () => {
    assert.equal(limitOf(evidence(seen(63, 71), { kills: [kill('a', DAY), kill('b', 6 * DAY)] })), { memory: 512 })
    assert.equal(limitOf(evidence(seen(63, 71), { kills: [kill('a', DAY, { count: 2 })] })), { memory: 512 })
    assert.equal(limitOf(evidence(seen(63, 71), { kills: [kill('a', DAY), kill('b', 7 * DAY)] })), {})
    assert.equal(limitOf(evidence(seen(63, 71), { kills: [kill('a', DAY), kill('b', -1)] })), {})
  })
  test('kills at an older, lower limit count for nothing', () => {
    const kills = [kill('a', DAY, { limit: 255 }), kill('b', DAY, { limit: 128 })]
    assert.equal(limitOf(evidence(seen(63, 71), { kills })), {})
    const onItsWay = settled(63, 71, { limits: { memory: 512 }, raisedAt: [AT - DAY] })
    assert.equal(limitOf(evidence(seen(63, 71), { kills: [kill('a', DAY), kill('b', DAY)] }), onItsWay), {
      memory: 512,
    })
  })
  test('a raise for kills is remembered; the fourth within fourteen days is held', () => {
    const kills = [kill('a', HOUR), kill('b', HOUR)]
    const once = settleRegularly(
      settled(63, 71, { raisedAt: [AT - 15 * DAY, AT - DAY] }),
      evidence(seen(63, 71), { kills }),
      AT,
    )
    assert.equal(once?.raisedAt, [AT - DAY, AT])
    const often = settled(63, 71, { raisedAt: [AT - 3 * DAY, AT - 2 * DAY, AT - DAY] })
    assert.is(settleRegularly(often, evidence(seen(63, 71), { kills }), AT), often)
  })
  test('kills that were answered are not answered again', () => {
    const kills = [kill('a', DAY), kill('b', DAY)]
    const was = settled(63, 71, { limits: { memory: 256 }, raisedAt: [AT - DAY] })
    assert.is(settleRegularly(was, evidence(seen(63, 71), { kills }), AT), was)
  })
  test('limits never fall', () => {
    const was = settled(63, 71, { limits: { cpu: 2000, memory: 4096 } })
    const of = seen(63, 71, { peakMemory: 200, week: { medianMemory: 71, shareAtLimit: 1 } })
    assert.equal(limitOf(evidence(of), was), { cpu: 2000, memory: 4096 })
  })
  test('CPU: twice the limit in force where more than 5 % of the containers are at it', () => {
    const of = (shareAtLimit: number) => seen(63, 71, { week: { medianMemory: 71, shareAtLimit } })
    assert.equal(limitOf(evidence(of(0.051))), { cpu: 1000 })
    assert.equal(limitOf(evidence(of(0.05))), {})
    assert.equal(limitOf(evidence(of(1)), settled(63, 71, { limits: { cpu: 1000 } })), { cpu: 1000 })
  })
  test('where there is no limit, none is made', () => {
    const inForce = { limits: {}, hasHeapByLimit: false }
    const of = seen(63, 71, { peakMemory: 900, week: { medianMemory: 71, shareAtLimit: 1 } })
    assert.equal(limitOf(evidence(of, { inForce, kills: [kill('a', 1), kill('b', 1)] })), {})
  })
})

suite('memory that follows its limit', (test) => {
  const week = (medianMemory: number) => ({ week: { medianMemory, shareAtLimit: 0 } })
  const of = (medianMemory: number, more: Partial<Evidence> = {}) =>
    evidence(seen(63, 200, { ...week(medianMemory), peakMemory: 250 }), more)
  const heap = { inForce: { ...LIMITS, hasHeapByLimit: true } }
  const limitOfMemory = (one: Evidence) => settleRegularly(undefined, one, AT)?.limits.memory
  test('has a request that follows it, and its limit stays', () => {
    assert.equal(settleRegularly(settled(20, 71), of(218), AT)?.used, { cpu: 63, memory: 200 })
    assert.equal(settleRegularly(settled(20, 71), of(218), AT)?.limits, {})
    assert.equal(settleRegularly(undefined, of(218), AT)?.used, { cpu: 63, memory: 200 })
  })
  test('is the same request on both sides of the line', () =>
    assert.equal(settleRegularly(undefined, of(217), AT)?.used, settleRegularly(undefined, of(218), AT)?.used))
  test('from 85 % of the limit on, 70 % where the heap is sized by it', () => {
    assert.equal([of(217), of(218)].map(limitOfMemory), [500, undefined])
    assert.equal([of(179, heap), of(180, heap)].map(limitOfMemory), [500, undefined])
  })
  test('not where a container was killed at the limit', () => {
    assert.is(limitOfMemory(of(218, { kills: [kill('a', DAY)] })), 500)
    assert.is(limitOfMemory(of(218, { kills: [kill('a', DAY, { limit: 100 })] })), undefined)
  })
})

suite('answered at once', (test) => {
  const answer = (kills: readonly Kill[], was?: Settled, more: { pods?: number; inForce?: InForce } = {}) =>
    answerKills(was, { kills, inForce: LIMITS, pods: 100, ...more }, AT)
  const rows: ReadonlyArray<readonly [string, kills: readonly Kill[], kind: string, pods?: number]> = [
    ['no kill', [], 'none'],
    ['one kill', [kill('a', 1)], 'none'],
    ['a container twice within an hour', [kill('a', HOUR), kill('a', 1)], 'raised'],
    ['twice, an hour apart', [kill('a', HOUR + 1), kill('a', 1)], 'none'],
    ['twice in more than an hour', [kill('a', HOUR + 2), kill('a', 1)], 'none'],
    ['a count that rose by two', [kill('a', 1, { count: 2 })], 'raised'],
    ['two containers of a hundred', [kill('a', 1), kill('b', 1)], 'none'],
    [
      'five of a hundred within a day',
      ['a', 'b', 'c', 'd', 'e'].map((pod, index) => kill(pod, (index + 1) * HOUR)),
      'raised',
    ],
    ['four of a hundred', ['a', 'b', 'c', 'd'].map((pod) => kill(pod, 1)), 'none'],
    ['one of four', [kill('a', 1)], 'none', 4],
    ['two of four', [kill('a', 1), kill('b', 23 * HOUR)], 'raised', 4],
    ['two of four in more than a day', [kill('a', 1), kill('b', DAY)], 'none', 4],
    ['at a lower limit', [kill('a', 1, { limit: 255 }), kill('a', 2, { limit: 255 })], 'none'],
  ]
  for (const [name, kills, kind, pods] of rows)
    test(name, () => assert.is(answer(kills, undefined, { ...(pods !== undefined && { pods }) }).kind, kind))
  test('the limit doubles, requests and the regular time stay', () => {
    const was = settled(63, 71, { raisedAt: [AT - 15 * DAY] })
    const kills = [kill('a', 5), kill('a', 2)]
    assert.equal(answer(kills, was), {
      kind: 'raised',
      settled: { ...was, limits: { memory: 512 }, raisedAt: [AT - 2] },
    })
    assert.equal(answer(kills), {
      kind: 'raised',
      settled: { used: {}, limits: { memory: 512 }, at: AT - 2, why: 'OOMKilled', raisedAt: [AT - 2] },
    })
  })
  test('a limit of CPU and earlier raises stay, for fourteen days', () => {
    const was = settled(63, 71, { limits: { cpu: 1000 }, raisedAt: [AT - 14 * DAY, AT - 14 * DAY + 1] })
    const raised = answer([kill('a', 5), kill('a', 2)], was)
    assert.equal(raised.kind === 'raised' && raised.settled.limits, { cpu: 1000, memory: 512 })
    assert.equal(raised.kind === 'raised' && raised.settled.raisedAt, [AT - 14 * DAY + 1, AT - 2])
  })
  test('the same kills raise once', () => {
    const kills = [kill('a', 5), kill('a', 2)]
    const first = answer(kills)
    assert.is(answer(kills, first.kind === 'raised' ? first.settled : undefined).kind, 'none')
  })
  test('three times in fourteen days, then it is held until the first is past', () => {
    const was = settled(63, 71, { raisedAt: [AT - 13 * DAY, AT - 2 * DAY, AT - DAY] })
    assert.equal(answer([kill('a', 1), kill('a', 1)], was), { kind: 'held', until: AT + DAY })
  })
  test('without a limit there is none to raise', () => {
    const inForce = { limits: {}, hasHeapByLimit: false }
    assert.is(answer([kill('a', 1, { count: 9 })], undefined, { inForce }).kind, 'none')
  })
})

suite('settled, for any course', (test) => {
  const amount = fc.integer({ min: 10, max: 4000 })
  const anySeen = fc
    .record({
      cpu: amount,
      memory: amount,
      peak: amount,
      median: amount,
      share: fc.double({ min: 0, max: 1, noNaN: true }),
      days: fc.integer({ min: 1, max: 14 }),
    })
    .map(({ cpu, memory, peak, median, share, days }) =>
      seen(cpu, memory, {
        peakMemory: Math.max(peak, memory),
        days,
        week: { medianMemory: median, shareAtLimit: share },
      }),
    )
  const anyKill = fc.record({
    pod: fc.constantFrom('a', 'b', 'c'),
    at: fc.integer({ min: AT - 15 * DAY, max: AT }),
    limit: amount,
    count: fc.integer({ min: 1, max: 3 }),
  })
  const anyEvidence = fc
    .record({
      seen: anySeen,
      kills: fc.array(anyKill, { maxLength: 5 }),
      memory: amount,
      cpu: amount,
      heap: fc.boolean(),
    })
    .map(
      ({ memory, cpu, heap, ...more }): Evidence => ({
        ...more,
        inForce: { limits: { cpu, memory }, hasHeapByLimit: heap },
      }),
    )
  const anySettled = fc.option(
    fc
      .record({
        cpu: amount,
        memory: fc.option(amount, { nil: undefined }),
        limit: fc.option(amount, { nil: undefined }),
      })
      .map(({ cpu, memory, limit }) => settled(cpu, memory, limit === undefined ? {} : { limits: { memory: limit } })),
    { nil: undefined },
  )
  const holds = (
    ...[arbitrary, property]: [
      fc.Arbitrary<[Settled | undefined, Evidence]>,
      (was: Settled | undefined, of: Evidence) => void,
    ]
  ) =>
    fc.assert(
      fc.property(arbitrary, ([was, of]) => property(was, of)),
      { numRuns: 500 },
    )
  const both = fc.tuple(anySettled, anyEvidence)
  test('no limit falls, and none appears where none is in force', () =>
    holds(both, (was, of) => {
      const next = settleRegularly(was, of, AT)
      for (const resource of ['cpu', 'memory'] as const)
        assert.ok((next?.limits[resource] ?? 0) >= (was?.limits[resource] ?? 0))
      const none = settleRegularly(was, { ...of, inForce: { limits: {}, hasHeapByLimit: false } }, AT)
      assert.equal(none?.limits ?? {}, was?.limits ?? {})
    }))
  test('asked again at the same time, nothing changes', () =>
    holds(both, (was, of) => {
      // nothing was killed at a limit above the one in force
      const most = of.inForce.limits.memory ?? 0
      of = { ...of, kills: of.kills.map((one) => ({ ...one, limit: Math.min(one.limit ?? most, most) })) }
      const next = settleRegularly(was, of, AT)
      // half at most is taken at one time: asked again, it would fall on
      const isHalved = (['cpu', 'memory'] as const).some(
        (resource) => (next?.used[resource] ?? 0) > (of.seen?.used[resource] ?? 0) / 0.8,
      )
      if (!isHalved) assert.is(settleRegularly(next, of, AT), next)
    }))
  test('more CPU used never gives less', () =>
    fc.assert(
      fc.property(anySettled, anyEvidence, fc.integer({ min: 0, max: 500 }), (was, of, more) => {
        const cpuOf = (cpu: number) =>
          settleRegularly(was, { ...of, ...(of.seen && { seen: { ...of.seen, used: { ...of.seen.used, cpu } } }) }, AT)
            ?.used.cpu ?? 0
        const cpu = of.seen?.used.cpu ?? 0
        assert.ok(cpuOf(cpu + more) >= cpuOf(cpu))
      }),
      { numRuns: 500 },
    ))
  test('kills change limits at once, never requests', () =>
    holds(both, (was, of) => {
      const answer = answerKills(was, { kills: of.kills, inForce: of.inForce, pods: 3 }, AT)
      if (answer.kind !== 'raised') return
      assert.equal(answer.settled.used, was?.used ?? {})
      assert.is(answer.settled.limits.cpu, was?.limits.cpu)
      assert.ok((answer.settled.limits.memory ?? 0) > (was?.limits.memory ?? 0))
    }))
})
