/** Plays a day: renders after each step, applies what comes out, and judges what runs on every node. */

import { podSpecOf, servedNodes } from '../../../src/core/object/index.ts'
import { observationOf, shapeOfNode, toInventory } from '../../../src/facts/inventory/index.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import type { Node } from '../../../src/kube/index.ts'
import type { Plan } from '../../../src/rules/plan.ts'
import { plan } from '../../../src/rules/run.ts'
import { config, daemonSet, listOf, policy } from '../../../test/support/objects.ts'
import { errorsOf } from '../../../test/support/orders.ts'
import { rerender, said } from '../../../test/support/rerender.ts'
import { drawDay, firstNodes, type Live, MODEL, RETAINED_HOURS } from './days.ts'

/** The agent of a node: its group, what its pod requests of memory, and which pod it is. */
export interface Served {
  readonly group: string
  readonly memory: string
  readonly pod: string
}

/** Where a day is played: a cluster, or a model of one. */
export interface Ground {
  /** Has these nodes and DaemonSets, and no others. */
  setNodes(nodes: ReadonlyMap<string, Live>): Promise<void>
  apply(daemonSets: readonly KubernetesObject[]): Promise<void>
  /** The agents of each node, once they are those of the model. */
  seen(wanted: ReadonlyMap<string, readonly Wanted[]>): Promise<ReadonlyMap<string, readonly Served[]>>
}

/** The agent that a node should have. */
export type Wanted = Pick<Served, 'group' | 'memory'>

export interface Report {
  steps: number
  renders: number
  /** Nodes that were looked at, each once before and once after a render. */
  looks: number
  /** What nobody was told of: a node without its agent, of another size, or with another pod. */
  unsaid: string[]
  errors: string[]
}

const START = Date.parse('2026-11-20T00:00:00Z')
const MINUTE = 60_000
export const GROUP = 'nodefit.dev/node-group'
const OWNER = 'nodefit.dev/owner'

/** The settings of a policy that a day is played with. */
export const PASSING = { retainGroups: `${RETAINED_HOURS}h` }

export async function playDay(
  number: number,
  ground: Ground,
  spec: Record<string, unknown> = PASSING,
): Promise<Report> {
  const report: Report = { steps: 0, renders: 0, looks: 0, unsaid: [], errors: [] }
  const nodes = firstNodes()
  let last = plan(
    listOf([
      inventoryOf(nodes, 0),
      policy({
        nodeGroupLabel: MODEL,
        resourcePercentages: { requestMemory: 2 },
        minResources: { memory: '1Mi' },
        ...spec,
      }),
      // no kubelet would confirm that a pod has ended
      daemonSet({ terminationGracePeriodSeconds: 0 }),
      config({ guards: { maxNodesLost: null, maxGroupsRemoved: null, maxShrinkPercent: null } }),
    ]),
  )
  const sizes = new Map(daemonSetsOf(last).map((object) => [groupOf(object), memoryOf(object)]))
  await ground.setNodes(nodes)
  await ground.apply(daemonSetsOf(last))
  let before = await ground.seen(wantedOn(nodes, daemonSetsOf(last)))
  /** Since which minute no node has the label of a pool. */
  const absent = new Map<string, number>()
  /** Pools of which a render has said that their group is removed, once its time was over. */
  const removed = new Set<string>()
  for (const { minute, what, change } of drawDay(number)) {
    report.steps++
    const touched = touchedBy(nodes, change)
    const look = async (where: string, isRestartSaid: boolean) => {
      const now = await ground.seen(wantedOn(nodes, daemonSetsOf(last)))
      const unsaid = (sentence: string) =>
        report.unsaid.push(`day ${number}, minute ${minute}, ${where} ${what}: ${sentence}`)
      for (const [name, { node }] of nodes) {
        report.looks++
        const isExcluded = node.spec.taints?.some(({ effect }) => effect === 'NoExecute') === true
        const served = now.get(name) ?? []
        const [own] = served
        const pool = node.metadata.labels[MODEL]
        if (isExcluded && served.length === 0) continue
        if (own === undefined || served.length > 1) unsaid(`${name} has ${served.length} agents`)
        else if (own.group !== (pool ?? 'default') && !removed.has(pool ?? '')) unsaid(`${name} is in ${own.group}`)
        else if (pool !== undefined && own.memory !== sizes.get(pool) && !removed.has(pool))
          unsaid(`${name} has ${own.memory}, and had ${sizes.get(pool)}`)
        const earlier = before.get(name)?.[0]?.pod
        if (earlier !== undefined && earlier !== own?.pod && !touched.has(name) && !isRestartSaid)
          unsaid(`the pod of ${name} is another one`)
      }
      before = now
    }
    await ground.setNodes(nodes)
    await look('before the render after', false)
    last = rerender(last, (object) => (object.kind === 'NodeInventory' ? inventoryOf(nodes, minute, object) : object))
    report.renders++
    report.errors.push(...errorsOf(last).map((code) => `day ${number}, minute ${minute}, ${what}: ${code}`))
    for (const pool of present(nodes)) absent.delete(pool)
    for (const pool of sizes.keys()) if (!present(nodes).has(pool) && !absent.has(pool)) absent.set(pool, minute)
    for (const sentence of said(last, 'GroupRemoved'))
      for (const [pool, since] of absent)
        if (sentence.includes(`agent-${pool}`) && minute - since >= RETAINED_HOURS * 60) removed.add(pool)
    await ground.apply(daemonSetsOf(last))
    for (const pool of removed) if (daemonSetsOf(last).some((object) => groupOf(object) === pool)) removed.delete(pool)
    await look('after the render after', said(last, 'PodsRestart').length + said(last, 'GroupAdded').length > 0)
  }
  return report
}

