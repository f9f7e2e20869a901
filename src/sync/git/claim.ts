import { readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { GitFailure } from './failure.ts'
import { isRunning } from './is-running.ts'

/** Its first line is the id of the process that has the folder, and when that was started. */
export const CLAIM = 'process'

/**
 * Takes a folder for this process, until it ends: two would check out files under each other's hands. What a process that has ended held is
 * free. Throws `GitFailure` with `configuration` where another one has it.
 */
export async function claim(folder: string): Promise<void> {
  const file = join(folder, CLAIM)
  const own = `${process.pid} ${await startOf(process.pid)}\n`
  for (let attempt = 1; ; attempt++) {
    const isTaken = await writeFile(file, own, { flag: 'wx' }).catch((error: NodeJS.ErrnoException) => error.code)
    if (isTaken === undefined) return
    const [, id, start] = /^(\d+) (\d*)\n$/.exec(await readFile(file, 'utf8').catch(() => '')) ?? []
    if (Number(id) === process.pid && `${id} ${start}\n` === own) return
    // an id is given again after a restart, and what has it now is another program then
    const isHeld = id !== undefined && Number(id) !== process.pid && isRunning(Number(id))
    if (attempt > 3 || (isHeld && start === (await startOf(Number(id)))))
      throw new GitFailure(
        'configuration',
        isHeld
          ? `git.cache ${folder} is in use by process ${id}: give this one another folder`
          : `git.cache ${folder} cannot be written (${isTaken})`,
      )
    await rm(file, { force: true })
  }
}

/** When a process was started, in ticks of the machine; empty where the system does not say. https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
async function startOf(id: number): Promise<string> {
  const text = await readFile(`/proc/${id}/stat`, 'utf8').catch(() => '')
  // the second field is a name, which may hold spaces and parentheses
  return text.slice(text.lastIndexOf(')') + 2).split(' ')[19] ?? ''
}
