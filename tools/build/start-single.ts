/**
 * What runs first in a single executable: all programs are in it, as assets. Called nodefit-fn, by a link or a copy, it
 * is the function, and otherwise the command.
 */
import { basename } from 'node:path'
import { getRawAsset, isSea } from 'node:sea'
import { compileFunction } from 'node:vm'
import { runProgram } from './run-program.ts'

/** The parts that a program loads, and those of them that are programs with compiled code. */
declare const PARTS: readonly string[]
declare const HASHES: Readonly<Record<string, string>>

if (!isSea()) throw new Error('this is the start of a single executable')
run(isFunction() ? 'fn' : 'nodefit')

/** By its name, or as `nodefit fn`, for which the command itself need not be loaded. */
function isFunction(): boolean {
  if (basename(process.argv0) === 'nodefit-fn') return true
  if (process.argv.length !== 3 || process.argv[2] !== 'fn') return false
  process.argv.pop()
  return true
}

function run(program: string): void {
  const hash = HASHES[program] ?? ''
  runProgram(text(`${program}.program`), hash, asset(`${program}.compiled`), load)
}

/** What a program loads: a part of the executable, or a module of Node.js. */
function load(name: string): unknown {
  const [, part = ''] = /^\.\/(.+)\.cjs$/.exec(name) ?? []
  if (Object.hasOwn(HASHES, part)) return run(part)
  if (!PARTS.includes(part)) return require(name)
  const module = { exports: {} }
  compileFunction(text(part), ['module', 'exports', 'require'], { filename: part })(module, module.exports, load)
  return module.exports
}

function text(name: string): string {
  const found = asset(name)
  if (found === undefined) throw new Error(`the executable has no ${name}`)
  return found.toString(name.endsWith('.program') ? 'latin1' : 'utf8')
}

function asset(name: string): Buffer | undefined {
  try {
    return Buffer.from(getRawAsset(name) as ArrayBuffer)
  } catch {
    // the executable of another platform than the builder's has no compiled code
    return undefined
  }
}
