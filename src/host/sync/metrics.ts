import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Clock } from '../cluster/clock.ts'
import type { Meter } from './context.ts'
import { HOOK_OUTCOMES } from './hook/hook-server.ts'

/** A meter, and its values in Prometheus' text format. */
export interface Metrics {
  readonly meter: Meter
  readonly contentType: string
  /** `isReady` is what /readyz responds. */
  text(isReady?: boolean): Promise<string>
}

/** Label values that start at zero, so that a rate sees the first increment. */
const INITIAL = {
  suppressed: ['inputs', 'effect', 'suspended', 'dryRun', 'stopped'],
  evaluated: ['unchanged', 'commit', 'stopped', 'error'],
  committed: ['rendered', 'inventory', 'failed', 'age'],
  pushed: ['pushed', 'raced', 'refused', 'unreachable'],
  fetched: ['refused', 'unreachable'],
  configured: ['accepted', 'refused'],
  settled: ['Regular', 'OOMKilled'],
  components: ['leader', 'watch-nodes'],
} as const

/** What a cluster may have otherwise, so that each code is there from the first comparison on. */
const LIVE_CODES = [
  'LiveLoopOn',
  'LiveVersionDiffers',
  'LiveTemplateDiffers',
  'LiveValueDiffers',
  'LiveGroupDiffers',
  'LiveAgentBeside',
]

/** What holds commits for another reason than what is rendered, so that each code is there from the start. */
const HELD_CODES = ['ClusterReplaced', 'ClusterNotProved', 'NodesReplaced', 'GroupsAdded']

/** The states of outcomes. */
const ACTION_STATES = ['Waiting', 'Applied', 'Running', 'Blocked', 'Succeeded', 'Failed', 'Ended', 'Refused']

/** Seconds: small packages render in milliseconds, the largest fleets in seconds. */
const BUCKETS = [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30]

