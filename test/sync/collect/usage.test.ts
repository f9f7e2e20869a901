/** What the metrics API says, as a part of a snapshot: rows, when they are told, and what happens without it. */
import * as assert from 'uvu/assert'
import { METRICS, MetricsApi } from '../../../e2e/support/metrics-api.ts'
import { ScriptedApi } from '../../../e2e/support/scripted-api.ts'
import type { KubeObject } from '../../../src/api/list.ts'
import { type OwnDaemonSet, ownDaemonSet, ownDaemonSetInformer } from '../../../src/sync/collect/own-daemonsets.ts'
import { type Sample, samplesIn } from '../../../src/sync/collect/pod-metrics.ts'
import { UsageCollector } from '../../../src/sync/collect/usage.ts'
import { UsageRows } from '../../../src/sync/collect/usage-rows.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { suite } from '../../support/suite.ts'
import { connectTo, recordedLog, recordedMeter, until } from '../api/reflecting.ts'
import { rendered, watchOf } from './support.ts'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const own = (name: string, group?: string) => ownDaemonSet(rendered(name, group)) as OwnDaemonSet
const sample = (pod: string, at: string, container: string, cpu: string, memory = '10Mi'): Sample[] =>
  samplesIn({
    items: [{ metadata: { name: pod }, timestamp: at, containers: [{ name: container, usage: { cpu, memory } }] }],
  })

suite('PodMetrics', (test) => {
  const list = (...containers: unknown[]) => ({ items: [{ metadata: { name: 'p' }, timestamp: 't', containers }] })
  const ROWS: Array<[name: string, answer: unknown, want: unknown[]]> = [
    ['an empty list', { items: [] }, []],
    ['nothing', undefined, []],
    ['no list', { items: 'none' }, []],
    [
      'both resources, in every notation',
      list({ name: 'c', usage: { cpu: '20000000n', memory: '20480Ki' } }),
      [{ pod: 'p', at: 't', container: 'c', steps: { cpu: 10, memory: 10 } }],
    ],
    [
      'one of which cannot be read',
      list({ name: 'c', usage: { cpu: 'much', memory: '10Mi' } }),
      [{ pod: 'p', at: 't', container: 'c', steps: { memory: 0 } }],
    ],
    ['a container without a name', list({ usage: { cpu: '1' } }), []],
    ['a container without usage', list({ name: 'c' }), []],
    ['a pod without a name', { items: [{ containers: [{ name: 'c', usage: {} }] }] }, []],
  ]
  for (const [name, answer, want] of ROWS) test(name, () => assert.equal(samplesIn(answer), want))
})

