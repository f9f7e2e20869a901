import { setTimeout as pause } from 'node:timers/promises'

/** How much of what was waited for a failure quotes. */
const MOST_CHARACTERS = 200

type Condition = () => boolean | Promise<boolean>

/** Waits until something is so, two minutes unless told; throws where it never is, with the condition as it is written, or `what`. */
export async function eventually(isSo: Condition, seconds = 120, what = conditionText(isSo)): Promise<void> {
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await pause(20)) if (await isSo()) return
  throw new Error(`not within ${seconds} s: ${what}`)
}

/** A condition as it is written, on one line. */
export function conditionText(condition: (...args: never[]) => unknown): string {
  const text = String(condition)
    .replace(/^(?:async )?\(.*?\) => /s, '')
    .replaceAll(/\s+/g, ' ')
  return text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)} …` : text
}
