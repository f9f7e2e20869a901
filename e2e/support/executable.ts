/** The single executable of this platform, which tests run as users do. */
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { TARGETS } from '../../tools/executables/targets.ts'
import { ROOT } from './hosts.ts'

const CACHE = join(ROOT, '.cache/executables')
/** What it is made of, besides a Node.js of which the hash is in these. */
const MADE_OF = ['dist', 'tools/build', 'tools/executables']

/** The name of the target that this machine runs; undefined where there is none. */
export const TARGET_HERE: string | undefined = TARGETS.map(({ name }) => name).find(
  (name) => name === `${process.platform}-${process.arch === 'x64' ? 'amd64' : process.arch}`,
)

/** The executable of a target, built once for what it is made of. */
export function executableOf(target: string): string {
  const file = join(CACHE, fingerprint(), `nodefit-${target}`)
  if (existsSync(file)) return file
  mkdirSync(join(CACHE, fingerprint()), { recursive: true })
  const fresh = mkdtempSync(join(CACHE, 'building-'))
  const args = ['--import', 'tsx', 'tools/executables.ts', '--output', fresh, target]
  const { status, stderr } = spawnSync(process.execPath, args, { cwd: ROOT, encoding: 'utf8' })
  if (status !== 0) throw new Error(`the executable was not built: ${stderr.slice(-2000)}`)
  // another test may have been as quick
  renameSync(join(fresh, `nodefit-${target}`), file)
  rmSync(fresh, { recursive: true })
  return file
}

/** A folder for PATH with the executable of this platform under its two names. */
export function executableIn(folder: string): string {
  const bin = mkdtempSync(join(folder, 'executable-'))
  for (const name of ['nodefit', 'nodefit-fn']) symlinkSync(executableOf(TARGET_HERE ?? ''), join(bin, name))
  return bin
}

function fingerprint(): string {
  const hash = createHash('sha256')
  for (const folder of MADE_OF)
    for (const { name, parentPath } of readdirSync(join(ROOT, folder), { withFileTypes: true }).sort((a, b) =>
      a.name < b.name ? -1 : 1,
    ))
      if (/\.(?:ts|program|cjs)$/.test(name)) hash.update(name).update(readFileSync(join(parentPath, name)))
  return hash.digest('hex').slice(0, 16)
}
