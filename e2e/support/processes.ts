import { readdirSync, readFileSync } from 'node:fs'

/** What every process on the machine shows of itself to those who may look: its arguments, and its environment. */
export interface Sight {
  /** Where one of the texts was seen, each once. */
  readonly seen: Set<string>
  /** Names of the programs that were looked at. */
  readonly programs: Set<string>
  /** Looks once more. */
  look(): void
  stop(): void
}

const MILLISECONDS = 5

/** Looks for texts in the arguments and environments of all processes, again and again. Processes that are there already are left out of it. */
export function watchProcesses(texts: readonly string[]): Sight {
  const before = new Set([...processes(), String(process.pid)])
  const seen = new Set<string>()
  const programs = new Set<string>()
  const look = (): void => {
    for (const pid of processes()) {
      if (before.has(pid)) continue
      const args = read(`/proc/${pid}/cmdline`)
      const program = args.split('\0')[0]?.split('/').at(-1) ?? ''
      programs.add(program)
      for (const [what, text] of [
        ['arguments', args],
        ['environment', read(`/proc/${pid}/environ`)],
      ] as const)
        if (texts.some((one) => text.includes(one))) seen.add(`${what} of ${program}: ${text.replaceAll('\0', ' ')}`)
    }
  }
  const timer = setInterval(look, MILLISECONDS).unref()
  return { seen, programs, look, stop: () => clearInterval(timer) }
}

const processes = (): string[] => readdirSync('/proc').filter((name) => /^\d+$/.test(name))

function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    // it has ended, or is another user's
    return ''
  }
}
