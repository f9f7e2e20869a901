/** Which servers a configuration has, while it changes. */
import { createServer } from 'node:net'
import * as assert from 'uvu/assert'
import type { SyncConfig } from '../../../src/host/sync/config/check-config.ts'
import { Servers } from '../../../src/host/sync/servers.ts'
import { engineContext, silentMeter } from '../../support/engine-context.ts'
import { suite } from '../../support/suite.ts'
import { syncConfig } from '../../support/sync-config.ts'

const LOOPBACK = '127.0.0.1:0'
const config = (spec: object = {}): SyncConfig => syncConfig({ health: { address: LOOPBACK }, ...spec })

const serving = async (body: (servers: Servers, forgotten: string[]) => Promise<void>) => {
  const forgotten: string[] = []
  const meter = { ...silentMeter, forgetComponents: (...names: string[]) => void forgotten.push(...names) }
  const servers = new Servers({
    context: engineContext({ meter }),
    metrics: { contentType: 'text/plain', text: async () => '' },
    status: () => ({ turnedAt: 0, turnsWithin: 1, isSynced: true, isLeader: false, readyWithin: 1 }),
    onPush: () => 'accepted',
  })
  try {
    await body(servers, forgotten)
  } finally {
    await servers.close()
  }
}
const status = (port: number | undefined, path: string) =>
  fetch(`http://127.0.0.1:${port}${path}`, { method: path === '/hook' ? 'POST' : 'GET' }).then(
    ({ status }) => status,
    () => undefined,
  )
/** The code of the error with which a configuration is refused. */
const used = (servers: Servers, spec: object): Promise<string> =>
  servers.use(config(spec)).then(
    () => 'used',
    (error) => error.code,
  )

suite('servers', (test) => {
  test('have no webhook unless it is on, and none again once it is off', () =>
    serving(async (servers, forgotten) => {
      await servers.use(config())
      const { health, hook } = servers.ports
      assert.equal([await status(health, '/hook'), hook], [405, undefined])
      await servers.use(config({ hook: { address: LOOPBACK, secret: '/nowhere' } }))
      const on = servers.ports
      assert.equal([await status(on.hook, '/hook'), await status(on.hook, '/metrics')], [503, 404])
      assert.is(on.health, health)
      forgotten.length = 0
      await servers.use(config())
      assert.equal([servers.ports.hook, forgotten], [undefined, ['hook']])
      assert.is(await status(on.hook, '/hook'), undefined)
    }))
  test('stay as they are where only something else changes', () =>
    serving(async (servers) => {
      const hook = { address: LOOPBACK, secret: '/nowhere' }
      await servers.use(config({ hook }))
      const before = servers.ports
      await servers.use(config({ hook, quietWindow: '1s' }))
      assert.equal(servers.ports, before)
      await servers.use(config({ hook, git: { branch: 'other' } }))
      assert.is(servers.ports.health, before.health)
      assert.is.not(servers.ports.hook, before.hook)
    }))
  test('serve as before where an address is taken, and say so', () =>
    serving(async (servers) => {
      const { taken, free } = await takenAddress()
      try {
        await servers.use(config())
        for (const spec of [{ hook: { address: taken } }, { health: { address: taken } }]) {
          assert.is(await used(servers, spec), 'EADDRINUSE')
          assert.is(await status(servers.ports.health, '/healthz'), 503)
          assert.is(servers.ports.hook, undefined)
        }
      } finally {
        await free()
      }
      await servers.use(config({ hook: { address: taken, secret: '/nowhere' } }))
      assert.is(await status(servers.ports.hook, '/hook'), 503)
    }))
  test('leave nothing listening where the first configuration cannot be served: the process would never end', () =>
    serving(async (servers) => {
      const [{ taken, free }, address] = [await takenAddress(), await freeAddress()]
      try {
        const first = { health: { address }, hook: { address: taken, secret: '/nowhere' } }
        assert.is(await used(servers, first), 'EADDRINUSE')
        assert.equal(servers.ports, { health: undefined, hook: undefined })
        assert.is(await status(Number(address.split(':')[1]), '/healthz'), undefined)
      } finally {
        await free()
      }
    }))
  test('may exchange their addresses', () =>
    serving(async (servers) => {
      const [a, b] = await Promise.all([freeAddress(), freeAddress()])
      await servers.use(config({ health: { address: a }, hook: { address: b } }))
      await servers.use(config({ health: { address: b }, hook: { address: a } }))
      assert.is(`127.0.0.1:${servers.ports.health}`, b)
    }))
})

async function freeAddress(): Promise<string> {
  const { taken, free } = await takenAddress()
  await free()
  return taken
}

/** An address that somebody listens on, until it is freed. */
async function takenAddress(): Promise<{ taken: string; free: () => Promise<unknown> }> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as { port: number }
  return { taken: `127.0.0.1:${port}`, free: () => new Promise((resolve) => server.close(resolve)) }
}
