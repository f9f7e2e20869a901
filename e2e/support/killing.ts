/** A run of nodefit sync that is killed at one of its steps and begun again, held against one that nobody killed. */
import { createHash } from 'node:crypto'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { stringify } from 'yaml'
import { timeText } from '../../src/kube/index.ts'
import { jobName } from '../../src/plan/action/jobs.ts'
import { digestOf, signedText } from '../../src/plan/action/signed-bytes.ts'
import { actionPolicy } from '../../test/support/action-package.ts'
import { keyringItem, signedAction } from '../../test/support/actions.ts'
import type { BareRemote } from './bare-remote.ts'
import { firstAgents } from './first-agents.ts'
import { COMMAND, ROOT } from './hosts.ts'
import { nodeOf } from './node-objects.ts'
import type { ScriptedApi } from './scripted-api.ts'
import { type ScriptedRoom, scriptedRoom } from './scripted-room.ts'
import type { SyncSpec } from './sync-config.ts'
import { startSync } from './sync-process.ts'

const NODES = '/api/v1/nodes'
const PRELOAD = join(ROOT, 'e2e/support/sync-kill.cjs')
const FOLDERS = ['clusters.git', 'cache']
/** What says when it was made. */
const DATED = ['clusters/prod/nodes/inventory.yaml', 'clusters/prod/nodes/workload.yaml']
const JOBS = '/apis/batch/v1/namespaces/nodefit-actions/jobs'

/** What nodefit sync is to do in the run that is killed. */
export interface Task {
  readonly name: string
  /** Of the SyncConfig. */
  readonly spec?: SyncSpec
  /** Instance types of the nodes that were there at an earlier run, if there was one. */
  readonly before?: readonly string[]
  /** Those that are there now. */
  readonly now: readonly string[]
  /** Files of the package beside its policy of agents, or in its place. */
  readonly files?: Readonly<Record<string, string>>
  /** The Job of the action in the cluster, at an earlier run and now; absent: it is not there. */
  readonly jobBefore?: object
  readonly jobNow?: object
  /** Whether the Job of the action is rendered in the end. */
  readonly hasJob?: boolean
}

const TYPES = ['m5.large', 'm5.large', 'm5.4xlarge', 'r5.xlarge', 'c6g.xlarge', 'r5.2xlarge', 'm6i.large', 'c5.8xlarge']
const RENDERED = { mode: 'rendered', packages: ['agents'], output: 'clusters/prod/rendered' }

/** A signed drain, with what verifies it. It is valid for longer than all steps take. */
const DRAIN = signedAction({
  ...{ id: 'act-1', cluster: 'prod', type: 'drainNode', target: { kind: 'Node', name: 'node-1' } },
  ...{ issuedAt: timeText(new Date()), expiresAt: timeText(new Date(Date.now() + 12 * 3_600_000)) },
})
const ACTIONS = {
  'actions/policy.yaml': stringify(actionPolicy()),
  'actions/keys.yaml': stringify(keyringItem()),
  'actions/drain.yaml': stringify(DRAIN),
}
const ACTED = { ...RENDERED, packages: ['actions'], collect: ['nodes', 'actions'], inventory: { uid: true } }
const DRAINED = drainJob('Complete')

/** The Job of the drain as the cluster has it, once it has ended. */
function drainJob(ended: string): object {
  const form = signedText({ ...(DRAIN.signature as { alg: string; keyId: string }), spec: DRAIN.spec })
  const name = jobName('drainnode', 'node-1', digestOf('text' in form ? form.text : ''))
  const metadata = { name, namespace: 'nodefit-actions', annotations: { 'nodefit.dev/actions': 'act-1' } }
  return { metadata, status: { conditions: [{ type: ended, status: 'True' }] } }
}

