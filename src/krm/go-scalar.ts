/**
 * How Go's YAML readers understand a plain scalar (`resolve` of go-yaml). It differs from YAML 1.2: `0644` is 420,
 * `1_000` is 1000. In one point Go's readers differ among themselves: to kyaml (kpt, kustomize) `yes` is a string, to
 * kubectl it is true. We read it as our hosts do, and never write it unquoted.
 */

const TRUE = new Set(['true', 'True', 'TRUE'])
const FALSE = new Set(['false', 'False', 'FALSE'])
const SOMETIMES_BOOLEAN = /^(y|yes|on|n|no|off)$/i
const NULL = new Set(['', '~', 'null', 'Null', 'NULL'])

const NOT_FINITE: Record<string, number> = {
  '.inf': Infinity,
  '.Inf': Infinity,
  '.INF': Infinity,
  '+.inf': Infinity,
  '+.Inf': Infinity,
  '+.INF': Infinity,
  '-.inf': -Infinity,
  '-.Inf': -Infinity,
  '-.INF': -Infinity,
  '.nan': Number.NaN,
  '.NaN': Number.NaN,
  '.NAN': Number.NaN,
}

const FLOAT = /^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$/
const INTEGER = /^([-+]?)(0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|0[0-7]*|[1-9][0-9]*)$/
const UINT64_LIMIT = 1n << 64n
const INT64_LIMIT = 1n << 63n

export function goBoolean(text: string): boolean | undefined {
  if (TRUE.has(text)) return true
  return FALSE.has(text) ? false : undefined
}

/** Whether one Go reader takes the text for a boolean and another for a string. */
export function isSometimesBoolean(text: string): boolean {
  return SOMETIMES_BOOLEAN.test(text)
}

export function isGoNull(text: string): boolean {
  return NULL.has(text)
}

/** The number Go reads, an integer beyond 2^53 as bigint; undefined where Go reads a string. */
export function goNumber(text: string): number | bigint | undefined {
  if (Object.hasOwn(NOT_FINITE, text)) return NOT_FINITE[text]
  const plain = text.includes('_') ? text.replaceAll('_', '') : text
  const integer = INTEGER.exec(plain)
  if (integer !== null) {
    const value = wholeNumber(integer[1] === '-', integer[2] ?? '')
    if (value !== undefined) return value
  }
  return FLOAT.test(plain) ? Number(plain) : undefined
}

function wholeNumber(negative: boolean, digits: string): number | bigint | undefined {
  if (digits.length < 15 && /^(0|[1-9])/.test(digits) && !/^0./.test(digits)) {
    return negative ? -Number(digits) : Number(digits)
  }
  const legacyOctal = /^0[0-7]/.test(digits)
  const size = BigInt(legacyOctal ? `0o${digits.slice(1)}` : digits.toLowerCase())
  if (negative ? size > INT64_LIMIT : size >= UINT64_LIMIT) return undefined
  const value = negative ? -size : size
  return Number.isSafeInteger(Number(value)) ? Number(value) : value
}
