/** Drawn sequences of what happens to an agent: nodes are tainted, relabelled and not ready, and package after package is applied. */
import * as fc from 'fast-check'
import type { AgentStop } from '../../src/fate/index.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import type { Node, PodTemplateSpec, Taint } from '../../src/kube/index.ts'
import { daemonEligibility } from '../../src/kube/index.ts'
import type { Plan } from '../../src/rules/plan.ts'
import { plan } from '../../src/rules/run.ts'
import { config, daemonSet, inventory, listOf, policy, shape, TYPE } from './objects.ts'
import { rerender, withSpec } from './rerender.ts'

/** A node of a sequence: its type, its pool, and what keeps pods away. */
export interface DrawnNode {
  readonly name: string
  readonly type?: string
  readonly pool: string
  readonly taints: readonly Taint[]
}

/** What a user changes before a render. */
export interface DrawnChange {
  readonly nodes: readonly DrawnNode[]
  readonly spec: Record<string, unknown>
  readonly pod: Record<string, unknown>
}

/** Nodes on which the static DaemonSet starts, the same nodes later, and renders one after another. */
export interface Sequence {
  readonly updateStrategy?: { readonly type: string; readonly rollingUpdate?: object }
  readonly first: readonly DrawnNode[]
  readonly changes: readonly DrawnChange[]
}

const DEDICATED: Taint = { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' }
const EVICTING: Taint = { key: 'example.com/drain', effect: 'NoExecute' }
const NOT_READY: Taint[] = (['NoSchedule', 'NoExecute'] as const).map((effect) => ({
  key: 'node.kubernetes.io/not-ready',
  effect,
}))

const TAINTS: ReadonlyArray<readonly Taint[]> = [
  [],
  [],
  [DEDICATED],
  [EVICTING],
  NOT_READY,
  [DEDICATED, ...NOT_READY],
  [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }],
  [{ key: 'example.com/spot', effect: 'PreferNoSchedule' }],
]
const MOST_NODES = 6

const state = fc.record({
  type: fc.constantFrom(undefined, 'a', 'b', 'b'),
  pool: fc.constantFrom('p', 'q'),
  taints: fc.constantFrom(...TAINTS),
})
const nodes = fc
  .array(state, { minLength: MOST_NODES, maxLength: MOST_NODES })
  .map((all) => all.map((one, index): DrawnNode => ({ name: `n${index}`, ...one })))
const spec = fc.constantFrom<Record<string, unknown>>(
  {},
  {},
  { names: { a: 'renamed' } },
  { nodeGroupLabel: 'pool' },
  { groups: [{ name: 'own', nodeSelector: { pool: 'p' } }] },
  { remainder: false, defaultNodeGroup: '' },
  { nodeSelector: { pool: 'p' } },
  { tolerations: [{ key: 'dedicated', operator: 'Exists' }] },
  { enabled: false },
)
const pod = fc.constantFrom<Record<string, unknown>>(
  {},
  {},
  { containers: [{ name: 'agent', image: 'agent:2' }] },
  { tolerations: [{ operator: 'Exists' }] },
  { tolerations: [{ key: EVICTING.key, operator: 'Exists' }] },
  { nodeSelector: { pool: 'q' } },
)
const updateStrategy = fc.constantFrom<Sequence['updateStrategy']>(
  undefined,
  undefined,
  { type: 'OnDelete' },
  { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } },
)
const change = fc.record({ nodes, spec, pod })

/** Sequences in which every node starts with an agent if `isServed`; others have nodes that never had one. */
export function sequences(isServed: boolean): fc.Arbitrary<Sequence> {
  const bare = nodes.map((all) => all.map((one) => ({ ...one, taints: [] })))
  return fc.record({
    updateStrategy,
    first: isServed ? bare : nodes,
    changes: fc.array(change, { minLength: 2, maxLength: 4 }),
  })
}

/** What applies objects to nodes and runs pods: a model, or a real control plane. */
export interface AgentCluster {
  /** Makes the nodes those that are given, and lets the controller act. */
  change(nodes: readonly DrawnNode[]): void | Promise<void>
  /** Applies the DaemonSets, removes all others, and lets the controller act. */
  apply(daemonSets: readonly KubernetesObject[]): void | Promise<void>
  /** The pods of each node, each by an id of its own and with its DaemonSet. */
  pods(): ReadonlyMap<string, readonly AgentPod[]> | Promise<ReadonlyMap<string, readonly AgentPod[]>>
}

