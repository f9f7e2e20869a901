import * as assert from 'uvu/assert'
import { json, refuse, ScriptedApi } from '../../../../e2e/support/scripted-api.ts'
import { Elector, type ElectorOptions } from '../../../../src/host/sync/api/elector.ts'
import { engineContext } from '../../../support/engine-context.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { suite } from '../../../support/suite.ts'
import { connectTo, pass, recordedLog, recordedMeter, until } from './reflecting.ts'

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/nodefit/leases'
const ofLease = ({ path }: { path: string }) => path.startsWith(LEASES)
const writes = ({ path, method }: { path: string; method: string }) => path.startsWith(LEASES) && method !== 'GET'

interface Candidate {
  readonly elector: Elector
  /** Whether its work goes on. */
  readonly works: () => boolean
  readonly starts: () => number
  readonly counted: ReturnType<typeof recordedMeter>['counted']
  readonly lines: string[]
  readonly stop: () => Promise<void>
}

/** The Lease as the server has it. */
const specOf = (api: ScriptedApi) => api.get(LEASES, 'sync')?.spec as Record<string, string | number> | undefined
const holderOf = (api: ScriptedApi) => specOf(api)?.holderIdentity

async function electing(
  body: (
    api: ScriptedApi,
    clock: FakeClock,
    stand: (identity: string, more?: Partial<ElectorOptions>) => Candidate,
  ) => Promise<void>,
): Promise<void> {
  const api = await ScriptedApi.start()
  const clock = new FakeClock()
  const candidates: Candidate[] = []
  try {
    await body(api, clock, (identity, more = {}) => {
      const candidate = candidateOf(api, clock, identity, more)
      candidates.push(candidate)
      return candidate
    })
  } finally {
    const ends = Promise.all(candidates.map(({ stop }) => stop()))
    const ticks = setInterval(() => void clock.advance(1000), 5)
    await api.close()
    await ends
    clearInterval(ticks)
  }
}

function candidateOf(api: ScriptedApi, clock: FakeClock, identity: string, more: Partial<ElectorOptions>): Candidate {
  const { counted, meter } = recordedMeter()
  const { lines, log } = recordedLog()
  const connection = connectTo(api, clock)
  const context = engineContext({ clock, log, meter })
  const options = { connection, namespace: 'nodefit', name: 'sync', identity, context, random: () => 0.5 }
  const elector = new Elector({ ...options, ...more })
  const ending = new AbortController()
  let working = 0
  let starts = 0
  const ended = elector.run(ending.signal, async (signal) => {
    starts++
    working++
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    working--
  })
  const stop = () => {
    ending.abort()
    return ended
  }
  return { elector, works: () => working > 0, starts: () => starts, counted, lines, stop }
}

