/** A cluster in memory, as far as usage goes: DaemonSets, pods, what they use, one ConfigMap, and a collector of it all. */
import { gunzipSync, gzipSync } from 'node:zlib'
import type { UsageRow } from '../../src/facts/inventory/index.ts'
import { historiesText, readHistories } from '../../src/facts/usage/index.ts'
import { ApiError } from '../../src/host/cluster/errors.ts'
import type { KubeObject } from '../../src/host/cluster/list.ts'
import { writeWithSchema } from '../../src/host/files/manifest.ts'
import type { JsonClient, MakeInformer, UsagePolicies, WatchedResource } from '../../src/host/sync/collect/collector.ts'
import { METRICS_API } from '../../src/host/sync/collect/metrics-poll.ts'
import { ownDaemonSetInformer } from '../../src/host/sync/collect/own-daemonsets.ts'
import { UsageCollector, type UsageOptions } from '../../src/host/sync/collect/usage.ts'
import { UsageHistory } from '../../src/host/sync/collect/usage-history.ts'
import type { HeldLimit } from '../../src/host/sync/collect/usage-settling.ts'
import { usageIn } from '../../src/host/sync/effect/usage-changes.ts'
import { Schedule } from '../../src/kube/index.ts'
import { recordedLog, recordedMeter } from '../host/sync/api/reflecting.ts'
import { FakeClock } from './fake-clock.ts'

export const MINUTE = 60_000
export const HOUR = 60 * MINUTE
export const DAY = 24 * HOUR

/** What a container uses at a moment, in thousandths and MiB. */
export type Use = (at: number) => { readonly cpu: number; readonly memory: number }

export interface PodSpec {
  readonly name: string
  readonly daemonSet: string
  readonly node?: string
  readonly limits?: Record<string, string>
  readonly env?: readonly object[]
  readonly startedAt?: number
  readonly createdAt?: number
  /** Whether the container that is measured and killed is a sidecar of another, or an init container that ends. */
  readonly as?: 'sidecar' | 'init'
  readonly use: Use
}

interface Pod extends PodSpec {
  status: object
  restarts: number
}

const NAMESPACE = 'logging'
const CONTAINER = 'fluent-bit'
const LABEL = 'nodefit.dev/node-group'

/** An informer of objects that a test changes. */
class Watched {
  readonly resource: WatchedResource<unknown>
  readonly items = new Map<string, unknown>()
  isSynced = true

  constructor(resource: WatchedResource<unknown>) {
    this.resource = resource
  }

  put(object: KubeObject): void {
    const value = this.resource.trim(object)
    const key = `${object.metadata.namespace}/${object.metadata.name}`
    if (value === undefined) this.items.delete(key)
    else this.items.set(key, value)
  }
}

export class UsageWorld {
  readonly clock: FakeClock
  readonly recorded = recordedLog()
  readonly counted: ReturnType<typeof recordedMeter>['counted']
  readonly asked: string[] = []
  readonly writes: number[] = []
  changes = 0
  /** What the metrics API answers instead, by namespace; '' is all. */
  fault: ((path: string) => unknown) | undefined
  configMapFault: number | undefined
  /** What happens while the ConfigMap is written. */
  onWrite: (() => void) | undefined
  configMap: KubeObject | undefined
  isLeader = true
  isWriter = true
  policies: UsagePolicies | undefined
  inGit: readonly UsageRow[] = []
  readonly retain = 14 * DAY
  readonly #daemonSets = new Map<string, KubeObject>()
  readonly #pods = new Map<string, Pod>()
  readonly #nodes = new Map<string, Record<string, string>>()
  #watches: Watched[] = []
  #version = 0
  #frozenAt: number | undefined
  /** By how much the times of measurements differ. */
  skew = 0
  collector: UsageCollector
  #ending = new AbortController()
  #ended: Promise<unknown> = Promise.resolve()
  readonly #schedule: string

  constructor({ start = '2026-11-03T00:00:30Z', schedule = '0 9 * * 2' } = {}) {
    this.clock = new FakeClock(start, 2)
    this.counted = recordedMeter().counted
    this.#schedule = schedule
    this.collector = this.#make()
  }

