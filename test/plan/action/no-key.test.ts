/**
 * A package that somebody without a key wrote, under an operator's trust: whatever is in it, no Job and no field of a
 * Node comes out that a signed action does not explain, which the trust allows: while it is valid, or as the end of
 * what it began.
 */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { T } from '../../support/actions.ts'
import { noKeyWorld, renderNoKey, unexplained } from '../../support/no-key.ts'
import { suite } from '../../support/suite.ts'

const WORLD = noKeyWorld(new Date(T))

suite('a package that somebody without a key wrote', (test) => {
  test('under a trust renders nothing that no signed action explains', () => {
    let [runs, rendered] = [0, 0]
    fc.assert(
      fc.property(WORLD.package, (objects) => {
        const made = renderNoKey(WORLD, objects, runs++)
        rendered += made.failed ? 0 : 1
        assert.equal(made.failed ? [] : unexplained(made.items.map(({ object }) => object)), [])
      }),
      { numRuns: 700 },
    )
    assert.ok(rendered * 5 >= runs, `${rendered} of ${runs} rendered at all`)
  })
  test('what the trust allows is rendered', () => {
    const made = renderNoKey(WORLD, WORLD.honest)
    assert.not(made.failed, made.findings.map(({ message }) => message).join('\n'))
    assert.equal(made.items.filter(({ object }) => object.kind === 'Job').length, 2)
  })
})
