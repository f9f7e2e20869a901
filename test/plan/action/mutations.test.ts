/** Mutations of the vectors: accepted is exactly what says the same. All 100,000 are run with the long tests. */
import * as assert from 'uvu/assert'
import { mutation, verdict } from '../../support/action-mutations.ts'
import { suite } from '../../support/suite.ts'

const COUNT = 3000

suite('mutated actions', (test) => {
  test('are valid where they say the same, and refused where not', () => {
    const seen = { same: 0, other: 0 }
    for (let number = 0; number < COUNT; number++) {
      const { name, object, isSame } = mutation(number)
      seen[isSame ? 'same' : 'other']++
      assert.is(verdict(object).startsWith('valid'), isSame, `${number}, ${name}: ${JSON.stringify(object)}`)
    }
    assert.ok(seen.same > COUNT / 10 && seen.other > COUNT / 2, JSON.stringify(seen))
  })
})
