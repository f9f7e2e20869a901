import { setTimeout as pause } from 'node:timers/promises'
import { plural } from '../../../src/krm/finding.ts'
import { daemonEligibility } from '../../../src/kube/index.ts'
import type { Api } from './api.ts'
import type { Controller, Pods } from './controller.ts'
import { judgedBy, type Known, knownTo, leftOut } from './expected.ts'
import type { Rendering } from './faults.ts'
import { faultAsked, NOT_PRUNED } from './faults.ts'
import type { FleetNode } from './nodes.ts'
import { type Package, renderPackage } from './package.ts'
import { differencesInWords } from './said.ts'
import { firstPackage, type Scenario, secondPackage } from './scenario.ts'
import { FleetSpace } from './space.ts'

export const STEPS = ['the static DaemonSet', 'its groups', 'nodes that join', 'another render'] as const

/** Something that is not as it should be, with the node or the object that it is about. */
export interface Difference {
  readonly fleet: string
  readonly step: (typeof STEPS)[number]
  readonly what: string
}

export interface FleetReport {
  readonly differences: readonly Difference[]
  readonly nodes: number
  readonly renders: number
  readonly daemonSets: number
  /** How often a node was looked at, and had as many agents as it should have. */
  readonly held: number
}

/** How many agents a node should have: `may` where Kubernetes leaves a pod that runs, and starts none. */
type Wanted = ReadonlyMap<string, number | 'may'>

/** What decides which nodes have an agent, with the label values that were known when it was rendered. */
type Decided = Pick<Scenario, 'nodes' | 'template' | 'policy'> & { readonly known: Known }

/** A fleet whose nodes do not have the agents they should: there is no use in going on with it. */
class Stop extends Error {}

/** One fleet's way through the four steps; it ends with the first step after which a node has too few or too many agents. */
export class FleetRun {
  readonly #scenario: Scenario
  readonly #api: Api
  readonly #space: FleetSpace
  readonly #patience: number
  readonly #differences: Difference[] = []
  #step: (typeof STEPS)[number] = STEPS[0]
  /** The pods when they were last looked at. */
  #pods: Pods = new Map()
  #renders = 0
  #daemonSets = 0
  #held = 0

  /** `patience` is how many milliseconds a difference may take to go away. */
  constructor(scenario: Scenario, api: Api, controller: Controller, patience: number) {
    this.#scenario = scenario
    this.#api = api
    this.#space = new FleetSpace(scenario.name, api, controller)
    this.#patience = patience
  }

  async run(): Promise<FleetReport> {
    await this.#space.open()
    try {
      const served = await this.#startStatic()
      const { rendering, decided } = await this.#startGroups(served)
      await this.#joinNodes(decided)
      await this.#renderAgain(rendering)
    } catch (error) {
      if (!(error instanceof Stop)) this.#differ([(error as Error).message])
    } finally {
      await this.#space.close()
      this.#api.warnings.length = 0
    }
    const [differences, renders, daemonSets, held] = [this.#differences, this.#renders, this.#daemonSets, this.#held]
    return { differences, nodes: this.#space.everyNode.size, renders, daemonSets, held }
  }

  /** The template as it is, on the nodes that the rules of `src/kube` give it. */
  async #startStatic(): Promise<ReadonlySet<string>> {
    const { nodes, template } = this.#scenario
    await this.#space.change(nodes)
    await this.#space.apply([template])
    const runs = (node: FleetNode) => daemonEligibility(template.spec.template, node).shouldRun
    await this.#check(new Map(nodes.map((node) => [node.metadata.name, runs(node) ? 1 : 0])))
    return new Set(this.#pods.keys())
  }

  /** What is rendered comes, and every node has both agents; then the static DaemonSet goes, and the same nodes have one each. */
  async #startGroups(served: ReadonlySet<string>): Promise<{ rendering: Rendering; decided: Decided }> {
    const { nodes, template, policy } = this.#scenario
    this.#step = STEPS[1]
    const decided = { nodes, template, policy, known: knownTo(nodes, template, policy) }
    const rendering = this.#render(firstPackage({ ...this.#scenario, nodes: await this.#space.exported() }))
    const isWider = policy.spec.tolerations !== undefined
    const [judged] = await Promise.all([
      isWider ? this.#space.judged(judgedBy(template, policy)) : served,
      this.#applied(rendering),
    ])
    const wanted = wantedOf(decided, judged)
    const both = [...wanted].map(([node, count]) => [node, Number(count) + Number(served.has(node))] as const)
    await this.#check(new Map(both))
    await this.#space.remove([template])
    await this.#check(wanted)
    await this.#checkWords(rendering, decided)
    return { rendering, decided }
  }

  /** Nodes come, go and change, and nothing is rendered. */
  async #joinNodes(before: Decided): Promise<void> {
    this.#step = STEPS[2]
    const had = this.#pods
    const decided = { ...before, nodes: this.#scenario.joined }
    await this.#space.change(decided.nodes)
    const judged = await this.#space.judged(judgedBy(decided.template, decided.policy))
    await this.#check(wantedOf(decided, judged, had, before.nodes))
  }

  /** Nodes, template and policy are others, and so is what is rendered: it is added, updated, and what is gone is deleted. */
  async #renderAgain(first: Rendering): Promise<void> {
    this.#step = STEPS[3]
    const had = this.#pods
    const { second } = this.#scenario
    const decided = { ...second, known: knownTo(second.nodes, second.template, second.policy) }
    await this.#space.change(second.nodes)
    const nodes = await this.#space.exported()
    const rendering = this.#render(secondPackage({ ...this.#scenario, second: { ...second, nodes } }, first))
    const [judged] = await Promise.all([
      this.#space.judged(judgedBy(second.template, second.policy)),
      this.#applied(rendering),
    ])
    const kept = new Set(rendering.objects.map(({ metadata }) => metadata.name))
    const gone = first.objects.filter(({ metadata }) => !kept.has(metadata.name))
    if (faultAsked() !== NOT_PRUNED) await this.#space.remove(gone)
    await this.#check(wantedOf(decided, judged, had))
    await this.#checkWords(rendering, decided)
  }