suite('rows of usage', (test) => {
  const agent = own('agent')
  const warm = (...more: Array<[of: OwnDaemonSet, samples: Sample[], at: number]>) => {
    const rows = new UsageRows()
    rows.add(agent, sample('p', '0', 'c', '100m'), 0)
    for (const [of, samples, at] of more) rows.add(of, samples, at)
    return rows
  }
  const maxima = (rows: UsageRows, sets = [agent], now = HOUR) =>
    rows.rows(sets, now)?.map(({ container, group, seen }) => [group, container, seen?.cpu])
  test('are of a policy, a container and a group', () =>
    assert.equal(warm().rows([agent], HOUR), [
      {
        policy: 'kubescape/node-agent',
        container: 'c',
        group: 'value:m5.large',
        seen: { cpu: '102m', memory: '10Mi', peak: '10Mi' },
      },
    ]))
  test('are not told within an hour, and then', () => {
    assert.is(maxima(warm(), [agent], HOUR - 1), undefined)
    assert.equal(maxima(warm()), [['value:m5.large', 'c', '102m']])
  })
  test('of a newcomer wait for it, those beside it do not', () => {
    const young = own('young', 'value:m7.large')
    const rows = warm([young, sample('q', '1', 'c', '1'), HOUR / 2])
    assert.equal(maxima(rows, [agent, young]), [['value:m5.large', 'c', '102m']])
    assert.is(maxima(rows, [agent, young], 2 * HOUR)?.length, 2)
  })
  test('there are none where nothing was rendered', () => assert.equal(new UsageRows().rows([], 0), []))
  test('of a DaemonSet that is gone are not told', () => assert.equal(maxima(warm(), []), []))
  test('of two DaemonSets of one group are one', () => {
    const renamed = own('renamed')
    assert.equal(maxima(warm([renamed, sample('q', '1', 'c', '200m'), 1]), [agent, renamed]), [
      ['value:m5.large', 'c', '201m'],
    ])
  })
  test('are in one order, whoever came first', () => {
    const [a, b] = [own('a', 'a'), own('b', 'b')]
    const both = (...sets: OwnDaemonSet[]) => {
      const rows = new UsageRows()
      for (const one of sets) for (const name of ['y', 'x']) rows.add(one, sample('p', name, name, '1'), 0)
      return maxima(rows, sets)
    }
    assert.equal(both(b, a), both(a, b))
    assert.equal(
      both(b, a)?.map(([group, container]) => `${container}${group}`),
      ['xa', 'xb', 'ya', 'yb'],
    )
  })
  test('count a measurement that is read twice once', () => {
    const rows = new UsageRows()
    for (let minute = 0; minute < 10; minute++) rows.add(agent, sample('p', 'frozen', 'c', '1'), minute)
    for (let at = 1; at < 10; at++) rows.add(own('other'), sample('q', String(at), 'c', '10m'), 11)
    assert.is(rows.rows([agent], HOUR)?.[0]?.seen?.cpu, '10m')
  })
  test('count a measurement without a time as often as it is read', () => {
    const rows = new UsageRows()
    for (let minute = 0; minute < 10; minute++) rows.add(agent, sample('p', '', 'c', '1'), minute)
    rows.add(own('other'), sample('q', '1', 'c', '10m'), 11)
    assert.is(rows.rows([agent], HOUR)?.[0]?.seen?.cpu, '1043m')
  })
  test('of a DaemonSet that was made anew begin anew', () => {
    const rows = warm([agent, sample('p', '1', 'c', '200m'), 1])
    for (const step of [2, 3, 4]) rows.add(agent, sample('p', '1', 'c', '200m'), step)
    for (let at = 1; at <= 8; at++) rows.add(own('other'), sample('q', String(at), 'c', '10m'), 4)
    assert.is(rows.rows([agent], HOUR)?.[0]?.seen?.cpu, '102m')
    rows.prune([], 5)
    rows.add(agent, sample('p', '1', 'c', '200m'), 6)
    assert.is(rows.rows([agent], HOUR)?.[0]?.seen?.cpu, '201m')
  })
  test('go a day after the last sample', () => {
    const rows = warm()
    rows.prune([agent], 25 * HOUR - 1)
    assert.is(maxima(rows, [agent], 25 * HOUR - 1)?.length, 1)
    rows.prune([agent], 25 * HOUR)
    assert.is(maxima(rows, [agent], 25 * HOUR), undefined)
  })
})

const POD = (name: string, cpu: string, timestamp: string, group = 'agent') => ({
  namespace: 'kubescape',
  name,
  labels: { app: 'agent', 'nodefit.dev/node-group': group },
  timestamp,
  containers: { main: { cpu, memory: '64Mi' } },
})

/** A collector of usage beside a server whose metrics API is the stand-in, or missing. */
async function collecting(
  objects: KubeObject[],
  body: (parts: {
    metrics: MetricsApi
    clock: FakeClock
    collector: UsageCollector
    state: { isSynced: boolean }
    lines: string[]
    isUp: () => boolean | undefined
    looks: () => number
    /** Lets a minute and the look in it. */
    minute: () => Promise<void>
  }) => Promise<void>,
  fault?: number,
): Promise<void> {
  const api = await ScriptedApi.start()
  const metrics = new MetricsApi()
  metrics.fault = fault
  const clock = new FakeClock()
  const { counted, meter } = recordedMeter()
  const { lines, log } = recordedLog()
  const { watch, state } = watchOf(objects)
  const isOfMetrics = ({ path }: { path: string }) => path.startsWith(METRICS)
  let looks = 0
  const collector = new UsageCollector({
    ...{ connection: connectTo(api, clock), daemonSets: ownDaemonSetInformer(watch), context: { clock, meter, log } },
    onPoll: () => {
      looks++
    },
  })
  api.next(isOfMetrics, ({ path, query }, response) => metrics.answer(`${path}?${query}`, response), 1e9)
  const ending = new AbortController()
  const ended = collector.start(ending.signal)
  const isUp = () => counted.components.get('metricsAvailable')
  const minute = async () => {
    const before = looks
    await clock.advance(MINUTE)
    await until(() => looks > before)
  }
  try {
    await until(() => looks > 0 || !state.isSynced)
    await body({ metrics, clock, collector, state, lines, isUp, looks: () => looks, minute })
  } finally {
    ending.abort()
    await ended
    await api.close()
  }
}

