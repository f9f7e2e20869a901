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

/** Runs test files: those that may share a process one after another in the worker of their lane, others in a process each. */
export class Crew {
  readonly #bundles: Bundles
  readonly #env = { ...process.env, ...COLOURLESS }
  readonly #workers = new Map<number, ChildProcess>()

  constructor(bundles: Bundles) {
    this.#bundles = bundles
  }

  /** Runs a file in a worker; one that ends instead of answering has failed, and the next file gets another. */
  shared(file: string, lane: number): Promise<Outcome> {
    const worker = this.#workers.get(lane) ?? this.#start(lane)
    return new Promise((resolve) => {
      let rest = ''
      const onData = (chunk: Buffer) => {
        rest += chunk.toString()
      }
      const onMessage = ({ output }: Ran) => finish({ output: output + rest, isComplete: true })
      const onClose = () => {
        this.#workers.delete(lane)
        finish({ output: `${rest}the process ended within this file\n`, isComplete: false })
      }
      const finish = (outcome: Outcome) => {
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
  alone(file: string): Promise<Outcome> {
    const child = spawn(process.execPath, [...OPTIONS, this.#bundles.of(file)], { cwd: ROOT, env: this.#env })
    let output = ''
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString()
      })
    return new Promise((resolve) => child.on('close', (code) => resolve({ output, isComplete: code === 0 })))
  }

  end(): void {
    for (const worker of this.#workers.values()) worker.kill()
  }

  #start(lane: number): ChildProcess {
    const worker = fork(this.#bundles.worker, { cwd: ROOT, env: this.#env, execArgv: OPTIONS, stdio: 'pipe' })
    this.#workers.set(lane, worker)
    return worker
  }
}
