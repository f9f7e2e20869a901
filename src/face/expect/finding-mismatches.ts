import { type Finding, isError } from '../../krm/finding/index.ts'
import { folded, messageOf } from '../index.ts'
import { type Mismatch, NOTHING } from './mismatch.ts'
import type { ExpectedFinding } from './read-test.ts'

/**
 * Compares findings: each that is expected has to be there, and no other warning or error. A test that says nothing of
 * findings fails on errors alone.
 */
export function findingMismatches(
  expected: readonly ExpectedFinding[] | undefined,
  found: readonly Finding[],
): Mismatch[] {
  const wanted = expected ?? []
  const missing = wanted.filter((one) => !found.some((finding) => isMeant(one, finding)))
  const isUnasked = (finding: Finding) =>
    (expected === undefined ? isError(finding) : finding.severity !== 'info') &&
    !wanted.some((one) => isMeant(one, finding))
  return [
    ...missing.map((one) => ({ what: 'finding', expected: expectedText(one), got: nearestText(one, found) })),
    ...folded(found.filter(isUnasked)).map(({ finding, more }) => ({
      what: 'finding',
      expected: NOTHING,
      got: `${findingText(finding)}${more === 0 ? '' : ` (and ${more} more)`}`,
    })),
  ]
}

function isMeant({ code, severity, says }: ExpectedFinding, finding: Finding): boolean {
  return (
    finding.code === code &&
    (severity === undefined || finding.severity === severity) &&
    (says === undefined || messageOf(finding).includes(says))
  )
}

function expectedText({ code, severity, says }: ExpectedFinding): string {
  return [...(severity === undefined ? [] : [severity]), says === undefined ? code : `${code}: …${says}…`].join(' ')
}

/** Formats the finding of the same code, if there is one: its severity or message is another. */
function nearestText({ code }: ExpectedFinding, found: readonly Finding[]): string {
  const same = found.find((finding) => finding.code === code)
  return same === undefined ? NOTHING : findingText(same)
}

function findingText(finding: Finding): string {
  return `${finding.severity} ${finding.code}: ${messageOf(finding)}`
}
