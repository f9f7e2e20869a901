/** Hours, days, and what is seen over the days. */
import * as assert from 'uvu/assert'
import { type ContainerHour, type Day, dayOf, type Hour, hourOf, seenBefore } from '../../../src/facts/usage/index.ts'
import { suite } from '../../support/suite.ts'

const container = (cpu: number | undefined, memory: number, more: Partial<ContainerHour> = {}): ContainerHour => ({
  samples: 60,
  ...(cpu !== undefined && { cpu }),
  memory,
  ...more,
})
const ten = Array.from({ length: 10 }, (_, index) => container(10 * (index + 1), 100 + index))

suite('an hour of a node group', (test) => {
  test('nine in ten by nearest rank, the median and the largest of memory', () => {
    assert.equal(hourOf(ten, 10), {
      used: { cpu: 90, memory: 108 },
      medianMemory: 104,
      peakMemory: 109,
      shareAtLimit: 0,
      pods: 10,
    })
  })
  const counts: ReadonlyArray<
    readonly [name: string, containers: readonly ContainerHour[], desired: number, pods?: number]
  > = [
    ['half of the pods are enough', ten, 20, 10],
    ['less than half are not', ten, 21],
    ['no pod', [], 0],
    ['nine measurements are not enough', ten.map((one) => ({ ...one, samples: 9 })), 10],
    ['ten are', ten.map((one) => ({ ...one, samples: 10 })), 10, 10],
  ]
  for (const [name, containers, desired, pods] of counts)
    test(name, () => assert.is(hourOf(containers, desired)?.pods, pods))
  test('a peak counts from few measurements, as it kills', () => {
    const hour = hourOf([...ten, container(1000, 900, { samples: 1 })], 10)
    assert.is(hour?.peakMemory, 900)
    assert.equal(hour?.used, { cpu: 90, memory: 108 })
  })
  test('a container that has just started says nothing of CPU', () => {
    assert.equal(hourOf([container(undefined, 50), container(20, 60)], 2)?.used, { cpu: 20, memory: 60 })
    assert.equal(hourOf([container(undefined, 50)], 1)?.used, { memory: 50 })
  })
  test('the share of containers at nine tenths of their limit', () => {
    const limits = [
      container(89, 1, { limitCPU: 100 }),
      container(90, 1, { limitCPU: 100 }),
      container(500, 1),
      container(undefined, 1),
    ]
    assert.is(hourOf(limits, 4)?.shareAtLimit, 1 / 3)
  })
})

const hour = (cpu: number | undefined, memory: number, more: Partial<Hour> = {}): Hour => ({
  used: { ...(cpu !== undefined && { cpu }), memory },
  medianMemory: memory,
  peakMemory: memory,
  shareAtLimit: 0,
  pods: 1,
  ...more,
})
const hours = Array.from({ length: 24 }, (_, index) =>
  hour(index + 1, 2 * (index + 1), { shareAtLimit: index / 100, pods: index }),
)

suite('a day of a node group', (test) => {
  test('the third-busiest hour of each, and the largest peak', () => {
    assert.equal(dayOf('2026-11-12', hours), {
      date: '2026-11-12',
      used: { cpu: 22, memory: 44 },
      medianMemory: 44,
      peakMemory: 48,
      shareAtLimit: 0.21,
      pods: 23,
    })
  })
  test('twelve hours are a day, eleven are not', () => {
    assert.is(dayOf('2026-11-12', hours.slice(0, 12))?.used.cpu, 10)
    assert.is(dayOf('2026-11-12', hours.slice(0, 11)), undefined)
  })
  test('hours without CPU leave its rank to the others', () => {
    const some = [...hours.slice(0, 20), hour(undefined, 1), hour(undefined, 1)]
    assert.is(dayOf('2026-11-12', some)?.used.cpu, 18)
    assert.equal(Object.keys(dayOf('2026-11-12', Array(12).fill(hour(undefined, 5)))?.used ?? {}), ['memory'])
  })
})

const NOW = Date.UTC(2026, 10, 17, 9)
const date = (daysAgo: number) => new Date(NOW - daysAgo * 86_400_000).toISOString().slice(0, 10)
const day = (daysAgo: number, cpu: number, memory: number, more: Partial<Day> = {}): Day => ({
  date: date(daysAgo),
  used: { cpu, memory },
  medianMemory: memory,
  peakMemory: memory,
  shareAtLimit: 0,
  pods: 3,
  ...more,
})

suite('what is seen over the days', (test) => {
  test('the second-busiest of each, on the scale of 5 %, and the newest of the largest peaks', () => {
    const days = [
      day(14, 10, 71),
      day(9, 60, 200),
      day(4, 63, 200, { pods: 9 }),
      day(3, 20, 30),
      day(2, 61, 72),
      day(1, 5, 5),
    ]
    const seen = seenBefore(days, NOW)
    assert.equal(seen?.used, { cpu: 62, memory: 201 })
    assert.is(seen?.peakMemory, 201)
    assert.is(seen?.peakAt, date(4))
    assert.is(seen?.days, 6)
    assert.is(seen?.pods, 9)
  })
  test('of fewer than five days the busiest', () => {
    const days = [day(4, 100, 100), day(3, 50, 50), day(2, 50, 50), day(1, 50, 50)]
    assert.is(seenBefore(days, NOW)?.used.cpu, 102)
    assert.is(seenBefore([...days, day(5, 50, 50)], NOW)?.used.cpu, 50)
  })
  test('today has not ended, and what is older than fourteen days is past', () => {
    assert.is(seenBefore([day(0, 1, 1), day(15, 1, 1)], NOW), undefined)
    assert.is(seenBefore([day(0, 900, 900), day(14, 10, 10), day(15, 900, 900)], NOW)?.used.cpu, 10)
  })
  test('the week looks at seven days', () => {
    const days = [
      day(8, 1, 900, { shareAtLimit: 0.9 }),
      ...[7, 6, 5, 4].map((ago) => day(ago, 1, 100)),
      ...[3, 2, 1].map((ago) => day(ago, 1, 300, { shareAtLimit: 0.01 * ago })),
    ]
    assert.equal(seenBefore(days, NOW)?.week, { medianMemory: 100, shareAtLimit: 0.03 })
    assert.equal(seenBefore([day(9, 1, 1, { shareAtLimit: 0.5 })], NOW)?.week, { medianMemory: 0, shareAtLimit: 0 })
  })
})
