import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Clock } from './clock.ts'
import type { Meter } from './meter.ts'

/** A meter, and what it has counted. */
export interface Metrics {
  readonly meter: Meter
  readonly contentType: string
  /** All metrics in Prometheus' text format. */
  text(): Promise<string>
}

/** Said with zero from the start, so that a rate sees the first one. */
const ZEROS = {
  suppressed: ['inputs', 'effect', 'suspended', 'dryRun', 'stopped'],
  evaluated: ['unchanged', 'commit', 'stopped', 'error'],
  committed: ['rendered', 'inventory', 'failed', 'age'],
  pushed: ['pushed', 'raced', 'refused', 'unreachable'],
} as const

/** Renders of small packages take milliseconds, those of the largest fleets seconds. */
const SECONDS = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30]

/** What the controller counts as Prometheus metrics, with the process's CPU, memory and event loop. */
export function prometheusMetrics({ clock, version }: { clock: Clock; version: string }): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Counter({ name: `nodefit_${name}`, help, labelNames, registers })
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Gauge({ name: `nodefit_${name}`, help, labelNames, registers })
  collectDefaultMetrics({ register: registry })

  gauge('build_info', 'Always 1; the label says which nodefit this is.', ['version']).set({ version }, 1)
  const nodes = gauge('nodes', 'Nodes in the cache.')
  const suppressed = counter('suppressed_total', 'Evaluations that made no commit, by why.', ['why'])
  const evaluations = counter('evaluations_total', 'Evaluations, by how they ended.', ['outcome'])
  const seconds = new Histogram({
    name: 'nodefit_evaluation_seconds',
    help: 'How long an evaluation took.',
    buckets: SECONDS,
    registers,
  })
  const evaluatedAt = gauge('last_evaluation_timestamp_seconds', 'When the last evaluation ended.')
  const commits = counter('commits_total', 'Commits, by what they were made for.', ['effect'])
  const pushes = counter('pushes_total', 'Pushes, by how they ended and why.', ['outcome', 'reason'])
  const pushedAt = gauge('last_push_timestamp_seconds', 'When the last push was taken; 0 before the first.')
  const restarts = counter('watch_restarts_total', 'Watches that began anew.', ['resource', 'reason'])
  const missed = counter('missed_by_watch_total', 'Objects that a list had otherwise than the watch.', ['resource'])
  const bytes = counter('bytes_total', 'Bytes to and from a peer.', ['peer', 'direction'])
  const clone = gauge('clone_bytes', 'Bytes of the clone on disk.')
  const components = gauge('component_up', 'Whether a part works: 1 or 0.', ['component'])
  const configurations = counter('configurations_total', 'Configurations that were read: taken, or refused.', [
    'outcome',
  ])
  let waitingSince: number | undefined
  new Gauge({
    name: 'nodefit_queue_age_seconds',
    help: 'For how long a change has waited to be in Git; 0 where none waits.',
    registers,
    collect() {
      this.set(waitingSince === undefined ? 0 : Math.max(0, clock.now() - waitingSince) / 1_000)
    },
  })
  for (const why of ZEROS.suppressed) suppressed.inc({ why }, 0)
  for (const outcome of ZEROS.evaluated) evaluations.inc({ outcome }, 0)
  for (const effect of ZEROS.committed) commits.inc({ effect }, 0)
  for (const outcome of ZEROS.pushed) pushes.inc({ outcome, reason: '' }, 0)
  for (const outcome of ['taken', 'refused']) configurations.inc({ outcome }, 0)

  const meter: Meter = {
    nodes: (count) => nodes.set(count),
    suppressed: (why) => suppressed.inc({ why }),
    evaluated(outcome, length) {
      evaluations.inc({ outcome })
      if (length !== undefined) seconds.observe(length)
      evaluatedAt.set(clock.now() / 1_000)
    },
    committed: (effect) => commits.inc({ effect }),
    pushed(outcome, reason) {
      pushes.inc({ outcome, reason })
      if (outcome === 'pushed') pushedAt.set(clock.now() / 1_000)
    },
    watchRestarted: (resource, reason) => restarts.inc({ resource, reason }),
    missedByWatch: (resource, count) => missed.inc({ resource }, count),
    bytes: (peer, direction, count) => bytes.inc({ peer, direction }, count),
    cloneSize: (size) => clone.set(size),
    waitingSince(time) {
      waitingSince = time
    },
    component: (component, isUp) => components.set({ component }, isUp ? 1 : 0),
    forgetComponents(...names) {
      if (names.length === 0) components.reset()
      for (const component of names) components.remove({ component })
    },
    configured: (isTaken) => configurations.inc({ outcome: isTaken ? 'taken' : 'refused' }),
  }
  return { meter, contentType: registry.contentType, text: () => registry.metrics() }
}