  #render(input: Package): Rendering {
    this.#renders++
    const rendering = renderPackage(input)
    const { refusedFor, objects } = rendering
    if (refusedFor.length > 0) throw new Error(`the render was refused for ${refusedFor.join(', ')}`)
    const other = objects.find(({ kind }) => kind !== 'DaemonSet')
    if (other !== undefined) throw new Error(`${other.kind} ${other.metadata.name} would be applied`)
    this.#daemonSets += objects.length
    return rendering
  }

  /** Applies what was rendered, and waits until the controller has done all it will. */
  async #applied({ objects }: Rendering): Promise<void> {
    await this.#space.apply(objects)
    await this.#space.pods()
  }

  /** Stops where nodes have another number of agents than they should, once the controller has settled and some time is over. */
  async #check(wanted: Wanted): Promise<void> {
    let differences: string[] = []
    for (const end = Date.now() + this.#patience; ; await pause(100)) {
      this.#pods = await this.#space.pods()
      differences = [...wanted].flatMap(([node, count]) => differenceOf(node, count, this.#pods))
      if (differences.length === 0 || Date.now() > end) break
    }
    this.#differ([...differences, ...this.#api.warnings.splice(0)])
    if (differences.length > 0) throw new Stop()
    this.#held += wanted.size
  }

  async #checkWords(rendering: Rendering, decided: Decided): Promise<void> {
    const inCluster = await this.#space.daemonSets()
    this.#differ(differencesInWords({ ...decided, rendering, pods: this.#pods, inCluster }))
  }

  #differ(found: readonly string[]): void {
    const { name: fleet } = this.#scenario
    this.#differences.push(...found.map((what) => ({ fleet, step: this.#step, what })))
  }
}

/** What the controller starts of the template itself, less what the policy leaves out, and pods that may stay where they were. */
function wantedOf(
  { nodes, template, policy, known }: Decided,
  judged: ReadonlySet<string>,
  had?: Pods,
  before: readonly FleetNode[] = [],
): Wanted {
  const judge = judgedBy(template, policy).spec.template
  const labels = new Map(before.map(({ metadata }) => [metadata.name, JSON.stringify(metadata.labels)]))
  return new Map(
    nodes.map((node): [string, number | 'may'] => {
      const { name } = node.metadata
      if (leftOut(node, policy, known) !== undefined) return [name, 0]
      if (judged.has(name)) return [name, 1]
      if (!had?.has(name) || !daemonEligibility(judge, node).shouldContinueRunning) return [name, 0]
      return [name, labels.get(name) === JSON.stringify(node.metadata.labels) ? 1 : 'may']
    }),
  )
}

function differenceOf(node: string, count: number | 'may', pods: Pods): string[] {
  const own = pods.get(node) ?? []
  if (count === 'may' ? own.length <= 1 : own.length === count) return []
  const by = own.length === 0 ? '' : ` (${own.map(({ daemonSet }) => daemonSet).join(', ')})`
  return [`${node} has ${plural(own.length, 'agent')}${by} and should have ${count === 'may' ? 'one at most' : count}`]
}
