import { spawnSync } from 'node:child_process'

/**
 * Whether a program that a test needs is installed. Where it is not, the test file says so in one line and passes on
 * the rest; in CI it fails.
 */
export function has(program: string): boolean {
  const found = spawnSync('sh', ['-c', `command -v ${program}`]).status === 0
  if (!found) {
    process.stdout.write(`not run: ${program} is not installed\n`)
    if (process.env.CI === 'true') throw new Error(`${program} is missing in CI`)
  }
  return found
}
