import { hostname } from 'node:os'
import * as assert from 'uvu/assert'
import { refuse, ScriptedApi } from '../../../../e2e/support/scripted-api.ts'
import { type EventDraft, postEvent } from '../../../../src/host/sync/api/events.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { suite } from '../../../support/suite.ts'
import { connectTo, recordedLog } from './reflecting.ts'

const EVENTS = '/apis/events.k8s.io/v1/namespaces/nodefit/events'
const REFUSED = { type: 'Warning', reason: 'NotPushed', note: 'the branch is protected' } as const
const anything = () => true

type Post = (draft: Pick<EventDraft, 'type' | 'reason' | 'note' | 'action'>) => Promise<void>

async function posting(
  body: (api: ScriptedApi, post: Post, clock: FakeClock, lines: string[]) => Promise<void>,
): Promise<void> {
  const api = await ScriptedApi.start()
  const clock = new FakeClock()
  const { lines, log } = recordedLog()
  const regarding = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'nodefit', name: 'nodefit-sync' }
  const around = { namespace: 'nodefit', regarding }
  const connection = connectTo(api, clock)
  try {
    await body(api, (draft) => postEvent(connection, { ...around, ...draft }, { clock, log }), clock, lines)
  } finally {
    await api.close()
  }
}

suite('Events', (test) => {
  test('say what happened, about what, by whom', () =>
    posting(async (api, post) => {
      await post(REFUSED)
      const [{ metadata, ...event } = assert.unreachable() as never] = api.all(EVENTS)
      assert.match(metadata.name, /^nodefit-sync\.[0-9a-f]+$/)
      assert.equal(event, {
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        eventTime: '2026-11-20T12:00:00.000000Z',
        reportingController: 'nodefit.dev/sync',
        reportingInstance: hostname(),
        action: 'Sync',
        ...REFUSED,
        regarding: { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'nodefit', name: 'nodefit-sync' },
      })
    }))
  test('that repeat are counted in one, once a minute at most', () =>
    posting(async (api, post, clock) => {
      for (let time = 0; time < 25; time++) {
        await post(REFUSED)
        await clock.advance(10_000)
      }
      assert.is(api.all(EVENTS).length + api.count(({ method }) => method === 'POST') - 1, 1)
      const patches = api.asked.filter(({ method }) => method === 'PATCH')
      assert.is(patches.length, 4)
      assert.is(patches[0]?.headers['content-type'], 'application/merge-patch+json')
      assert.is(patches[0]?.body, '{"series":{"count":7,"lastObservedTime":"2026-11-20T12:01:00.000000Z"}}')
      assert.match(String(patches[3]?.body), '"count":25')
    }))
  test('that the API server has forgotten are written anew', () =>
    posting(async (api, post, clock) => {
      await post(REFUSED)
      api.remove(EVENTS, api.all(EVENTS)[0]?.metadata.name ?? '')
      await clock.advance(60_000)
      await post(REFUSED)
      assert.is(api.all(EVENTS).length, 1)
      await clock.advance(1_800_001)
      await post(REFUSED)
      assert.is(api.all(EVENTS).length, 2)
    }))
  test('of many kinds are no flood', () =>
    posting(async (api, post, clock) => {
      for (let index = 0; index < 200; index++) await post({ ...REFUSED, note: `failure ${index}` })
      assert.is(api.asked.length, 20)
      await clock.advance(90_000)
      for (let index = 0; index < 10; index++) await post({ ...REFUSED, note: `later ${index}` })
      assert.is(api.asked.length, 23)
    }))
  test('that are refused are one line of the log', () =>
    posting(async (api, post, clock, lines) => {
      api.next(anything, (_, response) => refuse(response, 403, 'Forbidden', 'events is forbidden'), 99)
      for (let time = 0; time < 5; time++) {
        await post(REFUSED)
        await clock.advance(60_000)
      }
      assert.is(api.asked.length, 5)
      assert.is(lines.length, 1)
      assert.match(String(lines[0]), /events is forbidden/)
    }))
  test('are cut to what the API server takes', () =>
    posting(async (api, post) => {
      await post({ ...REFUSED, note: 'é'.repeat(2000), action: 'A'.repeat(200) })
      const [event] = api.all(EVENTS)
      const note = String(event?.note)
      assert.ok(Buffer.byteLength(note) <= 1024 && Buffer.byteLength(note) > 1020)
      assert.match(note, /é…$/)
      assert.is(String(event?.action).length, 128)
    }))
})
