/** Drawn courses of actions: no node is held that no valid action holds, and no act runs twice, whatever crashes. */
import * as assert from 'uvu/assert'
import { actCourse, leaseCourse } from '../../support/action-courses.ts'
import { suite } from '../../support/suite.ts'

const numbers = (count: number) => Array.from({ length: count }, (_, number) => number)

suite('drawn courses of actions', (test) => {
  test('after cordons, uncordons, expiry and reverts no node is held that no valid action holds', () => {
    for (const seed of numbers(60)) assert.is(leaseCourse(seed), undefined, `course ${seed}`)
  })
  test('nor is one where the host hides what earlier runs rendered, and a snapshot shows the marks', () => {
    for (const seed of numbers(60)) assert.is(leaseCourse(seed, undefined, true), undefined, `course ${seed}`)
  })
  test('killed at each step, with old Jobs in sight and lost snapshots, no act runs twice', () => {
    for (const seed of numbers(12)) assert.equal(actCourse(seed), [], `course ${seed}`)
  })
})
