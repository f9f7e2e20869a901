/** What must hold of every render of pools, on drawn ones; e2e/long draws more. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { checkScene, scenes } from '../../support/pool-properties.ts'
import { suite } from '../../support/suite.ts'

suite('pools that are drawn', (test) => {
  test('output fed back, order, limits and busy nodes', () => {
    let drawn = 0
    let opened = 0
    let left = 0
    const property = fc.property(scenes, (scene) => {
      const made = checkScene(scene)
      drawn++
      if (made.opened) opened++
      if (made.left) left++
    })
    fc.assert(property, { numRuns: 60, seed: 31 })
    const isEnough = opened >= Math.floor(drawn / 6) && left >= Math.floor(drawn / 20)
    assert.ok(isEnough, `of ${drawn} scenes ${opened} opened machines, and in ${left} some left`)
  })
})
