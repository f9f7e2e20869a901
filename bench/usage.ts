/**
 * What nodefit sync takes to measure 50,000 pods of ten agents in 45 node groups: the heap that is kept, CPU a minute, and writes an hour, of
 * two hours by a clock of its own; and how large their rows in Git are, and the history. Answers of the metrics API are texts that are parsed as those of an API server are.
 * node --expose-gc --import tsx bench/usage.ts; PODS=5000 makes it smaller
 */
import { gzipSync } from 'node:zlib'
import { snapshotFromParts } from '../src/facts/inventory/index.ts'
import { historiesText, NO_HISTORY, writeRow } from '../src/facts/usage/index.ts'
import { ApiError } from '../src/host/cluster/errors.ts'
import type { KubeObject } from '../src/host/cluster/list.ts'
import { writeWithSchema } from '../src/host/files/manifest.ts'
import type { JsonClient, MakeInformer } from '../src/host/sync/collect/collector.ts'
import { METRICS_API } from '../src/host/sync/collect/metrics-poll.ts'
import { ownDaemonSetInformer } from '../src/host/sync/collect/own-daemonsets.ts'
import { UsageCollector } from '../src/host/sync/collect/usage.ts'
import { UsageHistory } from '../src/host/sync/collect/usage-history.ts'
import { Schedule } from '../src/kube/index.ts'
import { recordedLog, recordedMeter } from '../test/host/sync/api/reflecting.ts'
import { FakeClock } from '../test/support/fake-clock.ts'

const PODS = Number(process.env.PODS ?? 50_000)
const [AGENTS, GROUPS] = [10, 45]
const [MINUTE, HOURS] = [60_000, 2]
const LABEL = 'nodefit.dev/node-group'
const [MOST_MEGABYTES, MOST_PERCENT, MOST_KILOBYTES] = [80, 5, 160]

const clock = new FakeClock('2026-11-03T00:00:30Z', 2)
const nodeOf = (index: number) => `ip-10-${index >> 8}-${index & 255}-17.eu-central-1.compute.internal`
const namespaceOf = (agent: number) => `agent-${agent}`
const perAgent = Math.ceil(PODS / AGENTS)

function daemonSet(agent: number, group: number): KubeObject {
  const annotations = { 'nodefit.dev/owner': `SizingPolicy/agent-${agent}`, 'nodefit.dev/group': `value:type-${group}` }
  return {
    metadata: {
      name: `agent-${agent}-${group}`,
      namespace: namespaceOf(agent),
      uid: `uid-${agent}-${group}`,
      annotations,
    },
    spec: { selector: { matchLabels: { app: 'agent', [LABEL]: `type-${group}` } } },
    status: { desiredNumberScheduled: Math.ceil(perAgent / GROUPS) },
  } as unknown as KubeObject
}

function pod(agent: number, index: number): KubeObject {
  const group = index % GROUPS
  const uid = `uid-${agent}-${group}`
  const ownerReferences = [{ kind: 'DaemonSet', name: `agent-${agent}-${group}`, uid, controller: true }]
  const state = { running: { startedAt: '2026-11-01T00:00:00Z' } }
  const resources = { limits: { cpu: '500m', memory: '256Mi' } }
  return {
    metadata: {
      name: `agent-${agent}-${group}-x${index}`,
      namespace: namespaceOf(agent),
      uid: `00000000-0000-4000-80${String(agent).padStart(2, '0')}-${String(index).padStart(12, '0')}`,
      ownerReferences,
    },
    spec: { nodeName: nodeOf(index), containers: [{ name: 'agent', resources }] },
    status: { containerStatuses: [{ name: 'agent', restartCount: 0, state }] },
  } as unknown as KubeObject
}

/** PodMetrics of a namespace as the metrics API writes them, as of now. */
function metrics(agent: number): string {
  const timestamp = new Date(clock.now() - 5000).toISOString()
  const items = Array.from({ length: perAgent }, (_, index) => {
    const name = `agent-${agent}-${index % GROUPS}-x${index}`
    const usage = `"cpu":"${60_000_000 + index * 1000}n","memory":"${70_000 + index}Ki"`
    return `{"metadata":{"name":"${name}","namespace":"${namespaceOf(agent)}","labels":{"app":"agent","${LABEL}":"type-${index % GROUPS}"}},"timestamp":"${timestamp}","window":"15s","containers":[{"name":"agent","usage":{${usage}}}]}`
  })
  return `{"kind":"PodMetricsList","items":[${items.join()}]}`
}

let [made, writes] = [0, 0]
let configMap: KubeObject | undefined
const connection = {
  async json({ method = 'GET', path, body }: Parameters<JsonClient['json']>[0]) {
    if (path.includes('/configmaps')) {
      if (method === 'GET' && configMap === undefined) throw new ApiError(404, 'NotFound', 'not found')
      if (method !== 'GET') {
        writes++
        configMap = {
          ...(body as KubeObject),
          metadata: { name: 'x', resourceVersion: String(writes) } as KubeObject['metadata'],
        }
      }
      return configMap
    }
    if (path === METRICS_API) return {}
    // what the API server does is not counted
    const before = process.cpuUsage()
    const text = metrics(Number(/agent-(\d+)/.exec(path)?.[1]))
    const { user, system } = process.cpuUsage(before)
    made += user + system
    return JSON.parse(text)
  },
} as unknown as JsonClient

