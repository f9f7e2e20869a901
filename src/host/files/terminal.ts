import { isatty } from 'node:tty'
import { styleText } from 'node:util'
import { Worker } from 'node:worker_threads'
import { type Paint, plain, type Role, shortened } from '../../face/index.ts'
import { writeAll } from './stdio.ts'

const STDERR = 2
const STYLES = {
  error: 'red',
  warning: 'yellow',
  info: 'cyan',
  heading: 'bold',
  less: 'yellow',
  added: 'green',
  quiet: 'gray',
} as const satisfies Record<Role, unknown>

/** How to colour text: plain outside a terminal, with NO_COLOR (no-color.org) and on a dumb terminal. */
export function paintFor(isTerminal: boolean, { NO_COLOR, TERM }: NodeJS.ProcessEnv): Paint {
  if (!isTerminal || NO_COLOR || TERM === 'dumb') return plain
  // without this option newer Node checks stdout, but the text goes to stderr, too
  return (role, text) => styleText(STYLES[role], text, { validateStream: false })
}

/** Whether stderr is a terminal. */
export function isWatched(): boolean {
  return isatty(STDERR)
}

/** Shorter work shows no progress. */
const DELAY_MILLISECONDS = 1000
const CLEAR = '\r\x1b[K'

/** States of the progress line: idle, ended, or being written by the watcher. */
const [FREE, OVER, WRITING] = [0, 1, 2]
/** Indexes into the shared memory: the state, and whether a line is shown. */
const [STATE, SHOWN] = [0, 1]

/**
 * The main thread never yields, so a worker watches the clock. It writes the newest text after the delay and each later
 * one; a text that is cleared before the delay is never shown.
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

/** Shows a line on a terminal while work takes longer than a second; nothing without a terminal. */
export function progress(text: string): void {
  if (!isWatched() || process.env.TERM === 'dumb') return
  watcher ??= watch()
  watcher.worker.postMessage(shortened(`nodefit: ${text}`, (process.stderr.columns || 80) - 1))
}

/** Clears the progress line before other output. */
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

/** Writes to stderr; a closed stderr is no error, since output and exit code remain. */
export function say(text: string): void {
  try {
    endProgress()
    writeAll(STDERR, text)
  } catch {
    // stderr is gone
  }
}
