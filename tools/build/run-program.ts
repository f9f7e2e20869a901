import { Script } from 'node:vm'
import { seal } from './seal.ts'

/**
 * Runs a program with what it loads parts with. What V8 made of the program when it was built saves compiling it, which
 * takes longer than most renders; it is taken only where it is whole and was made from this very text by this very
 * engine. Without it the program is compiled as any other.
 */
export function runProgram(
  program: string,
  hash: string,
  compiled: Buffer | undefined,
  load: (name: string) => unknown,
): void {
  const script = new Script(program, { filename: 'nodefit', cachedData: sealedCode(hash, compiled) })
  script.runInThisContext()(load)
}

/** The code without its seal; nothing where the seal is of another program or engine, or of other bytes. */
function sealedCode(hash: string, compiled: Buffer | undefined): Buffer | undefined {
  if (compiled === undefined) return undefined
  const end = compiled.lastIndexOf('\n')
  const body = compiled.subarray(0, end)
  return compiled.toString('latin1', end + 1) === seal(hash, body) ? body : undefined
}
