/** Rows of usage as they are read from a snapshot: what is refused, and which snapshot counts. */
import * as assert from 'uvu/assert'
import { readLive, type SnapshotParts, snapshotFromParts } from '../../../src/facts/inventory/index.ts'
import type { Subject } from '../../../src/krm/finding.ts'
import { codes } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'

const KEY = { policy: 'logging/fluent-bit', container: 'fluent-bit', group: 'value:m5.large' }
const AT = '2026-11-17T09:00:00Z'
const WHOLE = {
  ...KEY,
  node: { cpu: '1930m', memory: '7134856Ki', pods: '29' },
  ...{ days: 14, newest: '2026-11-18', pods: 120 },
  seen: { cpu: '63m', memory: '71Mi', peak: '188Mi', peakAt: '2026-11-12' },
  kills: { count: 3, pods: 1, limit: '256Mi', last: AT },
  follows: { median: '230Mi', limit: '256Mi' },
  ages: { firstDay: '71Mi', weekOld: '120Mi' },
  settled: { cpu: '61m', memory: '71Mi', limitCPU: '1', limitMemory: '512Mi', at: AT, why: 'Regular', raisedAt: [AT] },
} as const
const snapshot = (usage: unknown, observedAt = AT, name = 's', cluster = 'c') =>
  snapshotFromParts({ usage } as SnapshotParts, { name, cluster, observedAt }) as unknown as Subject
const read = (...snapshots: Subject[]) => readLive(snapshots, 'c')

suite('rows of usage', (test) => {
  test('are read whole', () => {
    const { value, findings } = read(snapshot([WHOLE]))
    assert.equal(findings, [])
    assert.equal(value?.usage, [WHOLE])
  })
  test('need no more than their key', () => assert.equal(read(snapshot([KEY])).findings, []))
  test('may be none, which is something else than not collected', () => {
    assert.equal(read(snapshot([])).value?.usage, [])
    assert.is(read(snapshot(undefined)).value?.usage, undefined)
  })
  const BAD: ReadonlyArray<readonly [name: string, more: object, field: string]> = [
    ['CPU that is no quantity', { seen: { cpu: 'much' } }, 'seen.cpu'],
    ['a settled size that is no quantity', { settled: { memory: '1 Mi', at: AT, why: 'Regular' } }, 'settled.memory'],
    ['a negative size', { settled: { cpu: '-1m', at: AT, why: 'Regular' } }, 'settled.cpu'],
    ['a size of nothing', { settled: { memory: 0, at: AT, why: 'Regular' } }, 'settled.memory'],
    ['a size that no machine has', { settled: { limitMemory: '1Ei', at: AT, why: 'Regular' } }, 'settled.limitMemory'],
    [
      'more cores than any machine has',
      { settled: { limitCPU: '1000001', at: AT, why: 'Regular' } },
      'settled.limitCPU',
    ],
    ['a limit of kills', { kills: { count: 1, pods: 1, limit: 'x', last: AT } }, 'kills.limit'],
    ['kills at no time', { kills: { count: 1, pods: 1, last: 'soon' } }, 'kills.last'],
    ['settled at no time', { settled: { at: '2026', why: 'Regular' } }, 'settled.at'],
    ['raised at no time', { settled: { at: AT, why: 'Regular', raisedAt: [AT, 'x'] } }, 'settled.raisedAt.1'],
    ['a newest day that is a time', { newest: AT }, 'newest'],
    ['a day that does not exist', { newest: '2026-13-01' }, 'newest'],
    ['a peak of no day', { seen: { peakAt: 'Monday' } }, 'seen.peakAt'],
    ['a node of no quantity', { node: { pods: 'x' } }, 'node.pods'],
    ['a node of fewer pods than none', { node: { pods: '-3' } }, 'node.pods'],
    ['what follows', { follows: { median: '1', limit: '-1' } }, 'follows.limit'],
    ['ages', { ages: { firstDay: '-1', weekOld: '1' } }, 'ages.firstDay'],
  ]
  for (const [name, more, field] of BAD)
    test(`${name}: an error at its field, and no row counts`, () => {
      const { value, findings } = read(
        snapshot([
          { ...KEY, container: 'other' },
          { ...KEY, ...more },
        ]),
      )
      assert.equal(
        findings.map(({ code, severity, field: at }) => [code, severity, at?.path]),
        [['InvalidField', 'error', `spec.usage.1.${field}`]],
      )
      assert.is(value?.usage, undefined)
    })
  const REFUSED: ReadonlyArray<readonly [name: string, row: object]> = [
    ['without a group', { policy: 'p', container: 'c' }],
    ['settled for no reason that is known', { ...KEY, settled: { at: AT, why: 'Guessed' } }],
    ['settled without a time', { ...KEY, settled: { why: 'Regular' } }],
    ['days that are no number', { ...KEY, days: 'many' }],
    ['a list for an amount', { ...KEY, settled: { cpu: ['1'], at: AT, why: 'Regular' } }],
  ]
  for (const [name, row] of REFUSED)
    test(`${name}: refused`, () => {
      const { value, findings } = read(snapshot([row]))
      assert.ok(findings.length > 0 && findings.every(({ severity }) => severity === 'error'))
      assert.is(value?.usage, undefined)
    })
  test('twice', () => assert.equal(codes(read(snapshot([WHOLE, WHOLE])).findings), ['SnapshotDuplicate']))
  for (const part of ['seen', 'kills', 'follows', 'ages', 'settled'] as const)
    test(`fields of ${part} of a newer writer only warn`, () =>
      assert.equal(codes(read(snapshot([{ ...WHOLE, [part]: { ...WHOLE[part], newer: 1 } }])).findings), [
        'InventoryFieldUnknown',
      ]))
  test('of the newest snapshot that has them count, in whatever order they come', () => {
    const older = snapshot([WHOLE], '2026-11-16T09:00:00Z', 'a')
    const newest = snapshot([KEY], AT, 'b')
    const none = snapshot(undefined, '2026-11-18T09:00:00Z', 'z')
    for (const order of [
      [older, newest, none],
      [none, newest, older],
    ])
      assert.equal(read(...order).value?.usage, [KEY])
  })
  test('of a snapshot in two files count together', () => {
    const other = { ...KEY, container: 'other' }
    assert.equal(read(snapshot([KEY]), snapshot([other], AT, 't')).value?.usage, [KEY, other])
  })
  test('of another cluster never count', () => {
    const { value, findings } = read(snapshot([WHOLE], AT, 's', 'other'))
    assert.equal(codes(findings), ['WrongCluster'])
    assert.is(value?.usage, undefined)
  })
})
