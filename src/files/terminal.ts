import { isatty } from 'node:tty'
import { styleText } from 'node:util'
import { Worker } from 'node:worker_threads'
import { type Paint, plain, type Role, shortened } from '../view/index.ts'
import { writeAll } from './stdio.ts'

const STDERR = 2
const STYLES = {
  error: 'red',
  warning: 'yellow',
  info: 'cyan',
  heading: 'bold',
  less: 'yellow',
  quiet: 'gray',
} as const satisfies Record<Role, unknown>

/** How a terminal shows text; as it is where nobody looks, or where colours are not wanted (no-color.org) or not possible. */
export function paintFor(isTerminal: boolean, { NO_COLOR, TERM }: NodeJS.ProcessEnv): Paint {
  if (!isTerminal || NO_COLOR || TERM === 'dumb') return plain
  // newer Node otherwise asks stdout, which is not what is written to
  return (role, text) => styleText(STYLES[role], text, { validateStream: false })
}

/** Whether somebody watches stderr. */
export function isWatched(): boolean {
  return isatty(STDERR)
}

/** What ends before is not worth a line. */
const DELAY_MILLISECONDS = 1000
const CLEAR = '\r\x1b[K'

/** Who may write: nobody does, the line is over, or the watcher writes. */
const [FREE, OVER, WRITING] = [0, 1, 2]
/** The places of the memory that is shared with the watcher: who writes, and whether there is a line. */
const [STATE, SHOWN] = [0, 1]

/**
 * Work here never yields, so that a thread of its own looks at the clock. It writes the newest text once the delay is over, and
 * each later one; what it is told to stop before leaves no trace.
 */
const WATCHER = `
const { workerData: { shared, delay }, parentPort, receiveMessageOnPort } = require('node:worker_threads')
const { writeSync } = require('node:fs')
const memory = new Int32Array(shared)
for (let wait = delay; Atomics.wait(memory, ${STATE}, ${FREE}, wait) === 'timed-out'; wait = 100) {
  let text
  for (let next = receiveMessageOnPort(parentPort); next; next = receiveMessageOnPort(parentPort)) text = next.message
  if (text === undefined) continue
  if (Atomics.compareExchange(memory, ${STATE}, ${FREE}, ${WRITING}) !== ${FREE}) break
  Atomics.store(memory, ${SHOWN}, 1)
  try { writeSync(${STDERR}, ${JSON.stringify(CLEAR)} + text) } catch {}
  Atomics.store(memory, ${STATE}, ${FREE})
  Atomics.notify(memory, ${STATE})
}`

let watcher: { worker: Worker; memory: Int32Array } | undefined

/** Says on a terminal what takes longer than a second, in one line that goes again; silent where nobody watches. */
export function progress(text: string): void {
  if (!isWatched() || process.env.TERM === 'dumb') return
  watcher ??= watch()
  watcher.worker.postMessage(shortened(`nodefit: ${text}`, (process.stderr.columns || 80) - 1))
}

/** Takes the line away, so that something else can be written. */
export function endProgress(): void {
  if (watcher === undefined) return
  const { memory } = watcher
  watcher = undefined
  while (Atomics.compareExchange(memory, STATE, FREE, OVER) === WRITING) Atomics.wait(memory, STATE, WRITING, 10)
  Atomics.notify(memory, STATE)
  if (Atomics.load(memory, SHOWN) === 1) writeAll(STDERR, CLEAR)
}

function watch(): { worker: Worker; memory: Int32Array } {
  const shared = new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT)
  const worker = new Worker(WATCHER, { eval: true, execArgv: [], workerData: { shared, delay: DELAY_MILLISECONDS } })
  worker.unref()
  return { worker, memory: new Int32Array(shared) }
}

/** Says something on stderr. Where nobody can hear it, the output and the exit code still stand. */
export function say(text: string): void {
  try {
    endProgress()
    writeAll(STDERR, text)
  } catch {
    // stderr is gone
  }
}
