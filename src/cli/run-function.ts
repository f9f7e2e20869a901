import { readAll, writeAll, writeOutput } from '../files/stdio.ts'
import { UserError } from '../files/user-error.ts'
import { KrmError } from '../krm/error.ts'
import { readResourceList } from '../krm/read-list.ts'
import type { IsLookedAt } from '../krm/read-object.ts'
import type { ResourceList } from '../krm/types.ts'
import { resourceListPieces } from '../krm/write-list.ts'

const STDIN = 0
const STDERR = 2

/**
 * Runs a function as KRM hosts call it: a ResourceList on stdin, one on stdout, written once, last and whole. Exit
 * code 1, and one line on stderr, where a result is an error, the input is no ResourceList (then stdout stays
 * empty), or the output could not be written.
 */
export async function runFunction(fn: (list: ResourceList) => ResourceList): Promise<void> {
  runWith(fn)
}

/** As `runFunction`; a program of its own may say what it looks at, and see the input before it is read. */
export function runWith(
  fn: (list: ResourceList) => ResourceList,
  { isLookedAt, onInput }: { isLookedAt?: IsLookedAt; onInput?: (text: string) => void } = {},
): void {
  try {
    const input = readAll(STDIN)
    onInput?.(input)
    const output = fn(readResourceList(input, isLookedAt))
    writeOutput(resourceListPieces(output))
    const errors = output.results.filter(({ severity }) => severity === 'error')
    const [first] = errors
    if (first !== undefined)
      fail(errors.length > 1 ? `${first.message} (and ${errors.length - 1} more)` : first.message)
  } catch (error) {
    fail(sentence(error))
  }
}

/** One plain line; a defect of ours is named as such, so that it can be reported. */
function sentence(error: unknown): string {
  if (error instanceof KrmError) return `${error.code}: ${error.message}`
  const { message, stack } = error as Error
  if (error instanceof UserError) return message
  return `internal error, please report it: ${message} ${(stack ?? '').split('\n')[1]?.trim() ?? ''}`
}

function fail(text: string): void {
  process.exitCode = 1
  try {
    writeAll(STDERR, `nodefit: ${text.replaceAll(/\s*\n\s*/g, ' ')}\n`)
  } catch {
    // stderr is gone as well: the exit code still says it
  }
}
