/** Machines that were opened by a clock that was ahead. */
import * as assert from 'uvu/assert'
import { OPENED } from '../../../src/krm/remembered.ts'
import { ago, claimsIn, decideObjects, sceneObjects, T } from '../../support/pools.ts'
import { suite } from '../../support/suite.ts'

const clock = new Date(T + 20_000)
const scene = (opened: number) =>
  sceneObjects({
    pods: [{ name: 'a', cpu: '3', memory: '1Gi' }],
    claims: [{ name: 'small-000001', opened }],
  })

suite('a claim that is opened later than the clock', (test) => {
  test('counts as opened now, is set back, and no second machine is opened', () => {
    const decided = decideObjects(scene(-3600), { clock })
    assert.equal(decided.errors, [])
    const [claim, ...more] = claimsIn(decided)
    assert.equal(more, [])
    assert.is(claim?.metadata.annotations?.[OPENED], ago(0))
    assert.ok(decided.plan.findings.some(({ code }) => code === 'TimeSetBack'))
  })
  test('between snapshot and clock means that the snapshot is older, and by how much', () => {
    const { errors, plan } = decideObjects(scene(-10), { clock })
    assert.equal(errors, ['SnapshotOlder'])
    assert.match(plan.findings.find(({ code }) => code === 'SnapshotOlder')?.message ?? '', /opened up to 10s after/)
  })
  test('without a clock is an error', () => assert.equal(decideObjects(scene(-3600)).errors, ['SnapshotOlder']))
})
