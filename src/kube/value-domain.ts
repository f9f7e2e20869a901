import { parseCanonicalInt64, parseInt64 } from './integer.ts'
import { isDns1123Subdomain, isLabelValue, LABEL_LENGTH } from './label.ts'

/** What the values of a set are values of: which are legal, and which of them count as an integer. */
export interface ValueDomain {
  /** Whether there may be no value at all. */
  readonly mayBeAbsent: boolean
  isLegal(text: string): boolean
  /** The integer that a text stands for where bounds are compared; undefined for any other text. */
  integerOf(text: string): bigint | undefined
  /** How many legal texts stand for an integer that is not negative. None stands for a negative one: `-` may not come first. */
  spellingCount(integer: bigint): number
  /** One of them, the plain one first. */
  spelling(integer: bigint, index: number): string
  /** A legal text that stands for no integer: another for each index, plain ones first. */
  example(index: number): string
}

const numbered = (word: string, index: number) => (index === 0 ? word : `${word}-${index + 1}`)

/** The values of a node's label (`IsValidLabelValue`). Leading zeros change the text, not the integer. */
export const LABEL_VALUES: ValueDomain = {
  mayBeAbsent: true,
  isLegal: isLabelValue,
  integerOf: parseInt64,
  spellingCount: (integer) => LABEL_LENGTH + 1 - String(integer).length,
  spelling: (integer, index) => '0'.repeat(index) + String(integer),
  example: (index) => numbered('other', index),
}

/** The names of nodes (`ValidateNodeName`): always there, and never compared as integers. */
export const NODE_NAMES: ValueDomain = {
  mayBeAbsent: false,
  isLegal: isDns1123Subdomain,
  integerOf: () => undefined,
  spellingCount: () => 0,
  spelling: String,
  example: (index) => numbered('any-node', index),
}

/** The values of a taint (`validateNodeTaints`): none is the empty one, and an integer has one spelling. */
export const TAINT_VALUES: ValueDomain = {
  mayBeAbsent: false,
  isLegal: isLabelValue,
  integerOf: parseCanonicalInt64,
  spellingCount: () => 1,
  spelling: String,
  example: (index) => (index === 0 ? '' : numbered('other', index - 1)),
}
