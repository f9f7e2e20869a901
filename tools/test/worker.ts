/**
 * A process that runs bundled test files one after another: those that its parent sends, or those of its arguments. It answers each with
 * what the file wrote, on the channel to its parent or on stdout.
 */
import { pathToFileURL } from 'node:url'
import { onLoopbackOnly } from '../../e2e/support/loopback.ts'

/** What a worker answers: the output of a file, uvu's totals in it. */
export interface Ran {
  readonly output: string
}

const shared = globalThis as { UVU_DEFER?: number; UVU_QUEUE?: unknown[][]; UVU_INDEX?: number }
// suites are run when they are asked for, not when they are loaded
shared.UVU_DEFER = 1
const bundles = process.argv.slice(2)
if (bundles.length > 0) await runAll()
else answerAll()

async function runAll(): Promise<void> {
  // before the first file, since it begins the process anew
  await onLoopbackOnly()
  let hasFailed = false
  for (const [index, bundle] of bundles.entries()) {
    process.stdout.write(`\n:begins ${index}:\n`)
    await runFile(bundle)
    hasFailed ||= process.exitCode === 1
  }
  // what a file has left running ends with the process
  process.exit(hasFailed ? 1 : 0)
}

function answerAll(): void {
  let output = ''
  const keep = (chunk: string | Uint8Array): boolean => {
    output += typeof chunk === 'string' ? chunk : Buffer.from(chunk).toString()
    return true
  }
  process.stdout.write = keep
  process.stderr.write = keep
  process.on('message', async (bundle: string) => {
    output = ''
    await runFile(bundle)
    process.send?.({ output } satisfies Ran)
  })
  process.on('disconnect', () => process.exit())
}

async function runFile(bundle: string): Promise<void> {
  const { exec } = await import('uvu')
  shared.UVU_QUEUE?.splice(0, Number.POSITIVE_INFINITY, [null])
  shared.UVU_INDEX = 0
  try {
    await import(pathToFileURL(bundle).href)
    await exec()
  } catch (error) {
    process.exitCode = 1
    process.stdout.write(`${error instanceof Error ? error.stack : String(error)}\n`)
  }
}
