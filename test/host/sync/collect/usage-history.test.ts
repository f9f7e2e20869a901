/** What is kept of usage where it is more than a ConfigMap holds. */
import { createHash } from 'node:crypto'
import { gunzipSync } from 'node:zlib'
import * as assert from 'uvu/assert'
import { type Histories, type History, NO_HISTORY, readHistories } from '../../../../src/facts/usage/index.ts'
import type { KubeObject } from '../../../../src/host/cluster/list.ts'
import type { JsonClient } from '../../../../src/host/sync/collect/collector.ts'
import { UsageHistory } from '../../../../src/host/sync/collect/usage-history.ts'
import { suite } from '../../../support/suite.ts'
import { recordedLog, recordedMeter } from '../api/reflecting.ts'

const uidOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 36)
/** Series with days and kills of as many pods, and what tells them apart in their names, which no compression takes. */
const historiesOf = (series: number, { days = 0, kills = 0, name = 0 }): Histories =>
  Array.from({ length: series }, (_, index) => {
    const key = { policy: `logging/${index}`, container: 'agent', group: `${index}`.padEnd(name, uidOf(`${index}`)) }
    const history: History = {
      ...NO_HISTORY,
      days: Array.from({ length: days }, (_, day) => ({
        date: `2026-11-${String(day + 1).padStart(2, '0')}`,
        used: { cpu: hash(index, day, 1), memory: hash(index, day, 2) },
        ...{ medianMemory: hash(index, day, 3), peakMemory: hash(index, day, 4), shareAtLimit: 0, pods: 3 },
      })),
      kills: Array.from({ length: kills }, (_, at) => ({ pod: uidOf(`${index} ${at}`), at, count: 1 })),
    }
    return [key, history] as const
  })
const hash = (...of: readonly number[]) => Number.parseInt(uidOf(of.join(' ')).slice(0, 12), 16)

async function saved(histories: Histories): Promise<{ size: number; kept: Histories; lines: readonly string[] }> {
  const { log, lines } = recordedLog()
  let text = ''
  const connection = {
    json: ({ body }: { body: KubeObject & { binaryData: Record<string, string> } }) => {
      text = body.binaryData['histories.json.gz'] ?? ''
      return Promise.resolve(body)
    },
  } as never as JsonClient
  const context = { log, meter: recordedMeter().meter }
  const history = new UsageHistory({ connection, namespace: 'nodefit', name: 'usage', context })
  assert.ok(await history.save({ histories, until: 0 }, new AbortController().signal))
  return { size: text.length, kept: readHistories(gunzipSync(Buffer.from(text, 'base64')).toString()) ?? [], lines }
}

suite('a history that is larger than a ConfigMap', (test) => {
  const partsOf = (histories: Histories) => {
    const [, { days, kills }] = histories[0] as (typeof histories)[number]
    return [histories.length, days.map(({ date }) => date), kills.length]
  }
  test('nothing is left out of one that is not', async () => {
    const histories = historiesOf(3, { days: 14, kills: 500 })
    const { kept, lines } = await saved(histories)
    assert.equal([kept, lines], [histories, []])
  })
  test('the older kills of a series go before any day does', async () => {
    const histories = historiesOf(70, { days: 2, kills: 500 })
    const { size, kept, lines } = await saved(histories)
    assert.ok(size <= 900_000, String(size))
    assert.equal(partsOf(kept), [70, ['2026-11-01', '2026-11-02'], 20])
    assert.equal(kept[0]?.[1].kills, histories[0]?.[1].kills.slice(-20))
    assert.match(lines.join(), 'its oldest kills and days are dropped')
  })
  test('then the oldest days, as many as it takes', async () => {
    const { size, kept, lines } = await saved(historiesOf(3000, { days: 14 }))
    assert.ok(size <= 900_000 && size > 800_000, String(size))
    const [count, days] = partsOf(kept) as [number, string[]]
    assert.equal([count, days.at(-1)], [3000, '2026-11-14'])
    assert.ok(days.length > 3 && days.length < 14, days.join())
    assert.match(lines.join(), `"days":${14 - days.length}`)
  })
})
