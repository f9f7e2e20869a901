/** nodefit sync as it settles sizes from usage, killed at one of its steps and begun again, held against one that nobody killed. */
import { cpSync, existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { readHistories } from '../../src/facts/usage/index.ts'
import { COMMAND, ROOT } from './hosts.ts'
import { differences, type State, stateOf } from './killing.ts'
import { type SyncProcess, startSync } from './sync-process.ts'
import {
  CONFIG_MAP,
  CONFIG_MAPS,
  historiesIn,
  KILLED_AT,
  putDays,
  putPods,
  rowsIn,
  START,
  settle,
  TIMES,
  type UsageWorld,
  usageWorld,
} from './usage-scripted.ts'

const PRELOADS = ['sync-kill.cjs', 'fast-clock.cjs'].flatMap((name) => ['--require', join(ROOT, 'e2e/support', name)])
const FOLDERS = ['clusters.git', 'cache']
/** What was settled once, of which a regular time takes away half. */
const EARLIER = { cpu: '63m', memory: '400Mi', at: '2026-11-03T09:00:00Z', why: 'Regular' } as const
/** Some minutes before the hour ends. */
const BEFORE_HOUR = '2026-11-17T10:56:00Z'
/** A commit is made in the first; the second finds it. */
const ROUNDS = 3
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
  readonly #world: UsageWorld
  readonly #command: string
  readonly #end: End

  private constructor(world: UsageWorld, command: string, end: End, steps: readonly string[]) {
    this.#world = world
    this.#command = command
    this.#end = end
    this.steps = steps
  }

  static async start(folder: string, command = COMMAND): Promise<UsageKilling> {
    const world = await usageWorld(folder)
    const { at, remote } = world
    await runIn(world, COMMAND, undefined, () => rowsIn(remote).length > 0)
    settle(remote, EARLIER)
    for (const name of FOLDERS) cpSync(at(name), at(`${name}.before`), { recursive: true, verbatimSymlinks: true })
    putBack(world)
    const { steps } = await runIn(world, command, undefined, () => isDone(world))
    const killing = new UsageKilling(world, command, endOf(world), steps)
    const [row] = rowsIn(remote)
    const { why, raisedAt, limitMemory, memory } = row?.settled ?? {}
    if (why !== 'Regular' || raisedAt?.[0] !== KILLED_AT || limitMemory !== '512Mi' || memory !== '200Mi')
      throw new Error(`the run did not settle what it should: ${JSON.stringify(row)}`)
    return killing
  }

  /**
   * Kills a run at a step, from 1 on or by its name, runs it again until it rests, or has written what the hour was, and gives what is not as it would have
   * been.
   */
  async killedAt(step: number | string, { isHour = false } = {}): Promise<string[]> {
    const world = this.#world
    putBack(world)
    const before = rowsIn(world.remote).length
    const { steps, code } = await runIn(world, this.#command, step, () => false)
    const where = `killed ${steps.at(-1)} (step ${step})`
    if (code !== null) return [`not ${where}: it ended with ${code}`]
    const wrong = rowsIn(world.remote).length < before ? ['a row is lost'] : []
    world.clock.start = isHour ? BEFORE_HOUR : START
    await runIn(world, this.#command, undefined, () => isDone(world) && rests(world) && (!isHour || hasHour(world)))
    world.clock.start = START
    return [...wrong, ...this.#differences()].map((one) => `${where}: ${one}`)
  }

  /** Loses the ConfigMap when everything is settled, and gives what is not as it was after another run. */
  async withoutConfigMap(): Promise<string[]> {
    const { api, remote } = this.#world
    api.remove(CONFIG_MAPS, CONFIG_MAP)
    await runIn(this.#world, this.#command, undefined, () => historiesIn(api) !== undefined && rests(this.#world))
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

/** Makes everything as it is before a run that is killed: days are known, and two pods were killed. */
function putBack(world: UsageWorld): void {
  const { at } = world
  for (const name of FOLDERS) {
    rmSync(at(name), { recursive: true, force: true })
    cpSync(at(`${name}.before`), at(name), { recursive: true, verbatimSymlinks: true })
  }
  putPods(world, [1, 2])
  putDays(world)
}

/** Whether a run has settled what there is, and has written what it was settled by, and that Git has it. */
function isDone({ remote, api }: UsageWorld): boolean {
  const { raisedAt } = rowsIn(remote)[0]?.settled ?? {}
  return raisedAt !== undefined && historiesIn(api)?.includes('"isInGit":true') === true
}

/** Whether a run has come to an end with what there is: it looks at Git for the third time. */
function rests({ at }: UsageWorld): boolean {
  if (!existsSync(at('steps'))) return false
  return readFileSync(at('steps'), 'utf8').split('after git log\n').length > ROUNDS
}

/** Whether the hour at which `BEFORE_HOUR` ends is in the ConfigMap. */
function hasHour({ api }: UsageWorld): boolean {
  const { until } = (api.get(CONFIG_MAPS, CONFIG_MAP)?.data ?? {}) as { until?: string }
  return until !== undefined && Date.parse(until) > Date.parse(BEFORE_HOUR)
}

/** What a run comes to; hours that were measured may be one fewer after a kill. */
function endOf({ remote, api }: UsageWorld): End {
  const histories = (readHistories(historiesIn(api) ?? '') ?? []).map(([key, { days, kills, regular }]) => {
    return [key, days.length, kills, regular?.at, regular?.isInGit]
  })
  return { remote: stateOf(remote), histories: JSON.stringify(histories) }
}

/** Runs until something is so or it is killed at a step; what it did, and its exit code, null where it was killed. */
async function runIn(
  world: UsageWorld,
  command: string,
  step: number | string | undefined,
  isSo: () => boolean,
): Promise<{ code: number | null; steps: string[] }> {
  const { at, args } = world
  rmSync(at('steps'), { force: true })
  mkdirSync(at('tmp'), { recursive: true })
  const began = Date.now()
  world.clock.began = began
  const env = {
    ...{ TMPDIR: at('tmp'), KILL_LOG: at('steps'), CLOCK_START: world.clock.start, CLOCK_TIMES: String(TIMES) },
    ...(step === undefined ? {} : { KILL_AT: String(step) }),
  }
  const sync: SyncProcess = startSync(args, {
    node: PRELOADS,
    env,
    command,
  })
  let code: number | null | undefined
  void sync.ended.then((ended) => {
    code = ended
  })
  let hasBeenSo = isSo()
  for (; code === undefined && !hasBeenSo && Date.now() - began < PATIENCE; hasBeenSo = isSo()) await pause(50)
  const isOver = code === undefined && !hasBeenSo
  if (code === undefined) code = await sync.stop()
  if (isOver || (step === undefined && !hasBeenSo))
    throw new Error(
      `the run did not come to its end (${code}): ${sync.stderr()}${JSON.stringify(sync.lines().slice(-8))}`,
    )
  const steps = existsSync(at('steps')) ? readFileSync(at('steps'), 'utf8').split('\n').slice(0, -1) : []
  return { code, steps }
}
