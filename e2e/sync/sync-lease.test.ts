/** Leadership and Events of nodefit sync at a real API server, with the rights that they need and no others. */

import * as assert from 'uvu/assert'
import { systemClock } from '../../src/host/cluster/clock.ts'
import { connect } from '../../src/host/cluster/connection.ts'
import { Elector } from '../../src/host/sync/api/elector.ts'
import { postEvent } from '../../src/host/sync/api/events.ts'
import { recordedLog } from '../../test/host/sync/api/reflecting.ts'
import { engineContext } from '../../test/support/engine-context.ts'
import { suite } from '../../test/support/suite.ts'
import { apiUser } from '../support/api-user.ts'
import { CONTROL_PLANE, startCluster } from '../support/cluster.ts'
import { CutProxy } from '../support/cut-proxy.ts'
import { eventually } from '../support/eventually.ts'
import { has } from '../support/program.ts'

const DURATIONS = { leaseDuration: 6000, renewDeadline: 4000, retryPeriod: 800 }
const cluster = CONTROL_PLANE.every(has) ? await startCluster() : undefined

suite('leadership at a real API server', (test) => {
  test('a leader stops before others may begin', () => assert.ok(DURATIONS.renewDeadline < DURATIONS.leaseDuration))
  if (cluster === undefined) return
  const { kubectl } = cluster
  const user = apiUser(cluster, 'leader')
  user.allow('leases', 'get,create,update', 'leases.coordination.k8s.io')
  const port = Number(new URL(cluster.apiServer.url).port)
  const spec = () =>
    JSON.parse(kubectl(['get', 'lease', 'nodefit-sync', '-o', 'json']).stdout || '{}').spec as Record<string, unknown>

  async function candidate(identity: string) {
    const proxy = await CutProxy.to(port)
    const { lines, log } = recordedLog()
    const ending = new AbortController()
    const led: [from: number, to: number][] = []
    const elector = new Elector({
      connection: connect({ kubeconfig: user.kubeconfig(proxy.port) }, engineContext()),
      namespace: 'default',
      name: 'nodefit-sync',
      identity,
      context: engineContext({ log }),
      ...DURATIONS,
    })
    const ended = elector.run(ending.signal, async (signal) => {
      const from = Date.now()
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      led.push([from, Date.now()])
    })
    const stop = async () => {
      ending.abort()
      await ended
      proxy.close()
    }
    return { elector, proxy, lines, led, stop }
  }

  test('one leads at a time: through renewals, a cut, and an end that gives the Lease back', async () => {
    const [one, two] = [await candidate('one'), await candidate('two')]
    await eventually(() => one.elector.isLeader || two.elector.isLeader)
    const [first, second] = one.elector.isLeader ? [one, two] : [two, one]
    const identity = first.elector.holder
    assert.is(spec().holderIdentity, identity)
    assert.is(spec().leaseDurationSeconds, 6)
    const { renewTime } = spec()
    await eventually(() => spec().renewTime !== renewTime)
    first.proxy.isOpen = false
    first.proxy.cut()
    await eventually(() => second.elector.isLeader)
    assert.not(first.elector.isLeader)
    first.proxy.isOpen = true
    // once for each turn that has ended: more than one where a busy machine missed a renewal
    const transitions = Number(spec().leaseTransitions)
    const endedTurns = first.led.length + second.led.length
    assert.ok(transitions >= 1 && transitions <= endedTurns, `${transitions} of ${endedTurns}`)
    const held = spec().holderIdentity
    assert.is.not(held, identity)
    await second.stop()
    assert.is.not(spec().holderIdentity, held, 'the Lease was not given back')
    await eventually(() => first.elector.isLeader)
    await first.stop()
    assert.is(spec().holderIdentity, '')
    const turns = [...first.led, ...second.led].sort(([a], [b]) => a - b)
    // a busy machine may miss a renewal, which is one turn more
    assert.ok(turns.length >= 3, `${turns.length} turns`)
    for (const [index, [from]] of turns.entries()) assert.ok(index === 0 || from >= (turns[index - 1]?.[1] ?? 0))
  })
  test('the API server is killed: the leader stops in time, and leads again afterwards', async () => {
    const one = await candidate('one')
    await eventually(() => one.elector.isLeader)
    await cluster.apiServer.kill()
    await eventually(() => !one.elector.isLeader)
    await cluster.apiServer.start()
    await eventually(() => one.elector.isLeader)
    assert.ok(one.lines.some((line) => line.startsWith('cannot read or write the Lease')))
    await one.stop()
  })
  test('Events are there for kubectl, and what repeats is one of them', async () => {
    const { lines, log } = recordedLog()
    let now = Date.now()
    const clock = { ...systemClock, now: () => now }
    const regarding = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      namespace: 'default',
      name: 'nodefit-sync',
    }
    const connection = connect({ kubeconfig: user.kubeconfig(port) }, engineContext())
    const note = 'the branch main is protected'
    const draft = {
      namespace: 'default',
      regarding,
      type: 'Warning',
      reason: 'NotPushed',
      note,
    } as const
    const context = engineContext({ clock, log })
    await postEvent(connection, draft, context)
    assert.is(lines.length, 1)
    assert.match(String(lines[0]), /cannot create resource/)
    user.allow('events', 'create,patch', 'events.events.k8s.io')
    for (let time = 0; time < 3; time++) {
      now += 61_000
      await eventually(async () => {
        await postEvent(connection, draft, context)
        return eventsOf().length > 0
      })
    }
    assert.is(lines.length, 1)
    const [event, ...others] = eventsOf()
    assert.equal(others, [])
    assert.is(event?.note, note)
    assert.is(event?.type, 'Warning')
    assert.ok((event?.series?.count ?? 0) >= 2)
    const shown = kubectl(['events', '--for=lease/nodefit-sync']).stdout
    assert.match(
      shown,
      /\(x[23] over [^)]*\)\s+Warning\s+NotPushed\s+Lease\/nodefit-sync\s+the branch main is protected/,
    )
  })
  test('the cluster ends', () => cluster.stop())

  function eventsOf(): { note: string; type: string; series?: { count: number } }[] {
    const { stdout } = kubectl(['get', 'events.events.k8s.io', '-o', 'json'])
    return (JSON.parse(stdout) as { items: { reason: string }[] }).items.filter(
      ({ reason }) => reason === 'NotPushed',
    ) as never
  }
})
