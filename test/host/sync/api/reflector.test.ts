import type { ServerResponse } from 'node:http'
import * as assert from 'uvu/assert'
import { json, LISTS, refuse, type ScriptedApi, WATCHES } from '../../../../e2e/support/scripted-api.ts'
import { suite } from '../../../support/suite.ts'
import { NODES, node, pass, reflecting, until } from './reflecting.ts'

suite('a reflector', (test) => {
  test('lists in pages, then watches from there with bookmarks', () =>
    reflecting(
      async ({ api, reflector, labels, changes, counted, clock }) => {
        assert.not(reflector.isSynced)
        assert.is(reflector.lastContact, undefined)
        await until(() => api.openWatches === 1)
        assert.ok(reflector.isSynced)
        assert.equal(labels(), { n1: 'a', n2: 'a', n3: 'a' })
        assert.is(changes(), 1)
        assert.is(api.count(LISTS), 2)
        const query = api.asked.find(WATCHES)?.query ?? new URLSearchParams()
        assert.is(query.get('allowWatchBookmarks'), 'true')
        assert.is(query.get('resourceVersion'), '103')
        assert.is(query.get('timeoutSeconds'), '450')
        await until(() => counted.components.get('watch-nodes') === true)
        assert.is(reflector.lastContact, clock.now())
      },
      { pageSize: 2 },
    ))
  test('takes what is added, changed and deleted', () =>
    reflecting(async ({ api, labels, changes }) => {
      await until(() => api.openWatches === 1)
      api.put(NODES, node('n4', 'b'))
      api.put(NODES, node('n1', 'c'))
      api.remove(NODES, 'n2')
      await until(() => changes() === 4)
      assert.equal(labels(), { n1: 'c', n3: 'a', n4: 'b' })
    }))
  test('a heartbeat is no change', () =>
    reflecting(async ({ api, labels, changes, counted }) => {
      await until(() => api.openWatches === 1)
      const { received } = counted
      for (let beat = 1; beat <= 20; beat++) api.put(NODES, node('n1', 'a', beat))
      api.put(NODES, node('n1', 'z'))
      await until(() => labels().n1 === 'z')
      assert.is(changes(), 2)
      assert.ok(counted.received > received + 20 * 80)
    }))
  test('an object that cannot be trimmed is left out, and said once', () =>
    reflecting(
      async ({ api, labels, lines, changes }) => {
        await until(() => api.openWatches === 1)
        assert.equal(labels(), { n1: 'a', n2: 'a', n3: 'a' })
        const broken = { metadata: { name: 'n1', labels: null } }
        for (let time = 0; time < 5; time++) api.put(NODES, broken as never)
        api.put(NODES, node('n2', 'b'))
        await until(() => labels().n2 === 'b')
        assert.equal(labels(), { n2: 'b', n3: 'a' })
        assert.is(changes(), 3)
        const said = lines.filter((line) => line.startsWith('an object cannot be read and is left out'))
        assert.is(said.filter((line) => line.includes('"n1"')).length, 1)
        assert.is(said.filter((line) => line.includes('"n0"')).length, 1)
        api.put(NODES, node('n1', 'again'))
        await until(() => labels().n1 === 'again')
      },
      { before: (api) => void api.put(NODES, { metadata: { name: 'n0' } }) },
    ))
  test('goes on where what follows a change throws', () => {
    let calls = 0
    return reflecting(
      async ({ api, labels, lines }) => {
        await until(() => api.openWatches === 1)
        api.put(NODES, node('n1', 'b'))
        await until(() => labels().n1 === 'b' && calls === 2)
        assert.ok(lines.some((line) => line.includes('on purpose')))
      },
      {
        onChange: () => {
          calls++
          throw new Error('on purpose')
        },
      },
    )
  })
  test('ends when it is told to, in whatever it does', async () => {
    await reflecting(async ({ api, stop, counted }) => {
      await until(() => api.openWatches === 1)
      await stop()
      assert.is(counted.components.get('watch-nodes'), false)
      assert.equal(counted.restarts, [])
    })
    await reflecting(async ({ api, stop }) => {
      api.next(LISTS, () => {}, 99)
      await until(() => api.count(LISTS) === 1)
      await stop()
    })
    await reflecting(
      async ({ api, stop }) => {
        await until(() => api.count(LISTS) === 1)
        await stop()
      },
      { before: (api) => api.next(LISTS, (_, response) => refuse(response, 500, '', 'no'), 99) },
    )
  })
  test('does not list again where the watch goes on', () =>
    reflecting(async ({ api, clock, labels, counted }) => {
      for (let round = 1; round <= 6; round++) {
        await until(() => api.openWatches === 1)
        await clock.advance(30_000)
        api.endWatches()
        await until(() => api.openWatches === 0)
        api.put(NODES, node('n1', `round ${round}`))
        assert.ok((await pass(clock, () => labels().n1 === `round ${round}`)) <= 1500)
      }
      assert.is(api.count(LISTS), 1)
      assert.equal(counted.restarts, Array(6).fill('ended'))
      // from the last change that came, or the bookmark after it
      assert.is(api.asked.filter(WATCHES).at(-1)?.query.get('resourceVersion'), '108')
      api.compact()
      const { received } = counted
      api.bookmark()
      await until(() => counted.received > received)
      api.endWatches()
      await pass(clock, () => api.count(WATCHES) === 8)
      assert.is(api.asked.filter(WATCHES).at(-1)?.query.get('resourceVersion'), '110')
      assert.is(api.count(LISTS), 1)
    }))
  test('does not list again where something came before each failure', () =>
    reflecting(async ({ api, clock, labels, counted }) => {
      for (let round = 1; round <= 5; round++) {
        await pass(clock, () => api.count(WATCHES) === round)
        api.put(NODES, node('n1', `round ${round}`))
        await until(() => labels().n1 === `round ${round}`)
        api.write('<html>\n')
        await until(() => counted.restarts.length === round)
      }
      await pass(clock, () => api.count(WATCHES) === 6)
      assert.is(api.count(LISTS), 1)
    }))
})

