import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { hostModules } from '../../tools/host-modules.ts'

/** npm puts the commands of this repository on PATH, where a test gives each host its own. */
const ownCommands = (folder: string) => folder.endsWith('node_modules/.bin')

/** PATH with the hosts that `npm run hosts` has built. */
export const PATH = [
  fileURLToPath(new URL('../../.cache/hosts', import.meta.url)),
  ...(process.env.PATH ?? '').split(':').filter((folder) => !ownCommands(folder)),
].join(':')

/** How to come by a program that is not a package of the system. */
const HOW: Record<string, string> = Object.fromEntries(
  hostModules().flatMap(({ programs }) =>
    programs.map(({ name }) => [name, ` (npm run hosts -- ${name} builds it, with Go)`]),
  ),
)

const known = new Map<string, boolean>()

/**
 * Whether a program that a test needs is installed. Where it is not, the run says so in one line and passes on the rest; in
 * CI it fails.
 */
export function has(program: string): boolean {
  const found = hasAlternative(program)
  if (!found && process.env.CI === 'true') throw new Error(`${program} is missing in CI`)
  return found
}

/** The same of one of several that are alike: without it CI goes on, too. */
export function hasAlternative(program: string): boolean {
  const found =
    known.get(program) ??
    spawnSync('sh', ['-c', `command -v ${program}`], { env: { ...process.env, PATH } }).status === 0
  if (!found && !known.has(program)) process.stdout.write(`not run: ${program} is not installed${HOW[program] ?? ''}\n`)
  known.set(program, found)
  return found
}

/** The path of a program that is installed. */
export function programOf(program: string): string {
  const { stdout } = spawnSync('sh', ['-c', `command -v ${program}`], {
    env: { ...process.env, PATH },
    encoding: 'utf8',
  })
  return stdout.trim()
}
