import * as assert from 'uvu/assert'
import { json, LISTS, refuse, ScriptedApi } from '../../../e2e/support/scripted-api.ts'
import { ApiError, MalformedResponseError } from '../../../src/host/cluster/errors.ts'
import { list } from '../../../src/host/cluster/list.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { suite } from '../../support/suite.ts'
import { connectTo, NODES, node } from '../sync/api/reflecting.ts'

const namesOf = (
  api: ScriptedApi,
  trim = (object: { metadata: { name: string } }): string | undefined => object.metadata.name,
) => list(connectTo(api, new FakeClock()), NODES, { pageSize: 2, trim })

async function withNodes(count: number, body: (api: ScriptedApi) => Promise<void>): Promise<void> {
  const api = await ScriptedApi.start()
  for (let index = 1; index <= count; index++) api.put(NODES, node(`n${index}`))
  try {
    await body(api)
  } finally {
    await api.close()
  }
}

const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error) => error,
  )

suite('a list', (test) => {
  for (const [count, pages] of [
    [0, 1],
    [1, 1],
    [2, 1],
    [3, 2],
    [7, 4],
  ] as const)
    test(`of ${count} objects in pages of 2 comes in ${pages}`, () =>
      withNodes(count, async (api) => {
        const { items, resourceVersion } = await namesOf(api)
        assert.equal(
          items,
          Array.from({ length: count }, (_, index) => `n${index + 1}`),
        )
        assert.is(resourceVersion, String(100 + count))
        assert.is(api.asked.length, pages)
        assert.equal(
          api.asked.map(({ query }) => query.get('limit')),
          Array(pages).fill('2'),
        )
      }))
  test('keeps what is trimmed and nothing else', () =>
    withNodes(3, async (api) => {
      assert.equal((await namesOf(api, ({ metadata: { name } }) => (name === 'n2' ? undefined : name))).items, [
        'n1',
        'n3',
      ])
    }))
  test('is discarded whole and begun anew where its continue token has expired', () =>
    withNodes(5, async (api) => {
      api.next(
        ({ query }) => query.has('continue'),
        (asked, response) => {
          api.remove(NODES, 'n1')
          api.compact()
          api.answer(asked, response)
        },
      )
      assert.equal((await namesOf(api)).items, ['n2', 'n3', 'n4', 'n5'])
      assert.is(api.asked.length, 4)
    }))
  test('is discarded whole where its pages are of two versions', () =>
    withNodes(3, async (api) => {
      const second = { kind: 'NodeList', metadata: { resourceVersion: '999', continue: '' }, items: [] }
      api.next(
        ({ query }) => query.has('continue'),
        (_, response) => json(response, 200, second),
      )
      assert.equal((await namesOf(api)).items, ['n1', 'n2', 'n3'])
    }))
  test('is given up after three tries', () =>
    withNodes(3, async (api) => {
      api.next(
        ({ query }) => query.has('continue'),
        (_, response) => refuse(response, 410, 'Expired', 'too old'),
        99,
      )
      const error = await failure(namesOf(api))
      assert.ok(error instanceof ApiError && error.isExpired)
      assert.is(api.asked.length, 6)
    }))
  test('does not go round in a circle of pages', () =>
    withNodes(3, async (api) => {
      const again = { kind: 'NodeList', metadata: { resourceVersion: '1', continue: 'same' }, items: [] }
      api.next(LISTS, (_, response) => json(response, 200, again), 99)
      assert.instance(await failure(namesOf(api)), MalformedResponseError)
      assert.is(api.asked.length, 6)
    }))
  test('may be null where it is empty, as Go writes it', () =>
    withNodes(1, async (api) => {
      api.next(LISTS, (_, response) => json(response, 200, { kind: 'NodeMetricsList', metadata: {}, items: null }))
      assert.equal(await namesOf(api), { items: [], resourceVersion: '' })
    }))
  for (const [name, value] of [
    ['a Status', { kind: 'Status', status: 'Success' }],
    ['nothing', null],
    ['an object for items', { kind: 'NodeList', metadata: {}, items: {} }],
    ['a text', 'ok'],
  ] as const)
    test(`is never ${name}`, () =>
      withNodes(1, async (api) => {
        api.next(LISTS, (_, response) => json(response, 200, value))
        assert.instance(await failure(namesOf(api)), MalformedResponseError)
      }))
  test('that breaks off in a page is no list', () =>
    withNodes(5, async (api) => {
      api.next(
        ({ query }) => query.has('continue'),
        (_, response) => {
          response.writeHead(200, { 'content-length': '5000' })
          response.write('{"kind":"NodeList"')
          setTimeout(() => response.socket?.destroy(), 20)
        },
      )
      assert.match(String(await failure(namesOf(api))), /aborted/)
    }))
  test('says what the server says', () =>
    withNodes(1, async (api) => {
      const text = 'nodes is forbidden: User "x" cannot list resource "nodes"'
      api.next(LISTS, (_, response) => refuse(response, 403, 'Forbidden', text))
      const error = await failure(namesOf(api))
      assert.ok(error instanceof ApiError)
      assert.equal([error.status, error.reason, error.message, error.retryAfter], [403, 'Forbidden', text, undefined])
      api.next(LISTS, (_, response) => response.writeHead(502, { 'retry-after': '7' }).end('<html>Bad Gateway'))
      const other = await failure(namesOf(api))
      assert.ok(other instanceof ApiError)
      assert.equal([other.status, other.reason, other.retryAfter], [502, '', 7000])
      assert.match(other.message, /responds with 502: <html>Bad Gateway/)
    }))
})
