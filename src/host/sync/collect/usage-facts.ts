import type { InForce } from '../../../facts/usage/index.ts'
import { Quantity } from '../../../kube/index.ts'
import type { ProjectedNode } from '../nodes/projected-node.ts'
import { type AgentContainer, type AgentPod, containersOf } from './agent-pods.ts'
import type { UsagePolicies, UsagePolicy } from './collector.ts'
import type { OwnDaemonSet } from './own-daemonsets.ts'
import { type SeriesFacts, seriesId } from './usage-series.ts'

/** Amounts of a node, as its inventory writes them. */
export type NodeAmounts = Readonly<Record<string, string>>

/** What the cluster says of a series at this moment. */
export interface PresentSeries extends SeriesFacts {
  /** The smallest of each amount that its nodes can give away; absent where it has no pod. */
  readonly node?: NodeAmounts
}

export interface FactsInput {
  readonly daemonSets: Iterable<OwnDaemonSet>
  readonly pods: Iterable<AgentPod>
  readonly nodes: Iterable<ProjectedNode>
  readonly policies: UsagePolicies | undefined
}

interface Group {
  readonly policy: string
  readonly group: string
  pods: number
  /** How many pods have these containers, by their text. */
  readonly containers: Map<string, number>
  readonly nodes: Set<string>
}

/** What there is of DaemonSets and their pods. */
export interface Present {
  /** By `seriesId`: one for each container that is sized. */
  readonly series: ReadonlyMap<string, PresentSeries>
  /** The groups that have a DaemonSet and no pod, by `groupId`. */
  readonly withoutPods: ReadonlySet<string>
}

export function groupId({ policy, group }: { readonly policy: string; readonly group: string }): string {
  return JSON.stringify([policy, group])
}

export function presentSeries({ daemonSets, pods, nodes, policies }: FactsInput): Present {
  const groups = new Map<string, Group>()
  const ofDaemonSet = new Map<string, Group>()
  for (const { uid, policy, group, desired } of daemonSets) {
    const id = groupId({ policy, group })
    const present = groups.get(id) ?? { policy, group, pods: 0, containers: new Map(), nodes: new Set() }
    present.pods += desired
    groups.set(id, present)
    ofDaemonSet.set(uid, present)
  }
  for (const { daemonSet, containers, node } of pods) {
    const group = ofDaemonSet.get(daemonSet)
    group?.containers.set(containers, (group.containers.get(containers) ?? 0) + 1)
    group?.nodes.add(node)
  }
  const allocatable = new Map([...nodes].map((node) => [node.name, node.allocatable as NodeAmounts] as const))
  const known = new Map<string, readonly AgentContainer[]>()
  const series = [...groups.values()].flatMap((group) => {
    const byCount = [...group.containers].sort(([, left], [, right]) => right - left)
    const templates = byCount.map(([text]) => containersOf(text, known))
    const sized = sizedContainers(policies?.get(group.policy), templates)
    const node = smallest(
      [...group.nodes].map((name) => allocatable.get(name)).filter((amounts) => amounts !== undefined),
    )
    return [...sized].map(([container, all]): PresentSeries => {
      const key = { policy: group.policy, container, group: group.group }
      const inForce = inForceOf(all, policies?.get(group.policy))
      return { key, inForce, pods: group.pods, ...(node && { node }) }
    })
  })
  const withoutPods = [...groups].filter(([, { containers }]) => containers.size === 0)
  return {
    series: new Map(series.map((one) => [seriesId(one.key), one])),
    withoutPods: new Set(withoutPods.map(([id]) => id)),
  }
}

/**
 * The containers that a policy sizes, each as all templates of its pods have it: those that it names; else the only one
 * beside sidecars; else the one named like its target; else all that may be the one that its template leaves open.
 * `templates` begins with that of most pods.
 */
function sizedContainers(
  policy: UsagePolicy | undefined,
  templates: ReadonlyArray<readonly AgentContainer[]>,
): Map<string, readonly AgentContainer[]> {
  const byName = new Map<string, AgentContainer[]>()
  for (const container of templates.flat())
    byName.set(container.name, [...(byName.get(container.name) ?? []), container])
  const { containers, mainContainer = '' } = policy ?? {}
  const [only, ...others] = (templates[0] ?? []).filter(({ isSidecar }) => isSidecar !== true)
  const own =
    only !== undefined && others.length === 0 ? only.name : byName.has(mainContainer) ? mainContainer : undefined
  const isSized =
    containers !== undefined
      ? (name: string) => containers.includes(name)
      : (name: string) => own === undefined || name === own
  return new Map([...byName].filter(([name]) => isSized(name)))
}

/** The limits that most pods run with: one that is left behind by a change says nothing. */
function inForceOf(all: readonly AgentContainer[], policy: UsagePolicy | undefined): InForce {
  const [{ name = '', limits = {} } = {}] = all
  const isHeapOfPolicy = policy?.heaps.some((heap) => heap === '' || heap === name) === true
  return { limits, hasHeapByLimit: isHeapOfPolicy || all.some((container) => container.hasHeapByLimit) }
}

const AMOUNTS = ['cpu', 'memory', 'pods']

function smallest(all: readonly NodeAmounts[]): NodeAmounts | undefined {
  if (all.length === 0) return undefined
  const amounts = AMOUNTS.flatMap((name) => {
    const texts = [...new Set(all.flatMap((one) => one[name] ?? []))]
    const [first] = texts
    if (first === undefined) return []
    const least = texts.reduce((least, text) =>
      Quantity.parse(text).compare(Quantity.parse(least)) < 0 ? text : least,
    )
    return [[name, Quantity.parse(least).toString()] as const]
  })
  return Object.fromEntries(amounts)
}
