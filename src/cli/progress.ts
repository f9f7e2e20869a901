import { writeAll } from './write-all.ts'

/** Says on a terminal what takes long; silent where nobody watches. */
export function progress(text: string): void {
  if (process.stderr.isTTY) writeAll(2, `nodefit: ${text}\n`)
}
