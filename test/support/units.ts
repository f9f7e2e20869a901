/** What a reader trips over in a sentence: raw Ki, and amounts of one change in two units. */
import type { Finding } from '../../src/krm/finding.ts'

/** Codes whose sentences show values as they are written: the arithmetic of a size, fields of an object. */
const AS_WRITTEN = ['GroupSized', 'GroupChanged', 'OutputStale']
const CHANGE = /\b(\d[\d.]*)(m|Mi|Gi|Ti)? (?:->|to) (\d[\d.]*)(m|Mi|Gi|Ti)?\b/g
const COMPARED =
  /\b(\d[\d.]*)(m|Mi|Gi|Ti)? is (?:above|requested, (?:and the others request )?)(\d[\d.]*)?(m|Mi|Gi|Ti)?\b/g

/** The parts of a sentence whose amounts are not in one unit, or in Ki. */
export function unitFaults({ code, sentence }: Pick<Finding, 'code' | 'sentence'>): string[] {
  if (AS_WRITTEN.includes(code)) return []
  const mixed = [CHANGE, COMPARED].flatMap((pattern) =>
    [...sentence.matchAll(pattern)].filter(
      ([, was, unit = '', is, other = '']) => is !== undefined && unit !== other && Number(was) > 0 && Number(is) > 0,
    ),
  )
  return [...mixed.map(([text]) => text), ...(sentence.match(/\b\d+Ki\b.*/) ?? [])]
}
