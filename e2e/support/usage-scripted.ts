/** A cluster whose agents' usage of ten days is known: a stand-in for the API server, a bare repository, and the files of nodefit sync. */
import { gunzipSync, gzipSync } from 'node:zlib'
import { parse, stringify } from 'yaml'
import type { UsageRow } from '../../src/facts/inventory/index.ts'
import { historiesText, type SeriesKey } from '../../src/facts/usage/index.ts'
import type { BareRemote } from './bare-remote.ts'
import { BY_USAGE, firstAgents } from './first-agents.ts'
import { METRICS } from './metrics-api.ts'
import { nodeOf } from './node-objects.ts'
import { json, type ScriptedApi } from './scripted-api.ts'
import { RENDERED_FROM_USAGE, type ScriptedRoom, scriptedRoom } from './scripted-room.ts'
import type { SyncSpec } from './sync-config.ts'

const [NAMESPACE, AGENT, GROUP] = ['logging', 'fluent-bit', 'value:m5.large']
const KEY: SeriesKey = { policy: `${NAMESPACE}/${AGENT}`, container: AGENT, group: GROUP }
const [NODES, DAEMON_SETS, PODS] = ['/api/v1/nodes', '/apis/apps/v1/daemonsets', '/api/v1/pods']
export const CONFIG_MAPS = '/api/v1/namespaces/nodefit/configmaps'
export const CONFIG_MAP = 'nodefit-sync-usage'
const HISTORIES = 'histories.json.gz'
export const WORKLOAD = 'clusters/prod/nodes/workload.yaml'
export const POLICY = 'agents/policy.yaml'
/** A Tuesday after the schedule has fired. */
export const START = '2026-11-17T10:05:00Z'
export const KILLED_AT = '2026-11-17T10:00:00Z'
const DAY = 86_400_000
/** How many times faster than the machine's the clock goes. */
export const TIMES = 20
export const POD_COUNT = 3

export interface UsageWorld extends ScriptedRoom {
  /** When the run began, in milliseconds since 1970: what is measured is of its clock. */
  readonly clock: { began: number; start: string }
}

/** Of nodefit sync's configuration: windows as short as they may be. */
const SHORT: SyncSpec = {
  ...RENDERED_FROM_USAGE,
  ...{ quietWindow: '1s', maxWindow: '3s', minPushInterval: '10s', reconcileInterval: '30s', git: { timeout: '2h' } },
}

/** Writes nodefit sync's configuration; `spec` is added to it. */
export function configure({ configure: write }: Pick<UsageWorld, 'configure'>, spec: SyncSpec = {}): void {
  write({ ...SHORT, ...spec })
}

export async function usageWorld(folder: string): Promise<UsageWorld> {
  const room = await scriptedRoom(folder, firstAgents(BY_USAGE), SHORT)
  const { api } = room
  for (let index = 0; index < POD_COUNT; index++) {
    const { metadata, ...node } = nodeOf(`node-${index}`, 'm5.large')
    api.put(NODES, { ...node, metadata: { ...metadata, uid: `uid-of-node-${index}` } })
  }
  const annotations = { 'nodefit.dev/owner': `SizingPolicy/${AGENT}`, 'nodefit.dev/group': GROUP }
  api.put(DAEMON_SETS, {
    metadata: { name: 'agent', namespace: NAMESPACE, uid: 'uid-of-agent', annotations },
    spec: { selector: { matchLabels: { 'nodefit.dev/node-group': 'm5.large' } } },
    status: { desiredNumberScheduled: POD_COUNT },
  })
  putPods({ api })
  api.remove(CONFIG_MAPS, '')
  const clock = { began: 0, start: START }
  const now = () => Date.parse(clock.start) + (Date.now() - clock.began) * TIMES
  api.next(
    ({ path }) => path.startsWith(METRICS),
    ({ path }, response) => json(response, 200, path === METRICS ? {} : { items: measuredAt(now()) }),
    Number.POSITIVE_INFINITY,
  )
  return { ...room, clock }
}

