import { type ChildProcess, fork, spawn } from 'node:child_process'
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

/** What is said of a file that could not begin. */
export const TIME_IS_UP: Outcome = { output: 'not begun: the time of this run is up\n', isComplete: false }

/** Runs test files: several in one process or each in one of its own. */
export class Crew {
  readonly #bundles: Bundles
  readonly #until: number
  readonly #env = { ...process.env, ...COLOURLESS }
  readonly #workers = new Map<number, ChildProcess>()

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
      const timer = setTimeout(() => worker.kill('SIGKILL'), this.#patience(PATIENCE_MILLISECONDS))
      const onMessage = ({ output }: Ran) => finish({ output: output + rest, isComplete: true })
      const onClose = () => {
        this.#workers.delete(lane)
        finish({ output: `${rest}the process ended within this file\n`, isComplete: false })
      }
      const finish = (outcome: Outcome) => {
        clearTimeout(timer)
        for (const stream of [worker.stdout, worker.stderr]) stream?.off('data', onData)
        worker.off('message', onMessage).off('close', onClose)
        resolve(outcome)
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

  end(): void {
    for (const worker of this.#workers.values()) worker.kill()
  }

  #start(lane: number): ChildProcess {
    const worker = fork(this.#bundles.worker, { cwd: ROOT, env: this.#env, execArgv: OPTIONS, stdio: 'pipe' })
    this.#workers.set(lane, worker)
    return worker
  }

  /** Runs a process; what a file of several wrote is given as soon as the next one begins, and what the last one wrote is the answer. */
  #run(
    args: readonly string[],
    env: NodeJS.ProcessEnv,
    patience: number,
    onDone: (output: string) => void = () => undefined,
  ): Promise<Outcome> {
    const child = spawn(process.execPath, [...OPTIONS, ...args], { cwd: ROOT, env: { ...this.#env, ...env } })
    const milliseconds = this.#patience(patience)
    const timers = [
      setTimeout(() => child.kill('SIGTERM'), milliseconds),
      setTimeout(() => child.kill('SIGKILL'), milliseconds + DRAIN_MILLISECONDS),
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
        resolve({ output, isComplete: code === 0 })
      }
      child.once('close', finish)
      child.once('exit', (code) => timers.push(setTimeout(() => finish(code), DRAIN_MILLISECONDS)))
    })
  }

  #patience(most: number): number {
    return Math.max(0, Math.min(most, this.#until - Date.now()))
  }
}
