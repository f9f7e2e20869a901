/** What is counted, as Prometheus reads it. */
import * as assert from 'uvu/assert'
import type { Meter } from '../../../src/host/sync/context.ts'
import { prometheusMetrics } from '../../../src/host/sync/metrics.ts'
import { FakeClock } from '../../support/fake-clock.ts'
import { suite } from '../../support/suite.ts'

/** What a call leaves in the text, line by line. */
const COUNTED: Array<[name: string, call: (meter: Meter) => void, lines: string[]]> = [
  ['nodes', (meter) => meter.nodes(7), ['nodefit_nodes 7']],
  ['suppressed', (meter) => meter.suppressed('effect'), ['nodefit_suppressed_total{why="effect"} 1']],
  [
    'evaluations',
    (meter) => meter.evaluated('failed', 0.2),
    [
      'nodefit_evaluations_total{outcome="failed"} 1',
      'nodefit_evaluation_seconds_bucket{le="0.1"} 0',
      'nodefit_evaluation_seconds_bucket{le="0.3"} 1',
      'nodefit_last_evaluation_timestamp_seconds 1795176000',
    ],
  ],
  ['commits', (meter) => meter.committed('age'), ['nodefit_commits_total{effect="age"} 1']],
  [
    'pushes that are taken',
    (meter) => meter.pushed('pushed', ''),
    ['nodefit_pushes_total{outcome="pushed",reason=""} 1', 'nodefit_last_push_timestamp_seconds 1795176000'],
  ],
  [
    'pushes that are not',
    (meter) => meter.pushed('refused', 'protected'),
    ['nodefit_pushes_total{outcome="refused",reason="protected"} 1', 'nodefit_last_push_timestamp_seconds 0'],
  ],
  [
    'watches that begin anew',
    (meter) => meter.watchRestarted('nodes', 'gone'),
    ['nodefit_watch_restarts_total{resource="nodes",reason="gone"} 1'],
  ],
  [
    'what a watch missed',
    (meter) => meter.missedByWatch('nodes', 3),
    ['nodefit_missed_by_watch_total{resource="nodes"} 3'],
  ],
  ['bytes', (meter) => meter.bytes('git', 'sent', 5), ['nodefit_bytes_total{peer="git",direction="sent"} 5']],
  ['the clone', (meter) => meter.cloneSize(9), ['nodefit_clone_bytes 9']],
  ['the queue', (meter) => meter.waitingSince(Date.parse('2026-11-20T11:59:00Z')), ['nodefit_queue_age_seconds 60']],
  ['a part that works', (meter) => meter.component('git', true), ['nodefit_component_up{component="git"} 1']],
  [
    'a part that nobody says anything of any more',
    (meter) => {
      meter.component('git', false)
      meter.component('watch-nodes', true)
      meter.forgetComponents('git')
    },
    ['nodefit_component_up{component="watch-nodes"} 1'],
  ],
  ['a part that does not', (meter) => meter.component('git', false), ['nodefit_component_up{component="git"} 0']],
  [
    'what the cluster has otherwise, and has again',
    (meter) => {
      meter.clusterDiffers(['LiveLoopOn', 'LiveValueDiffers'])
      meter.clusterDiffers(['LiveLoopOn'])
    },
    ['nodefit_cluster_differs{code="LiveLoopOn"} 1', 'nodefit_cluster_differs{code="LiveValueDiffers"} 0'],
  ],
  [
    'webhooks',
    (meter) => meter.hooked('unauthorized'),
    ['nodefit_hooks_total{outcome="unauthorized"} 1', 'nodefit_hooks_total{outcome="accepted"} 0'],
  ],
  [
    'configurations',
    (meter) => meter.configured(false),
    ['nodefit_configurations_total{outcome="refused"} 1', 'nodefit_configurations_total{outcome="accepted"} 0'],
  ],
]

const made = () => prometheusMetrics({ clock: new FakeClock(), version: '1.2.3' })

suite('metrics', (test) => {
  for (const [name, call, lines] of COUNTED)
    test(`count ${name}`, async () => {
      const { meter, text } = made()
      call(meter)
      const said = (await text()).split('\n')
      for (const line of lines)
        assert.ok(said.includes(line), `${line}\n${said.filter((one) => one.startsWith('nodefit_')).join('\n')}`)
    })
  test('say how old the queue is when they are read', async () => {
    const clock = new FakeClock()
    const { meter, text } = prometheusMetrics({ clock, version: '1' })
    assert.match(await text(), /^nodefit_queue_age_seconds 0$/m)
    meter.waitingSince(clock.now())
    await clock.advance(1_500)
    assert.match(await text(), /^nodefit_queue_age_seconds 1.5$/m)
    meter.waitingSince(undefined)
    assert.match(await text(), /^nodefit_queue_age_seconds 0$/m)
  })
  test('have no differences of a cluster that is not compared, or not any more', async () => {
    const { meter, text } = made()
    assert.not.match(await text(), 'cluster_differs{')
    meter.clusterDiffers(['LiveLoopOn'])
    meter.clusterDiffers(undefined)
    assert.not.match(await text(), 'cluster_differs{')
  })
  test('begin with zeros, so that a rate sees the first one', async () => {
    const text = await made().text()
    for (const line of ['pushes_total{outcome="refused",reason=""} 0', 'commits_total{effect="rendered"} 0'])
      assert.ok(text.includes(`nodefit_${line}`), line)
  })
  test('are the process’s too', async () => {
    const text = await made().text()
    for (const name of ['process_cpu_seconds_total', 'process_resident_memory_bytes', 'nodejs_eventloop_lag_seconds'])
      assert.match(text, new RegExp(`^${name} [0-9.e-]+$`, 'm'))
    assert.match(text, /^nodefit_build_info\{version="1.2.3"\} 1$/m)
  })
  test('of two meters are apart', async () => {
    const [one, other] = [made(), made()]
    one.meter.nodes(5)
    assert.match(await other.text(), /^nodefit_nodes 0$/m)
  })
})
