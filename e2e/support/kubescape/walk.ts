/** One walk along the page: from what the chart runs to groups from Git, an upgrade, a rollback, and back. */
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parse, stringify } from 'yaml'
import { watchAgents } from '../agent-watch.ts'
import { eventually } from '../eventually.ts'
import { Api } from '../fleets/api.ts'
import { filesOf } from '../hosts.ts'
import { chartOf, VALUES, VERSIONS, type Version } from './charts.ts'
import { Loop } from './loop.ts'
import { blockOf, type Role } from './page.ts'
import { Release } from './release.ts'
import { type Figures, Tally } from './tally.ts'
import { AGENT_NODES, nodesOf, startWorld, type World } from './world.ts'

// biome-ignore lint/suspicious/noExplicitAny: Kubernetes objects, read back
type Any = any

/** What a release runs before: as Helm installs it, the last without an operator; or the chart in Git with the loop. */
export const STARTS = ['static', 'autoscaler', 'multiple', 'in Git', 'no operator'] as const
export type Start = (typeof STARTS)[number]

export interface Walked {
  /** Blocks of the page that were run. */
  readonly blocks: number
  readonly isReal: boolean
  /** What was counted while the agents changed over, and on the way back. */
  readonly there: Figures
  readonly back: Figures
  /** Kinds of nodes whose agents were replaced on the way there. */
  readonly replaced: readonly string[]
}

const SETTLED_SECONDS = 90
const DAEMON_SETS = '/apis/apps/v1/namespaces/kubescape/daemonsets'
const GROUPS = 'node-agent/node-agent-groups.yaml'
const APPLY = `kubectl apply --server-side --force-conflicts -f ${GROUPS}`
const ALL = nodesOf(AGENT_NODES)

export async function walk(version: Version, start: Start): Promise<Walked> {
  const world = await startWorld()
  const walking = new Walk(world, version, start)
  try {
    return await walking.run()
  } finally {
    await walking.stop()
  }
}

class Walk {
  readonly #world: World
  readonly #version: Version
  readonly #start: Start
  readonly #api: Api
  readonly #release: Release
  readonly #tally = new Tally(ALL)
  #loop: Loop | undefined
  #blocks = 0

  constructor(world: World, version: Version, start: Start) {
    const { cluster } = world
    this.#world = world
    this.#version = version
    this.#start = start
    this.#api = new Api(cluster.folder)
    this.#release = new Release(cluster, chartOf(version, cluster.folder))
  }

  async stop(): Promise<void> {
    await this.#loop?.stop()
    this.#api.close()
    await this.#world.stop()
  }

