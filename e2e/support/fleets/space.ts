import type { KubernetesObject } from '../../../src/krm/types.ts'
import type { Api } from './api.ts'
import type { Controller, Pods } from './controller.ts'
import type { FleetNode } from './nodes.ts'

/** What one fleet has in the cluster: its nodes, a namespace for the agents, and others in which templates are judged. */
export class FleetSpace {
  readonly #name: string
  readonly #api: Api
  readonly #controller: Controller
  #nodes: readonly FleetNode[] = []
  #judges = 0
  /** The names of all nodes that were ever there. */
  readonly everyNode = new Set<string>()

  constructor(name: string, api: Api, controller: Controller) {
    this.#name = name
    this.#api = api
    this.#controller = controller
  }

  async open(): Promise<void> {
    await this.#addNamespace(this.#name)
  }

  /** Makes the nodes of the cluster those that are given, and the controller look at them. */
  async change(nodes: readonly FleetNode[]): Promise<void> {
    const present = new Map(this.#nodes.map((node) => [node.metadata.name, node]))
    const kept = new Set(nodes.map(({ metadata }) => metadata.name))
    const gone = this.#nodes.filter(({ metadata }) => !kept.has(metadata.name))
    this.#nodes = nodes
    await each(nodes, async (node) => {
      this.everyNode.add(node.metadata.name)
      const old = present.get(node.metadata.name)
      if (old === undefined) await this.#api.create(node)
      else if (old !== node) await this.#api.replace(node)
    })
    await each(gone, ({ metadata }) => this.#api.delete(`/api/v1/nodes/${metadata.name}`))
    await this.#controller.looksAnew(this.#name)
  }

  /** The nodes as kubectl would print them. */
  async exported(): Promise<FleetNode[]> {
    const { items } = await this.#api.get('/api/v1/nodes')
    const own = (items as FleetNode[]).filter(({ metadata }) => this.everyNode.has(metadata.name))
    return own.map((node) => ({ ...node, apiVersion: 'v1', kind: 'Node' }))
  }

  async apply(objects: readonly KubernetesObject[]): Promise<void> {
    await each(objects, (object) => this.#api.apply(object))
  }

  /** Deletes DaemonSets; the garbage collector deletes their pods. */
  async remove(objects: readonly KubernetesObject[]): Promise<void> {
    await each(objects, ({ metadata }) => this.#api.delete(`${daemonSetsIn(this.#name)}/${metadata.name}`))
  }

  /** The agents of each node, once the controller has done all it will. */
  pods(): Promise<Pods> {
    return this.#controller.settled(this.#name)
  }

  async daemonSets(): Promise<KubernetesObject[]> {
    return (await this.#api.get(daemonSetsIn(this.#name))).items
  }

  /** The nodes on which the controller starts pods of a DaemonSet, seen in a namespace of its own. */
  async judged(judge: KubernetesObject): Promise<ReadonlySet<string>> {
    const namespace = `${this.#name}-judge-${++this.#judges}`
    await this.#addNamespace(namespace)
    await this.#api.apply({ ...judge, metadata: { ...judge.metadata, namespace } })
    const pods = await this.#controller.settled(namespace)
    await this.#api.delete(daemonSetsIn(namespace))
    return new Set(pods.keys())
  }

  /** Takes everything away that a later fleet could meet. */
  async close(): Promise<void> {
    await this.#api.delete(daemonSetsIn(this.#name))
    await this.#api.delete(`/api/v1/namespaces/${this.#name}/pods`)
    const left = await this.exported()
    await each(left, ({ metadata }) => this.#api.delete(`/api/v1/nodes/${metadata.name}`))
  }

  async #addNamespace(name: string): Promise<void> {
    await this.#api.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })
  }
}

function daemonSetsIn(namespace: string): string {
  return `/apis/apps/v1/namespaces/${namespace}/daemonsets`
}

async function each<T>(list: readonly T[], act: (one: T) => Promise<unknown>): Promise<void> {
  await Promise.all(list.map(act))
}
