/** The scale that usage is told on, and the percentiles of a window. */
import * as assert from 'uvu/assert'
import { Quantity } from '../../../src/kube/index.ts'
import { SlidingWindow } from '../../../src/sync/collect/usage-rows.ts'
import { CPU_SCALE, MEMORY_SCALE, type Scale } from '../../../src/usage/index.ts'
import { suite } from '../../support/suite.ts'

suite('the scale of usage', (test) => {
  const ROWS: Array<[name: string, scale: Scale, amount: string, want: string]> = [
    ['nothing is the first step', CPU_SCALE, '0', '10m'],
    ['a little is the first step', CPU_SCALE, '1234567n', '10m'],
    ['the first step itself', CPU_SCALE, '10m', '10m'],
    ['anything more is the next', CPU_SCALE, '10000001n', '11m'],
    ['one unit where that is more than 5 %', CPU_SCALE, '19500u', '20m'],
    ['5 % rounded up', CPU_SCALE, '22m', '23m'],
    ['a step is rounded up to', CPU_SCALE, '101m', '102m'],
    ['whole cores', CPU_SCALE, '2', '2076m'],
    ['more than there is', CPU_SCALE, '9E', '1045130913m'],
    ['memory in whole Mi', MEMORY_SCALE, '10Mi', '10Mi'],
    ['a byte more', MEMORY_SCALE, '10485761', '11Mi'],
    ['Ki, as the kubelet measures', MEMORY_SCALE, '317440Ki', '318Mi'],
    ['a lot', MEMORY_SCALE, '4Gi', '4120Mi'],
  ]
  for (const [name, scale, amount, want] of ROWS)
    test(name, () => assert.is(scale.quantityText(scale.stepOf(Quantity.parse(amount))), want))
  for (const [name, scale, unit] of [
    ['cpu', CPU_SCALE, 'm'],
    ['memory', MEMORY_SCALE, 'Mi'],
  ] as const)
    test(`of ${name} never says less than was used, nor 5 % and a unit more`, () => {
      for (let amount = 10; amount < 5_000_000; amount = Math.ceil(amount * 1.013)) {
        const said = Quantity.parse(scale.quantityText(scale.stepOf(Quantity.parse(`${amount}${unit}`))))
        assert.ok(said.compare(Quantity.parse(`${amount}${unit}`)) >= 0, String(amount))
        assert.ok(said.compare(Quantity.parse(`${Math.floor(amount * 1.05) + 1}${unit}`)) <= 0, String(amount))
      }
    })
})

const HOUR = 3_600_000
const DAY = 24 * HOUR

suite('a sliding window', (test) => {
  const of = (...steps: number[]) => {
    const window = new SlidingWindow(DAY, HOUR)
    for (const step of steps) window.add(step, 0)
    return window
  }
  const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1)
  const ROWS: Array<[name: string, steps: number[], want: number[] | undefined]> = [
    ['nothing', [], undefined],
    ['one sample', [7], [7, 7, 7]],
    ['two', [1, 2], [1, 2, 2]],
    ['the nearest rank', upTo(20), [10, 19, 20]],
    ['a hundred, in any order', upTo(100).reverse(), [50, 95, 100]],
    ['one in a hundred is the maximum alone', [...Array.from({ length: 99 }, () => 3), 90], [3, 3, 90]],
  ]
  for (const [name, steps, want] of ROWS)
    test(`percentiles: ${name}`, () => assert.equal(of(...steps).percentiles([50, 95, 100], 0), want))
  test('holds a sample for a day, and its slice to the end', () => {
    const window = of(9)
    window.add(1, HOUR)
    assert.equal(window.percentiles([100], DAY + HOUR - 1), [9])
    assert.equal(window.percentiles([100], DAY + HOUR), [1])
    assert.is(window.percentiles([100], DAY + 2 * HOUR), undefined)
  })
  test('knows since when it has samples without a gap', () => {
    const window = of()
    assert.is(window.since(0), undefined)
    window.add(1, 5)
    window.add(1, 5 + 20 * HOUR)
    assert.is(window.since(30 * HOUR), 5)
    assert.is(window.since(3 * DAY), undefined)
    window.add(1, 3 * DAY)
    assert.is(window.since(3 * DAY), 3 * DAY)
  })
  test('a clock that goes back changes nothing', () => {
    const window = of(3)
    window.add(4, -HOUR)
    assert.equal(window.percentiles([100], 0), [4])
  })
})
