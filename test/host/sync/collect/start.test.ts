/**
 * What is collected of a cluster whose APIs come and go, when it asks for an evaluation, and the snapshot that it
 * gives.
 */

import { readFileSync } from 'node:fs'
import * as assert from 'uvu/assert'
import { METRICS, MetricsApi } from '../../../../e2e/support/metrics-api.ts'
import { LISTS, refuse, ScriptedApi } from '../../../../e2e/support/scripted-api.ts'
import { readLive } from '../../../../src/facts/inventory/index.ts'
import { PART_NAMES } from '../../../../src/host/sync/collect/collector.ts'
import { type Collecting, startCollectors, workloadSnapshot } from '../../../../src/host/sync/collect/start.ts'
import type { Subject } from '../../../../src/krm/finding.ts'
import { engineContext } from '../../../support/engine-context.ts'
import { FakeClock } from '../../../support/fake-clock.ts'
import { suite } from '../../../support/suite.ts'
import { connectTo, recordedLog, recordedMeter, until } from '../api/reflecting.ts'
import { rendered } from './support.ts'

const KORDER = '/apis/core.korder.dev'
const SMITH = '/apis/kubenodesmith.parawell.cloud'
const TICKETS = `${KORDER}/v1alpha1/tickets`
const CLAIMS = `${SMITH}/v1alpha1/nodesmithclaims`
const POOLS = `${SMITH}/v1alpha1/nodesmithpools`
const DAEMON_SETS = '/apis/apps/v1/daemonsets'
const SECOND = 1000

const ticket = (phase: string, name = 't') => ({
  metadata: { name, namespace: 'infra', labels: { 'korder.dev/order': 'o' } },
  spec: { duration: '1h' },
  status: { phase, nodeName: 'a', guardianPod: 'infra/x' },
})
const serve = (api: ScriptedApi, folder: string, ...resources: string[]) =>
  api.put(folder, { metadata: { name: 'v1alpha1' }, resources: resources.map((name) => ({ name })) })

interface Parts {
  api: ScriptedApi
  clock: FakeClock
  collecting: Collecting
  changes: () => number
  lines: string[]
  components: Map<string, boolean>
  /** Lets time pass in small steps, and the requests in it. */
  wait: (seconds: number) => Promise<void>
}

async function started(
  collect: string[],
  before: (api: ScriptedApi) => void,
  body: (parts: Parts) => Promise<void>,
): Promise<void> {
  const api = await ScriptedApi.start()
  // an empty collection is one that was not always empty
  for (const path of ['/api/v1/pods', '/api/v1/events', DAEMON_SETS, TICKETS, CLAIMS, POOLS]) {
    api.put(path, { metadata: { name: 'gone' } })
    api.remove(path, 'gone')
  }
  before(api)
  const clock = new FakeClock()
  const { counted, meter } = recordedMeter()
  const { lines, log } = recordedLog()
  let changes = 0
  const ending = new AbortController()
  const collecting = startCollectors(
    {
      ...{ collect, connection: connectTo(api, clock), context: engineContext({ clock, meter, log }) },
      nodes: () => ['a'],
      onChange: () => {
        changes++
      },
      relistInterval: 0,
    },
    ending.signal,
  )
  const wait = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      await clock.advance(SECOND)
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
  }
  try {
    await body({ api, clock, collecting, changes: () => changes, lines, components: counted.components, wait })
  } finally {
    ending.abort()
    await collecting.ended
    await api.close()
  }
}

const known = ({ waitingFor }: Collecting) => until(() => waitingFor().length === 0, 'all that is collected')
const partOf = ({ collecting, clock }: Parts) => Object.assign({}, ...collecting.parts(clock.now()))

