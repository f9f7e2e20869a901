import { spawnSync } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'

/** CPU time and peak memory of one run of a program and what it started. */
export interface Sample {
  readonly seconds: number
  readonly megabytes: number
}

/** A program to measure: its command line, and the file it reads. */
export interface Program {
  readonly name: string
  readonly command: readonly string[]
  readonly input?: string
  readonly env?: Record<string, string>
  /** Puts back what a run has changed. */
  readonly reset?: () => void
}

const FORMAT = 'nodefit-bench %U %S %M'

/** Runs the programs in turn, A B A B, after one run each that does not count, and gives every program's samples. */
export function interleave(programs: readonly Program[], runs: number): Map<string, Sample[]> {
  const samples = new Map(programs.map(({ name }) => [name, [] as Sample[]]))
  for (let run = -1; run < runs; run++) {
    for (const program of programs) {
      const sample = runOnce(program)
      if (run >= 0) samples.get(program.name)?.push(sample)
    }
  }
  return samples
}

/** One run under GNU time, which counts the processes that kpt starts as well. */
function runOnce({ name, command, input, env, reset }: Program): Sample {
  reset?.()
  const stdin = openSync(input ?? '/dev/null', 'r')
  const stdout = openSync('/dev/null', 'w')
  const { status, stderr } = spawnSync('/usr/bin/time', ['-f', FORMAT, ...command], {
    stdio: [stdin, stdout, 'pipe'],
    encoding: 'utf8',
    env: { ...process.env, ...env },
    maxBuffer: 1 << 28,
  })
  closeSync(stdin)
  closeSync(stdout)
  const match = /nodefit-bench ([0-9.]+) ([0-9.]+) ([0-9]+)/.exec(stderr ?? '')
  if (status !== 0 || match === null) throw new Error(`${name} failed: ${stderr}`)
  return { seconds: Number(match[1]) + Number(match[2]), megabytes: Number(match[3]) / 1024 }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}
