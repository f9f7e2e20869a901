import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync } from 'node:fs'
import type { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Waits for its input to end, which it does with the process that holds it, killed or not. */
const GUARD = 'cat; for try in 1 2 3 4 5 6 7 8 9; do rm -rf "$0" && exit 0; sleep 1; done; exit 1'

/** A folder that is gone when this process is, however it ends. */
export interface GuardedFolder {
  readonly path: string
  /** Removes it now. Throws where something of it is left. */
  readonly remove: () => Promise<void>
}

/** Makes a folder that a process of its own removes when this one has ended, with a `tmp` in it. */
export function guardedFolder(prefix: string): GuardedFolder {
  const path = mkdtempSync(join(tmpdir(), prefix))
  mkdirSync(join(path, 'tmp'))
  const guard = spawn('sh', ['-c', GUARD, path], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] })
  // neither it nor the pipe to it keeps this process
  guard.unref()
  ;(guard.stdin as Socket).unref()
  return {
    path,
    async remove() {
      guard.ref()
      const ended = once(guard, 'exit')
      guard.stdin.end()
      const [code] = await ended
      if (code !== 0) throw new Error(`${path} is left`)
    },
  }
}

/**
 * What stands before a command line so that it has mounts and processes of its own: they end with it, and it with the
 * process that starts it. For root alone.
 */
export const CONFINED: readonly string[] = [
  ...['setpriv', '--pdeathsig', 'KILL'],
  ...['unshare', '--mount', '--pid', '--fork', '--kill-child', '--mount-proc'],
]
