import { describe } from '../../krm/identity.ts'
import { isLonger } from '../../krm/item.ts'
import { readResourceList } from '../../krm/read-list.ts'
import type { IsLookedAt } from '../../krm/read-object.ts'
import type { ResourceList } from '../../krm/types.ts'
import { resourceListPieces } from '../../krm/write-list.ts'
import { type ReadLimits, sizeText } from '../files/read-text.ts'
import { readAll, writeAll, writeOutput } from '../files/stdio.ts'
import { errorText, UserError } from '../files/user-error.ts'
import { type Command, loadPart, readArguments } from './command.ts'

const STDIN = 0
const STDERR = 2

/**
 * Runs a function as KRM hosts call it: a ResourceList on stdin, one on stdout, written last and all at once. Exit code
 * 1 and one line on stderr where a result is an error, where the input is not a ResourceList (stdout then stays empty),
 * and where the output cannot be written.
 */
export async function runFunction(fn: (list: ResourceList) => ResourceList): Promise<void> {
  runWith(fn)
}

/**
 * As `runFunction`, with options: which objects to read strictly, a callback that sees the input first, and how much is
 * read.
 */
export function runWith(
  fn: (list: ResourceList) => ResourceList,
  {
    isLookedAt,
    onInput,
    limits,
  }: { isLookedAt?: IsLookedAt; onInput?: (text: string) => void; limits?: ReadLimits } = {},
): void {
  try {
    const input = readAll(STDIN, limits?.packages)
    onInput?.(input)
    const list = readResourceList(input, isLookedAt)
    for (const item of list.items)
      if (limits !== undefined && isLonger(item, limits.file))
        throw new UserError(
          `TooLarge: ${describe(item.object)} has ${sizeText(item.text?.length ?? 0)}, and an object may have ${sizeText(limits.file)}`,
        )
    const output = fn(list)
    writeOutput(resourceListPieces(output))
    const errors = output.results.filter(({ severity }) => severity === 'error')
    const [first] = errors
    if (first !== undefined)
      fail(errors.length > 1 ? `${first.message} (and ${errors.length - 1} more)` : first.message)
  } catch (error) {
    fail(errorText(error, 1))
  }
}

/** Sets the exit code and writes one line to stderr. */
function fail(text: string): void {
  process.exitCode = 1
  try {
    writeAll(STDERR, `nodefit: ${text.replaceAll(/\s*\n\s*/g, ' ')}\n`)
  } catch {
    // stderr is closed, too: the exit code remains
  }
}

const HELP = `nodefit fn

Runs the KRM function, as nodefit-fn does: a ResourceList on stdin, one on
stdout. For hosts that are given a command line, where nodefit is one file:

  kpt fn eval PKG --exec "nodefit fn" -- target=fluent-bit
`

/** `nodefit fn`: the function, which is a program of its own, in this process. */
export const FN: Command = {
  about: 'the KRM function, as nodefit-fn',
  help: HELP,
  options: {},
  operands: [],
  run: (args) => {
    readArguments('nodefit fn', args, {})
    // the function takes what hosts add, which is nothing
    process.argv.splice(2, 1)
    loadPart('fn')
  },
}
