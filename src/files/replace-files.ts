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
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { writeAll } from './stdio.ts'
import { UserError } from './user-error.ts'

/** Where a change of a folder stands from the instant that it is decided until it is done. No draft has a name of this length. */
export const COMMIT = '.nodefit-committed'

const DRAFT = /^\.nodefit-[A-Za-z0-9]{6}$/
const PERMISSIONS = 0o777

/** What is written in the order in which it is put in place, and what is removed after it. */
interface Journal {
  readonly write: readonly string[]
  readonly remove: readonly string[]
}

/**
 * Writes and removes files of a folder, all or none: everything is written beside them and flushed, then one rename decides, then each file is
 * put in place. An error on the way puts everything back; where the process itself ends, `finishChange` brings the rest. Files
 * are put in place in the order of `write`, and removed last. Throws `UserError`.
 */
export function replaceFiles(folder: string, write: ReadonlyMap<string, string>, remove: readonly string[]): void {
  if (write.size + remove.length === 0) return
  const firstMade = attempt(folder, () => mkdirSync(folder, { recursive: true }))
  try {
    attempt(folder, () => {
      commit(folder, write, remove)
      bringInOrPutBack(folder)
    })
  } catch (error) {
    if (firstMade !== undefined && !existsSync(join(folder, COMMIT)))
      rmSync(firstMade, { recursive: true, force: true })
    throw error
  }
  clear(folder)
}

/** Ends a change of a folder that was decided and not done, and clears away drafts; says whether there was such a change. */
export function finishChange(folder: string): boolean {
  if (!existsSync(folder)) return false
  return attempt(folder, () => {
    for (const name of readdirSync(folder))
      if (DRAFT.test(name)) rmSync(join(folder, name), { recursive: true, force: true })
    if (!existsSync(join(folder, COMMIT))) return false
    bringIn(folder)
    clear(folder)
    return true
  })
}

/** Until the last rename nothing has happened. */
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

/** Puts in place what is not there yet; each file that gives way is kept until all is done. */
function bringIn(folder: string): void {
  const { write, remove } = journalOf(folder)
  const [fresh, old] = placesIn(folder)
  for (const name of write.filter((one) => existsSync(join(fresh, one)))) {
    if (existsSync(join(folder, name)) && !existsSync(join(old, name))) keep(join(folder, name), join(old, name))
    renameSync(join(fresh, name), join(folder, name))
  }
  flushFolder(folder)
  for (const name of remove) {
    if (existsSync(join(folder, name))) renameSync(join(folder, name), join(old, name))
  }
  flushFolder(folder)
}

function bringInOrPutBack(folder: string): void {
  try {
    bringIn(folder)
  } catch (error) {
    try {
      putBack(folder)
    } catch {
      const why = (error as Error).message
      throw new UserError(`${folder} is written in part: run the same command again, which ends it (${why})`)
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

/** What is left of a change that is done, or put back. */
function clear(folder: string): void {
  try {
    rmSync(join(folder, COMMIT), { recursive: true, force: true })
  } catch (error) {
    const why = (error as Error).message
    throw new UserError(
      `${join(folder, COMMIT)} could not be removed: run the same command again, which removes it (${why})`,
    )
  }
}

/** A folder that is being cleared away has nothing left to do. */
function journalOf(folder: string): Journal {
  const file = join(folder, COMMIT, 'journal')
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Journal) : { write: [], remove: [] }
}

function placesIn(folder: string): [string, string] {
  return [join(folder, COMMIT, 'new'), join(folder, COMMIT, 'old')]
}

/** A second name for the file, so that it never is without one; a copy where the file system has no links. */
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

/** Names reach the disk with their folder; not every system lets one flush it. */
function flushFolder(folder: string): void {
  try {
    const descriptor = openSync(folder, 'r')
    try {
      fsyncSync(descriptor)
    } finally {
      closeSync(descriptor)
    }
  } catch {
    // the order of renames still holds within this system
  }
}

function attempt<Value>(folder: string, work: () => Value): Value {
  try {
    return work()
  } catch (error) {
    if (error instanceof UserError) throw error
    throw new UserError(`${folder} could not be written, and is as it was: ${(error as Error).message}`)
  }
}
