import * as assert from 'uvu/assert'
import { BACKOFF, Backoff } from '../../../src/host/sync/backoff.ts'
import { suite } from '../../support/suite.ts'

const SECOND = 1000

suite('backoff', (test) => {
  for (const [kind, bounds] of [
    ['watch', [1, 2, 4, 8, 16, 32, 60, 60]],
    ['raced', [1.5, 2.25, 3.375, 5.0625]],
    ['unreachable', [2, 4, 8, 16, 32, 60, 60]],
    ['refused', [60, 120, 240, 480, 600, 600]],
  ] as const)
    test(`after ${kind} grows up to its cap, drawn from the upper half`, () => {
      const [longest, shortest] = [new Backoff(() => 1), new Backoff(() => 0)]
      for (const bound of bounds) {
        assert.is(longest.next(BACKOFF[kind]), Math.round(bound * SECOND))
        assert.is(shortest.next(BACKOFF[kind]), Math.round((bound * SECOND) / 2))
      }
    })
  test('of lost races stays below 30 s', () => {
    const backoff = new Backoff(() => 1)
    for (let attempt = 0; attempt < 50; attempt++) backoff.next(BACKOFF.raced)
    assert.is(backoff.next(BACKOFF.raced), 30 * SECOND)
  })
  test('starts again after a success', () => {
    const backoff = new Backoff(() => 1)
    for (let time = 0; time < 2000; time++) backoff.next(BACKOFF.unreachable)
    backoff.reset()
    assert.is(backoff.next(BACKOFF.unreachable), 2 * SECOND)
  })
  test('counts failures of different kinds together', () => {
    const backoff = new Backoff(() => 1)
    backoff.next(BACKOFF.unreachable)
    assert.is(backoff.next(BACKOFF.refused), 120 * SECOND)
  })
  for (const [kind, retryAfter, expected] of [
    ['watch', 7, 7],
    ['watch', 1e9, 300],
    ['unreachable', 90, 90],
    ['unreachable', 3600, 3600],
    ['unreachable', 3601, 3600],
    ['refused', 1e12, 3600],
    ['raced', 86_400, 3600],
  ] as const)
    test(`after ${kind} is ${expected} s where the server asks for ${retryAfter} s`, () =>
      assert.is(new Backoff(() => 0).next(BACKOFF[kind], retryAfter * SECOND), expected * SECOND))
})
