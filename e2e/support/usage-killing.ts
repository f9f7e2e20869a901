/** nodefit sync as it settles sizes from usage, killed at one of its steps and begun again, held against one that nobody killed. */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { gunzipSync, gzipSync } from 'node:zlib'
import { parse, stringify } from 'yaml'
import type { UsageRow } from '../../src/inventory/index.ts'
import { historiesText, readHistories, type SeriesKey } from '../../src/usage/index.ts'
import { BareRemote } from './bare-remote.ts'
import { ROOT } from './hosts.ts'
import { differences, type State, stateOf } from './killing.ts'
import { METRICS } from './metrics-api.ts'
import { nodeOf } from './node-objects.ts'
import { json, ScriptedApi } from './scripted-api.ts'
import { type SyncProcess, startSync } from './sync-process.ts'

const [NAMESPACE, AGENT, GROUP] = ['logging', 'fluent-bit', 'value:m5.large']
const KEY: SeriesKey = { policy: `${NAMESPACE}/${AGENT}`, container: AGENT, group: GROUP }
const [NODES, DAEMON_SETS, PODS] = ['/api/v1/nodes', '/apis/apps/v1/daemonsets', '/api/v1/pods']
const CONFIG_MAPS = '/api/v1/namespaces/nodefit/configmaps'
const [CONFIG_MAP, HISTORIES] = ['nodefit-sync-usage', 'histories.json.gz']
/** A Tuesday after the schedule has fired. */
const START = '2026-11-17T10:05:00Z'
const KILLED_AT = '2026-11-17T10:00:00Z'
const DAY = 86_400_000
const TIMES = 20
const POD_COUNT = 3
const PRELOADS = ['sync-kill.cjs', 'fast-clock.cjs'].flatMap((name) => ['--require', join(ROOT, 'e2e/support', name)])
const FOLDERS = ['clusters.git', 'cache']
const WORKLOAD = 'clusters/prod/nodes/workload.yaml'
/** Milliseconds in which a run comes to an end. */
const PATIENCE = 180_000

/** What is left of a run: the remote, but for times, and the ConfigMap. */
interface End {
  readonly remote: State
  readonly histories: string
}

/**
 * A cluster in which days are known, the schedule has fired and two pods of three are killed: a run settles sizes, raises a limit, and writes
 * the ConfigMap with what was known when the schedule fired.
 */
export class UsageKilling {
  readonly steps: readonly string[]
  readonly #world: World
  readonly #end: End

  private constructor(world: World, end: End, steps: readonly string[]) {
    this.#world = world
    this.#end = end
    this.steps = steps
  }

  static async start(folder: string): Promise<UsageKilling> {
    const world = await worldIn(folder)
    const { at, remote } = world
    await runIn(world, undefined, () => rowsIn(remote).length > 0)
    for (const name of FOLDERS) cpSync(at(name), at(`${name}.before`), { recursive: true, verbatimSymlinks: true })
    putBack(world)
    const { steps } = await runIn(world, undefined, () => isDone(world))
    const killing = new UsageKilling(world, endOf(world), steps)
    const [row] = rowsIn(remote)
    const { why, raisedAt, limitMemory } = row?.settled ?? {}
    if (why !== 'Regular' || raisedAt?.[0] !== KILLED_AT || limitMemory !== '512Mi')
      throw new Error(`the run did not settle what it should: ${JSON.stringify(row)}`)
    return killing
  }