/** The metrics of the controller, and those of the process: CPU, memory, event loop. */
export function prometheusMetrics({ clock, version }: { clock: Clock; version: string }): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const counter = <Label extends string>(name: string, help: string, labelNames: readonly Label[]) =>
    new Counter({ name: `nodefit_${name}`, help, labelNames, registers })
  const gauge = <Label extends string>(name: string, help: string, labelNames: readonly Label[] = []) =>
    new Gauge({ name: `nodefit_${name}`, help, labelNames, registers })
  collectDefaultMetrics({ register: registry })

  gauge('build_info', 'Always 1; the label is the version of nodefit.', ['version']).set({ version }, 1)
  const ready = gauge('ready', 'Whether /readyz responds with ok: 1 or 0.')
  const nodes = gauge('nodes', 'Number of nodes in the cache.')
  const suppressed = counter('suppressed_total', 'Number of evaluations without a commit, by reason.', ['why'])
  const evaluations = counter('evaluations_total', 'Number of evaluations, by outcome.', ['outcome'])
  const seconds = new Histogram({
    name: 'nodefit_evaluation_seconds',
    help: 'Duration of evaluations in seconds.',
    buckets: BUCKETS,
    registers,
  })
  const evaluatedAt = gauge('last_evaluation_timestamp_seconds', 'Time of the last evaluation, in seconds since 1970.')
  const holds = gauge('guard_holds', 'Whether a guard holds back all commits: 1 or 0.')
  const held = gauge('held', 'Whether commits are held back, by the code of what holds them: 1 or 0.', ['code'])
  const settlements = counter(
    'guard_settled_total',
    'Number of commits that were accepted although a guard held them.',
    [],
  )
  const commits = counter('commits_total', 'Number of commits, by effect.', ['effect'])
  const pushes = counter('pushes_total', 'Number of pushes, by outcome and reason.', ['outcome', 'reason'])
  const fetches = counter('fetch_failures_total', 'Number of failed fetches, by outcome and reason.', [
    'outcome',
    'reason',
  ])
  const review = gauge('review_waiting', 'Whether a branch waits for a review: 1 or 0.')
  const pushedAt = gauge(
    'last_push_timestamp_seconds',
    'Time of the last successful push, in seconds since 1970; 0 before the first.',
  )
  const restarts = counter('watch_restarts_total', 'Number of watch restarts, by resource and reason.', [
    'resource',
    'reason',
  ])
  const missed = counter('missed_by_watch_total', 'Number of objects of a list that the watch had missed.', [
    'resource',
  ])
  const bytes = counter('bytes_total', 'Number of bytes to and from a peer.', ['peer', 'direction'])
  const clone = gauge('clone_bytes', 'Size of the clone on disk in bytes.')
  const components = gauge('component_up', 'Whether a component works: 1 or 0.', ['component'])
  const componentRestarts = counter('component_restarts_total', 'Number of component restarts after a failure.', [
    'component',
  ])
  const configurations = counter('configurations_total', 'Number of configurations that were read, by outcome.', [
    'outcome',
  ])
  const hooks = counter('hooks_total', 'Number of webhooks, by outcome.', ['outcome'])
  const differs = gauge('cluster_differs', 'Whether the cluster differs from what was rendered, by code: 1 or 0.', [
    'code',
  ])
  const settled = counter('settled_total', 'Number of sizes that usage has settled, by reason.', ['why'])
  const actions = gauge('actions', 'Number of signed actions that outcomes tell of, by state.', ['state'])
  let waitingSince: number | undefined
  new Gauge({
    name: 'nodefit_queue_age_seconds',
    help: 'Age of the oldest change that is not in Git, in seconds; 0 where there is none.',
    registers,
    collect() {
      this.set(waitingSince === undefined ? 0 : Math.max(0, clock.now() - waitingSince) / 1_000)
    },
  })
  for (const why of INITIAL.suppressed) suppressed.inc({ why }, 0)
  for (const outcome of INITIAL.evaluated) evaluations.inc({ outcome }, 0)
  for (const effect of INITIAL.committed) commits.inc({ effect }, 0)
  for (const outcome of INITIAL.pushed) pushes.inc({ outcome, reason: '' }, 0)
  for (const outcome of INITIAL.fetched) fetches.inc({ outcome, reason: '' }, 0)
  const startComponents = () => {
    for (const component of INITIAL.components) components.set({ component }, 0)
  }
  startComponents()
  for (const code of HELD_CODES) held.set({ code }, 0)
  for (const why of INITIAL.settled) settled.inc({ why }, 0)
  for (const outcome of HOOK_OUTCOMES) hooks.inc({ outcome }, 0)
  for (const outcome of INITIAL.configured) configurations.inc({ outcome }, 0)
  for (const state of ACTION_STATES) actions.set({ state }, 0)

  const meter: Meter = {
    nodes: (count) => nodes.set(count),
    suppressed: (why) => suppressed.inc({ why }),
    evaluated(outcome, duration) {
      evaluations.inc({ outcome })
      if (duration !== undefined) seconds.observe(duration)
      evaluatedAt.set(clock.now() / 1_000)
    },
    guardHolds: (isHolding) => holds.set(isHolding ? 1 : 0),
    held(code) {
      held.reset()
      for (const one of HELD_CODES) held.set({ code: one }, 0)
      if (code !== undefined) held.set({ code }, 1)
    },
    guardSettled: () => settlements.inc(),
    committed: (effect) => commits.inc({ effect }),
    pushed(outcome, reason) {
      pushes.inc({ outcome, reason })
      if (outcome === 'pushed') pushedAt.set(clock.now() / 1_000)
    },
    fetchFailed: (outcome, reason) => fetches.inc({ outcome, reason }),
    reviewWaits: (isWaiting) => review.set(isWaiting ? 1 : 0),
    watchRestarted: (resource, reason) => restarts.inc({ resource, reason }),
    missedByWatch: (resource, count) => missed.inc({ resource }, count),
    bytes: (peer, direction, count) => bytes.inc({ peer, direction }, count),
    cloneSize: (size) => clone.set(size),
    waitingSince(time) {
      waitingSince = time
    },
    component: (component, isUp) => components.set({ component }, isUp ? 1 : 0),
    componentRestarted: (component) => componentRestarts.inc({ component }),
    forgetComponents(...names) {
      if (names.length === 0) {
        components.reset()
        startComponents()
      }
      for (const component of names) components.remove({ component })
    },
    hooked: (outcome) => hooks.inc({ outcome }),
    clusterDiffers(codes) {
      if (codes === undefined) return differs.reset()
      for (const code of new Set([...LIVE_CODES, ...codes])) differs.set({ code }, codes.includes(code) ? 1 : 0)
    },
    settled: (why, count) => settled.inc({ why }, count),
    actions(counts) {
      for (const state of ACTION_STATES) actions.set({ state }, counts.get(state) ?? 0)
    },
    configured: (isAccepted) => configurations.inc({ outcome: isAccepted ? 'accepted' : 'refused' }),
  }
  return {
    meter,
    contentType: registry.contentType,
    text(isReady = false) {
      ready.set(isReady ? 1 : 0)
      return registry.metrics()
    },
  }
}
