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
import { LOCK } from './folder-lock.ts'
import { writeAll } from './stdio.ts'
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