/** When containers were killed, and how often they have restarted since. */
interface Killed {
  readonly at: string
  readonly restarts: number
}

function podOf(index: number, killed?: Killed) {
  const startedAt = '2026-11-16T10:00:00Z'
  const labels = { 'nodefit.dev/node-group': 'm5.large' }
  const ownerReferences = [{ kind: 'DaemonSet', name: 'agent', uid: 'uid-of-agent', controller: true }]
  const resources = { limits: { memory: '256Mi' } }
  const ended = killed && { terminated: { reason: 'OOMKilled', exitCode: 137, finishedAt: killed.at } }
  const status = { name: AGENT, restartCount: killed?.restarts ?? 0, state: { running: { startedAt } } }
  return {
    metadata: { name: `agent-${index}`, namespace: NAMESPACE, uid: `pod-${index}`, labels, ownerReferences },
    spec: { nodeName: `node-${index}`, containers: [{ name: AGENT, resources }] },
    status: { containerStatuses: [{ ...status, ...(ended && { lastState: ended }) }] },
  }
}

/** Puts the pods; some of them were killed. */
export function putPods(
  { api }: Pick<UsageWorld, 'api'>,
  which: readonly number[] = [],
  killed: Killed = { at: KILLED_AT, restarts: 1 },
): void {
  for (let index = 0; index < POD_COUNT; index++)
    api.put(PODS, podOf(index, which.includes(index) ? killed : undefined))
}

/** Puts the ConfigMap with the ten days that are known before a time. */
export function putDays({ api }: Pick<UsageWorld, 'api'>, before = START): void {
  const today = Math.floor(Date.parse(before) / DAY) * DAY
  const days = Array.from({ length: 10 }, (_, index) => ({
    date: new Date(today - (10 - index) * DAY).toISOString().slice(0, 10),
    used: { cpu: 63, memory: 71 },
    ...{ medianMemory: 71, peakMemory: 71, shareAtLimit: 0, pods: POD_COUNT },
  }))
  const text = historiesText([[KEY, { days, today: { date: '', hours: [] }, kills: [] }]])
  api.put(CONFIG_MAPS, {
    metadata: { name: CONFIG_MAP, namespace: 'nodefit' },
    data: { until: new Date(today).toISOString() },
    binaryData: { [HISTORIES]: gzipSync(text).toString('base64') },
  })
}

export function rowsIn(remote: BareRemote): readonly UsageRow[] {
  if (remote.head('main') === undefined) return []
  try {
    return parse(remote.git('show', `main:${WORKLOAD}`)).spec.usage ?? []
  } catch {
    return []
  }
}

/** Writes what is settled into each row of Git, as somebody else; undefined takes it out. */
export function settle(remote: BareRemote, settled: UsageRow['settled']): string {
  const [mark = ''] = remote.git('show', `main:${WORKLOAD}`).split('\n')
  const snapshot = parse(remote.git('show', `main:${WORKLOAD}`))
  for (const row of snapshot.spec.usage) {
    delete row.settled
    if (settled !== undefined) row.settled = settled
  }
  return remote.commit({ [WORKLOAD]: `${mark}\n${stringify(snapshot)}` })
}

export function historiesIn(api: ScriptedApi): string | undefined {
  const data = api.get(CONFIG_MAPS, CONFIG_MAP)?.binaryData as Record<string, string> | undefined
  return data && gunzipSync(Buffer.from(data[HISTORIES] ?? '', 'base64')).toString()
}

function measuredAt(time: number): object[] {
  const timestamp = new Date(time - 5000).toISOString()
  const usage = { cpu: '63000000n', memory: '72704Ki' }
  return Array.from({ length: POD_COUNT }, (_, index) => ({
    metadata: { name: `agent-${index}`, namespace: NAMESPACE },
    timestamp,
    containers: [{ name: AGENT, usage }],
  }))
}