suite('the metrics API', (test) => {
  test('is asked every minute for the pods of each rendered DaemonSet', () =>
    collecting([rendered('agent'), rendered('b')], async ({ metrics, clock, minute, collector }) => {
      const list = `${METRICS}/namespaces/kubescape/pods`
      assert.equal(metrics.asked, [
        METRICS,
        `${list} app=agent,nodefit.dev/node-group=agent`,
        `${list} app=agent,nodefit.dev/node-group=b`,
      ])
      assert.equal(collector.part(clock.now()), { metricsAvailable: true })
      await minute()
      assert.is(metrics.asked.length, 6)
    }))
  test('gives usage after an hour', () =>
    collecting([rendered('agent')], async ({ metrics, clock, collector, minute, isUp }) => {
      for (let count = 1; count <= 61; count++) {
        metrics.pods = [POD('agent-x7k2p', `${count}m`, String(count)), POD('x', '9', '1', 'other')]
        await minute()
      }
      const [row, ...others] = collector.part(clock.now()).usage ?? []
      assert.equal(others, [])
      assert.equal(
        [row?.container, row?.seen?.cpu, row?.seen?.memory, row?.seen?.peak],
        ['main', '56m', '66Mi', '66Mi'],
      )
      assert.is(isUp(), true)
    }))
  test('is not asked before the DaemonSets are known', () =>
    collecting([], async ({ metrics, clock, collector, state }) => {
      state.isSynced = false
      const before = metrics.asked.length
      await clock.advance(10 * MINUTE)
      assert.is(metrics.asked.length, before)
      assert.is(collector.isSynced, true)
    }))
  const FAULTS: Array<[name: string, code: number]> = [
    ['that is not there', 404],
    ['whose server is down', 503],
    ['that may not be read', 403],
    ['that fails', 500],
  ]
  for (const [name, code] of FAULTS) {
    test(`${name} stops nothing, is said once, and is taken up again`, () =>
      collecting([rendered('agent')], async ({ metrics, clock, collector, lines, isUp, minute }) => {
        metrics.fault = code
        for (let count = 0; count < 3; count++) await minute()
        assert.equal(collector.part(clock.now()), { metricsAvailable: false })
        assert.is(isUp(), false)
        assert.equal(lines.length, 1)
        assert.match(lines[0] ?? '', `refused with ${code}`)
        metrics.fault = undefined
        await minute()
        assert.is(isUp(), true)
        assert.equal(lines.length, 2)
        assert.equal(collector.part(clock.now()), { metricsAvailable: true })
      }))
    test(`${name} from the start is known to be missing`, () =>
      collecting(
        [],
        async ({ clock, collector, lines }) => {
          assert.equal(collector.part(clock.now()), { metricsAvailable: false, usage: [] })
          assert.is(lines.length, 1)
        },
        code,
      ))
  }
  test('that fails for a while leaves what was seen before', () =>
    collecting([rendered('agent')], async ({ metrics, clock, collector, minute }) => {
      metrics.pods = [POD('agent-x7k2p', '10m', '1')]
      await minute()
      metrics.fault = 503
      for (let count = 0; count < 61; count++) await minute()
      const { metricsAvailable, usage } = collector.part(clock.now())
      assert.equal([metricsAvailable, usage?.length], [false, 1])
    }))
})