suite('what is collected', (test) => {
  test('has the rows of usage that Git has, though nothing is measured any more', () =>
    started(
      ['nodes'],
      () => {},
      async ({ collecting, clock }) => {
        const row = {
          policy: 'a/p',
          container: 'c',
          group: 'g',
          settled: { cpu: '1m', at: '', why: 'Regular' as const },
        }
        collecting.rememberUsage(new Map([['x', { known: { ...row, days: 0, pods: 0 } as never, row }]]))
        assert.equal(collecting.parts(clock.now()), [{ usage: [row] }])
      },
    ))
  test('is nothing where only nodes are asked for', () =>
    started(
      ['nodes'],
      () => {},
      async (parts) => {
        assert.equal(parts.collecting.waitingFor(), [])
        assert.equal(parts.collecting.parts(0), [])
        assert.equal(parts.api.asked, [])
        assert.is(workloadSnapshot([], { cluster: 'c', name: 'c', now: new Date(0) }), undefined)
      },
    ))
  test('asks for one evaluation when all of it is known, with DaemonSets watched once', () =>
    started(
      ['usage', 'pods', 'events'],
      (api) => {
        const metrics = new MetricsApi()
        const isOfMetrics = ({ path }: { path: string }) => path.startsWith(METRICS)
        api.next(isOfMetrics, ({ path, query }, response) => metrics.answer(`${path}?${query}`, response), 1e9)
        api.put(DAEMON_SETS, rendered('agent') as never)
        api.put('/api/v1/pods', { metadata: { name: 'p', namespace: 'n' }, spec: { nodeName: 'a' } })
      },
      async (parts) => {
        const { api, collecting, changes, wait } = parts
        await wait(3)
        await known(collecting)
        // pods of rendered groups have a watch of their own, for kills
        await until(() => changes() === 1 && api.openWatches === 4)
        assert.is(
          api.count(({ path, isWatch }) => path === DAEMON_SETS && !isWatch),
          1,
        )
        api.put('/api/v1/pods', { metadata: { name: 'q', namespace: 'n' }, spec: { nodeName: 'a' } })
        await until(() => partOf(parts).nodes[0].used.pods === '2')
        assert.is(changes(), 1, 'pods ask for nothing')
        const written = partOf(parts)
        assert.equal(Object.keys(written).sort(), [
          'daemonSets',
          'events',
          'metricsAvailable',
          'namespaces',
          'nodes',
          'usage',
        ])
      },
    ))
  for (const collect of [['tickets', 'pods'], ['tickets', 'pending'], ['tickets', 'pods', 'pending'], ['tickets']])
    test(`whether the pod that claimed a Ticket is gone is said where pods are collected: ${collect.join()}`, () =>
      started(
        collect,
        (api) => {
          serve(api, KORDER, 'tickets')
          const claimed = ticket('Claimed')
          api.put(TICKETS, { ...claimed, status: { ...claimed.status, claimedPod: 'team/api-0' } })
          api.put(TICKETS, ticket('Reserved', 'u'))
          api.put('/api/v1/pods', { metadata: { name: 'api-0', namespace: 'team', uid: '1' }, spec: { nodeName: 'a' } })
        },
        async (parts) => {
          const { api, collecting, wait } = parts
          const gone = () => partOf(parts).tickets?.map(({ podGone }: { podGone?: boolean }) => podGone)
          await wait(15)
          await known(collecting)
          const isKnown = collect.length > 1
          assert.equal(gone(), [isKnown ? false : undefined, undefined])
          api.remove('/api/v1/pods', 'api-0')
          if (isKnown) await until(() => gone()[0] === true, 'the pod is gone')
          assert.equal(gone(), [isKnown ? true : undefined, undefined])
        },
      ))
  for (const [name, collect, folder, path, resource] of [
    ['Tickets', 'tickets', KORDER, TICKETS, 'tickets'],
    ['claims', 'claims', SMITH, CLAIMS, 'nodesmithclaims'],
    ['pools', 'pools', SMITH, POOLS, 'nodesmithpools'],
  ] as const)
    test(`${name} that are not served are unknown, not none, until they are`, () =>
      started(
        [collect],
        () => {},
        async (parts) => {
          const { api, collecting, components, wait, changes } = parts
          await wait(15)
          assert.equal(collecting.waitingFor(), [collect], 'a server that starts may say so')
          await wait(15)
          assert.equal(collecting.waitingFor(), [])
          assert.equal(partOf(parts), {})
          assert.is(components.get(`api-${resource}`), false)
          assert.is(changes(), 1)
          serve(api, folder, 'others')
          await wait(61)
          assert.equal(partOf(parts), {})
          serve(api, folder, 'others', resource)
          await wait(61)
          await until(() => partOf(parts)[collect] !== undefined)
          assert.equal(partOf(parts), { [collect]: [] })
          assert.is(components.get(`api-${resource}`), true)
          api.put(path, { metadata: { name: 'x', namespace: 'n' } })
          await until(() => partOf(parts)[collect].length === 1)
        },
      ))
  test('pods, with those that wait for a node, come from one watch, and one that waits asks for an evaluation', () =>
    started(
      ['pods', 'pending', 'machines'],
      (api) => {
        const v1beta2 = ['machines', 'machinedeployments'].map((name) => ({ name }))
        api.put('/apis/cluster.x-k8s.io', { metadata: { name: 'v1beta2' }, resources: v1beta2 })
        for (const [resource, name] of [
          ['machines', 'm'],
          ['machinedeployments', 'md'],
        ] as const)
          api.put(`/apis/cluster.x-k8s.io/v1beta2/${resource}`, {
            metadata: { name, namespace: 'n' },
            spec: { replicas: 2 },
          })
      },
      async (parts) => {
        const { api, collecting, changes } = parts
        await known(collecting)
        await until(() => api.openWatches === 3)
        assert.is(
          api.count(({ path, isWatch }) => path === '/api/v1/pods' && !isWatch),
          1,
        )
        const written = partOf(parts)
        assert.equal(Object.keys(written).sort(), ['daemonSets', 'machines', 'namespaces', 'nodes', 'pending'])
        assert.equal(written.machines, [
          { namespace: 'n', name: 'm' },
          { kind: 'MachineDeployment', namespace: 'n', name: 'md', replicas: 2 },
        ])
        const before = changes()
        api.put('/api/v1/pods', { metadata: { name: 'p', namespace: 'n' }, spec: {} })
        await until(() => changes() > before)
        await until(() => partOf(parts).pending.length === 1)
      },
    ))
  test('a Ticket that is claimed, or has ended, asks for an evaluation; one that says the same again does not', () =>
    started(
      ['tickets'],
      (api) => {
        serve(api, KORDER, 'tickets')
        api.put(TICKETS, ticket('Ready'))
      },
      async (parts) => {
        const { api, changes, collecting } = parts
        await known(collecting)
        await until(() => api.openWatches === 1)
        const before = changes()
        for (const phase of ['Claimed', 'Expired']) {
          const seen: number = changes()
          api.put(TICKETS, ticket(phase))
          await until(() => changes() > seen)
          const entry = { namespace: 'infra', name: 't', order: 'o', node: 'a', phase }
          assert.equal(partOf(parts), { tickets: [entry] })
        }
        api.put(TICKETS, {
          ...ticket('Expired'),
          metadata: { ...ticket('Expired').metadata, annotations: { a: 'b' } } as never,
        })
        api.put(TICKETS, ticket('Ready', 'a'))
        await until(() => partOf(parts).tickets.length === 2)
        assert.is(changes() - before, 3)
        assert.equal(
          partOf(parts).tickets.map(({ name }: { name: string }) => name),
          ['a', 't'],
        )
      },
    ))
  test('a Ticket that cannot be read is left out, and said', () =>
    started(
      ['tickets'],
      (api) => {
        serve(api, KORDER, 'tickets')
        api.put(TICKETS, { metadata: { name: 't', namespace: 'n' }, status: { expirationTime: 'soon' } })
      },
      async (parts) => {
        await known(parts.collecting)
        assert.equal(partOf(parts), { tickets: [] })
        assert.match(parts.lines.join(), 'status.expirationTime is soon')
      },
    ))
  test('a definition that is removed makes them unknown again, after three looks', () =>
    started(
      ['tickets'],
      (api) => {
        serve(api, KORDER, 'tickets')
        api.put(TICKETS, ticket('Ready'))
      },
      async (parts) => {
        const { api, collecting, changes, wait } = parts
        await known(collecting)
        await until(() => api.openWatches === 1)
        const before = changes()
        api.remove(KORDER, 'v1alpha1')
        await wait(65)
        assert.is(partOf(parts).tickets?.length, 1)
        await wait(25)
        assert.equal(partOf(parts), {})
        assert.is(changes() - before, 1)
        await until(() => api.openWatches === 0)
        assert.equal(collecting.waitingFor(), [])
        const lists = api.count(({ path }) => path === TICKETS)
        await wait(90)
        assert.is(
          api.count(({ path }) => path === TICKETS),
          lists,
          'nobody asks for them any more',
        )
      },
    ))
  test('a definition that is not served for a moment now and then changes nothing', () =>
    started(
      ['tickets'],
      (api) => {
        serve(api, KORDER, 'tickets')
        api.put(TICKETS, ticket('Ready'))
      },
      async (parts) => {
        const { api, collecting, components, wait } = parts
        await known(collecting)
        for (let time = 0; time < 2; time++) {
          api.remove(KORDER, 'v1alpha1')
          await wait(73)
          serve(api, KORDER, 'tickets')
          await wait(11)
        }
        assert.is(partOf(parts).tickets?.length, 1)
        assert.is(components.get('api-tickets'), true)
      },
    ))
  test('Tickets that are served and may not be read are waited for, also where they were not served before', () =>
    started(
      ['tickets'],
      (api) =>
        api.next(
          ({ path }) => path === TICKETS,
          (_, response) => refuse(response, 403, 'Forbidden', 'no'),
          1e9,
        ),
      async (parts) => {
        const { api, collecting, wait } = parts
        await wait(30)
        assert.equal(collecting.waitingFor(), [])
        serve(api, KORDER, 'tickets')
        await wait(61)
        await until(() => api.count(({ path }) => path === TICKETS) > 0)
        assert.equal(collecting.waitingFor(), ['tickets'])
        assert.equal(partOf(parts), {})
      },
    ))
  test('a server that fails says nothing of what it serves', () =>
    started(
      ['tickets'],
      (api) => api.next(LISTS, (_, response) => refuse(response, 503, 'ServiceUnavailable', 'starting'), 4),
      async (parts) => {
        const { api, collecting, wait } = parts
        await wait(25)
        assert.equal(collecting.waitingFor(), ['tickets'])
        serve(api, KORDER, 'tickets')
        await wait(20)
        await known(collecting)
        assert.equal(partOf(parts), { tickets: [] })
      },
    ))
  test('what may not be read is waited for, and is not taken for none', () =>
    started(
      ['pods'],
      (api) => api.next(LISTS, (_, response) => refuse(response, 403, 'Forbidden', 'may not list'), 1e9),
      async (parts) => {
        await parts.wait(30)
        assert.equal(parts.collecting.waitingFor(), ['pods'])
        assert.equal(partOf(parts), {})
        assert.match(parts.lines.join(), 'may not list')
      },
    ))
})

