import type { KubernetesObject } from '../../../src/krm/types.ts'
import { eventually } from '../eventually.ts'
import type { Api } from '../fleets/api.ts'
import type { Live } from './days.ts'
import { GROUP, type Ground, type Served, type Wanted } from './play.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects, read back
type Any = any

const NODES = '/api/v1/nodes'
const DAEMONSETS = '/apis/apps/v1/namespaces/default/daemonsets'
const PODS = '/api/v1/namespaces/default/pods'
const SECONDS = 60

/**
 * A real API server with the real DaemonSet controller and scheduler: of a node that changes the controller asks only for pods that are
 * bound to it. No kubelet runs the pods, so they end at once.
 */
export class Real implements Ground {
  readonly #api: Api
  #nodes = new Map<string, Live>()

  constructor(api: Api) {
    this.#api = api
  }

  async setNodes(nodes: ReadonlyMap<string, Live>): Promise<void> {
    const gone = [...this.#nodes.keys()].filter((name) => !nodes.has(name))
    for (const name of gone) await this.#api.delete(`${NODES}/${name}`)
    if (gone.length > 0) await this.#collect(new Set(gone))
    for (const [name, { node }] of nodes) {
      const known = this.#nodes.get(name)?.node
      if (known === undefined) await this.#api.create(node)
      // a replacement keeps what admission has added out, such as the taint of a node that is not ready
      else if (known !== node) await this.#api.replace(node)
    }
    this.#nodes = new Map(nodes)
  }

  async apply(daemonSets: readonly KubernetesObject[]): Promise<void> {
    for (const { metadata, ...rest } of daemonSets)
      await this.#api.apply({ ...rest, metadata: { name: metadata.name, labels: metadata.labels } } as KubernetesObject)
    const names = new Set(daemonSets.map(({ metadata }) => metadata.name))
    const { items } = await this.#api.get(DAEMONSETS)
    for (const { metadata } of items)
      if (!names.has(metadata.name)) await this.#api.delete(`${DAEMONSETS}/${metadata.name}`)
  }

  async seen(wanted: ReadonlyMap<string, readonly Wanted[]>): Promise<ReadonlyMap<string, readonly Served[]>> {
    let found = new Map<string, Served[]>()
    const text = (all: ReadonlyMap<string, readonly Wanted[]>) =>
      JSON.stringify([...all].map(([name, own]) => [name, own.map(({ group, memory }) => `${group} ${memory}`).sort()]))
    const wantedText = text(wanted)
    await eventually(
      async () => {
        found = new Map([...wanted.keys()].map((name) => [name, []]))
        const { items } = await this.#api.get(PODS)
        for (const pod of items.filter(({ metadata }: Any) => metadata.deletionTimestamp === undefined))
          if (found.has(nodeOf(pod))) found.set(nodeOf(pod), [...(found.get(nodeOf(pod)) ?? []), servedOf(pod)])
        return text(found) === wantedText
      },
      SECONDS,
      wantedText,
    ).catch((error: Error) => {
      throw new Error(`the model differs: ${error.message}, but ${text(found)}`)
    })
    return found
  }

  /** Deletes the pods of nodes that are gone, as the pod garbage collector does. */
  async #collect(gone: ReadonlySet<string>): Promise<void> {
    const { items } = await this.#api.get(PODS)
    for (const pod of items)
      if (gone.has(nodeOf(pod))) await this.#api.delete(`${PODS}/${pod.metadata.name}`).catch(unlessGone)
  }

  /** Takes away all that a day has left. */
  async clear(): Promise<void> {
    await this.apply([])
    await this.setNodes(new Map())
    await eventually(async () => (await this.#api.get(PODS)).items.length === 0)
  }
}

/** Its DaemonSet may have taken a pod away meanwhile. */
function unlessGone(error: Error): void {
  if (!/: 404 /.test(error.message)) throw error
}

function servedOf({ metadata, spec }: Any): Served {
  return { group: metadata.labels[GROUP], memory: spec.containers[0].resources.requests.memory, pod: metadata.uid }
}

/** The node of a pod; empty before the scheduler has bound it. */
function nodeOf({ spec }: Any): string {
  return spec.nodeName ?? ''
}
