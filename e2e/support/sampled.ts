import { spawnSync } from 'node:child_process'

/** How much of a long suite is run: all of it, or with `--sample` the part that CI runs. */
export function sampled<T>(all: T, part: T): T {
  return process.env.SAMPLE === 'true' ? part : all
}

let first: number | undefined

/** Whether `--sample` runs the case of this number: one of so many, other ones for another commit. */
export function isSampled(number: number, oneOf = 3): boolean {
  first ??= Number.parseInt(spawnSync('git', ['rev-parse', '--short=6', 'HEAD'], { encoding: 'utf8' }).stdout, 16) || 0
  return sampled(true, (number + first) % oneOf === 0)
}
