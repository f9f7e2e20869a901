import { plural } from '../../krm/finding/index.ts'
import { alignedLines, beginningOf, type Paint, printable } from '../index.ts'
import type { Mismatch } from './mismatch.ts'
import type { PlacedOutcome } from './run-test.ts'

const COLUMNS = [{ heading: 'WHAT' }, { heading: 'EXPECTED' }, { heading: 'GOT' }]
/** A finding says at its beginning what it is about. */
const WIDEST = 72

/** Formats outcomes for people: a line for each test, and expected and got side by side below one that fails. */
export function testLines(outcomes: readonly PlacedOutcome[], paint: Paint): string[] {
  return [
    ...outcomes.flatMap(({ test, mismatches, file, line }) =>
      mismatches.length === 0
        ? [`${paint('added', 'ok')}    ${printable(test.name)}`]
        : [
            `${paint('error', 'FAIL')}  ${printable(test.name)}${file === undefined ? '' : printable(` (${file}:${line})`)}`,
            ...tableLines(mismatches, paint),
          ],
    ),
    `nodefit: ${countText(outcomes)}`,
  ]
}

function tableLines(mismatches: readonly Mismatch[], paint: Paint): string[] {
  const rows = mismatches.map(({ what, expected, got }) =>
    [what, expected, got].map((text) => ({ text: beginningOf(printable(text), WIDEST) })),
  )
  return alignedLines(COLUMNS, rows, paint).map((line) => `      ${line}`)
}

function countText(outcomes: readonly PlacedOutcome[]): string {
  const failed = outcomes.filter(({ mismatches }) => mismatches.length > 0).length
  if (failed === 0) return outcomes.length === 1 ? '1 test holds' : `${plural(outcomes.length, 'test')} hold`
  return `${failed} of ${plural(outcomes.length, 'test')} ${failed === 1 ? 'fails' : 'fail'}`
}
