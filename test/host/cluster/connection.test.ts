import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import * as assert from 'uvu/assert'
import { json, refuse, ScriptedApi } from '../../../e2e/support/scripted-api.ts'
import { connect } from '../../../src/host/cluster/connection.ts'
import { IdleTimeoutError, MalformedResponseError } from '../../../src/host/cluster/errors.ts'
import { engineContext } from '../../support/engine-context.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { suite } from '../../support/suite.ts'
import { connectTo, pass, recordedMeter, until } from '../sync/api/reflecting.ts'

const anything = () => true

async function withApi(body: (api: ScriptedApi, folder: string) => Promise<void>): Promise<void> {
  const api = await ScriptedApi.start()
  const folder = mkdtempSync(join(tmpdir(), 'nodefit-connection-'))
  try {
    await body(api, folder)
  } finally {
    rmSync(folder, { recursive: true })
    await api.close()
  }
}

const failure = (promise: Promise<unknown>): Promise<Error> =>
  promise.then(
    () => assert.unreachable() as never,
    (error) => error,
  )

suite('a connection', (test) => {
  test('sends what is asked, with the credentials of the kubeconfig', () =>
    withApi(async (api) => {
      api.next(anything, (_, response) => json(response, 200, { ok: true }))
      const connection = connectTo(api, new FakeClock())
      assert.is(connection.namespace, 'nodefit')
      const query = { a: 'x y&z', b: undefined, c: 1 }
      assert.equal(await connection.json({ method: 'PUT', path: '/api/v1/x', query, body: { é: 1 } }), { ok: true })
      const [asked] = api.asked
      assert.is(asked?.method, 'PUT')
      assert.is(asked?.path, '/api/v1/x')
      assert.is(String(asked?.query), 'a=x+y%26z&c=1')
      assert.is(asked?.body, '{"é":1}')
      assert.is(asked?.headers.authorization, 'Bearer abc')
      assert.is(asked?.headers['content-type'], 'application/json')
      assert.is(asked?.headers['user-agent'], 'nodefit-sync')
    }))
  test('keeps the path that the server of a kubeconfig has, as a proxy of many clusters gives it', () =>
    withApi(async (api, folder) => {
      const file = join(folder, 'config')
      writeFileSync(file, api.kubeconfig.replace(/(127.0.0.1:\d+)/, '$1/k8s/clusters/c-1/'))
      api.next(anything, (_, response) => json(response, 200, {}))
      await connect({ kubeconfig: file }, engineContext()).json({ path: '/api/v1/nodes' })
      assert.is(api.asked[0]?.path, '/k8s/clusters/c-1/api/v1/nodes')
    }))
  test('takes the context that it is told', () =>
    withApi(async (api, folder) => {
      const file = join(folder, 'config')
      const config = JSON.parse(api.kubeconfig)
      config.contexts.push({ name: 'other', context: { cluster: 'test', user: 'test', namespace: 'elsewhere' } })
      writeFileSync(file, JSON.stringify(config))
      assert.is(connect({ kubeconfig: file, kubeContext: 'other' }, engineContext()).namespace, 'elsewhere')
      assert.throws(
        () => connect({ kubeconfig: file, kubeContext: 'none' }, engineContext()),
        /has no cluster for the context "none": name another with --context/,
      )
    }))
  test('refuses a way to log in that it does not know, by name', () =>
    withApi(async (api, folder) => {
      const file = join(folder, 'config')
      const config = JSON.parse(api.kubeconfig)
      config.users[0].user = { 'auth-provider': { name: 'oidc', config: {} } }
      writeFileSync(file, JSON.stringify(config))
      assert.throws(
        () => connect({ kubeconfig: file }, engineContext()),
        /config has the auth-provider "oidc", which is not supported: use a token/,
      )
    }))
  test('logs in with what an exec plugin gives, asked once for as long as it is good', () =>
    withApi(async (api, folder) => {
      const file = join(folder, 'config')
      const script = join(folder, 'plugin')
      const expires = '2099-01-01T00:00:00Z'
      const kind = { apiVersion: 'client.authentication.k8s.io/v1', kind: 'ExecCredential' }
      const count = join(folder, 'count')
      const answer = JSON.stringify({ ...kind, status: { token: 'minted', expirationTimestamp: expires } })
      writeFileSync(script, `#!/bin/sh\necho x >> ${count}\necho '${answer}'\n`, { mode: 0o755 })
      const config = JSON.parse(api.kubeconfig)
      const exec = { apiVersion: kind.apiVersion, command: script, interactiveMode: 'Never' }
      config.users[0].user = { exec }
      writeFileSync(file, JSON.stringify(config))
      api.next(anything, (_, response) => json(response, 200, {}), 9)
      const connection = connect({ kubeconfig: file }, engineContext())
      for (let time = 0; time < 3; time++) await connection.json({ path: '/x' })
      assert.is(api.asked[2]?.headers.authorization, 'Bearer minted')
      assert.is(readFileSync(count, 'utf8'), 'x\n')
    }))
  test('logs in with the token of a file, beside the kubeconfig, and never as nobody', () =>
    withApi(async (api, folder) => {
      const file = join(folder, 'config')
      const config = JSON.parse(api.kubeconfig)
      config.users[0].user = { tokenFile: 'token' }
      writeFileSync(file, JSON.stringify(config))
      writeFileSync(join(folder, 'token'), 'from-file\n')
      api.next(anything, (_, response) => json(response, 200, {}), 9)
      await connect({ kubeconfig: file }, engineContext()).json({ path: '/x' })
      assert.is(api.asked[0]?.headers.authorization, 'Bearer from-file')
      rmSync(join(folder, 'token'))
      const connection = connect({ kubeconfig: file }, engineContext())
      const failure = await connection.json({ path: '/x' }).catch((error: Error) => error.message)
      assert.match(String(failure), /ENOENT.*token/)
      assert.is(api.asked.length, 1)
    }))
  test('counts the bytes of bodies, compressed as they come', () =>
    withApi(async (api) => {
      const { counted, meter } = recordedMeter()
      const text = JSON.stringify({ text: 'a'.repeat(100_000) })
      api.next(anything, (asked, response) => {
        assert.is(asked.headers['accept-encoding'], 'gzip')
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(text))
      })
      const connection = connectTo(api, new FakeClock(), meter)
      const answer = await connection.json<{ text: string }>({ method: 'POST', path: '/x', body: [1, 2] })
      assert.is(answer.text.length, 100_000)
      assert.is(counted.received, gzipSync(text).length)
      assert.is(counted.sent, 5)
    }))
  test('a compressed answer that is cut or broken is an error', () =>
    withApi(async (api) => {
      const packed = gzipSync(JSON.stringify({ text: 'a'.repeat(100_000) }))
      const connection = connectTo(api, new FakeClock())
      api.next(anything, (_, response) =>
        response.writeHead(200, { 'content-encoding': 'gzip' }).end(packed.subarray(0, 60)),
      )
      assert.match((await failure(connection.json({ path: '/x' }))).message, /unexpected end/)
      api.next(anything, (_, response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip'))
      assert.match((await failure(connection.json({ path: '/x' }))).message, /header/)
    }))
  test('an answer that is no JSON is an error', () =>
    withApi(async (api) => {
      api.next(anything, (_, response) => response.end('<html>'))
      assert.instance(await failure(connectTo(api, new FakeClock()).json({ path: '/x' })), MalformedResponseError)
    }))
  test('silence before the answer, and in it, ends in a minute', () =>
    withApi(async (api) => {
      const clock = new FakeClock()
      const connection = connectTo(api, clock)
      for (const answer of [
        () => {},
        (response: { write: (text: string) => unknown }) => void response.write('{"a":'),
      ]) {
        api.next(anything, (_, response) => answer(response))
        let error: unknown
        const ended = connection.json({ path: '/x' }).catch((one) => {
          error = one
        })
        const before = api.asked.length
        await until(() => api.asked.length > before)
        assert.is(await pass(clock, () => error !== undefined, 10_000), 60_000)
        await ended
        assert.instance(error, IdleTimeoutError)
      }
    }))
  test('an abort ends the request, before the answer and in it', () =>
    withApi(async (api) => {
      const connection = connectTo(api, new FakeClock())
      for (const answer of [
        () => {},
        (response: { write: (text: string) => unknown }) => void response.write('{"a":'),
      ]) {
        api.next(anything, (_, response) => answer(response))
        const abort = new AbortController()
        const ended = failure(connection.json({ path: '/x', signal: abort.signal }))
        const before = api.asked.length
        await until(() => api.asked.length > before)
        abort.abort()
        await ended
      }
      await failure(connection.json({ path: '/x', signal: AbortSignal.abort() }))
      assert.is(api.asked.length, 2)
    }))
  test('the system asks a silent other end whether it is there', () =>
    withApi(async (api) => {
      api.next(anything, () => {})
      const abort = new AbortController()
      const ended = failure(connectTo(api, new FakeClock()).json({ path: '/x', signal: abort.signal }))
      await until(() => api.asked.length === 1)
      if (process.platform === 'linux') {
        const port = api.port.toString(16).toUpperCase().padStart(4, '0')
        // of a line: number, local address, remote address, state, queues, timer
        const lines = readFileSync('/proc/net/tcp', 'utf8')
          .split('\n')
          .map((line) => line.trim().split(/\s+/))
        const timer = lines.find(([, , remote]) => remote?.endsWith(`:${port}`))?.[5]
        assert.match(String(timer), /^02:/)
      }
      abort.abort()
      await ended
    }))
  test('a token that was replaced is read again at once, and once', () =>
    withApi(async (api, folder) => {
      const token = join(folder, 'token')
      const file = join(folder, 'config')
      const config = JSON.parse(api.kubeconfig)
      config.users[0].user = { 'auth-provider': { name: 'tokenFile', config: { tokenFile: token } } }
      writeFileSync(file, JSON.stringify(config))
      writeFileSync(token, 'first\n')
      let good = 'first'
      api.next(
        anything,
        ({ headers }, response) =>
          headers.authorization === `Bearer ${good}`
            ? json(response, 200, { good })
            : refuse(response, 401, 'Unauthorized', 'Unauthorized'),
        99,
      )
      const connection = connect({ kubeconfig: file }, engineContext())
      assert.equal(await connection.json({ path: '/x' }), { good: 'first' })
      good = 'second'
      writeFileSync(token, 'second')
      assert.equal(await connection.json({ path: '/x' }), { good: 'second' })
      assert.is(api.asked.length, 3)
      good = 'nobody has it'
      assert.match((await failure(connection.json({ path: '/x' }))).message, /Unauthorized/)
      assert.is(api.asked.length, 5)
    }))
  test('where no server is to be found, a sentence says so', () => {
    const { KUBERNETES_SERVICE_HOST: host } = process.env
    delete process.env.KUBERNETES_SERVICE_HOST
    assert.throws(() => connect({}, engineContext()), /is not a pod: name a kubeconfig with --kubeconfig/)
    if (host !== undefined) process.env.KUBERNETES_SERVICE_HOST = host
    assert.throws(() => connect({ kubeconfig: '/nowhere/config' }, engineContext()), /ENOENT/)
  })
})
