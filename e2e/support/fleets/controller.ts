import { setTimeout as pause } from 'node:timers/promises'
import type { Api } from './api.ts'
import { nodeNamed, withTaints } from './nodes.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects, read back
type Any = any

/** A pod that the DaemonSet controller made, and for which node. */
export interface Pod {
  readonly uid: string
  readonly node: string
  readonly daemonSet: string
}

/** The pods of each node. */
export type Pods = ReadonlyMap<string, readonly Pod[]>

const POLL_MILLISECONDS = 60
const SETTLED_MILLISECONDS = 60_000
const ALIKE_POLLS = 2

/** Above what the API server gives a DaemonSet that says nothing, so that it always changes. */
const FIRST_LIMIT = 100

const MARK = 'example.com/mark'
const MARK_SPACE = 'fleets-mark'

/** Waits for the real DaemonSet controller, and says what it has done. */
export class Controller {
  readonly #api: Api
  #marks = 0
  /** Every pod that was ever seen. */
  readonly seen = new Set<string>()

  constructor(api: Api) {
    this.#api = api
  }

  /** Makes the DaemonSet by which it is seen how far the controller has read. */
  async start(): Promise<void> {
    await this.#api.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: MARK_SPACE } })
    const labels = { app: 'mark' }
    const container = { name: 'mark', image: 'example.com/mark:1' }
    const pod = { nodeSelector: { [MARK]: 'on' }, tolerations: [{ operator: 'Exists' }], containers: [container] }
    await this.#api.create({
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'mark', namespace: MARK_SPACE },
      spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec: pod } },
    })
  }

  /**
   * Makes the controller look at every node as it is now. It has read all of them when it serves a new one of our own, since
   * they come to it in order; and a change that makes no pod differ makes it sync each DaemonSet. Its own way to notice a
   * node's new labels needs pods that a scheduler has bound.
   */
  async looksAnew(namespace: string): Promise<void> {
    if (this.#marks > 0) await this.#api.delete(`/api/v1/nodes/${this.#mark().metadata.name}`)
    this.#marks++
    const mark = this.#mark()
    await this.#api.create(mark)
    await until(async () => (await this.#podsIn(MARK_SPACE)).map(podOf).some(({ node }) => node === mark.metadata.name))
    const path = `/apis/apps/v1/namespaces/${namespace}/daemonsets`
    const looks = { spec: { revisionHistoryLimit: FIRST_LIMIT + this.#marks } }
    const sets = await this.#setsIn(namespace)
    await Promise.all(sets.map(({ metadata }) => this.#api.patch(`${path}/${metadata.name}`, looks)))
  }

  /** The pods of each node in a namespace, once the controller has done all it will, as far as it can be seen. */
  async settled(namespace: string): Promise<Pods> {
    let last = ''
    let alike = 0
    let pods: Pod[] = []
    await until(async () => {
      const [sets, found] = await Promise.all([this.#setsIn(namespace), this.#podsIn(namespace)])
      pods = found.map(podOf)
      const state = isDone(sets, found)
        ? pods
            .map(({ uid }) => uid)
            .sort()
            .join()
        : undefined
      alike = state !== undefined && (alike === 0 || state === last) ? alike + 1 : 0
      last = state ?? ''
      return alike >= ALIKE_POLLS
    })
    for (const { uid } of pods) this.seen.add(uid)
    const byNode = new Map<string, Pod[]>()
    for (const pod of pods) byNode.set(pod.node, [...(byNode.get(pod.node) ?? []), pod])
    return byNode
  }

  #mark() {
    const node = nodeNamed(`fleets-mark-${this.#marks}`, { [MARK]: 'on' })
    return withTaints(node, [{ key: MARK, effect: 'NoExecute' }])
  }

  async #setsIn(namespace: string): Promise<Any[]> {
    return (await this.#api.get(`/apis/apps/v1/namespaces/${namespace}/daemonsets`)).items
  }

  async #podsIn(namespace: string): Promise<Any[]> {
    return (await this.#api.get(`/api/v1/namespaces/${namespace}/pods`)).items
  }
}

function isDone(sets: readonly Any[], pods: readonly Any[]): boolean {
  const isSettled = sets.every(
    ({ metadata: { generation }, status }) =>
      status.observedGeneration === generation &&
      status.currentNumberScheduled === status.desiredNumberScheduled &&
      (status.updatedNumberScheduled ?? 0) === status.desiredNumberScheduled,
  )
  const wanted = sets.reduce((sum, { status }) => sum + status.currentNumberScheduled + status.numberMisscheduled, 0)
  return isSettled && pods.length === wanted && pods.every(({ metadata }) => metadata.deletionTimestamp === undefined)
}

/** Without a scheduler a pod names its node in the affinity that the controller gave it. */
function podOf({ metadata, spec }: Any): Pod {
  const terms: Any[] =
    spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []
  const field = terms[0]?.matchFields?.find(({ operator }: Any) => operator === 'In')
  return {
    uid: metadata.uid,
    node: spec.nodeName ?? field?.values[0] ?? '',
    daemonSet: metadata.ownerReferences?.[0]?.name ?? '',
  }
}

async function until(isSo: () => Promise<boolean>): Promise<void> {
  for (const end = Date.now() + SETTLED_MILLISECONDS; Date.now() < end; await pause(POLL_MILLISECONDS))
    if (await isSo()) return
  throw new Error('the DaemonSet controller did not settle')
}
