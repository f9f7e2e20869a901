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

/**
 * Where it is set, Node reads and checks all of the system's certificates before it runs anything: twice the time of its
 * start, in which what is measured would be lost. Nothing here opens a connection.
 */
const { NODE_EXTRA_CA_CERTS: _, ...ENVIRONMENT } = process.env

const MEMORY = 'nodefit-memory %M'
/** The shell counts in milliseconds, GNU time in hundredths of a second: too coarse where a start takes two of them. */
const TIMED = `TIMEFORMAT='nodefit-seconds %3U %3S'; time "$@"`

/** Runs the programs in turn, A B A B, after one run each that does not count, and gives the samples of every turn. */
export function interleave(programs: readonly Program[], runs: number): Sample[][] {
  return Array.from({ length: runs + 1 }, () => programs.map(runOnce)).slice(1)
}

/** One run, timed by bash within GNU time: both count the processes that kpt starts as well. */
function runOnce({ name, command, input, env, reset }: Program): Sample {
  reset?.()
  const stdin = openSync(input ?? '/dev/null', 'r')
  const stdout = openSync('/dev/null', 'w')
  const { status, stderr } = spawnSync('/usr/bin/time', ['-f', MEMORY, 'bash', '-c', TIMED, 'bash', ...command], {
    stdio: [stdin, stdout, 'pipe'],
    encoding: 'utf8',
    env: { ...ENVIRONMENT, ...env },
    maxBuffer: 1 << 28,
  })
  closeSync(stdin)
  closeSync(stdout)
  const time = /nodefit-seconds ([0-9.]+) ([0-9.]+)/.exec(stderr ?? '')
  const memory = /nodefit-memory ([0-9]+)/.exec(stderr ?? '')
  if (status !== 0 || time === null || memory === null) throw new Error(`${name} failed: ${stderr}`)
  return { seconds: Number(time[1]) + Number(time[2]), megabytes: Number(memory[1]) / 1024 }
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  const upper = sorted[middle] ?? Number.NaN
  return sorted.length % 2 === 1 ? upper : (upper + (sorted[middle - 1] ?? Number.NaN)) / 2
}