suite('an elector', (test) => {
  test('takes a Lease that is not there, and renews it', () =>
    electing(async (api, clock, stand) => {
      const one = stand('one')
      await until(one.works)
      assert.ok(one.elector.isLeader)
      assert.is(one.elector.holder, 'one')
      assert.is(one.counted.components.get('leader'), true)
      const first = specOf(api)
      assert.equal(first, {
        holderIdentity: 'one',
        leaseDurationSeconds: 30,
        acquireTime: '2026-11-20T12:00:00.000500Z',
        renewTime: '2026-11-20T12:00:00.000500Z',
        leaseTransitions: 0,
      })
      await pass(clock, () => api.count(writes) === 6, 1000)
      assert.equal(specOf(api), { ...first, renewTime: '2026-11-20T12:00:20.000500Z' })
    }))
  test('leaves a Lease to its holder as long as that renews, and takes it 30 s after the last renewal that it saw', () =>
    electing(async (api, clock, stand) => {
      const one = stand('one')
      await until(one.works)
      const two = stand('two')
      await until(() => two.elector.holder === 'one')
      await pass(clock, () => api.count(writes) > 30, 1000)
      assert.not(two.works())
      // the holder dies without a word
      api.next(
        (asked) => ofLease(asked) && asked.method === 'PUT' && asked.body.includes('"one"'),
        () => {},
        99,
      )
      const took = await pass(clock, two.works, 1000)
      assert.ok(took >= 30_000 && took <= 45_000, String(took))
      assert.not(one.works())
      assert.is(specOf(api)?.leaseTransitions, 1)
      assert.is(specOf(api)?.acquireTime, specOf(api)?.renewTime)
    }))
  test('is never led by two, whoever is cut off and for how long', () =>
    electing(async (api, clock, stand) => {
      const three = [stand('one'), stand('two'), stand('three')]
      let cutOff = ''
      let leaders = 0
      const isCut = ({ headers, body }: { headers: object; body: string }) =>
        cutOff !== '' && JSON.stringify(headers).concat(body).includes(cutOff)
      api.next(
        (asked) => ofLease(asked) && isCut(asked),
        (_, response) => response.socket?.resetAndDestroy(),
        9999,
      )
      for (let round = 0; round < 6; round++) {
        await pass(clock, () => three.some(({ works }) => works()), 1000)
        cutOff = `"${String(holderOf(api))}"`
        for (let second = 0; second < 60; second++) {
          await clock.advance(1000)
          const working = three.filter(({ works }) => works()).length
          assert.ok(working <= 1)
          leaders += working
        }
        cutOff = ''
      }
      assert.ok(leaders > 100 && leaders < 360, String(leaders))
    }))
  test('stops before others may begin, when the API server is gone', () =>
    electing(async (api, clock, stand) => {
      const one = stand('one')
      await until(one.works)
      await api.close()
      const took = await pass(clock, () => !one.works(), 1000)
      assert.ok(took >= 19_000 && took <= 20_000, String(took))
      assert.is(one.counted.components.get('leader'), false)
      assert.is(one.lines.filter((line) => line.startsWith('cannot read or write the Lease: check')).length, 1)
    }))
  test('stops in time when the API server is silent', () =>
    electing(async (api, clock, stand) => {
      const one = stand('one')
      await until(one.works)
      api.next(ofLease, () => {}, 99)
      const took = await pass(clock, () => !one.works(), 1000)
      assert.ok(took >= 19_000 && took <= 20_000, String(took))
    }))
  test('stops in time though the time of the machine is set back', () =>
    electing(async (api, clock, stand) => {
      let back = 0
      const skewed = { now: () => clock.now() - back, sleep: clock.sleep.bind(clock) }
      const one = stand('one', { context: engineContext({ clock: skewed }) })
      await until(one.works)
      await api.close()
      back = 3_600_000
      assert.ok((await pass(clock, () => !one.works(), 1000)) <= 20_000)
    }))
  test('does not take over early because the time of the machine jumps', () =>
    electing(async (api, clock, stand) => {
      const one = stand('one')
      await until(one.works)
      let ahead = 0
      const two = stand('two', {
        context: engineContext({ clock: { now: () => clock.now() + ahead, sleep: clock.sleep.bind(clock) } }),
      })
      await until(() => two.elector.holder === 'one')
      ahead = 3_600_000
      await pass(clock, () => api.count(writes) > 5, 1000)
      assert.not(two.works())
      assert.is(holderOf(api), 'one')
    }))
  test('goes on after a refusal that ends in time', () =>
    electing(async (api, clock, stand) => {
      const one = stand('one')
      await until(one.works)
      api.next(ofLease, (_, response) => refuse(response, 500, '', 'no'), 2)
      api.next(writes, (_, response) => response.socket?.resetAndDestroy())
      const before = api.count(writes)
      await pass(clock, () => api.count(writes) > before + 3, 1000)
      // one that is never answered is given up in time for another one
      api.next(ofLease, () => {})
      await pass(clock, () => api.count(writes) > before + 6, 1000)
      assert.ok(one.works())
      assert.is(one.starts(), 1)
    }))
  test('goes on after a renewal whose answer was lost', () =>
    electing(async (api, clock, stand) => {
      const one = stand('one')
      await until(one.works)
      api.next(writes, (asked, response) => {
        api.put(LEASES, JSON.parse(asked.body))
        response.socket?.resetAndDestroy()
      })
      const before = api.count(writes)
      await pass(clock, () => api.count(writes) > before + 3, 1000)
      assert.ok(one.works())
      assert.is(one.starts(), 1)
    }))
  test('gives the Lease back once the work has ended, so that the next one has it at once', () =>
    electing(async (api, clock, stand) => {
      const one = stand('one')
      await until(one.works)
      const two = stand('two')
      await until(() => two.elector.holder === 'one')
      await one.stop()
      assert.is(holderOf(api), '')
      assert.ok((await pass(clock, two.works, 500)) <= 5500)
    }))
  test('keeps a Lease back whose work does not end', () =>
    electing(async (api, clock) => {
      const ending = new AbortController()
      const { log } = recordedLog()
      const { meter } = recordedMeter()
      const options = {
        connection: connectTo(api, clock),
        namespace: 'nodefit',
        name: 'sync',
        identity: 'stuck',
        context: { clock, log, meter },
      }
      let hasBegun = false
      let hasEnded = false
      const ended = new Elector(options).run(ending.signal, () => {
        hasBegun = true
        return new Promise(() => {})
      })
      void ended.then(() => {
        hasEnded = true
      })
      await pass(clock, () => hasBegun, 1000)
      ending.abort()
      assert.ok((await pass(clock, () => hasEnded, 1000)) <= 21_000)
      assert.is(holderOf(api), 'stuck')
    }))
  test('gives the Lease back where its work fails, and tries again', () =>
    electing(async (api, clock) => {
      const { log, lines } = recordedLog()
      const { meter } = recordedMeter()
      const options = {
        connection: connectTo(api, clock),
        namespace: 'nodefit',
        name: 'sync',
        identity: 'x',
        context: { clock, log, meter },
      }
      const ending = new AbortController()
      let starts = 0
      const ended = new Elector(options).run(ending.signal, async (signal) => {
        if (++starts < 3) throw new Error('on purpose')
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      })
      await until(() => holderOf(api) === '' && starts === 1)
      await pass(clock, () => starts === 3, 1000)
      assert.is(lines.filter((line) => line.includes('on purpose')).length, 2)
      ending.abort()
      await ended
    }))
  test('takes up at once what it held before it was begun anew, and knows another one with its name', () =>
    electing(async (api, clock, stand) => {
      const one = stand('twin')
      await until(one.works)
      const other = stand('twin', { random: () => 0.25 })
      await until(other.works)
      assert.ok((await pass(clock, () => !one.works(), 1000)) <= 5000)
      await pass(clock, () => api.count(writes) > 8, 1000)
      assert.not(one.works())
      assert.ok(other.works())
    }))
  test('keeps what others have written into the Lease', () =>
    electing(async (api, _, stand) => {
      api.put(LEASES, {
        metadata: { name: 'sync', labels: { kept: 'yes' } },
        spec: { strategy: 'x', leaseTransitions: 4 },
      })
      await until(stand('one').works)
      assert.equal(api.get(LEASES, 'sync')?.metadata.labels, { kept: 'yes' })
      assert.is(specOf(api)?.strategy, 'x')
      assert.is(specOf(api)?.leaseTransitions, 5)
    }))
  test('one of two that come at the same time is second', () =>
    electing(async (api, clock, stand) => {
      const stale = { ...api.put(LEASES, { metadata: { name: 'sync' }, spec: { holderIdentity: '' } }) }
      api.next(
        ({ method, path }) => method === 'GET' && path.startsWith(LEASES),
        (_, response) => json(response, 200, stale),
        2,
      )
      const both = [stand('one'), stand('two')]
      await until(() => both.some(({ works }) => works()) && api.count(writes) >= 2)
      await clock.advance(1000)
      assert.is(both.filter(({ works }) => works()).length, 1)
      assert.not(
        both.some(({ lines }) => lines.some((line) => line.startsWith('cannot read or write the Lease: check'))),
      )
    }))
  test('passes a message on to the leader, each once, and none that was there before it led', () =>
    electing(async (api, clock, stand) => {
      const heard: string[] = []
      const one = stand('one', { onMessage: (text) => heard.push(text) })
      await until(one.works)
      const two = stand('two', { onMessage: () => heard.push('the wrong one') })
      await until(() => two.elector.holder === 'one')
      for (const text of ['b2', 'b2', '']) {
        await clock.advance(1)
        await two.elector.tell(text)
        const before = api.count(writes)
        await pass(clock, () => api.count(writes) >= before + 2, 1000)
      }
      assert.equal(heard, ['b2', 'b2', ''])
      assert.ok(one.works())
      const three = stand('three', { onMessage: (text) => heard.push(`three ${text}`) })
      await one.stop()
      await two.stop()
      await pass(clock, three.works, 500)
      const before = api.count(writes)
      await pass(clock, () => api.count(writes) >= before + 3, 1000)
      assert.is(heard.length, 3)
    }))
  test('leads on where a message is written between its read and its renewal', () =>
    electing(async (api, clock, stand) => {
      const heard: string[] = []
      const one = stand('one', { onMessage: (text) => heard.push(text) })
      await until(one.works)
      const two = stand('two')
      await until(() => two.elector.holder === 'one')
      // the renewal is refused, since the Lease is another one by then
      api.next(writes, (_, response) => {
        const lease = api.get(LEASES, 'sync')
        api.put(LEASES, { ...lease, metadata: { name: 'sync', annotations: { 'nodefit.dev/sync-message': 'now b2' } } })
        refuse(response, 409, 'Conflict', 'changed')
      })
      const before = api.count(writes)
      await pass(clock, () => api.count(writes) >= before + 4, 1000)
      assert.equal([one.works(), one.starts(), heard], [true, 1, ['b2']])
    }))
  test('is followed in time although messages are written all the while', () =>
    electing(async (api, clock, stand) => {
      const one = stand('one')
      await until(one.works)
      const two = stand('two')
      await until(() => two.elector.holder === 'one')
      // the holder dies; only messages are written, which renew nothing
      const isRenewal = ({ body }: { body: string }) => JSON.parse(body).spec.renewTime !== specOf(api)?.renewTime
      api.next(
        (asked) =>
          ofLease(asked) && asked.method === 'PUT' && asked.body.includes('"holderIdentity":"one"') && isRenewal(asked),
        () => {},
        99,
      )
      let messages = 0
      const telling = setInterval(() => void two.elector.tell(`told ${messages++}`).catch(() => {}), 20)
      const took = await pass(clock, two.works, 1000)
      clearInterval(telling)
      assert.ok(messages > 3)
      assert.ok(took <= 50_000, String(took))
    }))
  test('takes no times with which two could lead', () => {
    const options = { connection: {} as never, namespace: 'a', name: 'b', identity: 'c', context: engineContext() }
    for (const wrong of [{ renewDeadline: 30_000 }, { retryPeriod: 20_000 }])
      assert.throws(() => new Elector({ ...options, ...wrong }), /retryPeriod < renewDeadline < leaseDuration/)
  })
})
