/** Drawn pools on a real API server: what is rendered is applied, machines join as their claims say, and the scheduler binds pods. */
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { timeText } from '../../../src/kube/index.ts'
import { type Decided, decideObjects } from '../../../test/support/pools.ts'
import type { Cluster } from '../cluster.ts'
import { eventually } from '../eventually.ts'
import type { Api } from '../fleets/api.ts'
import { asList, does } from '../objects.ts'
import { nodeOfClaim, type PoolFleet, STARTING } from './draw-fleet.ts'
import { exported } from './snapshot-files.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects of any kind, read back
type Any = any

const CLAIMS = '/apis/kubenodesmith.parawell.cloud/v1alpha1'
const MACHINE_KINDS = ['NodeInventory', 'WorkloadSnapshot']
/** A node outside every pool, as every cluster has one. The heartbeats of all nodes are the clock of the loop. */
const CONTROL = 'control-plane-1'

/** What a cluster shows at one time. */
export interface Seen {
  readonly nodes: readonly Any[]
  readonly pods: readonly Any[]
}

/** One fleet in the loop: its package in Git, as the last render left it, and what that decided. */
export interface Turn {
  readonly fleet: PoolFleet
  git: readonly KubernetesObject[]
  snapshot?: KubernetesObject
  decided?: Decided
}

export class ClosedLoop {
  readonly turns: readonly Turn[]
  readonly #api: Api
  readonly #cluster: Cluster
  #ahead = 0

  constructor(cluster: Cluster, api: Api, fleets: readonly PoolFleet[]) {
    this.#cluster = cluster
    this.#api = api
    this.turns = fleets.map((fleet) => ({ fleet, git: fleet.objects }))
  }

