/**
 * Runs a program, as the text that is its first argument's file, and writes the code that V8 compiled for it to the
 * file that is its second, with its seal: what a render needs, and nothing else. All further arguments are a command
 * line each, split at blanks; a program is run once for each. In a process of its own, since the program reads stdin.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { Script } from 'node:vm'
import { seal } from './seal.ts'

const [program = '', output = '', ...lines] = process.argv.slice(2)
const require = createRequire(import.meta.url)
/** Flags the program sets would be taken for flags that the code depends on. */
const withoutFlags = (name: string) => (name === 'node:v8' ? { setFlagsFromString: () => undefined } : require(name))

const text = readFileSync(program, 'utf8')
const script = new Script(text, { filename: 'nodefit' })
const run = script.runInThisContext()
for (const line of lines) {
  process.argv = [process.argv0, program, ...line.split(' ').filter((word) => word !== '')]
  run(withoutFlags)
}
process.on('exit', (status) => {
  if (status !== 0) return
  const code = script.createCachedData()
  // a program ends in its hash
  writeFileSync(output, Buffer.concat([code, Buffer.from(`\n${seal(text.slice(-64), code)}`)]))
})