/** What goes wrong while a watch stands, and the reason that is counted. */
const BREAKS: readonly [name: string, reason: string, (api: ScriptedApi) => void][] = [
  ['the server ends the watch', 'ended', (api) => api.endWatches()],
  ['the connection is reset', 'connection', (api) => api.resetWatches()],
  ['the version has expired, said as an event', 'expired', (api) => api.write(errorEvent(410, 'Expired'))],
  ['an error event', 'error', (api) => api.write(errorEvent(500, 'InternalError'))],
  ['an error event asks to slow down', 'throttled', (api) => api.write(errorEvent(429, 'TooManyRequests'))],
  ['an error event without words', 'error', (api) => api.write('{"type":"ERROR"}\n')],
  ['a line that is no JSON', 'malformed', (api) => api.write('{"type":"MODIFIED","object":{"metadata":{"na\n')],
  ['a line of HTML', 'malformed', (api) => api.write('<html>Bad Gateway</html>\n')],
  ['an event of an unknown type', 'malformed', (api) => api.write('{"type":"MERGED","object":{}}\n')],
  ['an event without an object', 'malformed', (api) => api.write('{"type":"MODIFIED"}\n')],
  ['an event that is null', 'malformed', (api) => api.write('null\n')],
  ['half a line, then the end', 'ended', (api) => endAfter(api, '{"type":"MODI')],
]

/** What the server answers to the next watches, how often, and the reason that is counted. */
const REFUSALS: readonly [name: string, reason: string, times: number, (api: ScriptedApi, times: number) => void][] = [
  ['410', 'expired', 1, (api, times) => api.next(WATCHES, (_, to) => refuse(to, 410, 'Expired', 'too old'), times)],
  ['500', 'error', 5, (api, times) => api.next(WATCHES, (_, to) => refuse(to, 500, 'InternalError', 'no'), times)],
  ['503 in HTML', 'error', 4, (api, times) => api.next(WATCHES, (_, to) => to.writeHead(503).end('<html>'), times)],
  ['504 for a version of the future', 'error', 3, (api, times) => api.next(WATCHES, tooLarge, times)],
  ['403', 'denied', 4, (api, times) => api.next(WATCHES, (_, to) => refuse(to, 403, 'Forbidden', 'no'), times)],
  ['401', 'denied', 4, (api, times) => api.next(WATCHES, (_, to) => refuse(to, 401, 'Unauthorized', 'no'), times)],
  ['429', 'throttled', 3, (api, times) => api.next(WATCHES, (_, to) => refuse(to, 429, '', 'slow down'), times)],
  ['a reset', 'connection', 6, (api, times) => api.next(WATCHES, (_, to) => to.socket?.resetAndDestroy(), times)],
  ['200 and the end at once', 'ended', 6, (api, times) => api.next(WATCHES, (_, to) => to.writeHead(200).end(), times)],
  ['200 with a page', 'malformed', 4, (api, times) => api.next(WATCHES, (_, to) => to.end('<html>\n'), times)],
]