const makeInformer: MakeInformer = (resource) => {
  const items = new Map()
  return {
    async start(signal: AbortSignal) {
      const isSets = resource.path.endsWith('/daemonsets')
      const put = (object: KubeObject) => {
        const kept = resource.trim(JSON.parse(JSON.stringify(object)))
        if (kept !== undefined) items.set(`${object.metadata.namespace}/${object.metadata.name}`, kept)
      }
      for (let agent = 0; agent < AGENTS; agent++)
        for (let index = 0; index < (isSets ? GROUPS : perAgent); index++)
          put(isSets ? daemonSet(agent, index) : pod(agent, index))
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
    },
    isSynced: true,
    items: () => items,
  }
}

const heap = () => {
  for (let time = 0; time < 3; time++) globalThis.gc?.()
  return process.memoryUsage().heapUsed / 2 ** 20
}

if (globalThis.gc === undefined) throw new Error('run it with --expose-gc')
const ending = new AbortController()
const context = { clock, log: recordedLog().log, meter: recordedMeter().meter }
const allocatable = { cpu: '1930m', memory: '7134856Ki', pods: '29' }
const nodes = Array.from({ length: perAgent }, (_, index) => ({ name: nodeOf(index), allocatable }) as never)
const before = heap()
const daemonSets = ownDaemonSetInformer(makeInformer)
const collector = new UsageCollector({
  ...{ connection, makeInformer, context, daemonSets, retain: 0, isWriter: true },
  nodes: () => nodes,
  policies: () => undefined,
  leads: () => true,
  schedule: Schedule.parse('0 9 * * 2'),
  history: new UsageHistory({ connection, namespace: 'nodefit', name: 'nodefit-sync-usage', context }),
  onPoll: () => {},
  onChange: () => {},
})
void daemonSets.start(ending.signal)
const ended = collector.start(ending.signal)
await clock.advance(2000)
made = 0
writes = 0
const from = process.cpuUsage()
await clock.advance(HOURS * 60 * MINUTE)
const { user, system } = process.cpuUsage(from)
const seconds = (user + system - made) / 1e6 / (HOURS * 60)
const kept = heap() - before
const usage = collector.part(clock.now()).usage ?? []
process.stdout.write(
  `${PODS} pods, ${usage.length} series: ${kept.toFixed(0)} MB of heap (at most ${MOST_MEGABYTES}), ${seconds.toFixed(2)} s of CPU a minute, ${((100 * seconds) / 60).toFixed(1)} % of a core (at most ${MOST_PERCENT} %), ${writes / HOURS} writes an hour\n`,
)
ending.abort()
await ended

const DAYS = 14
/** A number of a series and day that looks like a measured one. */
const drawn = (...of: readonly number[]) =>
  10 +
  (Math.imul(
    of.reduce((sum, one) => sum * 31 + one, 7),
    2_654_435_761,
  ) >>>
    22)
const series = Array.from({ length: AGENTS * GROUPS }, (_, index) => ({
  policy: `${namespaceOf(index % AGENTS)}/agent-${index % AGENTS}`,
  container: 'agent',
  group: `value:type-${Math.floor(index / AGENTS)}`,
}))
const rows = series.map((key, index) => {
  const used = { cpu: drawn(index, 1), memory: drawn(index, 2) }
  const seen = { used, peakMemory: drawn(index, 3), peakAt: '2026-11-12' }
  const settled = { used, limits: { memory: drawn(index, 4) }, at: clock.now(), why: 'Regular' as const, raisedAt: [] }
  return writeRow({ ...key, days: DAYS, newest: '2026-11-19', pods: 111, seen, settled }, allocatable)
})
const snapshot = snapshotFromParts({ usage: rows }, { name: 'x', cluster: 'x', observedAt: '2026-11-20T12:00:00Z' })
const histories = series.map((key, index) => {
  const hourOf = (hour: number) => ({
    used: { cpu: drawn(index, hour, 1), memory: drawn(index, hour, 2) },
    ...{ medianMemory: drawn(index, hour, 3), peakMemory: drawn(index, hour, 4), shareAtLimit: 0, pods: 111 },
  })
  const days = Array.from({ length: DAYS }, (_, day) => ({ date: `2026-11-${day + 10}`, ...hourOf(day) }))
  const hours = Array.from({ length: 23 }, (_, hour) => hourOf(DAYS + hour))
  return [key, { ...NO_HISTORY, days, today: { date: '2026-11-24', hours } }] as const
})
const text = gzipSync(historiesText(histories), { level: 9 }).toString('base64')
process.stdout.write(
  `${series.length} series of ${DAYS} days: ${(writeWithSchema(snapshot).length / 1000).toFixed(0)} KB of rows in Git (at most ${MOST_KILOBYTES}), ${(text.length / 1000).toFixed(0)} KB of history\n`,
)
