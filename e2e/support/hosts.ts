import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PATH } from './program.ts'

export const ROOT = fileURLToPath(new URL('../..', import.meta.url))
export const FUNCTION = join(ROOT, 'dist/fn.cjs')
export const COMMAND = join(ROOT, 'dist/nodefit.cjs')

export interface Run {
  readonly status: number | null
  readonly stdout: string
  readonly stderr: string
}

/** A folder of its own for one test, gone when the body has run, or what it promises has come. */
export function inFolder<T>(body: (folder: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), 'nodefit-'))
  const remove = () => rmSync(folder, { recursive: true, force: true })
  let result: T | undefined
  try {
    result = body(folder)
    return result instanceof Promise ? (result.finally(remove) as T) : result
  } finally {
    if (!(result instanceof Promise)) remove()
  }
}

/** Runs a program with the functions of this repository on PATH. */
export function run(
  program: string,
  args: readonly string[],
  options: { input?: string; cwd?: string; bin?: string; env?: Readonly<Record<string, string>> } = {},
): Run {
  const env = {
    ...process.env,
    ...options.env,
    PATH: options.bin === undefined ? PATH : `${options.bin}:${PATH}`,
  }
  const { status, stdout, stderr } = spawnSync(program, args, {
    encoding: 'utf8',
    maxBuffer: 1 << 29,
    env,
    input: options.input ?? '',
    cwd: options.cwd,
  })
  return { status, stdout, stderr }
}

/** A folder for PATH with `nodefit-fn` and the test's own functions in it. */
export function functionsIn(folder: string): string {
  const bin = mkdtempSync(join(folder, 'bin-'))
  symlinkSync(FUNCTION, join(bin, 'nodefit-fn'))
  symlinkSync(join(ROOT, 'e2e/support/set-labels.mjs'), join(bin, 'set-labels'))
  return bin
}

/** Every file below a folder with its content. */
export function filesOf(folder: string): Record<string, string> {
  const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  const paths = names.map((entry) => join(entry.parentPath ?? entry.path, entry.name)).sort()
  return Object.fromEntries(paths.map((path) => [relative(folder, path), readFileSync(path, 'utf8')]))
}