suite('a watch that breaks goes on', (test) => {
  for (const [name, reason, breakIt] of BREAKS)
    test(name, () =>
      reflecting(async ({ api, clock, labels, counted, reflector }) => {
        await until(() => api.openWatches === 1)
        breakIt(api)
        await until(() => counted.restarts.length === 1)
        api.put(NODES, node('n4', 'new'))
        api.remove(NODES, 'n1')
        assert.ok((await pass(clock, () => labels().n4 === 'new')) <= 1500)
        assert.equal(labels(), { n2: 'a', n3: 'a', n4: 'new' })
        assert.equal(counted.restarts, [reason])
        assert.ok(reflector.isSynced)
        assert.is(api.count(LISTS), reason === 'expired' ? 2 : 1)
        await until(() => counted.components.get('watch-nodes') === true)
      }),
    )
  for (const [name, reason, times, refuseIt] of REFUSALS)
    test(`refused with ${name}`, () =>
      reflecting(
        async ({ api, clock, labels, counted }) => {
          await until(() => counted.restarts.length === 1)
          assert.is(counted.components.get('watch-nodes'), false)
          api.put(NODES, node('n1', 'changed'))
          await pass(clock, () => labels().n1 === 'changed' && api.openWatches === 1)
          const tries = reason === 'denied' && name === '401' ? times / 2 : times
          assert.equal(counted.restarts, Array(tries).fill(reason))
          // a version that the server cannot answer from is left after a few times
          assert.is(api.count(LISTS), reason === 'expired' || (tries >= 3 && /error|malformed/.test(reason)) ? 2 : 1)
        },
        { before: (api) => refuseIt(api, times) },
      ))
  test('after an outage of minutes, a version that has expired is listed anew within seconds', () =>
    reflecting(async ({ api, clock, labels, counted }) => {
      await until(() => api.openWatches === 1)
      let isDown = true
      const down = (_: unknown, to: ServerResponse) => to.socket?.resetAndDestroy()
      api.next(WATCHES, (request, to) => (isDown ? down(request, to) : refuse(to, 410, 'Expired', 'too old')), 1000)
      api.next(LISTS, (request, to) => (isDown ? down(request, to) : api.answer(request, to)), 1000)
      api.endWatches()
      await pass(clock, () => counted.restarts.length > 60)
      isDown = false
      api.put(NODES, node('n1', 'changed'))
      assert.ok((await pass(clock, () => labels().n1 === 'changed')) <= 5_000)
    }))
  test('a connection whose other end is gone is left after the silence, not before', () =>
    reflecting(async ({ api, clock, labels, counted, lines }) => {
      await until(() => api.openWatches === 1)
      for (let minute = 1; minute <= 5; minute++) {
        const { received } = counted
        api.bookmark()
        await until(() => counted.received > received)
        await clock.advance(60_000)
      }
      assert.equal(counted.restarts, [])
      assert.equal(lines, [])
      api.isTelling = false
      api.put(NODES, node('n1', 'unheard'))
      assert.is(await pass(clock, () => counted.restarts.length === 1), 30_000)
      assert.equal(counted.restarts, ['idleTimeout'])
      api.isTelling = true
      api.put(NODES, node('n2', 'heard'))
      await pass(clock, () => labels().n2 === 'heard')
    }))
  test('a server that dies and comes back', () =>
    reflecting(async ({ api, clock, labels, counted }) => {
      await until(() => api.openWatches === 1)
      const { port } = api
      await api.close()
      await until(() => counted.restarts.length === 1)
      await pass(clock, () => counted.restarts.length >= 6)
      await api.listen(port)
      api.put(NODES, node('n1', 'back'))
      assert.ok((await pass(clock, () => labels().n1 === 'back')) <= 60_000)
      assert.is(api.count(LISTS), 1)
      assert.ok(counted.restarts.every((reason) => reason === 'connection'))
    }))
  test('a server that has forgotten the history while it was away', () =>
    reflecting(async ({ api, clock, labels, counted }) => {
      await until(() => api.openWatches === 1)
      const { port } = api
      await api.close()
      api.remove(NODES, 'n1')
      api.compact()
      await api.listen(port)
      await pass(clock, () => labels().n1 === undefined)
      await until(() => api.openWatches === 1)
      assert.equal(labels(), { n2: 'a', n3: 'a' })
      assert.equal(counted.restarts, ['connection', 'expired'])
    }))
  test('watches that end at once, even after a bookmark, are asked for ever more slowly, and said once', () =>
    reflecting(
      async ({ api, clock, lines }) => {
        await until(() => api.count(WATCHES) === 1)
        await pass(clock, () => false, 2500, 600_000).catch(() => {})
        // 0.5, 1, 2, 4, 8, 16 s, then every 30 s
        assert.ok(api.count(WATCHES) > 15 && api.count(WATCHES) < 30, String(api.count(WATCHES)))
        assert.ok(lines.length < 3, lines.join('\n'))
      },
      { before: (api) => api.next(WATCHES, (_, to) => to.end(`${bookmark(103)}\n`), 9999) },
    ))
  test('the first list is tried until it comes, as slowly as the server asks', () =>
    reflecting(
      async ({ api, clock, reflector, counted }) => {
        await until(() => api.count(LISTS) === 1)
        const took = await pass(clock, () => reflector.isSynced)
        assert.ok(took >= 40_000 && took < 65_000, String(took))
        assert.equal(counted.restarts, ['throttled', 'error', 'connection', 'malformed', 'malformed'])
      },
      {
        before: (api) => {
          api.next(LISTS, (_, to) => refuse(to, 429, 'TooManyRequests', 'slow down', { 'retry-after': '40' }))
          api.next(LISTS, (_, to) => refuse(to, 503, '', 'no'))
          api.next(LISTS, (_, to) => to.socket?.resetAndDestroy())
          api.next(LISTS, (_, to) => to.end('<html>'))
          api.next(LISTS, (_, to) => json(to, 200, { kind: 'Status' }))
        },
      },
    ))
})