  /** A process that begins, the one before having been killed. */
  async restart(): Promise<void> {
    await this.stop()
    this.collector = this.#make()
    await this.begin()
  }

  async begin(): Promise<void> {
    this.#ending = new AbortController()
    this.#ended = this.collector.start(this.#ending.signal)
    await this.clock.advance(0)
  }

  async stop(): Promise<void> {
    this.#ending.abort()
    await this.#ended
  }

  async pass(milliseconds: number): Promise<void> {
    await this.clock.advance(milliseconds)
  }

  node(name: string, allocatable: Record<string, string>): void {
    this.#nodes.set(name, allocatable)
  }

  daemonSet(name: string, group = `value:${name}`, desired = 1, { policy = 'fluent-bit', label = LABEL } = {}): void {
    const object: KubeObject = {
      metadata: {
        ...{ name, namespace: NAMESPACE, uid: `uid-${name}` },
        annotations: { 'nodefit.dev/owner': `SizingPolicy/${policy}`, 'nodefit.dev/group': group },
      } as KubeObject['metadata'],
      spec: { selector: { matchLabels: { app: 'fluent-bit', [label]: name } } },
      status: { desiredNumberScheduled: desired },
    }
    this.#daemonSets.set(name, object)
    for (const watched of this.#watches) if (isDaemonSets(watched)) watched.put(object)
  }

  removeDaemonSet(name: string): void {
    this.#daemonSets.delete(name)
    for (const watched of this.#watches) if (isDaemonSets(watched)) watched.items.delete(`${NAMESPACE}/${name}`)
    for (const pod of [...this.#pods.values()]) if (pod.daemonSet === name) this.removePod(pod.name)
  }

  pod(spec: PodSpec): void {
    this.#pods.set(spec.name, { ...spec, status: runningSince(spec.startedAt ?? this.clock.now() - HOUR), restarts: 0 })
    this.#tell(spec.name)
  }

  removePod(name: string): void {
    this.#pods.delete(name)
    for (const watched of this.#watches) if (!isDaemonSets(watched)) watched.items.delete(`${NAMESPACE}/${name}`)
  }

  /** The kernel kills the container of a pod, which restarts; so often. */
  kill(
    name: string,
    { times = 1, at = this.clock.now(), limits }: { times?: number; at?: number; limits?: Record<string, string> } = {},
  ): void {
    const pod = this.#pods.get(name)
    if (pod === undefined) throw new Error(`no pod ${name}`)
    pod.restarts += times
    const finishedAt = new Date(at).toISOString()
    pod.status = { ...runningSince(at), lastState: { terminated: { reason: 'OOMKilled', exitCode: 137, finishedAt } } }
    if (limits !== undefined) this.#pods.set(name, { ...pod, limits })
    this.#tell(name)
  }

  /** The rows that would be in the snapshot. */
  rows(): readonly UsageRow[] {
    const spec = { usage: this.inGit }
    const text = `mark\n${writeWithSchema({ apiVersion: 'nodefit.dev/v1alpha1', kind: 'WorkloadSnapshot', metadata: { name: 'x' }, spec })}`
    const { rows, problem } = usageIn(text, {})
    if (problem !== undefined) throw new Error(problem)
    this.collector.remember(rows)
    return this.collector.part(this.clock.now()).usage ?? []
  }

  /** The limits that are not raised though kills ask for it. */
  held(): readonly HeldLimit[] {
    this.rows()
    return this.collector.held(this.clock.now())
  }

  /** Commits what would be in the snapshot if something settled differs; returns whether it does. */
  commit(): boolean {
    const rows = this.rows()
    const settled = (all: readonly UsageRow[]) =>
      JSON.stringify(all.flatMap((row) => (row.settled ? [[row.policy, row.container, row.group, row.settled]] : [])))
    const isOther = settled(rows) !== settled(this.inGit)
    if (isOther) this.inGit = rows
    return isOther
  }

  /** Days that an earlier process has kept, up to yesterday. */
  keep(group: string, count: number, { cpu, memory, pods }: { cpu: number; memory: number; pods: number }): void {
    const today = Math.floor(this.clock.now() / DAY) * DAY
    const days = Array.from({ length: count }, (_, index) => ({
      date: new Date(today - (count - index) * DAY).toISOString().slice(0, 10),
      used: { cpu, memory },
      ...{ medianMemory: memory, peakMemory: memory, shareAtLimit: 0, pods },
    }))
    const key = { policy: `${NAMESPACE}/fluent-bit`, container: CONTAINER, group }
    const text = historiesText([[key, { days, today: { date: '', hours: [] }, kills: [] }]])
    this.configMap = {
      metadata: { name: 'nodefit-sync-usage', namespace: 'nodefit', resourceVersion: String(++this.#version) },
      data: { until: new Date(today).toISOString() },
      binaryData: { 'histories.json.gz': gzipSync(text).toString('base64') },
    }
  }

  /** How many hours of today are kept. */
  hours(): number {
    const { 'histories.json.gz': text = '' } = (this.configMap?.binaryData ?? {}) as Record<string, string>
    const histories = readHistories(gunzipSync(Buffer.from(text, 'base64')).toString()) ?? []
    return histories.reduce((sum, [, { today }]) => sum + today.hours.length, 0)
  }

  /** Somebody writes the ConfigMap, and changes nothing. */
  touch(): void {
    if (this.configMap !== undefined)
      this.configMap = {
        ...this.configMap,
        metadata: { ...this.configMap.metadata, resourceVersion: String(++this.#version) },
      }
  }

  fails(fault: (path: string) => unknown): void {
    this.fault = fault
  }

  skews(milliseconds: number): void {
    this.skew = milliseconds
  }

  /** What is measured is 0 from now on. */
  zero(): void {
    for (const [name, pod] of this.#pods) this.#pods.set(name, { ...pod, use: () => ({ cpu: 0, memory: 0 }) })
  }

  /** What is measured is of this moment from now on. */
  repeat(): void {
    this.#frozenAt = this.clock.now()
  }

  /** The selectors of the pods that are watched. */
  get watched(): string[] {
    return this.#watches
      .filter((one) => !isDaemonSets(one))
      .map(({ resource }) => `${resource.path} ${resource.query?.labelSelector}`)
  }

  #make(): UsageCollector {
    this.#watches = []
    const context = {
      clock: this.clock,
      log: this.recorded.log,
      meter: {
        ...recordedMeter().meter,
        component: (name: string, isUp: boolean) => void this.counted.components.set(name, isUp),
      },
    }
    const connection = { json: (request: Parameters<JsonClient['json']>[0]) => this.#answer(request) } as JsonClient
    const makeInformer = this.#informer.bind(this) as MakeInformer
    const options: UsageOptions = {
      ...{ connection, makeInformer, context, retain: this.retain },
      daemonSets: ownDaemonSetInformer(makeInformer),
      nodes: () => [...this.#nodes].map(([name, allocatable]) => ({ name, allocatable }) as never),
      policies: () => this.policies,
      leads: () => this.isLeader,
      schedule: Schedule.parse(this.#schedule),
      history: new UsageHistory({ connection, namespace: 'nodefit', name: 'nodefit-sync-usage', context }),
      isWriter: this.isWriter,
      onPoll: () => {},
      onChange: () => {
        this.changes++
      },
    }
    return new UsageCollector(options)
  }

  #informer<T>(resource: WatchedResource<T>) {
    const watched = new Watched(resource as WatchedResource<unknown>)
    this.#watches.push(watched)
    if (isDaemonSets(watched)) for (const object of this.#daemonSets.values()) watched.put(object)
    else for (const name of this.#pods.keys()) watched.put(this.#podObject(name))
    const drop = () => {
      this.#watches = this.#watches.filter((one) => one !== watched)
    }
    return {
      start: (signal: AbortSignal) =>
        new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(drop()), { once: true })),
      get isSynced() {
        return watched.isSynced
      },
      items: () => watched.items as ReadonlyMap<string, T>,
    }
  }

  #tell(name: string): void {
    for (const watched of this.#watches) if (!isDaemonSets(watched)) watched.put(this.#podObject(name))
  }

  #podObject(name: string): KubeObject {
    const {
      daemonSet,
      node = 'n1',
      limits = { cpu: '500m', memory: '256Mi' },
      env = [],
      status,
      restarts,
      createdAt,
      as,
    } = this.#pods.get(name) as Pod
    const ownerReferences = [{ kind: 'DaemonSet', name: daemonSet, uid: `uid-${daemonSet}`, controller: true }]
    const born = createdAt === undefined ? {} : { creationTimestamp: new Date(createdAt).toISOString() }
    const metadata: object = { name, namespace: NAMESPACE, uid: `pod-${name}`, ownerReferences, ...born }
    const [container, stated] = [
      { name: CONTAINER, resources: { limits }, env },
      { name: CONTAINER, restartCount: restarts, ...status },
    ]
    const isOwn = as === undefined
    const beside = { name: 'app', restartCount: 0, ...runningSince(0) }
    return {
      metadata: metadata as KubeObject['metadata'],
      spec: isOwn
        ? { nodeName: node, containers: [container] }
        : {
            nodeName: node,
            containers: [{ name: 'app' }],
            initContainers: [{ ...container, ...(as === 'sidecar' && { restartPolicy: 'Always' }) }],
          },
      status: isOwn
        ? { containerStatuses: [stated] }
        : { containerStatuses: [beside], initContainerStatuses: [stated] },
    }
  }

  async #answer({ method = 'GET', path, query, body }: Parameters<JsonClient['json']>[0]): Promise<never> {
    if (path.includes('/configmaps')) return this.#configMap(method, body as KubeObject) as never
    this.asked.push(query?.labelSelector === undefined ? path : `${path} ${query.labelSelector}`)
    const answer = this.fault?.(path)
    if (answer !== undefined) return answer as never
    if (path === METRICS_API) return {} as never
    const now = this.clock.now()
    const items = [...this.#pods.values()].map(({ name, use }) => {
      const { cpu, memory } = use(now)
      const usage = { cpu: `${Math.round(cpu * 1e6)}n`, memory: `${Math.round(memory * 1024)}Ki` }
      const timestamp = new Date((this.#frozenAt ?? now) - 5000 + this.skew).toISOString()
      return { metadata: { name, namespace: NAMESPACE }, timestamp, containers: [{ name: CONTAINER, usage }] }
    })
    return { items } as never
  }

  #configMap(method: string, body: KubeObject): KubeObject {
    if (this.configMapFault !== undefined)
      throw new ApiError(this.configMapFault, '', `refused with ${this.configMapFault}`)
    if (method === 'GET') {
      if (this.configMap === undefined) throw new ApiError(404, 'NotFound', 'not found')
      return this.configMap
    }
    if (method === 'POST' && this.configMap !== undefined) throw new ApiError(409, 'AlreadyExists', 'already exists')
    if (method === 'PUT' && this.configMap === undefined) throw new ApiError(404, 'NotFound', 'not found')
    if (method === 'PUT' && body.metadata.resourceVersion !== this.configMap?.metadata.resourceVersion)
      throw new ApiError(409, 'Conflict', 'the object has been modified')
    this.writes.push(this.clock.now())
    this.onWrite?.()
    this.configMap = { ...body, metadata: { ...body.metadata, resourceVersion: String(++this.#version) } }
    return this.configMap
  }
}

function isDaemonSets({ resource: { path } }: Watched): boolean {
  return path.endsWith('/daemonsets')
}

function runningSince(at: number): object {
  return { state: { running: { startedAt: new Date(at).toISOString() } } }
}

/** The answer of an API server that refuses. */
export function refusal(status: number): (path: string) => unknown {
  return () => Promise.reject(new ApiError(status, '', `refused with ${status}`))
}