export const TASKS: readonly Task[] = [
  { name: 'the first commit of a new folder', now: TYPES },
  { name: 'a new type of node, rendered', spec: RENDERED, before: TYPES, now: [...TYPES, 't3.large'] },
  {
    name: 'a type of node that is gone, and its files with it',
    spec: { ...RENDERED, retainShapes: '0s' },
    files: firstAgents('retainGroups: 0s'),
    before: TYPES,
    now: TYPES.slice(0, -1),
  },
  {
    name: 'a branch for review',
    spec: { ...RENDERED, review: { prefix: 'sync/' } },
    now: TYPES,
  },
  { name: 'a signed drain', spec: ACTED, files: ACTIONS, now: TYPES, hasJob: true },
  {
    ...{ name: 'a signed drain that has succeeded', spec: ACTED, files: ACTIONS, before: TYPES, now: TYPES },
    ...{ jobNow: DRAINED, hasJob: false },
  },
  {
    ...{ name: 'a drain that was done, and whose Job is gone', files: ACTIONS },
    spec: { ...ACTED, packages: ['agents', 'actions'] },
    ...{ before: TYPES, now: [...TYPES, 't3.large'], jobBefore: DRAINED, hasJob: false },
  },
]

/** All that a remote has, but for the time at which the nodes were looked at. */
export type State = Readonly<Record<string, string>>

/** One task in a folder of its own, which can be put back to how it was before the run. */
export class Killing {
  /** What the run does, in order: it can be killed at each. */
  readonly steps: readonly string[]
  readonly #at: (name: string) => string
  readonly #remote: BareRemote
  readonly #api: ScriptedApi
  readonly #command: string
  readonly #before: State
  readonly #after: State

  private constructor(world: ScriptedRoom, command: string, before: State, after: State, steps: readonly string[]) {
    this.#at = world.at
    this.#remote = world.remote
    this.#api = world.api
    this.#command = command
    this.#before = before
    this.#after = after
    this.steps = steps
  }

