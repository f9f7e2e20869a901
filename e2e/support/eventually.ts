import { setTimeout as pause } from 'node:timers/promises'

/** Waits until something is so, a minute unless told; throws where it never is. */
export async function eventually(isSo: () => boolean | Promise<boolean>, seconds = 60): Promise<void> {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await pause(20)) if (await isSo()) return
  throw new Error('what was waited for did not happen')
}
