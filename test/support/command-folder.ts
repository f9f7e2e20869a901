import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const NODEFIT = fileURLToPath(new URL('../../dist/nodefit.cjs', import.meta.url))

/** A folder in which the command runs. */
export interface Shell {
  readonly folder: string
  readonly write: (name: string, text: string) => void
  readonly run: (...args: string[]) => { status: number | null; stdout: string; stderr: string }
  readonly withInput: (input: string, env: Record<string, string>, ...args: string[]) => ReturnType<Shell['run']>
}

/** Runs a test in a folder of its own, which it removes. */
export function inCommandFolder(test: (shell: Shell) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'nodefit-sign-'))
  const start = (args: readonly string[], input: string, env: Record<string, string>) =>
    spawnSync(process.execPath, [NODEFIT, ...args], {
      cwd: folder,
      encoding: 'utf8',
      input,
      env: { ...process.env, ...env },
    })
  try {
    test({
      folder,
      write: (name, text) => writeFileSync(join(folder, name), text),
      run: (...args) => start(args, '', {}),
      withInput: (input, env, ...args) => start(args, input, env),
    })
  } finally {
    rmSync(folder, { recursive: true })
  }
}
