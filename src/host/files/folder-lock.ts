import { mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { say } from './terminal.ts'
import { UserError } from './user-error.ts'

/** The file that a run holds in a folder while it writes there: its process and machine. */
export const LOCK = '.nodefit-lock'
/** Held for the moment in which the lock of a process that is gone is removed. */
const TAKE_OVER = '.nodefit-lock-taken'

const PAUSE_MILLISECONDS = 20
const MOST_PAUSES = 3000
/** After so many pauses the wait is announced: a second. */
const QUIET_PAUSES = 50

/**
 * Works on a folder while no other run does, and makes the folder where it is missing. Waits for another run, and says
 * so after a second; the lock of a process that is gone on this machine is taken over. Throws `UserError` after a
 * minute of waiting.
 */
export function whileLocked<Value>(folder: string, work: () => Value): Value {
  const firstMade = lock(folder)
  try {
    return work()
  } finally {
    release(folder)
    removeEmpty(folder, firstMade)
  }
}

function release(folder: string): void {
  try {
    rmSync(join(folder, LOCK), { force: true })
  } catch (error) {
    throw new UserError(`${join(folder, LOCK)} could not be removed: remove it (${(error as Error).message})`)
  }
}

/** Takes the lock. Returns the outermost folder that had to be made for it. */
function lock(folder: string): string | undefined {
  const gate = new Int32Array(new SharedArrayBuffer(4))
  let firstMade: string | undefined
  for (let pause = 0; pause < MOST_PAUSES; pause++) {
    try {
      firstMade = mkdirSync(folder, { recursive: true }) ?? firstMade
      writeFileSync(join(folder, LOCK), `${process.pid} ${hostname()}\n`, { flag: 'wx' })
      return firstMade
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      // a run that fails removes the folder that it made
      if (code !== 'EEXIST' && code !== 'ENOENT') {
        removeEmpty(folder, firstMade)
        throw new UserError(`${folder} could not be written and is unchanged: ${message}`)
      }
    }
    if (isAbandoned(folder)) takeOver(folder)
    if (pause === QUIET_PAUSES)
      say(`nodefit: waiting, for a minute at most, for process ${holderOf(folder)}, which writes into ${folder}\n`)
    Atomics.wait(gate, 0, 0, PAUSE_MILLISECONDS)
  }
  throw new UserError(
    `another nodefit build writes into ${folder} (process ${holderOf(folder)}): wait for it and run this again; if it runs no more, remove ${join(folder, LOCK)}`,
  )
}

/** The process and the machine that hold the lock; empty where nobody does, or the file is just being written. */
function holderOf(folder: string): string {
  try {
    return readFileSync(join(folder, LOCK), 'utf8').trim().replace(' ', ' on ')
  } catch {
    return ''
  }
}

/** Whether the process that holds the lock is of this machine and gone. */
function isAbandoned(folder: string): boolean {
  const [, process, host] = /^(\d+) on (.*)$/.exec(holderOf(folder)) ?? []
  return process !== undefined && host === hostname() && !isRunning(Number(process))
}

function isRunning(id: number): boolean {
  // the lock is not this process's yet, so its number was another's before
  if (id === process.pid) return false
  try {
    process.kill(id, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code !== 'ESRCH'
  }
}

/** Removes the lock of a process that is gone: of several runs that see it, one at a time. */
function takeOver(folder: string): void {
  try {
    writeFileSync(join(folder, TAKE_OVER), '', { flag: 'wx' })
  } catch {
    return
  }
  try {
    if (isAbandoned(folder)) rmSync(join(folder, LOCK), { force: true })
  } finally {
    rmSync(join(folder, TAKE_OVER), { force: true })
  }
}

/** Removes the folders that were made for the lock, where nothing was written into them. */
function removeEmpty(folder: string, firstMade: string | undefined): void {
  if (firstMade === undefined) return
  try {
    for (let empty = folder; readdirSync(empty).length === 0; empty = dirname(empty)) {
      rmdirSync(empty)
      if (resolve(empty) === resolve(firstMade)) return
    }
  } catch {
    // another run has begun to write there
  }
}
