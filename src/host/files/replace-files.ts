import {
  closeSync,
  copyFileSync,
  existsSync,
  fchmodSync,
  fsyncSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { writeAll } from './stdio.ts'
import { say } from './terminal.ts'
import { UserError } from './user-error.ts'

/** The folder that holds a committed change until it is complete. Names of drafts have another length. */
export const COMMIT = '.nodefit-committed'

const DRAFT = /^\.nodefit-[A-Za-z0-9]{6}$/
const PERMISSIONS = 0o777

/** The files to put in place, in order, and the files to remove after them. */
interface Journal {
  readonly write: readonly string[]
  readonly remove: readonly string[]
}

/**
 * Writes and removes files of a folder, all or none. The new files are written to a draft and flushed, one rename
 * commits the draft, then each file is put in place in the order of `write`, and removals come last. An error puts
 * everything back; if the process is killed, `finishChange` completes the change. Throws `UserError`.
 */
export function replaceFiles(folder: string, write: ReadonlyMap<string, string>, remove: readonly string[]): void {
  if (write.size + remove.length === 0) return
  const firstMade = attempt(folder, () => mkdirSync(folder, { recursive: true }))
  try {
    attempt(folder, () => {
      commit(folder, write, remove)
      applyOrPutBack(folder)
    })
  } catch (error) {
    if (firstMade !== undefined && !existsSync(join(folder, COMMIT)))
      rmSync(firstMade, { recursive: true, force: true })
    throw error
  }
  clear(folder)
}

/** Whether a run writes into a folder now, or was killed while it did. */
export function isUnsettled(folder: string): boolean {
  return existsSync(folder) && readdirSync(folder).some((name) => [LOCK, COMMIT].includes(name) || DRAFT.test(name))
}

/** Completes a committed change of a folder and removes drafts. Returns whether there was such a change. */
export function finishChange(folder: string): boolean {
  if (!existsSync(folder)) return false
  return attempt(folder, () => {
    for (const name of readdirSync(folder))
      if (DRAFT.test(name)) rmSync(join(folder, name), { recursive: true, force: true })
    if (!existsSync(join(folder, COMMIT))) return false
    apply(folder)
    clear(folder)
    return true
  })
}

/** Writes the draft; its rename commits the change. */
function commit(folder: string, write: ReadonlyMap<string, string>, remove: readonly string[]): void {
  const draft = mkdtempSync(join(folder, '.nodefit-'))
  try {
    for (const part of ['new', 'old']) mkdirSync(join(draft, part))
    for (const [name, text] of write)
      writeFlushed(join(draft, 'new', name), text, statSync(join(folder, name), { throwIfNoEntry: false })?.mode)
    writeFlushed(join(draft, 'journal'), JSON.stringify({ write: [...write.keys()], remove } satisfies Journal))
    flushFolder(join(draft, 'new'))
    flushFolder(draft)
    renameSync(draft, join(folder, COMMIT))
  } catch (error) {
    rmSync(draft, { recursive: true, force: true })
    throw error
  }
  flushFolder(folder)
}

/** Puts the new files in place and moves the replaced ones aside; repeatable after an interruption. */
function apply(folder: string): void {
  const { write, remove } = journalOf(folder)
  const [fresh, old] = placesIn(folder)
  for (const name of write.filter((file) => existsSync(join(fresh, file)))) {
    if (existsSync(join(folder, name)) && !existsSync(join(old, name))) keep(join(folder, name), join(old, name))
    renameSync(join(fresh, name), join(folder, name))
  }
  flushFolder(folder)
  for (const name of remove) {
    if (existsSync(join(folder, name))) renameSync(join(folder, name), join(old, name))
  }
  flushFolder(folder)
}

function applyOrPutBack(folder: string): void {
  try {
    apply(folder)
  } catch (error) {
    try {
      putBack(folder)
    } catch {
      const why = (error as Error).message
      throw new UserError(`${folder} is written only in part: run the same command again to complete it (${why})`)
    }
    clear(folder)
    throw error
  }
}

function putBack(folder: string): void {
  const { write, remove } = journalOf(folder)
  const [fresh, old] = placesIn(folder)
  for (const name of [...remove, ...write].reverse()) {
    if (existsSync(join(old, name))) renameSync(join(old, name), join(folder, name))
    else if (write.includes(name) && !existsSync(join(fresh, name))) rmSync(join(folder, name), { force: true })
  }
  flushFolder(folder)
}

/** Removes the folder of a change that is complete or put back. */
function clear(folder: string): void {
  try {
    rmSync(join(folder, COMMIT), { recursive: true, force: true })
  } catch (error) {
    const why = (error as Error).message
    throw new UserError(
      `${join(folder, COMMIT)} could not be removed: run the same command again to remove it (${why})`,
    )
  }
}

/** The journal of a change; empty where its removal was interrupted. */
function journalOf(folder: string): Journal {
  const file = join(folder, COMMIT, 'journal')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Journal) : { write: [], remove: [] }
}

function placesIn(folder: string): [string, string] {
  return [join(folder, COMMIT, 'new'), join(folder, COMMIT, 'old')]
}

/** Keeps a file under a second name: a hard link, or a copy where the file system has no links. */
function keep(file: string, second: string): void {
  try {
    linkSync(file, second)
  } catch {
    copyFileSync(file, `${second}.part`)
    renameSync(`${second}.part`, second)
  }
}

function writeFlushed(file: string, text: string, mode?: number): void {
  const descriptor = openSync(file, 'wx')
  try {
    if (mode !== undefined) fchmodSync(descriptor, mode & PERMISSIONS)
    writeAll(descriptor, text)
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/** Flushes the names in a folder; not every system allows that. */
function flushFolder(folder: string): void {
  try {
    const descriptor = openSync(folder, 'r')
    try {
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  } catch {
    // without a flush the renames are still in order unless the machine fails
  }
}

function attempt<Value>(folder: string, work: () => Value): Value {
  try {
    return work()
  } catch (error) {
    if (error instanceof UserError) throw error
    throw new UserError(`${folder} could not be written and is unchanged: ${(error as Error).message}`)
  }
}

/** The file that a run holds in a folder while it writes there: its process and machine. */
const LOCK = '.nodefit-lock'
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
