/** How a test file went, by what it wrote. */
export interface Verdict {
  readonly total: number
  readonly passed: number
  readonly failed: number
  /** The lines for the end of the run: which program is missing, and what ran with what. */
  readonly remarks: readonly string[]
  /** Why it has no tests, if it has none. */
  readonly why: string
}

/** Reads uvu's totals. A file that adds no test has failed, unless it says which program is missing; so has one whose process did not end well. */
export function verdictOf(output: string, isComplete: boolean): Verdict {
  const total = Number(/Total:\s+(\d+)/.exec(output)?.[1] ?? 0)
  const passed = Number(/Passed:\s+(\d+)/.exec(output)?.[1] ?? 0)
  const lines = output.split('\n')
  const notRun = lines.filter((line) => line.startsWith('not run: '))
  const remarks = lines.filter((line) => /^(?:not run|ran): /.test(line))
  const isEmpty = total === 0 && notRun.length === 0
  const failed = Math.max(total - passed, isComplete && !isEmpty ? 0 : 1)
  const why = total > 0 ? '' : isEmpty ? 'a test file must add tests' : notRun.join(', ')
  return { total, passed, failed, remarks, why }
}