suite('what a watch misses', (test) => {
  const RELIST = { relistInterval: 600_000, idleTimeout: 1e9 }
  test('is found by a list, counted and healed', () =>
    reflecting(async ({ api, clock, labels, counted, changes }) => {
      await until(() => api.openWatches === 1)
      api.isTelling = false
      api.put(NODES, node('n1', 'missed'))
      api.put(NODES, node('n2', 'a', 7))
      api.put(NODES, node('n4', 'missed'))
      api.remove(NODES, 'n3')
      await pass(clock, () => labels().n1 === 'missed', 5000)
      assert.equal(labels(), { n1: 'missed', n2: 'a', n4: 'missed' })
      assert.is(counted.missed, 3)
      assert.equal(counted.restarts, ['missed'])
      assert.is(changes(), 2)
    }, RELIST))
  test('nothing is missed that is only late', () =>
    reflecting(async ({ api, clock, labels, counted }) => {
      await until(() => api.openWatches === 1)
      api.isTelling = false
      const late = api.put(NODES, node('n1', 'late'))
      await pass(clock, () => api.count(LISTS) === 2, 5000)
      api.write(`${JSON.stringify({ type: 'MODIFIED', object: late })}\n`)
      await until(() => labels().n1 === 'late')
      await clock.advance(60_000)
      assert.is(counted.missed, 0)
      assert.equal(counted.restarts, [])
    }, RELIST))
  test('a comparison that cannot be made changes nothing', () =>
    reflecting(async ({ api, clock, labels, counted, lines }) => {
      await until(() => api.openWatches === 1)
      api.next(LISTS, (_, to) => refuse(to, 500, '', 'no'))
      await pass(clock, () => lines.length === 1, 5000)
      assert.equal(labels(), { n1: 'a', n2: 'a', n3: 'a' })
      assert.is(api.openWatches, 1)
      api.next(LISTS, (_, to) => json(to, 200, { kind: 'NodeList', metadata: { resourceVersion: '1' }, items: [] }))
      await pass(clock, () => counted.missed === 3, 5000)
      await pass(clock, () => api.openWatches === 1)
      assert.equal(labels(), { n1: 'a', n2: 'a', n3: 'a' })
    }, RELIST))
})

function errorEvent(code: number, reason: string): string {
  return `${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code, reason, message: 'on purpose' } })}\n`
}

function bookmark(version: number): string {
  return JSON.stringify({ type: 'BOOKMARK', object: { metadata: { resourceVersion: String(version) } } })
}

function endAfter(api: ScriptedApi, text: string): void {
  api.write(text)
  api.endWatches()
}

const tooLarge: Parameters<ScriptedApi['next']>[1] = (_, response) =>
  refuse(response, 504, 'Timeout', 'Too large resource version: 900, current: 103')
