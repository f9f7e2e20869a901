/** Drawn templates of Orders: the API server takes the guardians of what nodefit renders, and refuses those of what it refuses. */
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { seedsOf } from '../fit.ts'
import { runGuardians } from '../guardians.ts'
import { CONTROL_PLANE } from '../support/cluster.ts'
import { drawSpec } from '../support/guardians/draw-spec.ts'
import { has } from '../support/program.ts'

suite('guardian pods', (test) => {
  test('the same seed draws the same template', () => assert.equal(drawSpec(7), drawSpec(7)))
  if (!CONTROL_PLANE.every(has)) return
  test('the API server says what nodefit says', async () => {
    const { differences, refused, taken } = await runGuardians(seedsOf('300'))
    assert.equal(differences, [])
    for (const count of [refused, taken]) assert.ok(count > 100, String(count))
  })
  test('a verdict that is not the API server’s is noticed', async () => {
    const { differences } = await runGuardians(seedsOf('1-20'), (refusal) =>
      refusal === undefined ? 'refused' : undefined,
    )
    assert.is(differences.length, 20)
  })
})
