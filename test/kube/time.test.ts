import * as assert from 'uvu/assert'
import { isTime, timeText } from '../../src/kube/index.ts'
import { suite } from '../support/suite.ts'

/** As `metav1.Time` writes what it has read. */
const WRITTEN: ReadonlyArray<readonly [time: Date | number | string, text: string]> = [
  ['2026-11-21T10:00:00Z', '2026-11-21T10:00:00Z'],
  ['2026-11-21T10:00:00.999Z', '2026-11-21T10:00:00Z'],
  ['2026-11-21T10:00:00.000000001Z', '2026-11-21T10:00:00Z'],
  ['2026-11-21T10:00:00+02:00', '2026-11-21T08:00:00Z'],
  [new Date('2026-11-21T10:00:00.500Z'), '2026-11-21T10:00:00Z'],
  [0, '1970-01-01T00:00:00Z'],
]

suite('times', (test) => {
  for (const [time, text] of WRITTEN)
    test(`written in whole seconds: ${typeof time === 'object' ? time.toISOString() : time}`, () => {
      assert.is(timeText(time), text)
      assert.ok(isTime(text))
    })
  const NONE = [
    ...['2026-02-29T10:00:00Z', '2026-02-30T10:00:00Z', '2026-04-31T10:00:00Z', '2026-01-32T10:00:00Z'],
    ...['2026-01-15T24:00:00Z', '2026-01-15T10:59:60Z', '2026-01-15T10:00:00', '2026-01-15', '2026-13-01T10:00:00Z'],
  ]
  for (const text of NONE) test(`${text} is none, as Go reads it`, () => assert.not(isTime(text)))
  for (const text of ['2028-02-29T10:00:00Z', '2026-01-31T23:59:59.5+14:00', '2026-12-31T00:00:00-00:00'])
    test(`${text} is one`, () => assert.ok(isTime(text)))
})