  /** Makes namespaces, pools, agents and pods, and waits until the scheduler has refused every pod. */
  async begin(): Promise<void> {
    const namespaces = this.turns.map(({ fleet }) => ({ metadata: { name: fleet.name } }))
    const node = {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: CONTROL, labels: { 'kubernetes.io/os': 'linux' } },
    }
    const conditions = [{ type: 'Ready', status: 'True', lastHeartbeatTime: this.now, lastTransitionTime: this.now }]
    const amounts = { cpu: '2', memory: '4Gi', pods: '0' }
    await this.#api.create(node as KubernetesObject)
    await this.#api.status(node as KubernetesObject, { capacity: amounts, allocatable: amounts, conditions })
    this.create(namespaces.map((one) => ({ apiVersion: 'v1', kind: 'Namespace', ...one })))
    this.create(this.turns.flatMap(({ fleet }) => fleet.objects.filter(({ kind }) => kind !== 'PoolPolicy')))
    this.create(this.turns.flatMap(({ fleet }) => fleet.pods))
    // a new kind is listed a moment after it is established
    const listed = () => this.#api.get(`${CLAIMS}/nodesmithclaims`)
    await eventually(() =>
      listed().then(
        () => true,
        () => false,
      ),
    )
    await eventually(async () => (await this.seen()).pods.every((pod) => this.isRefused(pod) || isBound(pod)), 120)
  }

  /** The time of the loop, which moves by itself and by `pass`. */
  get now(): string {
    return timeText(Date.now() + this.#ahead)
  }

  pass(minutes: number): void {
    this.#ahead += minutes * 60_000
  }

  create(objects: readonly object[]): void {
    if (objects.length > 0) does(this.#cluster.kubectl(['create', '--validate=strict', '-f', '-'], asList(objects)))
  }

  async seen(): Promise<Seen> {
    const [nodes, pods] = await Promise.all([this.#api.get('/api/v1/nodes'), this.#api.get('/api/v1/pods')])
    return { nodes: nodes.items, pods: pods.items }
  }

  isRefused({ status }: Any): boolean {
    return (status.conditions ?? []).some((one: Any) => one.type === 'PodScheduled' && one.reason === 'Unschedulable')
  }

  /** Renders each fleet from what the cluster shows now, and applies it; machines join at once. Returns how many. */
  async turn(): Promise<number> {
    const { nodes, pods } = await this.seen()
    const { items } = await this.#api.get(`${CLAIMS}/nodesmithclaims`)
    const joined: KubernetesObject[] = []
    const added: KubernetesObject[] = []
    for (const one of this.turns) {
      const { name } = one.fleet
      const own = ({ metadata }: Any) => metadata.namespace === name
      const names = new Set(items.filter(own).map(({ metadata }: Any) => metadata.name))
      this.#render(one, {
        nodes: nodes.filter(({ metadata }) => metadata.name === CONTROL || names.has(metadata.name)),
        pods: pods.filter(own),
        claims: items.filter(own),
      })
      const claims = new Map(
        one.git.filter(({ kind }) => kind === 'NodeSmithClaim').map((claim) => [claim.metadata.name, claim]),
      )
      for (const [claim, object] of claims) {
        if (names.has(claim)) continue
        added.push(object)
        joined.push(nodeOfClaim(object, policyOf(one, object), this.now))
      }
      for (const gone of [...names].filter((claim) => !claims.has(claim as string)))
        await this.#remove(name, gone as string, pods)
      for (const { kind, metadata, spec } of one.git)
        if (kind === 'Node')
          await this.#api.patch(`/api/v1/nodes/${metadata.name}`, {
            metadata: { annotations: metadata.annotations ?? {} },
            ...(spec === undefined ? {} : { spec }),
          })
    }
    this.create(added)
    for (const node of joined) {
      await this.#api.create(node)
      await this.#api.status(node, node.status as object)
    }
    return joined.length
  }

  #render(one: Turn, { nodes, pods, claims }: Seen & { claims: readonly Any[] }): void {
    const beating = nodes.map((node) => withHeartbeat(node, this.now))
    const pools = one.git.filter(({ kind }) => kind === 'NodeSmithPool')
    const [inventory, snapshot] = exported({ nodes: beating, pods, claims, pools, earlier: one.snapshot })
    one.snapshot = snapshot
    one.decided = decideObjects([...one.git, inventory, snapshot])
    one.git = one.decided.plan.items.map(({ object }) => object).filter(({ kind }) => !MACHINE_KINDS.includes(kind))
  }

  /** Removes a machine, and the pods that were on it, as Kubernetes' collection of pods does. */
  async #remove(namespace: string, name: string, pods: readonly Any[]): Promise<void> {
    await this.#api.delete(`${CLAIMS}/namespaces/${namespace}/nodesmithclaims/${name}`)
    await this.#api.delete(`/api/v1/nodes/${name}`)
    await this.end(pods.filter(({ spec }) => spec.nodeName === name))
  }

  /** Takes the startup taints away, as agents do. */
  async started(): Promise<void> {
    const { nodes } = await this.seen()
    for (const { metadata, spec } of nodes) {
      const taints = (spec.taints ?? []).filter(({ key }: Any) => key !== STARTING)
      if (taints.length !== (spec.taints ?? []).length)
        await this.#api.patch(`/api/v1/nodes/${metadata.name}`, { spec: { taints } })
    }
  }

  /** Deletes pods for good, as a kubelet does at their end. */
  async end(pods: readonly Any[]): Promise<void> {
    for (const { metadata } of pods)
      await this.#api.delete(`/api/v1/namespaces/${metadata.namespace}/pods/${metadata.name}`)
  }
}

export const isBound = ({ spec }: Any): boolean => spec.nodeName !== undefined
export const isAgent = ({ metadata }: Any): boolean =>
  (metadata.ownerReferences ?? []).some(({ kind }: Any) => kind === 'DaemonSet')

function policyOf({ fleet }: Turn, { spec }: KubernetesObject): Any {
  const { poolRef } = spec as { poolRef: string }
  return fleet.objects.find(({ kind, metadata }) => kind === 'PoolPolicy' && metadata.name === poolRef)?.spec
}

function withHeartbeat(node: Any, lastHeartbeatTime: string): Any {
  const conditions = (node.status.conditions ?? []).map((one: Any) => ({ ...one, lastHeartbeatTime }))
  return { ...node, status: { ...node.status, conditions } }
}
