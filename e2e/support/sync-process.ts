/** `nodefit sync` as the process that it is, and what it says. */
import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as pause } from 'node:timers/promises'
import { conditionText } from './eventually.ts'
import { COMMAND } from './hosts.ts'

/** A line of the controller's log. */
export type Line = { readonly level: string; readonly message: string; readonly [field: string]: unknown }

export interface SyncProcess {
  readonly pid: number
  /** What it has said so far. */
  readonly lines: () => Line[]
  readonly stderr: () => string
  /** Waits for a line, from the `from`th on, two minutes unless told. */
  readonly said: (what: (line: Line) => boolean, from?: number, milliseconds?: number) => Promise<Line>
  /** Its exit code, once it has ended by itself. */
  readonly ended: Promise<number | null>
  /** Ends it, and gives the exit code. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<number | null>
}

const SETTLED_MILLISECONDS = 120_000
/** The newest lines that a failure begins with, each without its fields. */
const NEWEST = 8

/** Starts the built command with these arguments; `env` is added to a plain environment. */
export function startSync(
  args: readonly string[],
  {
    env = {},
    node = [],
    command = COMMAND,
  }: { env?: NodeJS.ProcessEnv; node?: readonly string[]; command?: string } = {},
): SyncProcess {
  const { PATH, HOME } = process.env
  const child: ChildProcess = spawn(process.execPath, [...node, command, 'sync', ...args], {
    env: { PATH, HOME, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [out, err] = ['', '']
  child.stdout?.on('data', (part: Buffer) => {
    out += part
  })
  child.stderr?.on('data', (part: Buffer) => {
    err += part
  })
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  ended.then(() => process.off('exit', kill))
  const lines = () =>
    out
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as Line)
  return {
    pid: child.pid ?? 0,
    lines,
    stderr: () => err,
    ended,
    async said(what, from = 0, milliseconds = SETTLED_MILLISECONDS) {
      for (const until = Date.now() + milliseconds; Date.now() < until; await pause(50)) {
        const line = lines().slice(from).find(what)
        if (line !== undefined) return line
        if (child.exitCode !== null) break
      }
      const state = child.exitCode === null ? 'it runs' : `it ended with ${child.exitCode}`
      const newest = lines()
        .slice(-NEWEST)
        .map(({ level, message }) => `${level} ${message}`.slice(0, 160))
      throw new Error(
        [
          `not said within ${milliseconds / 1000} s, ${state}: ${conditionText(what)}; said last:`,
          ...newest,
          `all of it:\n${out.slice(-6000)}\n${err.slice(-2000)}`,
        ].join('\n'),
      )
    },
    async stop(signal = 'SIGTERM') {
      child.kill(signal)
      const code = await ended
      if (signal === 'SIGTERM' && code === 1) throw new Error(`it did not end in time:\n${out.slice(-6000)}`)
      return code
    },
  }
}
