import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Look, Looked, Tried, Try } from './messages.ts'

/** What a worker may need beyond what the same tests took without a fault: a machine can be busy. */
const PATIENCE = { milliseconds: 20_000, factor: 20 }

/** Worker processes: one that a fault keeps in a loop, or brings down, is ended and another takes its place. */
export class Crew {
  private readonly idle: ChildProcess[] = []

  async look(message: Look): Promise<Looked> {
    const answer = await this.ask<Looked>(message, 900_000)
    if (typeof answer === 'string') throw new Error(`the tests without a fault: ${answer}`)
    return answer
  }

  async attempt(message: Try, usual: number): Promise<Tried> {
    const answer = await this.ask<Tried>(message, PATIENCE.milliseconds + PATIENCE.factor * usual)
    return typeof answer === 'string' ? { killedBy: answer } : answer
  }

  end(): void {
    for (const worker of this.idle) worker.kill()
  }

  private ask<T>(message: Look | Try, limit: number): Promise<T | string> {
    const worker = this.idle.pop() ?? start()
    return new Promise((resolve) => {
      const timer = setTimeout(() => finish('does not end'), limit)
      const onExit = () => finish('the process ends')
      const onAnswer = (answer: T) => finish(answer)
      const finish = (answer: T | string) => {
        clearTimeout(timer)
        worker.off('exit', onExit).off('message', onAnswer)
        if (typeof answer === 'string') worker.kill('SIGKILL')
        else this.idle.push(worker)
        resolve(answer)
      }
      worker.once('exit', onExit).once('message', onAnswer)
      worker.send(message)
    })
  }
}

function start(): ChildProcess {
  return fork(fileURLToPath(new URL('worker.ts', import.meta.url)), {
    execArgv: ['--import', 'tsx', '--max-old-space-size=1536'],
    env: { ...process.env, FORCE_COLOR: '0', NO_COLOR: '1' },
    stdio: ['ignore', 'ignore', process.env.MUTANTS_DEBUG === undefined ? 'ignore' : 'inherit', 'ipc'],
  })
}
