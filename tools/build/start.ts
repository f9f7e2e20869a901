/**
 * What runs first in a built function: its program stands beside it as text, and what V8 made of it when it was built may
 * stand there too. Compiling takes longer than most renders. The code is taken only where it is whole and was made from
 * this very text by this very engine; without it the program is compiled as any other.
 *
 * The text is no part of this file: Node.js would decode and scan all of it as source once more for every start.
 */
import { readFileSync } from 'node:fs'
import { Script } from 'node:vm'
import { seal } from './seal.ts'

declare const PROGRAM_HASH: string
declare const PROGRAM_LENGTH: number

const program = programText()
if (program === undefined) {
  process.stderr.write(
    `nodefit: ${__filename}.program is missing or not of the same build as ${__filename}: install nodefit again, or copy all of dist/ together\n`,
  )
  process.exitCode = 1
} else {
  const script = new Script(program, { filename: 'nodefit', cachedData: compiledCode() })
  script.runInThisContext()(require)
}

/** The program, which ends in its hash; nothing where it is not there, cut, or of another build. */
function programText(): string | undefined {
  const text = read('.program')?.toString('latin1')
  return text?.length === PROGRAM_LENGTH && text.endsWith(PROGRAM_HASH) ? text : undefined
}

function compiledCode(): Buffer | undefined {
  const code = read('.compiled')
  if (code === undefined) return undefined
  const end = code.lastIndexOf('\n')
  const body = code.subarray(0, end)
  return code.toString('latin1', end + 1) === seal(PROGRAM_HASH, body) ? body : undefined
}

function read(end: string): Buffer | undefined {
  try {
    return readFileSync(`${__filename}${end}`)
  } catch {
    return undefined
  }
}