suite('the snapshot of all of it', (test) => {
  const now = new Date('2026-11-20T12:00:00.123Z')
  test('is undefined where nothing is known', () =>
    assert.is(workloadSnapshot([{}, { usage: undefined }], { cluster: 'c', name: 'n', now }), undefined))
  test('has each part with its count, and can be read', () => {
    const parts = [{ nodes: [{ name: 'a' }], daemonSets: [] }, { metricsAvailable: false }, { tickets: [] }, {}]
    const written = workloadSnapshot(parts, { cluster: 'c', name: 'n', now })
    assert.equal(written?.spec, {
      cluster: 'c',
      observedAt: '2026-11-20T12:00:00Z',
      metricsAvailable: false,
      collected: { nodes: 1, tickets: 0 },
      nodes: [{ name: 'a' }],
      daemonSets: [],
      tickets: [],
    })
    assert.equal(readLive([written as unknown as Subject], 'c').findings, [])
  })
  test('does not depend on the order of its parts', () => {
    const parts = [{ tickets: [] }, { claims: [] }, { events: [] }]
    const text = (list: object[]) => JSON.stringify(workloadSnapshot(list, { cluster: 'c', name: 'n', now }))
    assert.is(text([...parts].reverse()), text(parts))
  })
  test('names what can be collected, as the schema does', () => {
    const schema = readFileSync(new URL('../../../../fn-config/sync-config.schema.json', import.meta.url), 'utf8')
    const { items } = JSON.parse(schema).properties.spec.properties.collect
    assert.equal(['nodes', ...PART_NAMES, 'kubescape'], items.enum)
  })
})
