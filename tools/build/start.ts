/**
 * What runs first in a built function: its program stands beside it as text, and what V8 made of it when it was built may
 * stand there too.
 *
 * The text is no part of this file: Node.js would decode and scan all of it as source once more for every start.
 */
import { readFileSync } from 'node:fs'
import { runProgram } from './run-program.ts'

declare const PROGRAM_HASH: string
declare const PROGRAM_LENGTH: number

const program = programText()
if (program === undefined) {
  process.stderr.write(
    `nodefit: ${__filename}.program is missing or not of the same build as ${__filename}: install nodefit again, or copy all of dist/ together\n`,
  )
  process.exitCode = 1
} else runProgram(program, PROGRAM_HASH, read('.compiled'), require)

/** The program, which ends in its hash; nothing where it is not there, cut, or of another build. */
function programText(): string | undefined {
  const text = read('.program')?.toString('latin1')
  return text?.length === PROGRAM_LENGTH && text.endsWith(PROGRAM_HASH) ? text : undefined
}

function read(end: string): Buffer | undefined {
  try {
    return readFileSync(`${__filename}${end}`)
  } catch {
    return undefined
  }
}
