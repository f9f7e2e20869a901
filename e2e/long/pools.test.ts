/** Drawn pools, and pools under pods that come and go for hours; what each mechanism prevents shows where it is off. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { checkScene, scenes } from '../../test/support/pool-properties.ts'
import { suite } from '../../test/support/suite.ts'
import { type Fault, type Report, RUNS, SLOW, simulate } from '../simulate.ts'
import { sampled } from '../support/sampled.ts'

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)
/** Runs in which a fault shows: short, since each is noticed early. */
const FAULTY = numbers(sampled(12, 6))
const FAULTS: ReadonlyArray<readonly [fault: Fault, shows: (report: Report) => number]> = [
  ['no next claim', ({ namesUsedTwice }) => namesUsedTwice],
  ['claims forgotten', ({ limitsPassed }) => limitsPassed],
  ['limits forgotten', ({ limitsPassed }) => limitsPassed],
  ['cordon not kept', ({ busyRemoved }) => busyRemoved],
  ['pods forgotten', ({ openedAgain }) => openedAgain],
  ['since forgotten', ({ openedAgain }) => openedAgain],
  ['settle forgotten', ({ misjudged }) => misjudged],
]

suite('pools for hours', (test) => {
  test('output fed back, order, notation, limits and busy nodes, drawn', () => {
    fc.assert(
      fc.property(scenes, (scene) => {
        checkScene(scene)
      }),
      { numRuns: sampled(20_000, 500) },
    )
  })
  test('no name twice, no busy machine removed, no limit passed, one machine at most for a pod that never runs', () => {
    const report = simulate(numbers(sampled(RUNS, 30)))
    assert.equal(assertedOf(report), NOTHING)
    for (const count of [report.machines, report.removed, report.openedForPoison])
      assert.ok(count > 10, JSON.stringify(report))
  })
  test('with a scheduler that takes three minutes for a new node neither', () =>
    assert.equal(assertedOf(simulate(FAULTY, undefined, { bindsAfter: SLOW })), NOTHING))
  for (const [fault, shows] of FAULTS)
    test(`noticed: ${fault}`, () => {
      const report = simulate(FAULTY, fault)
      assert.ok(shows(report) > 0, JSON.stringify(report))
    })
})

function assertedOf(report: Report) {
  const { errors, namesUsedTwice, busyRemoved, limitsPassed, openedAgain, misjudged } = report
  return { errors, namesUsedTwice, busyRemoved, limitsPassed, openedAgain, misjudged }
}

const NOTHING = { errors: [], namesUsedTwice: 0, busyRemoved: 0, limitsPassed: 0, openedAgain: 0, misjudged: 0 }
