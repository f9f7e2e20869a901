import { writeYaml } from '../../krm/write-yaml.ts'
import { printable } from '../index.ts'
import type { TestOutcome } from './run-test.ts'

/** Formats outcomes as TAP version 14, what came out otherwise in the YAML block of its test. */
export function testTap(outcomes: readonly TestOutcome[]): string {
  const lines = outcomes.flatMap(({ test, mismatches }, index) => {
    const point = `ok ${index + 1} - ${escaped(printable(test.name))}`
    if (mismatches.length === 0) return [point]
    const block = writeYaml({ severity: 'fail', mismatches: mismatches.map((one) => ({ ...one })) })
    return [`not ${point}`, ...['---', ...block.trimEnd().split('\n'), '...'].map((line) => `  ${line}`)]
  })
  return ['TAP version 14', `1..${outcomes.length}`, ...lines].map((line) => `${line}\n`).join('')
}

/** A number sign would begin a directive. */
function escaped(text: string): string {
  return text.replaceAll(/[\\#]/g, '\\$&')
}
