import { spawnSync } from 'node:child_process'

const known = new Map<string, boolean>()

/**
 * Whether a program that a test needs is installed. Where it is not, the run says so in one line and passes on the rest; in
 * CI it fails.
 */
export function has(program: string): boolean {
  const found = known.get(program) ?? spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
  if (!found && !known.has(program)) process.stdout.write(`not run: ${program} is not installed\n`)
  known.set(program, found)
  if (!found && process.env.CI === 'true') throw new Error(`${program} is missing in CI`)
  return found
}
