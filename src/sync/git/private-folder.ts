import { randomBytes } from 'node:crypto'
import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRunning } from './is-running.ts'

const PREFIX = 'nodefit-private-'
const NAME = /^nodefit-private-(\d+)-([0-9a-f]{12})-/
/** Tells this process from an earlier one that had its id, as the first one of a container always has. */
const MARK = randomBytes(6).toString('hex')

/**
 * Makes a folder for secrets that only this user can read. It is in the system's temporary folder, which in the cluster is memory, and never
 * beside the clone, which is a disk.
 */
export function makePrivateFolder(): Promise<string> {
  return mkdtemp(join(tmpdir(), `${PREFIX}${process.pid}-${MARK}-`))
}

/** Takes away the private folders of this user's processes that were killed before they could; what is no such folder stays. */
export async function removeLeftovers(): Promise<void> {
  for (const name of await readdir(tmpdir()).catch(() => [])) {
    const [, id, mark] = NAME.exec(name) ?? []
    if (id === undefined || mark === MARK || (Number(id) !== process.pid && isRunning(Number(id)))) continue
    const path = join(tmpdir(), name)
    const is = await lstat(path).catch(() => undefined)
    if (is?.isDirectory() && is.uid === process.getuid?.()) await rm(path, { recursive: true, force: true })
  }
}