  /** Makes what the task begins with, and sees how it ends when nobody kills it. */
  static async start(folder: string, task: Task, command = COMMAND): Promise<Killing> {
    const { before, now, jobBefore, jobNow, hasJob } = task
    const world = await roomIn(folder, task)
    const { at, remote, api } = world
    // a Job comes of what an earlier run has rendered
    for (const job of before === undefined ? [] : jobBefore === undefined ? [undefined] : [undefined, jobBefore]) {
      provide(api, before ?? now, job)
      const { code, said } = await runIn(at, COMMAND)
      if (code !== 0) throw new Error(`the earlier run failed: ${said}`)
    }
    provide(api, now, jobNow)
    for (const name of FOLDERS)
      if (existsSync(at(name))) cpSync(at(name), at(`${name}.before`), { recursive: true, verbatimSymlinks: true })
    const start = stateOf(remote)
    const { code, steps, said } = await runIn(at, COMMAND)
    if (code !== 0) throw new Error(`the run that nobody killed ended with ${code}: ${said}`)
    const killing = new Killing(world, command, start, stateOf(remote), steps)
    if (same(start, killing.#after)) throw new Error(`the run has nothing to do: ${said}`)
    const isRendered = Object.keys(killing.#after).some((name) => /:clusters\/prod\/rendered\/.*drainnode-/.test(name))
    if (hasJob !== undefined && isRendered !== hasJob) throw new Error(`its Job is ${isRendered ? '' : 'not '}rendered`)
    return killing
  }

  /** Kills the run at a step, from 1 on, runs it again, and gives what is not as it would have been. */
  async killedAt(step: number): Promise<string[]> {
    this.#putBack()
    const wrong: string[] = []
    const killed = await runIn(this.#at, this.#command, step)
    const where = `killed ${killed.steps.at(-1)} (step ${step})`
    if (killed.code !== null) return [`not ${where}: it ended with ${killed.code}`]
    const between = stateOf(this.#remote)
    if (!same(between, this.#before) && !same(between, this.#after)) wrong.push('the remote has half of it')
    wrong.push(...(await this.#again()))
    return wrong.map((one) => `${where}: ${one}`)
  }

  /** Leaves this in the clone, runs, and gives what is not as it should be. */
  async withLeftover(path: string, text: string): Promise<string[]> {
    this.#putBack()
    writeFileSync(this.#at(join('cache', path)), text)
    return (await this.#again()).map((one) => `with ${path}: ${one}`)
  }

  #putBack(): void {
    for (const name of FOLDERS) {
      const [kept, used] = [this.#at(`${name}.before`), this.#at(name)]
      rmSync(used, { recursive: true, force: true })
      if (existsSync(kept)) cpSync(kept, used, { recursive: true, verbatimSymlinks: true })
    }
  }

  async #again(): Promise<string[]> {
    const wrong: string[] = []
    const { code, said } = await runIn(this.#at, this.#command)
    if (code !== 0) wrong.push(`the next run ended with ${code}: ${said.slice(-600)}`)
    wrong.push(...differences(this.#after, stateOf(this.#remote)))
    for (const name of FOLDERS)
      for (const file of readdirSync(this.#at(name), { recursive: true, encoding: 'utf8' }))
        if (file.endsWith('.lock')) wrong.push(`${name}/${file} is left`)
    for (const file of readdirSync(this.#at('tmp')))
      if (file.startsWith('nodefit-private-')) wrong.push(`tmp/${file} is left`)
    return wrong
  }

  async stop(): Promise<void> {
    await this.#api.close()
  }
}

function roomIn(folder: string, { spec = {}, files }: Task): Promise<ScriptedRoom> {
  const others = {
    'README.md': '# Clusters\n',
    'clusters/prod/apps/run.sh': ['100755', '#!/bin/sh\n'],
    'clusters/prod/apps/link': ['120000', 'run.sh'],
  } as const
  return scriptedRoom(folder, { ...others, ...firstAgents(), ...files }, spec)
}

function provide(api: ScriptedApi, types: readonly string[], job?: object): void {
  for (const path of [NODES, JOBS]) for (const { metadata } of api.all(path)) api.remove(path, metadata.name)
  for (const [at, type] of types.entries()) {
    const { metadata, ...node } = nodeOf(`node-${at + 1}`, type)
    api.put(NODES, { ...node, metadata: { ...metadata, uid: `uid-of-node-${at + 1}` } })
  }
  if (job !== undefined) api.put(JOBS, job as Parameters<typeof api.put>[1])
}

/** One run, killed at a step or not at all; its exit code, null where it was killed, and what it did. */
async function runIn(
  at: (name: string) => string,
  command: string,
  step?: number,
): Promise<{ code: number | null; steps: string[]; said: string }> {
  rmSync(at('steps'), { force: true })
  mkdirSync(at('tmp'), { recursive: true })
  const sync = startSync(['--once', '--config', at('sync.yaml'), '--kubeconfig', at('kubeconfig')], {
    node: ['--require', PRELOAD],
    env: { TMPDIR: at('tmp'), KILL_LOG: at('steps'), ...(step === undefined ? {} : { KILL_AT: String(step) }) },
    command,
  })
  const code = await sync.ended
  const steps = existsSync(at('steps')) ? readFileSync(at('steps'), 'utf8').split('\n').slice(0, -1) : []
  return {
    code,
    steps,
    said: `${sync.stderr()}${sync
      .lines()
      .map(({ message }) => message)
      .join('\n')}`,
  }
}

/** Of each branch how many commits it has and which files, by their content. */
export function stateOf(remote: BareRemote): State {
  const state: Record<string, string> = {}
  // all branches at one moment: what a killed push has begun may still go on in the server
  for (const ref of remote.git('for-each-ref', '--format=%(refname:short) %(objectname)').split('\n')) {
    const [branch = '', commit = ''] = ref.split(' ')
    state[branch] = `${remote.git('rev-list', '--count', commit)} commits`
    for (const line of remote.git('ls-tree', '-r', commit).split('\n')) {
      const [entry = '', path = ''] = line.split('\t')
      state[`${branch}:${path}`] = DATED.includes(path) ? undatedOf(remote, commit, path) : entry
    }
  }
  return state
}

/** A digest of a snapshot, whenever it was made. */
function undatedOf(remote: BareRemote, commit: string, path: string): string {
  const text = remote.git('show', `${commit}:${path}`).replaceAll(/^ *observedAt: .*\n/gm, '')
  return createHash('sha256').update(text).digest('hex')
}

function same(one: State, other: State): boolean {
  return differences(one, other).length === 0
}

export function differences(wanted: State, found: State): string[] {
  const names = [...new Set([...Object.keys(wanted), ...Object.keys(found)])]
  return names
    .filter((name) => wanted[name] !== found[name])
    .map((name) => `${name} is ${found[name] ?? 'not there'}, and not ${wanted[name] ?? 'absent'}`)
}