export interface AgentPod {
  readonly uid: string
  readonly daemonSet: string
}

/** What one render took away: as the run names it, and as it is in the cluster. */
export interface Taken {
  readonly result: Plan
  readonly before: ReadonlyMap<string, readonly AgentPod[]>
  readonly after: ReadonlyMap<string, readonly AgentPod[]>
  readonly stops: readonly AgentStop[]
}

const FREE = config({ guards: { maxGroupsRemoved: null, maxNodesLost: null, maxShrinkPercent: null } })
const ALLOWED = { allow: ['LabelOnNoNode', 'NoGroups'] }

/** Plays a sequence; a render that is refused is left out, and what is applied stays. */
export async function played(
  { updateStrategy: strategy, first, changes }: Sequence,
  cluster: AgentCluster,
  withSnapshot = false,
  onRefused: (result: Plan) => void = () => undefined,
): Promise<Taken[]> {
  await cluster.change(first)
  await cluster.apply([inNamespace(daemonSet())])
  const taken: Taken[] = []
  let last: Plan | undefined
  let isStatic = true
  for (const drawn of changes) {
    await cluster.change(drawn.nodes)
    // the input shows the template as it is now: what its user changes in it is applied before
    if (isStatic) await cluster.apply([templateOf(drawn, strategy)])
    const before = await cluster.pods()
    const input = inputOf(drawn, strategy, withSnapshot ? before : undefined)
    const result: Plan = last === undefined ? plan(listOf(input)) : rerenderWith(last, input)
    if (result.failed) {
      onRefused(result)
      continue
    }
    await cluster.apply(applied(result))
    const stops = result.packages.flatMap(({ planned }) => planned.flatMap((one) => one.stops))
    taken.push({ result, before, after: await cluster.pods(), stops })
    last = result
    isStatic = drawn.spec.enabled === false
  }
  return taken
}

function inputOf(
  drawn: DrawnChange,
  strategy: Sequence['updateStrategy'],
  pods?: ReadonlyMap<string, readonly AgentPod[]>,
): KubernetesObject[] {
  const { nodes: all, spec: own } = drawn
  const shapes = all.map(({ name, taints, ...node }) => shape(labelsOf(node), [name], '4', '16Gi', { taints }))
  return [
    { ...FREE, spec: { ...(FREE.spec as object), ...ALLOWED } },
    inventory(shapes),
    policy(own, 'agent', { namespace: NAMESPACE }),
    templateOf(drawn, strategy),
    ...(pods === undefined ? [] : [snapshotOf(all, pods)]),
  ]
}

function templateOf({ pod: own }: DrawnChange, strategy: Sequence['updateStrategy']): KubernetesObject {
  const template = inNamespace(daemonSet(own))
  return strategy === undefined ? template : withSpec(template, { updateStrategy: strategy })
}

function snapshotOf(all: readonly DrawnNode[], pods: ReadonlyMap<string, readonly AgentPod[]>): KubernetesObject {
  const names = new Set([...pods.values()].flat().map(({ daemonSet: name }) => name))
  const daemonSets = [...names].map((name) => ({
    namespace: NAMESPACE,
    name,
    requests: {},
    nodes: [...pods].filter(([, own]) => own.some((one) => one.daemonSet === name)).map(([node]) => node),
  }))
  return {
    apiVersion: 'nodefit.dev/v1alpha1',
    kind: 'WorkloadSnapshot',
    metadata: { name: 'live' },
    spec: {
      cluster: 'prod',
      observedAt: '2026-11-20T12:00:00Z',
      collected: { nodes: all.length, daemonSets: daemonSets.length },
      nodes: all.map(({ name }) => ({ name })),
      daemonSets,
    },
  }
}

/** The same package with other input: each object keeps what nodefit wrote on it. */
function rerenderWith(last: Plan, input: readonly KubernetesObject[]): Plan {
  const known = new Map(input.map((object) => [`${object.kind}/${object.metadata.name}`, object]))
  return rerender(last, (object) => {
    const fresh = known.get(`${object.kind}/${object.metadata.name}`)
    return fresh === undefined ? object : { ...fresh, metadata: object.metadata }
  })
}

