import { endProgress } from './progress.ts'
import { writeAll } from './write-all.ts'

const STDERR = 2

/** Says something on stderr. Where nobody can hear it, the output and the exit code still stand. */
export function say(text: string): void {
  try {
    endProgress()
    writeAll(STDERR, text)
  } catch {
    // stderr is gone
  }
}
