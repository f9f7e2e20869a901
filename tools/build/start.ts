/**
 * What runs first in a built function: the program is in this file as text, and what V8 made of it when it was built may
 * stand beside it. Compiling takes longer than most renders. The code is taken only where it is whole and was made from
 * this very text by this very engine; without it the program is compiled as any other.
 */
import { readFileSync } from 'node:fs'
import { Script } from 'node:vm'
import { seal } from './seal.ts'

declare const PROGRAM: string
declare const PROGRAM_HASH: string

const script = new Script(PROGRAM, { filename: 'nodefit', cachedData: compiledCode() })
script.runInThisContext()(require)

function compiledCode(): Buffer | undefined {
  try {
    const code = readFileSync(`${__filename}.compiled`)
    const end = code.lastIndexOf('\n')
    const body = code.subarray(0, end)
    return code.toString('latin1', end + 1) === seal(PROGRAM_HASH, body) ? body : undefined
  } catch {
    // there is none: then it is compiled here
    return undefined
  }
}