/** The nodes that a run names as without an agent for so long. */
export function namedNodes(stops: readonly AgentStop[], ...lengths: ReadonlyArray<AgentStop['length']>): string[] {
  return stops
    .filter(({ length }) => lengths.includes(length))
    .flatMap(({ nodes: names }) => names)
    .sort()
}

/** The nodes that had an agent before and have none after. */
export function lostNodes(taken: Taken): string[] {
  return nodesOf(taken, (now) => now.length === 0)
}

/** The nodes that had an agent before and have another pod after. */
export function replacedNodes(taken: Taken): string[] {
  return nodesOf(taken, (now, old) => now.length > 0 && !now.some((uid) => old.includes(uid)))
}

function nodesOf({ before, after }: Taken, is: (now: readonly string[], old: readonly string[]) => boolean): string[] {
  const uids = (pods: readonly AgentPod[] = []) => pods.map(({ uid }) => uid)
  return [...before]
    .filter(([node, pods]) => pods.length > 0 && is(uids(after.get(node)), uids(pods)))
    .map(([node]) => node)
    .sort()
}

const LOCAL = 'config.kubernetes.io/local-config'
const NAMESPACE = 'default'

/** The DaemonSets that a tool would apply. */
function applied({ items }: Plan): KubernetesObject[] {
  return items
    .map(({ object }) => object)
    .filter(({ kind, metadata }) => kind === 'DaemonSet' && metadata.annotations?.[LOCAL] !== 'true')
    .map(({ metadata: { name, labels, namespace }, ...rest }) => ({ ...rest, metadata: { name, labels, namespace } }))
}

function inNamespace(object: KubernetesObject): KubernetesObject {
  return { ...object, metadata: { ...object.metadata, namespace: NAMESPACE } }
}

export function labelsOf({ type, pool }: Pick<DrawnNode, 'type' | 'pool'>): Record<string, string> {
  return { pool, ...(type === undefined ? {} : { [TYPE]: type }) }
}

/**
 * The DaemonSet controller as far as it decides where pods are: it deletes the pods of a removed DaemonSet, those on nodes where they may not
 * stay, and those of an old template, and starts pods where it should run some and there is none.
 */
export class ModelCluster implements AgentCluster {
  #nodes: readonly DrawnNode[] = []
  #daemonSets: readonly KubernetesObject[] = []
  #pods: Array<{ uid: string; node: string; daemonSet: string; template: string }> = []
  #made = 0

  change(all: readonly DrawnNode[]): void {
    this.#nodes = all
    this.#act()
  }

  apply(daemonSets: readonly KubernetesObject[]): void {
    this.#daemonSets = daemonSets
    this.#act()
  }

  pods(): ReadonlyMap<string, readonly AgentPod[]> {
    return new Map(this.#nodes.map(({ name }) => [name, this.#pods.filter(({ node }) => node === name)]))
  }

  #act(): void {
    const kept = new Set(
      this.#daemonSets.flatMap((object) => {
        const { updateStrategy: strategy, template } = object.spec as {
          updateStrategy?: { type?: string }
          template: PodTemplateSpec
        }
        const text = JSON.stringify(template)
        return this.#nodes.flatMap((drawn) => {
          const node: Node = {
            metadata: { name: drawn.name, labels: labelsOf(drawn) },
            spec: { taints: [...drawn.taints] },
          }
          const { shouldRun, shouldContinueRunning } = daemonEligibility(template, node)
          const isOf = (one: { node: string; daemonSet: string }) =>
            one.node === drawn.name && one.daemonSet === object.metadata.name
          const [old] = this.#pods.filter(isOf)
          const stays =
            old !== undefined && shouldContinueRunning && (old.template === text || strategy?.type === 'OnDelete')
          if (stays) return [old.uid]
          if (!shouldRun) return []
          const uid = `pod-${this.#made++}`
          this.#pods.push({ uid, node: drawn.name, daemonSet: object.metadata.name, template: text })
          return [uid]
        })
      }),
    )
    this.#pods = this.#pods.filter(({ uid }) => kept.has(uid))
  }
}
