/** What holds of measured usage whatever the order and notation of answers, and whatever becomes of the process. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { samplesIn } from '../../../../src/host/sync/collect/metrics-poll.ts'
import { seriesId, UsageSeries } from '../../../../src/host/sync/collect/usage-series.ts'
import { suite } from '../../../support/suite.ts'
import { DAY, HOUR, MINUTE, UsageWorld } from '../../../support/usage-world.ts'

const START = Date.parse('2026-11-03T00:00:00Z')
const PODS = 4
/** Ten measurements of an hour count. */
const POLLS = 10
const KEY = { policy: 'logging/agent', container: 'agent', group: 'value:small' }
const FACTS = new Map([
  [seriesId(KEY), { key: KEY, inForce: { limits: { cpu: 500 }, hasHeapByLimit: false }, pods: PODS }],
])

/** What a container uses: thousandths of a core, and Ki. */
type Used = readonly [cpu: number, memory: number]
type Item = ReturnType<typeof itemOf>

/** The same amount, written otherwise. */
const CPU: ReadonlyArray<(milli: number) => string | number> = [
  (milli) => `${milli}m`,
  (milli) => `${milli}000000n`,
  (milli) => milli / 1000,
  (milli) => `${milli}e-3`,
]
const MEMORY: typeof CPU = [(ki) => `${ki}Ki`, (ki) => ki * 1024, (ki) => `${ki * 1024}`, (ki) => `${ki * 1024000}m`]

function itemOf(pod: number, at: number, [cpu, memory]: Used, notation: number) {
  const usage = { cpu: CPU[notation]?.(cpu), memory: MEMORY[notation]?.(memory) }
  const metadata = { namespace: 'logging', name: `pod-${pod}` }
  return { metadata, timestamp: new Date(at).toISOString(), containers: [{ name: KEY.container, usage }] }
}

/** What is kept of the answers of an hour, as text; each poll has several. */
function keptOf(polls: ReadonlyArray<ReadonlyArray<readonly Item[]>>): string {
  const series = new UsageSeries()
  series.endHour(START, FACTS)
  for (const items of polls.flat())
    for (const { pod, at, cpu, memory } of samplesIn({ items }))
      series.add(KEY, { pod, at, cpu, memory, limitCPU: 500, startedAt: START - DAY })
  series.endHour(START + HOUR, FACTS)
  return JSON.stringify(series.kept())
}

suite('answers of the metrics API', (test) => {
  const used = fc.tuple(fc.integer({ min: 0, max: 3000 }), fc.integer({ min: 1, max: 4_000_000 }))
  const poll = fc.record({
    used: fc.array(used, { minLength: PODS, maxLength: PODS }),
    order: fc.shuffledSubarray([...Array(PODS).keys()], { minLength: PODS, maxLength: PODS }),
    notation: fc.nat(CPU.length - 1),
    cut: fc.nat(PODS),
  })
  test('shuffled, split, in any notation and read twice give the same', () =>
    fc.assert(
      fc.property(fc.array(poll, { minLength: POLLS, maxLength: POLLS + 2 }), (polls) => {
        const itemsOf = (notation: (own: number) => number) =>
          polls.map(({ used, notation: own }, index) =>
            used.map((amounts, pod) => itemOf(pod, START + (index + 1) * MINUTE, amounts, notation(own))),
          )
        const plain = itemsOf(() => 0).map((items) => [items])
        const odd = itemsOf((own) => own).map((items, index) => {
          const { order = [], cut = 0 } = polls[index] ?? {}
          const shuffled = order.flatMap((pod) => items[pod] ?? [])
          return [shuffled.slice(0, cut), shuffled.slice(cut), shuffled.slice(0, cut)]
        })
        assert.is(keptOf(odd), keptOf(plain))
        assert.match(keptOf(plain), '"pods":4')
      }),
      { numRuns: 50 },
    ))
})

suite('whatever becomes of the process', (test) => {
  type Event = 'restart' | 'lose the ConfigMap' | 'stand by' | 'break the metrics API' | 'go on'
  const events = fc.array(
    fc.constantFrom<Event>('restart', 'lose the ConfigMap', 'stand by', 'break the metrics API', 'go on'),
    { minLength: 2, maxLength: 5 },
  )
  const happens: Readonly<Record<Event, (world: UsageWorld) => unknown>> = {
    restart: (world) => world.restart(),
    'lose the ConfigMap': (world) => {
      world.configMap = undefined
      return world.restart()
    },
    'stand by': async (world) => {
      world.isLeader = false
      await world.pass(2 * MINUTE)
      world.isLeader = true
    },
    'break the metrics API': (world) => world.fails(() => Promise.reject(new Error('away'))),
    'go on': (world) => {
      world.fault = undefined
    },
  }
  test('no size changes by it, before the schedule fires again and when it does', () =>
    fc.assert(
      fc.asyncProperty(events, async (course) => {
        const world = new UsageWorld({ start: '2026-11-10T08:58:30Z' })
        world.keep('value:m5.large', 7, { cpu: 63, memory: 71, pods: 3 })
        world.node('n1', { cpu: '1930m', memory: '7134856Ki', pods: '29' })
        world.daemonSet('large', 'value:m5.large', 3)
        for (const name of ['a', 'b', 'c'])
          world.pod({ name, daemonSet: 'large', use: () => ({ cpu: 63, memory: 71 }) })
        await world.begin()
        try {
          await world.pass(5 * MINUTE)
          assert.ok(world.commit())
          const settled = JSON.stringify(world.inGit.map((row) => row.settled))
          for (const event of course) {
            await happens[event](world)
            await world.pass(90 * MINUTE)
            assert.not(world.commit(), event)
          }
          world.clock.set('2026-11-17T08:59:30Z')
          await world.pass(5 * MINUTE)
          world.commit()
          assert.is(JSON.stringify(world.inGit.map((row) => row.settled)), settled)
        } finally {
          await world.stop()
        }
      }),
      { numRuns: 10 },
    ))
})