  /** Kills a run at a step, from 1 on, runs it again, and gives what is not as it would have been. */
  async killedAt(step: number): Promise<string[]> {
    const world = this.#world
    putBack(world)
    const before = rowsIn(world.remote).length
    const { steps, code } = await runIn(world, step, () => false)
    const where = `killed ${steps.at(-1)} (step ${step})`
    if (code !== null) return [`not ${where}: it ended with ${code}`]
    const wrong = rowsIn(world.remote).length < before ? ['a row is lost'] : []
    await runIn(world, undefined, () => isDone(world))
    return [...wrong, ...this.#differences()].map((one) => `${where}: ${one}`)
  }

  /** Loses the ConfigMap when everything is settled, and gives what is not as it was after another run. */
  async withoutConfigMap(): Promise<string[]> {
    const { api, remote } = this.#world
    api.remove(CONFIG_MAPS, CONFIG_MAP)
    await runIn(this.#world, undefined, () => historiesIn(api) !== undefined)
    return differences(this.#end.remote, stateOf(remote))
  }

  async stop(): Promise<void> {
    await this.#world.api.close()
  }

  #differences(): string[] {
    const { remote, histories } = endOf(this.#world)
    return [
      ...differences(this.#end.remote, remote),
      ...(histories === this.#end.histories ? [] : [`the ConfigMap is ${histories}, and not ${this.#end.histories}`]),
    ]
  }
}

interface World {
  readonly at: (name: string) => string
  readonly remote: BareRemote
  readonly api: ScriptedApi
  /** When the run began, in milliseconds since 1970: what is measured is of its clock. */
  readonly clock: { began: number }
}

async function worldIn(folder: string): Promise<World> {
  const at = (name: string) => join(folder, name)
  const remote = new BareRemote(folder)
  const agent = (name: string) => readFileSync(join(ROOT, 'testdata/quickstart', name), 'utf8')
  remote.commit({
    'agents/policy.yaml': `${agent('policy.yaml').trimEnd()}\n  usage:\n    updateMode: Auto\n`,
    'agents/daemonset.yaml': agent('daemonset.yaml'),
  })
  const api = await ScriptedApi.start()
  writeFileSync(at('kubeconfig'), api.kubeconfig)
  const git = { url: remote.url, folder: 'clusters/prod/nodes', cache: at('cache'), timeout: '2h' }
  const spec = {
    ...{ cluster: 'prod', mode: 'rendered', packages: ['agents'], output: 'clusters/prod/rendered', git },
    ...{ collect: ['nodes', 'usage'], quietWindow: '1s', maxWindow: '3s', minPushInterval: '10s' },
    ...{ leaderElection: { enabled: false }, health: { address: '127.0.0.1:0' } },
  }
  const config = { apiVersion: 'nodefit.dev/v1alpha1', kind: 'SyncConfig', metadata: { name: 'prod' }, spec }
  writeFileSync(at('sync.yaml'), stringify(config))
  for (let index = 0; index < POD_COUNT; index++) {
    const { metadata, ...node } = nodeOf(`node-${index}`, 'm5.large')
    api.put(NODES, { ...node, metadata: { ...metadata, uid: `uid-of-node-${index}` } })
    api.put(PODS, podOf(index, false))
  }
  const annotations = { 'nodefit.dev/owner': `SizingPolicy/${AGENT}`, 'nodefit.dev/group': GROUP }
  api.put(DAEMON_SETS, {
    metadata: { name: 'agent', namespace: NAMESPACE, uid: 'uid-of-agent', annotations },
    spec: { selector: { matchLabels: { 'nodefit.dev/node-group': 'm5.large' } } },
    status: { desiredNumberScheduled: POD_COUNT },
  })
  api.remove(CONFIG_MAPS, '')
  const clock = { began: 0 }
  const now = () => Date.parse(START) + (Date.now() - clock.began) * TIMES
  api.next(
    ({ path }) => path.startsWith(METRICS),
    ({ path }, response) => json(response, 200, path === METRICS ? {} : { items: measuredAt(now()) }),
    Number.POSITIVE_INFINITY,
  )
  return { at, remote, api, clock }
}

function podOf(index: number, isKilled: boolean) {
  const startedAt = '2026-11-16T10:00:00Z'
  const killed = {
    restartCount: 1,
    lastState: { terminated: { reason: 'OOMKilled', exitCode: 137, finishedAt: KILLED_AT } },
  }
  const labels = { 'nodefit.dev/node-group': 'm5.large' }
  const ownerReferences = [{ kind: 'DaemonSet', name: 'agent', uid: 'uid-of-agent', controller: true }]
  const resources = { limits: { memory: '256Mi' } }
  return {
    metadata: { name: `agent-${index}`, namespace: NAMESPACE, uid: `pod-${index}`, labels, ownerReferences },
    spec: { nodeName: `node-${index}`, containers: [{ name: AGENT, resources }] },
    status: {
      containerStatuses: [
        { name: AGENT, restartCount: 0, state: { running: { startedAt } }, ...(isKilled ? killed : {}) },
      ],
    },
  }
}

/** Makes everything as it is before a run that is killed: days are known, and two pods were killed. */
function putBack({ at, api }: World): void {
  for (const name of FOLDERS) {
    rmSync(at(name), { recursive: true, force: true })
    cpSync(at(`${name}.before`), at(name), { recursive: true, verbatimSymlinks: true })
  }
  for (let index = 0; index < POD_COUNT; index++) api.put(PODS, podOf(index, index > 0))
  const today = Date.parse('2026-11-17T00:00:00Z')
  const days = Array.from({ length: 10 }, (_, index) => ({
    date: new Date(today - (10 - index) * DAY).toISOString().slice(0, 10),
    used: { cpu: 63, memory: 71 },
    ...{ medianMemory: 71, peakMemory: 71, shareAtLimit: 0, pods: POD_COUNT },
  }))
  const text = historiesText([[KEY, { days, today: { date: '', hours: [] }, kills: [] }]])
  api.put(CONFIG_MAPS, {
    metadata: { name: CONFIG_MAP, namespace: 'nodefit' },
    data: { until: new Date(today).toISOString() },
    binaryData: { [HISTORIES]: gzipSync(text).toString('base64') },
  })
}

/** Whether a run has settled what there is, and has written what it was settled by. */
function isDone({ remote, api }: World): boolean {
  const { raisedAt } = rowsIn(remote)[0]?.settled ?? {}
  return raisedAt !== undefined && historiesIn(api)?.includes('"regular"') === true
}

function rowsIn(remote: BareRemote): readonly UsageRow[] {
  if (remote.head('main') === undefined) return []
  try {
    return parse(remote.git('show', `main:${WORKLOAD}`)).spec.usage ?? []
  } catch {
    return []
  }
}

function historiesIn(api: ScriptedApi): string | undefined {
  const data = api.get(CONFIG_MAPS, CONFIG_MAP)?.binaryData as Record<string, string> | undefined
  return data && gunzipSync(Buffer.from(data[HISTORIES] ?? '', 'base64')).toString()
}

/** What a run comes to; hours that were measured may be one fewer after a kill. */
function endOf({ remote, api }: World): End {
  const histories = (readHistories(historiesIn(api) ?? '') ?? []).map(([key, { days, kills, regular }]) => {
    return [key, days.length, kills, regular?.at]
  })
  return { remote: stateOf(remote), histories: JSON.stringify(histories) }
}

/** Runs until something is so or it is killed at a step; what it did, and its exit code, null where it was killed. */
async function runIn(
  world: World,
  step: number | undefined,
  isSo: () => boolean,
): Promise<{ code: number | null; steps: string[] }> {
  const { at } = world
  rmSync(at('steps'), { force: true })
  mkdirSync(at('tmp'), { recursive: true })
  const began = Date.now()
  world.clock.began = began
  const env = {
    ...{ TMPDIR: at('tmp'), KILL_LOG: at('steps'), CLOCK_START: START, CLOCK_TIMES: String(TIMES) },
    ...(step === undefined ? {} : { KILL_AT: String(step) }),
  }
  const sync: SyncProcess = startSync(['--config', at('sync.yaml'), '--kubeconfig', at('kubeconfig')], {
    node: PRELOADS,
    env,
  })
  let code: number | null | undefined
  void sync.ended.then((ended) => {
    code = ended
  })
  while (code === undefined && !isSo()) {
    if (Date.now() - began > PATIENCE) break
    await pause(50)
  }
  const isOver = code === undefined && !isSo()
  if (code === undefined) code = await sync.stop()
  if (isOver || (step === undefined && !isSo()))
    throw new Error(
      `the run did not come to its end (${code}): ${sync.stderr()}${JSON.stringify(sync.lines().slice(-8))}`,
    )
  const steps = existsSync(at('steps')) ? readFileSync(at('steps'), 'utf8').split('\n').slice(0, -1) : []
  return { code, steps }
}

function measuredAt(time: number): object[] {
  const timestamp = new Date(time - 5000).toISOString()
  const usage = { cpu: '63000000n', memory: '72704Ki' }
  return Array.from({ length: POD_COUNT }, (_, index) => ({
    metadata: { name: `agent-${index}`, namespace: NAMESPACE },
    timestamp,
    containers: [{ name: AGENT, usage }],
  }))
}