/** The pools whose label a node has. */
function present(nodes: ReadonlyMap<string, Live>): ReadonlySet<string> {
  return new Set([...nodes.values()].flatMap(({ node }) => node.metadata.labels[MODEL] ?? []))
}

/** Makes a change, and returns the names of the nodes that differ. */
function touchedBy(nodes: Map<string, Live>, change: (nodes: Map<string, Live>) => void): ReadonlySet<string> {
  const before = new Map(nodes)
  change(nodes)
  return new Set([...before.keys(), ...nodes.keys()].filter((name) => before.get(name) !== nodes.get(name)))
}

/** An inventory as nodefit inventory writes it, of nodes whose kubelets have just reported. */
function inventoryOf(nodes: ReadonlyMap<string, Live>, minute: number, earlier?: KubernetesObject): KubernetesObject {
  const all = [...nodes.values()].map(({ node, ahead }): Node => {
    const lastHeartbeatTime = new Date(START + (minute + ahead) * MINUTE).toISOString()
    const { conditions = [], ...status } = node.status as { conditions?: object[] }
    return { ...node, status: { ...status, conditions: conditions.map((one) => ({ ...one, lastHeartbeatTime })) } }
  })
  const { observedAt } = observationOf(all, {})
  const shapes = all.map(shapeOfNode)
  const made = toInventory(shapes, {
    name: 'prod',
    cluster: 'prod',
    ...(observedAt && { observedAt }),
    labelKeys: [MODEL],
  })
  return { ...made, ...(earlier === undefined ? {} : { metadata: earlier.metadata }) } as unknown as KubernetesObject
}

function daemonSetsOf({ items }: Plan): KubernetesObject[] {
  return items
    .map(({ object }) => object)
    .filter(({ kind, metadata }) => kind === 'DaemonSet' && metadata.annotations?.[OWNER] !== undefined)
}

export function groupOf({ metadata }: KubernetesObject): string {
  return String(metadata.labels?.[GROUP])
}

export function memoryOf(object: KubernetesObject): string {
  return String(podSpecOf(object).containers?.[0]?.resources?.requests?.memory)
}

/** What the DaemonSet controller should run on each node. */
function wantedOn(nodes: ReadonlyMap<string, Live>, daemonSets: readonly KubernetesObject[]): Map<string, Wanted[]> {
  return new Map(
    [...nodes].map(([name, { node }]) => [
      name,
      daemonSets.flatMap((object) => {
        const served = servedNodes(podSpecOf(object), shapeOfNode(node))
        return served.length === 0 ? [] : [{ group: groupOf(object), memory: memoryOf(object) }]
      }),
    ]),
  )
}

/** A cluster that has at once what it should have. */
export class Model implements Ground {
  #count = 0
  #templates = new Map<string, string>()
  #pods = new Map<string, { key: string; pod: string }>()

  async setNodes(nodes: ReadonlyMap<string, Live>): Promise<void> {
    for (const name of this.#pods.keys()) if (!nodes.has(name)) this.#pods.delete(name)
  }

  async apply(daemonSets: readonly KubernetesObject[]): Promise<void> {
    const templateOf = ({ spec }: KubernetesObject) => JSON.stringify((spec as { template: unknown }).template)
    this.#templates = new Map(daemonSets.map((object) => [groupOf(object), templateOf(object)]))
  }

  async seen(wanted: ReadonlyMap<string, readonly Wanted[]>): Promise<ReadonlyMap<string, readonly Served[]>> {
    return new Map(
      [...wanted].map(([name, all]) => {
        const served = all.map((one) => {
          const key = `${one.group} ${this.#templates.get(one.group)}`
          const known = this.#pods.get(name)
          const pod = known?.key === key ? known.pod : `pod-${this.#count++}`
          this.#pods.set(name, { key, pod })
          return { ...one, pod }
        })
        if (served.length === 0) this.#pods.delete(name)
        return [name, served]
      }),
    )
  }
}
