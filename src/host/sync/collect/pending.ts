import {
  blockedNode,
  foldPending,
  nodeSums,
  type PendingEntry,
  type PodObject,
  pendingPod,
  type SnapshotNode,
  type SnapshotParts,
  withNodeDetails,
} from '../../../facts/inventory/index.ts'
import { timeText } from '../../../kube/index.ts'
import type { KubeObject } from '../../cluster/list.ts'
import type { ProjectedNode } from '../nodes/projected-node.ts'
import type { Informer, MakeInformer } from './collector.ts'
import { type KeptPod, keptPod, type PodsCollector, placedPods } from './pods.ts'

/** Selects the pods that have not ended. */
const FIELD_SELECTOR = 'status.phase!=Succeeded,status.phase!=Failed'

/** The cached part of a pod: what its node counts, and whether it blocks its removal; or a pod without a node. */
type KeptForPools = (KeptPod & { readonly isBlocking: boolean }) | { readonly pending: PendingEntry }

interface PendingOptions {
  readonly makeInformer: MakeInformer
  readonly nodes: () => Iterable<ProjectedNode>
  readonly idle: IdleNodes
  /** Called when a pod begins to wait for a node, or waits for another reason: a machine may have to be opened. */
  readonly onChange: () => void
}

/**
 * Collects what node pools need of pods: those that wait for a node, and `nodes` and `daemonSets` as `podsCollector`
 * does, with the state of each node. One watch serves both.
 */
export class PendingCollector implements PodsCollector {
  readonly name = 'pending'
  readonly #options: PendingOptions
  readonly #strings = new Map<string, string>()
  readonly #pods: Informer<KeptForPools>
  /** The reason of each pod that waits, by key, as it was last seen. */
  readonly #waiting = new Map<string, string>()

  constructor(options: PendingOptions) {
    this.#options = options
    const keyOf = ({ metadata: { namespace, name } }: KubeObject) => `${namespace}/${name}`
    this.#pods = options.makeInformer<KeptForPools>({
      path: '/api/v1/pods',
      resource: 'pods',
      query: { fieldSelector: FIELD_SELECTOR },
      keyOf,
      trim: (object) => this.#trim(object, keyOf(object)),
      onChange: () => {},
    })
  }

  start(signal: AbortSignal): Promise<void> {
    return this.#pods.start(signal)
  }

  get isSynced(): boolean {
    return this.#pods.isSynced
  }

  has(pod: string): boolean | undefined {
    if (!this.isSynced) return undefined
    const kept = this.#pods.items().get(pod)
    return kept !== undefined && !('pending' in kept)
  }

  part(now: number): SnapshotParts {
    if (!this.isSynced) return {}
    const { idle } = this.#options
    const present = [...this.#options.nodes()]
    const pods = this.#pods.items()
    for (const key of this.#waiting.keys()) if (!pods.has(key)) this.#waiting.delete(key)
    this.#strings.clear()
    const placed: KeptPod[] = []
    const pending: PendingEntry[] = []
    const blocking = new Map<string, number>()
    for (const pod of pods.values()) {
      if ('pending' in pod) pending.push(pod.pending)
      else placed.push(pod)
      if ('node' in pod && pod.isBlocking) blocking.set(pod.node, (blocking.get(pod.node) ?? 0) + 1)
    }
    const sums = nodeSums(
      placedPods(placed, this.#strings),
      present.map(({ name }) => name),
    )
    const all = new Map(present.map(({ name, details }) => [name, details ?? {}]))
    const given = { details: all, blocking, earlier: idle.earlier, observedAt: timeText(now) }
    const nodes = withNodeDetails(sums.nodes, given)
    idle.keep(nodes)
    return { ...sums, nodes, pending: foldPending(pending) }
  }

  #trim(object: KubeObject, key: string): KeptForPools | undefined {
    const pod = object as unknown as PodObject
    const pending = pendingPod(pod)
    if (pending !== undefined) {
      const { reason = '' } = pending.pod
      if (this.#waiting.get(key) !== reason) this.#options.onChange()
      this.#waiting.set(key, reason)
      return { pending }
    }
    const blocked = blockedNode(pod)
    if (blocked !== undefined) this.#options.idle.isBusy(blocked)
    const kept = keptPod(object, this.#strings)
    return kept && { ...kept, isBlocking: blocked !== undefined }
  }
}

type Earlier = Pick<SnapshotNode, 'uid' | 'idleSince'>

/** Remembers since when nodes are idle. It is a cache: Git has what a restart needs. */
export class IdleNodes {
  #nodes = new Map<string, Earlier>()

  /** Takes over the nodes of the snapshot in Git, before the first snapshot of this process is written. */
  seed(nodes: ReadonlyMap<string, Earlier>): void {
    this.#nodes = new Map(nodes)
  }

  /** A pod that blocks the removal of the node was seen, however short: it is idle anew afterwards. */
  isBusy(name: string): void {
    this.#nodes.delete(name)
  }

  /** The nodes of the snapshot that was written before. */
  get earlier(): ReadonlyMap<string, Earlier> {
    return this.#nodes
  }

  /** Remembers the nodes of a snapshot. */
  keep(nodes: readonly SnapshotNode[]): void {
    this.#nodes = new Map(
      nodes.flatMap(({ name, uid, idleSince }) => (idleSince === undefined ? [] : [[name, { uid, idleSince }]])),
    )
  }
}
