import { DAEMONSET_CODES } from './daemonset-codes.ts'
import type { CodeDefinition, Severity } from './definition.ts'
import { INPUT_CODES } from './input-codes.ts'
import { INVENTORY_CODES } from './inventory-codes.ts'
import { RESERVATION_CODES } from './reservation-codes.ts'
import { SIZING_CODES } from './sizing-codes.ts'

/** Every code, with its severity, meaning and mend. */
export const CODES = { ...INPUT_CODES, ...INVENTORY_CODES, ...SIZING_CODES, ...DAEMONSET_CODES, ...RESERVATION_CODES }

/** The closed union of what a run can say. */
export type Code = keyof typeof CODES

/** The object a finding is about, as far as it has a name. */
export interface Subject {
  readonly apiVersion: string
  readonly kind: string
  readonly metadata: { name: string; namespace?: string; annotations?: Record<string, string> }
}

/** Something a run has to say: a code, the sentence about this case, and where. */
export interface Finding {
  readonly code: Code
  readonly severity: Severity
  readonly message: string
  readonly subject?: Subject
  readonly field?: { path: string; currentValue?: unknown; proposedValue?: unknown }
}

export function isCode(text: string): text is Code {
  return Object.hasOwn(CODES, text)
}

export function definitionOf(code: Code): CodeDefinition {
  return CODES[code]
}

/** A finding with the severity and the mend of its code; `sentence` says what is the case here, and where. */
export function finding(
  code: Code,
  sentence: string,
  place: { subject?: Subject; field?: Finding['field'] } = {},
): Finding {
  const { severity, mend } = definitionOf(code)
  return { code, severity, message: mend === '' ? sentence : `${sentence}. ${mend}`, ...place }
}

/** Names for a message: the first few, and how many more. */
export function listNames(names: readonly string[], most = 3): string {
  const more = names.length - most
  return more > 0 ? `${names.slice(0, most).join(', ')} and ${more} more` : names.join(', ')
}