  async run(): Promise<Walked> {
    const { isReal } = this.#release.chart
    await this.#begin()
    const watch = await watchAgents(this.#world.cluster.folder, 'kubescape', (agents) => this.#tally.note(agents))
    const withAgent = this.#hasDefaultGroup() ? AGENT_NODES : AGENT_NODES.filter((kind) => kind !== 'bare')
    await this.#settled(nodesOf(withAgent))
    const before = await this.#podOfNode()
    this.#tally.take()
    if (this.#hasLoop()) for (const role of ['try', 'compare'] as const) await this.#block(role)
    else assert.match((await this.#release.sh(blockOf('try'))).stderr, /"node-agent-daemonset-template" not found/)
    this.#tally.take()
    await this.#there()
    const there = this.#tally.take()
    const after = await this.#podOfNode()
    const kinds = AGENT_NODES.filter((kind) => nodesOf([kind]).some((node) => before.get(node) !== after.get(node)))
    if (this.#start !== 'in Git') await this.#upgradeAndRollBack()
    this.#tally.take()
    await this.#back()
    const back = this.#tally.take()
    if (this.#hasLoop()) await this.#block('explain')
    watch.stop()
    return { blocks: this.#blocks, isReal, there, back, replaced: kinds }
  }

  #hasLoop(): boolean {
    return this.#start === 'autoscaler' || this.#start === 'in Git'
  }

  /** Whether the nodes without the label have an agent before. */
  #hasDefaultGroup(): boolean {
    return !this.#hasLoop() || this.#version === '1.40.3' || this.#version === 'main'
  }

  /** Installs the chart as it is before, and runs the operator's loop beside it. */
  async #begin(): Promise<void> {
    const values = VALUES[this.#start === 'in Git' ? 'autoscaler' : this.#start]
    const flags = 'kubescape kubescape/kubescape-operator --version 1.40.3 --namespace kubescape --values first.yaml'
    writeFileSync(join(this.#release.folder, 'first.yaml'), stringify(values))
    if (this.#start === 'in Git') {
      writeFileSync(join(this.#release.folder, 'values.yaml'), stringify(VALUES.static))
      await this.#sh('kubectl create namespace kubescape')
      await this.#sh(`helm template ${flags} --kube-version 1.32.0 --include-crds --no-hooks > all.yaml`)
      // custom resources find their definitions the second time
      await this.#sh('kubectl apply --server-side -f all.yaml || { sleep 2; kubectl apply --server-side -f all.yaml; }')
    } else await this.#sh(`helm install ${flags} --create-namespace`)
    this.#loop = new Loop(this.#world.cluster.folder)
  }

  /** From the chart's agents to the groups. */
  async #there(): Promise<void> {
    if (this.#start === 'in Git') {
      await this.#block('component')
      await this.#sh('kubectl apply --server-side --force-conflicts -f operator-off.yaml')
      await this.#loop?.cycle()
      cpSync(join(this.#release.folder, 'try'), join(this.#release.folder, 'node-agent'), { recursive: true })
      const withoutHelm = blockOf('change').replace(/^helm .*\n/, '')
      const { stdout } = await this.#sh(withoutHelm)
      assert.match(stdout, 'node-agent-m4-large')
      this.#blocks++
    } else {
      await this.#block('package')
      if (this.#start === 'no operator') this.#withoutOperator()
      const committed = Object.values(filesOf(join(this.#release.folder, 'node-agent'))).join()
      assert.not.match(committed, /kind: Secret|account: mine/)
      if (this.#start === 'multiple') await this.#otherLabel()
      await this.#block('change')
    }
    await this.#settled(ALL)
    if (this.#start !== 'no operator') await this.#isOffByComponent()
    await this.#block('leftover')
    const names = (await this.#daemonSets()).map(({ metadata }) => metadata.name)
    assert.equal(names, this.#renderedNames(), 'nothing but the groups runs')
    assert.is(await this.#operatorMay(), this.#start === 'in Git' ? 'yes' : 'no')
    assert.equal(this.#loop?.refused, [], 'the loop is off, not in vain')
  }

  /** With the chart in Git the block was run before. */
  async #isOffByComponent(): Promise<void> {
    if (this.#start !== 'in Git') await this.#block('component')
    const off = parse(readFileSync(join(this.#release.folder, 'operator-off.yaml'), 'utf8')) as Any
    assert.is(JSON.parse(off.data['config.json']).nodeAgentAutoscaler.enabled, false)
  }

  /** Switches off what a comparison with a cluster without an operator reports each time, as the page has it. */
  #withoutOperator(): void {
    const file = join(this.#release.folder, 'node-agent/render-config.yaml')
    const config = parse(readFileSync(file, 'utf8')) as Any
    config.spec.severity = [{ code: 'LiveNotShown', as: 'off', reason: 'no operator' }]
    writeFileSync(file, stringify(config))
  }

  /** A label of one's own for the groups, as the page has it against a loop that starts again. */
  async #otherLabel(): Promise<void> {
    const file = join(this.#release.folder, 'node-agent/policy.yaml')
    const policy = parse(readFileSync(file, 'utf8')) as Any
    policy.spec.labels = { managedBy: 'nodefit.dev/managed-by=nodefit' }
    writeFileSync(file, stringify(policy))
    await this.#sh('kpt fn render --allow-exec --truncate-output=false node-agent')
  }

  /** To the next version of the chart and, as the page says, back by a revert of the render. */
  async #upgradeAndRollBack(): Promise<void> {
    const { folder } = this.#release
    const [package_, kept] = [join(folder, 'node-agent'), join(folder, 'kept')]
    cpSync(package_, kept, { recursive: true })
    const chart = this.#release.chart
    const next = VERSIONS[VERSIONS.indexOf(this.#version) + 1] ?? this.#version
    this.#release.use(chartOf(next, this.#world.cluster.folder))
    await this.#block('upgrade')
    await this.#settled(ALL)
    await this.#hasVersionOf(next)
    await this.#block('drift')
    // the chart itself cannot go back from 1.40.2 to 1.30.7: it would need a Secret of the operator's webhook
    if (chart.isReal && this.#version === '1.30.7' && this.#start !== 'no operator') {
      const { status, stderr } = await this.#release.sh(blockOf('rollback'))
      assert.is(status, 1)
      assert.match(stderr, 'no Secret with the name "kubescape-admission-ca" found')
      return
    }
    rmSync(package_, { recursive: true })
    cpSync(kept, package_, { recursive: true })
    await this.#block('rollback')
    await this.#sh(APPLY)
    await this.#settled(ALL)
    await this.#hasVersionOf(this.#version)
    assert.is(await this.#operatorMay(), 'no')
    this.#release.use(chart)
  }

  async #hasVersionOf(version: Version): Promise<void> {
    const image = /image: "?(\S+node-agent:[^"\s]+)/.exec(
      readFileSync(join(this.#release.folder, 'node-agent/template.yaml'), 'utf8'),
    )?.[1]
    for (const { metadata, spec } of await this.#daemonSets())
      assert.is(spec.template.spec.containers.at(-1).image, image, `${metadata.name} with chart ${version}`)
  }

  async #back(): Promise<void> {
    if (this.#start === 'in Git') {
      await this.#sh('kubectl apply --server-side --force-conflicts -f operator-off/operator.yaml')
      await this.#takenByLoop()
    } else if (this.#start === 'autoscaler') {
      await this.#block('backToLoop')
      await this.#takenByLoop()
    } else {
      // values that have the settings of the change-over, as those of a release have by now
      if (this.#start === 'static')
        await this.#sh('helm get values kubescape --namespace kubescape --output yaml > values.yaml')
      await this.#block('back')
      await this.#settled(ALL)
      assert.equal(
        (await this.#daemonSets()).map(({ metadata }) => metadata.name),
        ['node-agent'],
      )
    }
    const rendered = existsSync(join(this.#release.folder, GROUPS))
    assert.is(rendered, this.#start === 'in Git', 'the package has no groups any more')
  }

  /** Until every group is the operator's again, and only its groups are there. */
  async #takenByLoop(): Promise<void> {
    await this.#loop?.cycle()
    const isTheirs = ({ metadata }: Any) =>
      metadata.ownerReferences?.[0]?.name === 'operator' &&
      metadata.annotations['argocd.argoproj.io/sync-options'] === 'Prune=false' &&
      metadata.annotations['nodefit.dev/owner'] === undefined
    await eventually(async () => (await this.#daemonSets()).every(isTheirs), SETTLED_SECONDS)
    await this.#settled(nodesOf(AGENT_NODES.filter((kind) => kind !== 'bare' || this.#hasDefaultGroup())))
  }

  async #block(role: Role): Promise<void> {
    const text = blockOf(role)
    // as the page has it, since helm finds no ConfigMap of an operator that is switched off
    const printed = ' --values nodefit-values.yaml "$@"'
    const withOperator = ` --set capabilities.operator=enable${printed}`
    await this.#sh(this.#start === 'no operator' ? text.replaceAll(printed, withOperator) : text)
    this.#blocks++
  }

  async #sh(text: string) {
    const result = await this.#release.sh(text)
    assert.is(result.status, 0, `${this.#version}, ${this.#start}: ${text}\n${result.stdout}\n${result.stderr}`)
    return result
  }

  async #daemonSets(): Promise<Any[]> {
    return (await this.#api.get(DAEMON_SETS)).items
  }

  #renderedNames(): string[] {
    const text = readFileSync(join(this.#release.folder, GROUPS), 'utf8')
    return [...text.matchAll(/^ {2}name: (node-agent-\S+)$/gm)].map(([, name = '']) => name).sort()
  }

  /** Whether the operator's ServiceAccount may create DaemonSets. */
  async #operatorMay(): Promise<string> {
    const as = '--as=system:serviceaccount:kubescape:operator'
    return (await this.#release.sh(`kubectl auth can-i create daemonsets -n kubescape ${as}`)).stdout.trim()
  }

  /** The one agent of each node, by its uid. */
  async #podOfNode(): Promise<Map<string, string>> {
    const { items } = await this.#api.get('/api/v1/namespaces/kubescape/pods')
    return new Map(items.map(({ metadata, spec }: Any) => [spec.nodeName, metadata.uid]))
  }

  /** Until these nodes have one agent each, ready and of the newest template, and no other node has any. */
  async #settled(nodes: readonly string[]): Promise<void> {
    const isDone = ({ metadata, status }: Any) =>
      (status.observedGeneration ?? 0) >= metadata.generation &&
      (status.updatedNumberScheduled ?? 0) === status.desiredNumberScheduled &&
      status.currentNumberScheduled === status.desiredNumberScheduled &&
      status.numberReady === status.desiredNumberScheduled
    let seen = ''
    const isSo = async () => {
      const sets = await this.#daemonSets()
      const { items: pods } = await this.#api.get('/api/v1/namespaces/kubescape/pods')
      const agents = pods.filter(({ metadata }: Any) => metadata.ownerReferences?.[0]?.kind === 'DaemonSet')
      const on = agents.map(({ spec }: Any) => spec.nodeName).sort()
      seen = `${sets.map(({ metadata, status }) => `${metadata.name} ${JSON.stringify(status)}`).join('\n')}\n${on.join(' ')}`
      return sets.every(isDone) && on.join() === [...nodes].sort().join()
    }
    try {
      await eventually(isSo, SETTLED_SECONDS)
    } catch {
      throw new Error(`${this.#version}, ${this.#start}: not one agent on each of ${nodes.join(' ')}:\n${seen}`)
    }
  }
}
