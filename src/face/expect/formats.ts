import { plural } from '../../krm/finding.ts'
import { packageOf } from '../../krm/identity.ts'
import { writeYaml } from '../../krm/write-yaml.ts'
import { alignedLines, beginningOf, type Paint, printable } from '../index.ts'
import { escaped } from '../page/html.ts'
import type { Mismatch } from './compare-test.ts'
import type { PlacedOutcome, TestOutcome } from './run-test.ts'

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

/** Returns outcomes as plain values for programs. */
export function testJson(outcomes: readonly PlacedOutcome[]): object {
  return {
    tests: outcomes.map(({ test, mismatches, file, line }) => {
      const path = packageOf(test.item)
      return {
        name: test.name,
        ...(path === '' ? {} : { package: path }),
        ...(file === undefined ? {} : { file, line }),
        holds: mismatches.length === 0,
        mismatches,
      }
    }),
  }
}

/** What no document of XML 1.0 may hold, besides control characters, which are escaped for people. */
const NO_XML = /[\ufffe\uffff]|\p{Surrogate}/gu

/** Formats outcomes as JUnit XML: a suite for each package. */
export function testJunit(outcomes: readonly PlacedOutcome[]): string {
  const packages = [...new Set(outcomes.map(({ test }) => packageOf(test.item)))]
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites${attributes({ name: 'nodefit', ...countsOf(outcomes) })}>`,
    ...packages.flatMap((path) => {
      const own = outcomes.filter(({ test }) => packageOf(test.item) === path)
      const name = path === '' ? 'nodefit' : path
      return [
        `  <testsuite${attributes({ name, ...countsOf(own) })}>`,
        ...own.flatMap((one) => caseLines(one, name)),
        '  </testsuite>',
      ]
    }),
    '</testsuites>',
  ]
    .map((line) => `${line}\n`)
    .join('')
}

function caseLines({ test, mismatches, file, line, seconds }: PlacedOutcome, classname: string): string[] {
  const head = attributes({ name: test.name, classname, file, line, time: seconds.toFixed(3) })
  const [first] = mismatches
  if (first === undefined) return [`    <testcase${head}/>`]
  const texts = mismatches.map(({ what, expected, got }) => `${what}: expected ${expected}, got ${got}`)
  return [
    `    <testcase${head}>`,
    `      <failure${attributes({ message: texts[0], type: 'mismatch' })}>${texts.map(xmlText).join('\n')}</failure>`,
    '    </testcase>',
  ]
}

function countsOf(outcomes: readonly PlacedOutcome[]) {
  const failures = outcomes.filter(({ mismatches }) => mismatches.length > 0).length
  const time = outcomes.reduce((sum, { seconds }) => sum + seconds, 0).toFixed(3)
  return { tests: String(outcomes.length), failures: String(failures), errors: '0', time }
}

function attributes(all: Readonly<Record<string, string | number | undefined>>): string {
  return Object.entries(all)
    .map(([name, value]) => (value === undefined ? '' : ` ${name}="${xmlText(String(value))}"`))
    .join('')
}

function xmlText(text: string): string {
  return escaped(text.replaceAll(NO_XML, '\ufffd'))
}

/** Formats outcomes as TAP version 14, what came out otherwise in the YAML block of its test. */
export function testTap(outcomes: readonly TestOutcome[]): string {
  const lines = outcomes.flatMap(({ test, mismatches }, index) => {
    const point = `ok ${index + 1} - ${escapedForTap(printable(test.name))}`
    if (mismatches.length === 0) return [point]
    const block = writeYaml({ severity: 'fail', mismatches: mismatches.map((one) => ({ ...one })) })
    return [`not ${point}`, ...['---', ...block.trimEnd().split('\n'), '...'].map((line) => `  ${line}`)]
  })
  return ['TAP version 14', `1..${outcomes.length}`, ...lines].map((line) => `${line}\n`).join('')
}

/** A number sign would begin a directive. */
function escapedForTap(text: string): string {
  return text.replaceAll(/[\\#]/g, '\\$&')
}
