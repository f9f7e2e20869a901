/** A process that runs bundled test files, one after another, and answers each with what the file wrote. */
import { pathToFileURL } from 'node:url'

/** What a worker answers: the output of a file, uvu's totals in it. */
export interface Ran {
  readonly output: string
}

const shared = globalThis as { UVU_DEFER?: number; UVU_QUEUE?: unknown[][]; UVU_INDEX?: number }
// suites are run when they are asked for, not when they are loaded
shared.UVU_DEFER = 1
let output = ''
const keep = (chunk: string | Uint8Array): boolean => {
  output += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
  return true
}
process.stdout.write = keep
process.stderr.write = keep

process.on('message', async (bundle: string) => {
  const { exec } = await import('uvu')
  output = ''
  shared.UVU_QUEUE?.splice(0, Number.POSITIVE_INFINITY, [null])
  shared.UVU_INDEX = 0
  try {
    await import(pathToFileURL(bundle).href)
    await exec()
  } catch (error) {
    output += `${error instanceof Error ? error.stack : String(error)}\n`
  }
  process.send?.({ output } satisfies Ran)
})
process.on('disconnect', () => process.exit())
