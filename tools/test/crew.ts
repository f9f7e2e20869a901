import { type ChildProcess, fork, spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { ROOT } from '../build/bundle.ts'
import type { Bundles } from './bundle.ts'
import type { Ran } from './worker.ts'

/** What a test file wrote; whether its process ended as it should is in `isComplete`. */
export interface Outcome extends Ran {
  readonly isComplete: boolean
}

const OPTIONS = ['--enable-source-maps']
const COLOURLESS = { FORCE_COLOR: '0', NO_COLOR: '1' }
/** As tools/test/worker.ts says it, which no other process may load. */
const BEGINS = /^:begins \d+:\n/m
/** No file takes so long: one that hangs is ended, and says so. A whole file of e2e/long takes an hour and more. */
const [PATIENCE_MILLISECONDS, LONG_PATIENCE_MILLISECONDS] = [20 * 60_000, 150 * 60_000]
/** What a process that has ended may take until its output has arrived; one that it left running holds the pipes for ever. */
const DRAIN_MILLISECONDS = 2_000
/** What processes that are asked to end may take: a test ends the servers that it started. */
const END_MILLISECONDS = 5_000

/** What is said of a file that could not begin. */
export const TIME_IS_UP: Outcome = { output: 'not begun: the time of this run is up\n', isComplete: false }

/** Runs test files: several in one process or each in one of its own. */
export class Crew {
  readonly #bundles: Bundles
  readonly #until: number
  readonly #env = { ...process.env, ...COLOURLESS }
  readonly #workers = new Map<number, ChildProcess>()
  readonly #running = new Set<ChildProcess>()
  #isEnding = false

  /** No file runs beyond `until`, in milliseconds since the epoch. */
  constructor(bundles: Bundles, until: number) {
    this.#bundles = bundles
    this.#until = until
  }

  get hasTime(): boolean {
    return Date.now() < this.#until
  }

  /** Runs a file in the worker of a lane; one that ends instead of answering has failed, and the next file gets another. */
  shared(file: string, lane: number): Promise<Outcome> {
    const worker = this.#workers.get(lane) ?? this.#start(lane)
    return new Promise((resolve) => {
      let rest = ''
      const onData = (chunk: Buffer) => {
        rest += chunk.toString()
      }
      const timer = setTimeout(() => signalGroup(worker, 'SIGKILL'), this.#patience(PATIENCE_MILLISECONDS))
      const onMessage = ({ output }: Ran) => finish({ output: output + rest, isComplete: true })
      const onClose = () => {
        this.#workers.delete(lane)
        finish({ output: `${rest}the process ended within this file\n`, isComplete: false })
      }
      const finish = (outcome: Outcome) => {
        clearTimeout(timer)
        for (const stream of [worker.stdout, worker.stderr]) stream?.off('data', onData)
        worker.off('message', onMessage).off('close', onClose)
        if (!this.#isEnding) resolve(outcome)
      }
      for (const stream of [worker.stdout, worker.stderr]) stream?.on('data', onData)
      worker.once('message', onMessage).once('close', onClose)
      worker.send(this.#bundles.of(file))
    })
  }

  /** Runs a file in a process of its own. */
  async alone(file: string): Promise<Outcome> {
    const isWhole = file.startsWith('e2e/long/') && process.env.SAMPLE !== 'true'
    return this.#run([this.#bundles.of(file)], {}, isWhole ? LONG_PATIENCE_MILLISECONDS : PATIENCE_MILLISECONDS)
  }

  /**
   * Runs files of one host in one process, which starts the host once, and says of each how it went as soon as it has. A process that ends
   * within a file has failed that file; the files after it get another.
   */
  async series(files: readonly string[], report: (file: string, outcome: Outcome) => void): Promise<void> {
    const left = [...files]
    while (left.length > 0 && this.hasTime) {
      const bundles = left.map((file) => this.#bundles.of(file))
      const { output, isComplete } = await this.#run(
        [this.#bundles.worker, ...bundles],
        { SHARED_HOSTS: 'true' },
        PATIENCE_MILLISECONDS,
        (done) => report(left.shift() ?? '', { output: done, isComplete: true }),
      )
      const file = left.shift()
      if (file !== undefined) report(file, { output, isComplete: isComplete || /^ {2}Total:/m.test(output) })
    }
    for (const file of left) report(file, TIME_IS_UP)
  }

  /** Runs a program of this repository, which writes where this process does; gives its exit code, or null where a signal ended it. */
  program(file: string): Promise<number | null> {
    const args = ['--import', 'tsx', file]
    const child = this.#keep(spawn(process.execPath, args, { cwd: ROOT, stdio: 'inherit', detached: true }))
    return new Promise((resolve) => child.once('close', resolve))
  }

  /**
   * Ends every process that runs, and what it has started: asks first, and kills what is there some seconds later. A file that is ended has
   * no outcome, so that no other one begins.
   */
  async end(): Promise<void> {
    this.#isEnding = true
    const running = [...this.#running]
    const ended = Promise.all(running.map((child) => new Promise((resolve) => child.once('close', resolve))))
    for (const child of running) signalGroup(child, 'SIGTERM')
    await Promise.race([ended, pause(END_MILLISECONDS, undefined, { ref: false })])
    for (const child of running) signalGroup(child, 'SIGKILL')
  }

  #start(lane: number): ChildProcess {
    const options = { cwd: ROOT, env: this.#env, execArgv: OPTIONS, stdio: 'pipe', detached: true } as const
    const worker = this.#keep(fork(this.#bundles.worker, options))
    this.#workers.set(lane, worker)
    return worker
  }

  #keep<Child extends ChildProcess>(child: Child): Child {
    this.#running.add(child)
    child.once('close', () => this.#running.delete(child))
    return child
  }

  /** Runs a process; what a file of several wrote is given as soon as the next one begins, and what the last one wrote is the answer. */
  #run(
    args: readonly string[],
    env: NodeJS.ProcessEnv,
    patience: number,
    onDone: (output: string) => void = () => undefined,
  ): Promise<Outcome> {
    const options = { cwd: ROOT, env: { ...this.#env, ...env }, detached: true }
    const child = this.#keep(spawn(process.execPath, [...OPTIONS, ...args], options))
    const milliseconds = this.#patience(patience)
    const timers = [
      setTimeout(() => signalGroup(child, 'SIGTERM'), milliseconds),
      setTimeout(() => signalGroup(child, 'SIGKILL'), milliseconds + DRAIN_MILLISECONDS),
    ]
    let output = ''
    let hasBegun = false
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString()
        for (let mark = BEGINS.exec(output); mark !== null; mark = BEGINS.exec(output)) {
          if (hasBegun) onDone(output.slice(0, mark.index))
          hasBegun = true
          output = output.slice(mark.index + mark[0].length)
        }
      })
    return new Promise((resolve) => {
      const finish = (code: number | null) => {
        for (const timer of timers) clearTimeout(timer)
        if (!this.#isEnding) resolve({ output, isComplete: code === 0 })
      }
      child.once('close', finish)
      child.once('exit', (code) => timers.push(setTimeout(() => finish(code), DRAIN_MILLISECONDS)))
    })
  }

  #patience(most: number): number {
    return Math.max(0, Math.min(most, this.#until - Date.now()))
  }
}

/** Ends the processes of a crew before this process ends by a signal. */
export function endOnSignals(crew: Crew): void {
  for (const signal of ['SIGINT', 'SIGTERM'] as const)
    process.on(signal, () => void crew.end().then(() => process.exit(1)))
}

/** Sends a signal to a process that leads a group, and to all in the group: its servers outlive one that is killed. */
function signalGroup({ pid }: ChildProcess, signal: NodeJS.Signals): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, signal)
  } catch (error) {
    // nobody is left in the group; macOS says EPERM where processes of it have ended and are not yet waited for
    if (!['ESRCH', 'EPERM'].includes(`${(error as NodeJS.ErrnoException).code}`)) throw error
  }
}
