/** /hook: who is let in, what it fetches, and what a flood costs. */
import { createHmac } from 'node:crypto'
import { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { RateLimit, startHook } from '../../../../src/host/sync/hook/hook-server.ts'
import { engineContext, silentLog, silentMeter } from '../../../support/engine-context.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { suite } from '../../../support/suite.ts'

const SECRET = 'a-secret-of-the-forge'
const PUSH = JSON.stringify({ ref: 'refs/heads/main', after: 'b2' })
const sign = (body: string | Buffer, secret = SECRET) => ({
  'x-hub-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
})

interface World {
  readonly port: number
  readonly folder: string
  readonly clock: FakeClock
  readonly fetched: Array<string | undefined>
  readonly outcomes: string[]
  readonly lines: string[]
  readonly components: Record<string, boolean>
  readonly post: (body: string | Buffer, headers?: Record<string, string>) => Promise<number>
}

const served = async (body: (world: World) => Promise<void>) => {
  const folder = mkdtempSync(join(tmpdir(), 'nodefit-hook-'))
  writeFileSync(join(folder, 'token'), `${SECRET}\n`)
  const clock = new FakeClock()
  const fetched: Array<string | undefined> = []
  const outcomes: string[] = []
  const lines: string[] = []
  const components: Record<string, boolean> = {}
  const meter = {
    ...silentMeter,
    hooked: (outcome: string) => outcomes.push(outcome),
    component: (name: string, isUp: boolean) => {
      components[name] = isUp
    },
  }
  const log = { ...silentLog, warn: (line: string) => lines.push(line) }
  const context = engineContext({ clock, meter, log })
  const server = await startHook({
    hook: { host: '127.0.0.1', port: 0, secret: folder },
    branch: 'main',
    onPush: (commit) => {
      if (commit === 'known') return 'known'
      fetched.push(commit)
      return 'accepted'
    },
    context,
  })
  const url = `http://127.0.0.1:${server.port}/hook`
  const post = async (text: string | Buffer, headers: Record<string, string> = sign(text)) =>
    (await fetch(url, { method: 'POST', body: new Uint8Array(Buffer.from(text)), headers })).status
  try {
    await body({ port: server.port, folder, clock, fetched, outcomes, lines, components, post })
  } finally {
    await server.close()
    rmSync(folder, { recursive: true })
  }
}

suite('the webhook', (test) => {
  test('a signed push is fetched; its own commit, another branch and a tag are not', () =>
    served(async ({ post, fetched, outcomes }) => {
      assert.is(await post(PUSH), 202)
      assert.is(await post(JSON.stringify({ ref: 'refs/heads/main', after: 'known' })), 200)
      assert.is(await post(JSON.stringify({ ref: 'refs/heads/dev', after: 'c3' })), 200)
      assert.is(await post(JSON.stringify({ ref: 'refs/tags/main', after: 'c3' })), 200)
      assert.equal(fetched, ['b2'])
      assert.equal(outcomes, ['accepted', 'known', 'other-branch', 'other-branch'])
    }))
  test('what names no push is fetched too: a ping, a form, no JSON, a null', () =>
    served(async ({ post, fetched }) => {
      const form = new URLSearchParams({ payload: PUSH }).toString()
      for (const text of ['{"zen":"x"}', form, 'what', 'null', '', '{"ref":"main"}']) assert.is(await post(text), 202)
      assert.equal(fetched, [undefined, 'b2', undefined, undefined, undefined, undefined])
    }))
  test('without a signature, and with a wrong one: 401, counted, and said once a minute', () =>
    served(async ({ post, fetched, outcomes, lines, clock }) => {
      assert.is(await post(PUSH, {}), 401)
      assert.is(await post(PUSH, sign(PUSH, 'another-secret-it-is')), 401)
      assert.is(await post(PUSH, { 'x-gitlab-token': 'no' }), 401)
      assert.is(lines.length, 1)
      await clock.advance(60_000)
      assert.is(await post(PUSH, {}), 401)
      assert.is(lines.length, 2)
      assert.equal(fetched, [])
      assert.equal(outcomes, Array(4).fill('unauthorized'))
    }))
  test('a renewed Secret counts at the next delivery, as the kubelet swaps it, and the old one no more', () =>
    served(async ({ post, folder }) => {
      for (const [version, secret] of ['the-first-secret-there-is', 'the-second-secret-there-is'].entries()) {
        mkdirSync(join(folder, `..${version}`))
        writeFileSync(join(folder, `..${version}`, 'token'), secret)
        symlinkSync(`..${version}`, join(folder, '..next'))
        renameSync(join(folder, '..next'), join(folder, '..data'))
        rmSync(join(folder, 'token'))
        symlinkSync('..data/token', join(folder, 'token'))
        assert.is(await post(PUSH, sign(PUSH, secret)), 202)
        assert.is(await post(PUSH, sign(PUSH, SECRET)), 401)
      }
    }))
  test('two keys of the Secret are both valid', () =>
    served(async ({ post, folder }) => {
      writeFileSync(join(folder, 'next'), 'the-next-secret-there-is')
      assert.is(await post(PUSH, sign(PUSH, 'the-next-secret-there-is')), 202)
      assert.is(await post(PUSH), 202)
    }))
  for (const [name, text] of [
    ['no file', undefined],
    ['an empty file', ''],
    ['a short one', 'short'],
  ] as const)
    test(`a Secret with ${name} lets nobody in, and is a component that is down`, () =>
      served(async ({ post, folder, components, lines, outcomes }) => {
        rmSync(join(folder, 'token'))
        if (text !== undefined) writeFileSync(join(folder, 'token'), text)
        for (const headers of [sign(PUSH, text ?? SECRET), { 'x-gitlab-token': text ?? SECRET }] as Array<
          Record<string, string>
        >)
          assert.is(await post(PUSH, headers), 503)
        assert.is(components.hook, false)
        assert.is(lines.filter((line) => line.startsWith('cannot use all secrets of webhooks')).length, 1)
        assert.not.match(lines.join(), SECRET)
        writeFileSync(join(folder, 'token'), SECRET)
        assert.is(await post(PUSH), 202)
        assert.is(components.hook, true)
        assert.equal(outcomes, ['no-secret', 'no-secret', 'accepted'])
      }))
  test('other paths and methods', () =>
    served(async ({ port, outcomes }) => {
      const base = `http://127.0.0.1:${port}`
      assert.is((await fetch(`${base}/metrics`)).status, 404)
      assert.is((await fetch(`${base}/hook`)).status, 405)
      assert.equal(outcomes, [])
    }))
  test('a large delivery is verified, and one above the limit is not read', () =>
    served(async ({ post, fetched, port }) => {
      const large = Buffer.from(`${PUSH.slice(0, -1)},"commits":"${'x'.repeat(1 << 20)}"}`)
      assert.is(await post(large), 202)
      // too long to be kept: whatever branch it is about
      assert.equal(fetched, [undefined])
      const head = 'POST /hook HTTP/1.1\r\nhost: x\r\nx-gitlab-token: y\r\ncontent-length: 27000000\r\n\r\n'
      assert.match(await answered(port, head), /^HTTP\/1.1 413 /)
      const chunked = 'POST /hook HTTP/1.1\r\nhost: x\r\nx-gitlab-token: y\r\ntransfer-encoding: chunked\r\n\r\n'
      const part = `${(1 << 20).toString(16)}\r\n${'x'.repeat(1 << 20)}\r\n`
      assert.match(await answered(port, chunked, Array(26).fill(part)), /^HTTP\/1.1 413 /)
      assert.is(fetched.length, 1)
    }))
  test('a flood is answered without a look, and ends with the next seconds', () =>
    served(async ({ post, fetched, outcomes, clock, lines }) => {
      const codes = await Promise.all(
        Array.from({ length: 200 }, () => post(PUSH, sign(PUSH, 'wrong-wrong-wrong-wrong'))),
      )
      assert.equal(
        [codes.filter((code) => code === 401).length, codes.filter((code) => code === 429).length],
        [30, 170],
      )
      assert.is(await post(PUSH), 429)
      assert.equal(fetched, [])
      assert.is(outcomes.length, 201)
      assert.is(lines.length, 1)
      await clock.advance(1_000)
      assert.equal([await post(PUSH), await post(PUSH), await post(PUSH)], [202, 202, 429])
    }))
})

suite('the rate limit', (test) => {
  test('is of each address, and forgets the oldest of many', async () => {
    const clock = new FakeClock()
    const limit = new RateLimit(clock)
    for (let count = 0; count < 30; count++) assert.ok(limit.take('a'))
    assert.not(limit.take('a'))
    assert.ok(limit.take('b'))
    for (let count = 0; count < 256; count++) limit.take(`other-${count}`)
    assert.ok(limit.take('a'))
  })
  test('gives no more than a burst after a pause, and nothing while the clock is set back', async () => {
    const clock = new FakeClock()
    const limit = new RateLimit(clock)
    await clock.advance(3_600_000)
    assert.is(Array.from({ length: 40 }, () => limit.take('a')).filter(Boolean).length, 30)
    clock.set('2026-11-20T11:00:00Z')
    assert.not(limit.take('a'))
  })
})

/** What is answered to a request that is sent in parts. */
function answered(port: number, head: string, parts: readonly string[] = []): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    let text = ''
    socket.on('data', (data) => {
      text += data
      socket.destroy()
    })
    socket.on('error', () => {})
    socket.on('close', () => resolve(text))
    socket.write(head)
    for (const part of parts) socket.write(part)
  })
}
