/** When nodes were read, whatever single kubelets say of the time. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { observationOf, type ReadTime } from '../../../src/facts/inventory/index.ts'
import type { Node } from '../../../src/kube/index.ts'
import { suite } from '../../support/suite.ts'

const NOON = Date.parse('2026-11-20T12:00:00Z')
const MINUTE = 60_000
const text = (minutes: number) => new Date(NOON + minutes * MINUTE).toISOString()
const heard = (minutes: number | string | undefined, index = 0): Node => {
  const lastHeartbeatTime = typeof minutes === 'number' ? text(minutes) : minutes
  const conditions = minutes === undefined ? [] : [{ type: 'Ready', status: 'True', lastHeartbeatTime }]
  return { apiVersion: 'v1', kind: 'Node', metadata: { name: `n${index}` }, status: { conditions } } as unknown as Node
}
const silent = (minutes: number, index = 0) => {
  const node = heard(minutes, index)
  const { conditions } = node.status as { conditions: object[] }
  return { ...node, status: { conditions: conditions.map((one) => ({ ...one, status: 'Unknown' })) } }
}
const at = (minutes: number) => new Date(NOON + minutes * MINUTE)
const many = (count: number, ...ahead: number[]) =>
  [...Array.from({ length: count - ahead.length }, () => 0), ...ahead].map((minutes, index) => heard(minutes, index))

const ROWS: ReadonlyArray<readonly [name: string, nodes: Node[], time: ReadTime, want: number | undefined]> = [
  [
    'three of five have been silent for long',
    [heard(0), heard(0, 1), ...[2, 3, 4].map((index) => silent(-600, index))],
    { at: at(4) },
    4,
  ],
  ['all are silent', [silent(-600), silent(-600, 1)], {}, -600],
  ['one of three is ahead', many(3, 1440), {}, 0],
  ['two of three are of that time', many(3, 1440, 1440), {}, 1440],
  ['four of nine are ahead', many(9, 60, 60, 60, 60), {}, 0],
  ['four of ten are ahead: five would be needed', many(10, 60, 60, 60, 60), {}, 0],
  ['a twentieth of two hundred is ten', many(200, ...Array(9).fill(60)), {}, 0],
  ['ten of two hundred are enough', many(200, ...Array(10).fill(60)), {}, 60],
  ['a file of the export', many(3), { at: at(4) }, 4],
  ['a file of the export, one node ahead', many(3, 120), { at: at(4) }, 4],
  ['a file five minutes later', many(3), { at: at(5) }, 5],
  ['a file that was checked out', many(3), { at: at(6) }, 0],
  ['a file from before the heartbeats', many(3), { at: at(-1) }, 0],
  ['heartbeats of the future end at the clock', many(3, 60, 60, 60), { at: at(1), clock: at(1) }, 1],
  ['a file of the future ends at the clock', many(3), { at: at(4), clock: at(2) }, 2],
  ['a sure time wins', many(3, 60, 60, 60), { at: at(1), isSure: true, clock: at(9) }, 1],
  ['a sure time without heartbeats', [heard(undefined)], { at: at(1), isSure: true }, 1],
  ['no heartbeat, no time', [heard(undefined)], { at: at(1) }, undefined],
  ['no heartbeat that is a time', [heard('yesterday')], { at: at(1) }, undefined],
  ['other time zones are the same time', [heard('2026-11-20T13:00:00+01:00'), heard(0, 1)], {}, 0],
]

suite('the time of an export', (test) => {
  for (const [name, nodes, time, want] of ROWS)
    test(name, () => {
      const { observedAt } = observationOf(nodes, time)
      assert.is(observedAt, want === undefined ? undefined : text(want).replace('.000', ''))
    })
  test('names the clocks that are more than a minute ahead, the worst first', () => {
    const { ahead } = observationOf(many(5, 1.01, 60), { at: at(0) })
    assert.equal(
      ahead.map(({ name, milliseconds }) => [name, Math.round(milliseconds / 100) / 10]),
      [
        ['n4', 3600],
        ['n3', 60.6],
      ],
    )
    assert.equal(observationOf(many(5, 1), { at: at(0) }).ahead, [])
    assert.equal(observationOf(many(5, 6), {}).ahead, [], 'heartbeats of one moment are up to five minutes apart')
    assert.is(observationOf(many(5, 6.1), {}).ahead.length, 1)
  })
  test('is moved by no minority, and never beyond the clock', () => {
    const input = fc.record({
      right: fc.array(fc.integer({ min: -5, max: 0 }), { minLength: 5, maxLength: 60 }),
      wrong: fc.array(fc.integer({ min: 1, max: 100_000 }), { maxLength: 4 }),
    })
    fc.assert(
      fc.property(input, ({ right, wrong }) => {
        if (wrong.length >= Math.max(5, Math.ceil((right.length + wrong.length) / 20))) return
        const all = [...right, ...wrong].map((minutes, index) => heard(minutes, index))
        const time = Date.parse(observationOf(all, { clock: at(0) }).observedAt ?? '')
        assert.ok(time <= NOON && time >= NOON - 5 * MINUTE)
        const shuffled = [...all].reverse()
        assert.equal(observationOf(shuffled, { clock: at(0) }), observationOf(all, { clock: at(0) }))
      }),
    )
  })
})
