/** Rows of a snapshot, to what they say and back. */
import * as assert from 'uvu/assert'
import { countKills, type Kill, nodeSizeOf, readRow, writeRow } from '../../../src/facts/usage/index.ts'
import { suite } from '../../support/suite.ts'

const KEY = { policy: 'logging/fluent-bit', container: 'fluent-bit', group: 'value:m5.large' }
const AT = '2026-11-17T09:00:00Z'
const TIME = Date.parse(AT)
const NODE = { cpu: '1930m', memory: '7134856Ki', pods: '29' }
const WHOLE = {
  ...KEY,
  node: NODE,
  ...{ days: 14, newest: '2026-11-18', pods: 120 },
  seen: { cpu: '63m', memory: '71Mi', peak: '188Mi', peakAt: '2026-11-12' },
  kills: { count: 3, pods: 1, limit: '256Mi', last: AT },
  follows: { median: '230Mi', limit: '256Mi' },
  ages: { firstDay: '71Mi', weekOld: '120Mi' },
  settled: { cpu: '61m', memory: '71Mi', limitCPU: '1', limitMemory: '512Mi', at: AT, why: 'Regular', raisedAt: [AT] },
} as const
type Row = Parameters<typeof readRow>[0]
const there = (row: unknown) => writeRow(readRow(row as Row), (row as Row).node)

suite('a row of usage', (test) => {
  test('says this', () =>
    assert.equal(readRow(WHOLE as unknown as Row), {
      ...KEY,
      node: { cpu: 1930, memory: 6967, pods: 29 },
      ...{ days: 14, newest: '2026-11-18', pods: 120 },
      seen: { used: { cpu: 63, memory: 71 }, peakMemory: 188, peakAt: '2026-11-12' },
      kills: { count: 3, pods: 1, limit: 256, last: TIME },
      follows: { median: 230, limit: 256 },
      ages: { firstDay: 71, weekOld: 120 },
      settled: {
        ...{ used: { cpu: 61, memory: 71 }, limits: { cpu: 1000, memory: 512 } },
        ...{ at: TIME, why: 'Regular', raisedAt: [TIME] },
      },
    }))
  const SAME: ReadonlyArray<readonly [name: string, row: object]> = [
    ['whole', WHOLE],
    ['of a container of which nothing is known', { ...KEY, days: 0, pods: 0 }],
    ['settled by kills alone', { ...KEY, days: 0, pods: 0, settled: { limitMemory: '1Gi', at: AT, why: 'OOMKilled' } }],
    ['killed without a limit', { ...KEY, days: 0, pods: 0, kills: { count: 1, pods: 1, last: AT } }],
    ['without memory', { ...KEY, node: { cpu: '2' }, days: 3, pods: 2, seen: { cpu: '10m' } }],
  ]
  for (const [name, row] of SAME) test(`${name}: comes back as it was`, () => assert.equal(there(row), row))
  test('is written in one notation', () => {
    const settled = { cpu: 0.061, memory: 74_448_896, limitMemory: '0.5Gi', at: '2026-11-17T10:00:00+01:00' }
    const row = there({ ...KEY, days: 1, pods: 1, settled: { ...settled, why: 'Imported' } })
    assert.equal(row.settled, { cpu: '61m', memory: '71Mi', limitMemory: '512Mi', at: AT, why: 'Imported' })
  })
  test('rounds usage up and nodes down', () => {
    const { settled, node } = readRow({
      ...KEY,
      node: { cpu: '1930900u', memory: '1048575', pods: 29 },
      settled: { cpu: '60100u', memory: '70.5Mi', at: AT, why: 'Regular' },
    })
    assert.equal(settled?.used, { cpu: 61, memory: 71 })
    assert.equal(node, { cpu: 1930, memory: 0, pods: 29 })
  })
  test('a node without amounts has none', () => assert.equal(nodeSizeOf({ memory: '1Gi' }), { memory: 1024 }))
})

suite('kills are counted', (test) => {
  const kill = (pod: string, at: number, limit?: number, count = 1): Kill => ({
    ...{ pod, at, count },
    ...(limit !== undefined && { limit }),
  })
  const rows: ReadonlyArray<readonly [name: string, kills: readonly Kill[], want: unknown]> = [
    ['none', [], undefined],
    ['one', [kill('a', 5, 256)], { count: 1, pods: 1, limit: 256, last: 5 }],
    ['with the limit of the last', [kill('a', 9, 512), kill('b', 5, 256)], { count: 2, pods: 2, limit: 512, last: 9 }],
    ['each as often as it stands for', [kill('a', 1, 256, 3), kill('a', 2)], { count: 4, pods: 1, last: 2 }],
  ]
  for (const [name, kills, want] of rows) test(name, () => assert.equal(countKills(kills), want))
})
