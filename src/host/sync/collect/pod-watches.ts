import { CONFIG_MAP_DEFAULTS, SIZING_POLICY_DEFAULTS } from '../../../kinds/index.ts'
import type { KubeObject } from '../../cluster/list.ts'
import { type AgentPod, agentPod } from './agent-pods.ts'
import type { Informer, MakeInformer, UsagePolicies } from './collector.ts'
import type { OwnDaemonSet } from './own-daemonsets.ts'

interface Watch {
  readonly informer: Informer<AgentPod>
  readonly stop: AbortController
  readonly ended: Promise<unknown>
}

/** Watches the pods of node groups: one watch for each label key, whatever the number of groups. */
export class PodWatches {
  readonly #makeInformer: MakeInformer
  /** Called with each pod that is listed or that has changed, before it is kept. */
  readonly #see: (object: KubeObject, pod: AgentPod | undefined) => void
  readonly #watches = new Map<string, Watch>()
  readonly #strings = new Map<string, string>()
  #isFollowing = false

  constructor(makeInformer: MakeInformer, see: (object: KubeObject, pod: AgentPod | undefined) => void) {
    this.#makeInformer = makeInformer
    this.#see = see
  }

  /** Whether all pods were listed that were asked for. */
  get isSynced(): boolean {
    return this.#isFollowing && [...this.#watches.values()].every(({ informer }) => informer.isSynced)
  }

  /** Begins to watch these pods, and ends to watch others. */
  follow(selections: readonly PodSelection[], signal: AbortSignal): void {
    this.#isFollowing = true
    const wanted = new Map(
      selections.map(({ namespace, selector, isShared }) => {
        const path = isShared ? '/api/v1/pods' : `/api/v1/namespaces/${namespace}/pods`
        const id: string = `${path} ${selector}`
        return [id, { path, selector }] as const
      }),
    )
    for (const [id, { stop }] of this.#watches)
      if (!wanted.has(id)) {
        stop.abort()
        this.#watches.delete(id)
      }
    for (const [id, { path, selector }] of wanted)
      if (!this.#watches.has(id)) this.#watches.set(id, this.#begin(path, selector, signal))
  }

  /** The pod of this name. */
  find(namespace: string, name: string): AgentPod | undefined {
    const key = `${namespace}/${name}`
    for (const { informer } of this.#watches.values()) {
      const pod = informer.items().get(key)
      if (pod !== undefined) return pod
    }
    return undefined
  }

  *pods(): Iterable<AgentPod> {
    for (const { informer } of this.#watches.values()) yield* informer.items().values()
  }

  /** Drops the strings that no pod has any more. */
  prune(): void {
    this.#strings.clear()
    for (const { daemonSet, node, containers } of this.pods())
      for (const text of [daemonSet, node, containers]) this.#strings.set(text, text)
  }

  /** Resolves when all watches have ended, after the signal was aborted. */
  async end(): Promise<void> {
    await Promise.all([...this.#watches.values()].map(({ ended }) => ended))
  }

  #begin(path: string, selector: string, signal: AbortSignal): Watch {
    const informer = this.#makeInformer<AgentPod>({
      path,
      resource: 'agent-pods',
      query: { labelSelector: selector },
      trim: (object) => {
        const pod = agentPod(object, this.#strings)
        this.#see(object, pod)
        return pod
      },
      onChange: () => {},
    })
    const stop = new AbortController()
    return { informer, stop, ended: informer.start(AbortSignal.any([signal, stop.signal])) }
  }
}

/** Pods of one namespace that are asked for together. */
interface PodSelection {
  readonly namespace: string
  readonly selector: string
  /** Whether the pods of other namespaces that match it are of node groups too. */
  readonly isShared: boolean
}

/** The group labels of policies that are not read yet. */
const GROUP_LABELS: readonly string[] = [SIZING_POLICY_DEFAULTS.labels.nodeGroup, CONFIG_MAP_DEFAULTS.labels.nodeGroup]

/**
 * Which pods to ask for, so that those of all these DaemonSets are among them: one selection for each namespace and
 * group label, whatever the number of groups. A DaemonSet without a group label has one of its own.
 */
export function podSelections(
  daemonSets: readonly OwnDaemonSet[],
  policies: UsagePolicies | undefined,
): readonly PodSelection[] {
  const all = daemonSets.flatMap(({ namespace, selector, labelKeys, policy }): PodSelection[] => {
    const wanted = policies?.get(policy)?.groupLabel
    const label = [...(wanted === undefined ? [] : [wanted]), ...GROUP_LABELS].find((key) => labelKeys.includes(key))
    if (label !== undefined) return [{ namespace, selector: label, isShared: true }]
    // an empty selector selects nothing
    return selector === '' ? [] : [{ namespace, selector, isShared: false }]
  })
  const byText = new Map(all.map((one) => [`${one.namespace} ${one.selector}`, one]))
  return [...byText].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, one]) => one)
}
