import { packageOf } from '../../krm/identity.ts'
import { escaped } from '../page/html.ts'
import type { PlacedOutcome } from './run-test.ts'

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
