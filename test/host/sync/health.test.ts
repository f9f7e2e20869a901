/** What the probes are told. */

import { connect } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import { type Status, startHealth, whyNotLive, whyNotReady } from '../../../src/host/sync/server.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { suite } from '../../support/suite.ts'

/** Waits until something is so. */
async function until(isSo: () => boolean): Promise<void> {
  for (const end = Date.now() + 20_000; Date.now() < end; await pause(50)) if (isSo()) return
  throw new Error('it did not come')
}

const NOW = 1_000_000_000
const MINUTE = 60_000
const well: Status = {
  turnedAt: NOW,
  turnsWithin: MINUTE,
  isSynced: true,
  isLeader: true,
  readyWithin: 15 * MINUTE,
  upToDateAt: NOW,
}

const VERDICTS: Array<[name: string, status: Partial<Status>, live: string | undefined, ready: string | undefined]> = [
  ['all is well', {}, undefined, undefined],
  ['the loop is as late as it may be', { turnedAt: NOW - 3 * MINUTE }, undefined, undefined],
  ['the loop stands', { turnedAt: NOW - 3 * MINUTE - 1 }, 'the loop has not turned for 180s', undefined],
  [
    'nothing is listed',
    { isSynced: false },
    undefined,
    'the caches are not synced: see the log for what cannot be listed',
  ],
  ['a standby does not look at Git', { isLeader: false, upToDateAt: undefined }, undefined, undefined],
  [
    'a standby has nothing listed',
    { isLeader: false, isSynced: false },
    undefined,
    'the caches are not synced: see the log for what cannot be listed',
  ],
  ['Git is not looked at', { upToDateAt: undefined }, undefined, 'Git is not up to date yet: see the log'],
  ['Git is right for as long as it may be', { upToDateAt: NOW - 15 * MINUTE }, undefined, undefined],
  ['Git is not right', { upToDateAt: NOW - 16 * MINUTE }, undefined, 'Git was last up to date 960s ago: see the log'],
]

suite('verdicts', (test) => {
  for (const [name, status, live, ready] of VERDICTS)
    test(name, () => {
      assert.is(whyNotLive({ ...well, ...status }, NOW), live)
      assert.is(whyNotReady({ ...well, ...status }, NOW), ready)
    })
})

suite('the health server', (test) => {
  const clock = new FakeClock()
  const served = async (
    body: (base: string, set: (status: Partial<Status>) => void, port: number) => Promise<void>,
  ) => {
    let status: Status = { ...well, turnedAt: clock.now(), upToDateAt: clock.now(), readyWithin: MINUTE }
    let isBroken = false
    const metrics = {
      contentType: 'text/plain; version=0.0.4',
      text: () => (isBroken ? Promise.reject(new Error('no')) : Promise.resolve('a 1\n')),
    }
    const health = await startHealth({
      host: '127.0.0.1',
      port: 0,
      clock,
      status: () => status,
      metrics,
    })
    try {
      await body(
        `http://127.0.0.1:${health.port}`,
        (change) => {
          status = { ...status, ...change }
          isBroken = 'broken' in change
        },
        health.port,
      )
    } finally {
      await health.close()
    }
  }
  const asked = async (url: string, method = 'GET') => {
    const response = await fetch(url, { method })
    return [response.status, (await response.text()).trim()]
  }
  test('says ok, or why not', () =>
    served(async (base, set) => {
      assert.equal(
        [await asked(`${base}/healthz`), await asked(`${base}/readyz?verbose`)],
        [
          [200, 'ok'],
          [200, 'ok'],
        ],
      )
      set({ turnedAt: 0, isSynced: false })
      assert.is((await asked(`${base}/healthz`))[0], 503)
      assert.equal(await asked(`${base}/readyz`), [
        503,
        'the caches are not synced: see the log for what cannot be listed',
      ])
    }))
  test('serves the metrics as what they are', () =>
    served(async (base, set) => {
      const response = await fetch(`${base}/metrics`)
      assert.equal(
        [response.headers.get('content-type'), await response.text()],
        ['text/plain; version=0.0.4', 'a 1\n'],
      )
      set({ broken: true } as Partial<Status>)
      assert.is((await asked(`${base}/metrics`))[0], 500)
    }))
  test('serves nothing else', () =>
    served(async (base) => {
      assert.is((await asked(`${base}/`))[0], 404)
      assert.is((await asked(`${base}/debug/pprof`))[0], 404)
      assert.is((await asked(`${base}/healthz`, 'POST'))[0], 405)
      assert.equal(await asked(`${base}/healthz`, 'HEAD'), [200, ''])
    }))
  test('ends although somebody keeps a connection open', () =>
    served(async (_, __, port) => {
      const socket = connect(port, '127.0.0.1')
      await new Promise((resolve) => socket.once('connect', resolve))
      socket.on('error', () => {})
    }))
  test('answers every probe while hundreds of silent connections are opened, and closes those', () =>
    served(async (base, _, port) => {
      const silent = Array.from({ length: 300 }, () => connect(port, '127.0.0.1').on('error', () => {}))
      let closed = 0
      for (const socket of silent) socket.once('close', () => closed++)
      const answers: unknown[] = []
      for (let probe = 0; probe < 18; probe++) answers.push((await asked(`${base}/healthz`))[0])
      assert.equal(answers, Array(18).fill(200))
      // the others are idle for too long
      await until(() => closed === 300)
    }))
  test('says that its address is taken', () =>
    served(async (_, __, port) => {
      const again = startHealth({
        host: '127.0.0.1',
        port,
        clock,
        status: () => well,
        metrics: { contentType: '', text: async () => '' },
      })
      assert.is(
        await again.then(
          () => 'started',
          ({ code }) => code,
        ),
        'EADDRINUSE',
      )
    }))
})
