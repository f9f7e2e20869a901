/** What must hold of every render of pools, on drawn ones; e2e/long draws more. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { checkScene, scenes } from '../support/pool-properties.ts'
import { suite } from '../support/suite.ts'

suite('pools that are drawn', (test) => {
  test('output fed back, order, limits and busy nodes', () => {
    let opened = 0
    let left = 0
    const property = fc.property(scenes, (scene) => {
      const made = checkScene(scene)
      if (made.opened) opened++
      if (made.left) left++
    })
    fc.assert(property, { numRuns: 60, seed: 31 })
    assert.ok(opened > 10 && left > 3, `${opened} opened, ${left} left`)
  })
})
