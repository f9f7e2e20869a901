/** Drawn pods, nodes and limits: what the API server refuses and where the scheduler finds room is what nodefit says. */
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { runFit, seedsOf } from '../fit.ts'
import { SCHEDULED } from '../support/cluster.ts'
import { drawCase } from '../support/fit/draw-case.ts'
import { has } from '../support/program.ts'
import { sampled } from '../support/sampled.ts'

const CASES = sampled('200', '60')

suite('fit', (test) => {
  test('the same seed draws the same case', () => assert.equal(drawCase(7), drawCase(7)))
  if (!SCHEDULED.every(has)) return
  test('Kubernetes refuses, binds and leaves pending what nodefit says', async () => {
    const { differences, notRendered, refused, fits, pending, ambiguous } = await runFit(seedsOf(CASES))
    assert.equal(differences, [])
    assert.equal(notRendered, [])
    for (const count of [refused, fits, pending]) assert.ok(count > 10, String(count))
    assert.ok(ambiguous > 0)
  })
  test('a verdict that is not Kubernetes’ is noticed', async () => {
    const upsideDown = await runFit(seedsOf('1-3'), (verdict) => ({
      ...verdict,
      refused: !verdict.refused,
      ambiguous: false,
    }))
    assert.is(upsideDown.differences.length, 6)
    const roomy = await runFit(seedsOf('1-12'), (verdict) => ({ ...verdict, fits: true }))
    assert.is(roomy.differences.length, roomy.pending)
    assert.ok(roomy.pending > 0)
  })
})
