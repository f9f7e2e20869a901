import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { ROOT } from '../build/bundle.ts'

/** The test files of a run. */
export interface Choice {
  readonly files: readonly string[]
  /** Whether long suites try the part that CI does. */
  readonly isSample: boolean
  /** Whether every fault is put in as well: with all that takes long. */
  readonly withMutants: boolean
  /** How long the run may take, in milliseconds. */
  readonly milliseconds: number
}

/** What needs Node and git alone. */
const NODE = ['test', 'e2e/node']
const LONG = 'e2e/long'

/**
 * What the arguments ask for: without any all that needs no host, with `--hosts` the rest by host, with `--long` what takes longest, each
 * narrowed by words of which a path contains one. Words alone are looked for in all files. `--seconds` ends a run that takes longer: what
 * it has not run has failed.
 */
export function chosenFiles(args: readonly string[]): Choice {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      hosts: { type: 'boolean' },
      long: { type: 'boolean' },
      sample: { type: 'boolean' },
      seconds: { type: 'string', default: 'Infinity' },
    },
  })
  const { hosts = false, long = false, sample = false } = values
  const isEverywhere = !hosts && !long && positionals.length > 0
  const files = testFiles().filter((file) => {
    const isNode = NODE.some((folder) => file.startsWith(`${folder}/`))
    const isLong = file.startsWith(`${LONG}/`)
    const isInSuite = isNode ? !hosts && !long : isLong ? long : hosts
    const isNamed = positionals.length === 0 || positionals.some((word) => file.includes(word))
    return (isEverywhere || isInSuite) && isNamed
  })
  const withMutants = long && !sample && positionals.length === 0
  return { files, isSample: sample, withMutants, milliseconds: 1000 * Number(values.seconds) }
}

/** Every test file of the tree, by its path from the root. */
export function testFiles(): string[] {
  return ['test', 'e2e']
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)),
    )
    .filter((file) => file.endsWith('.test.ts'))
    .sort()
}
