import { defineMappingTag, defineScalarTag, mergeTag, NOT_RESOLVED, Schema, seqTag, strTag } from 'js-yaml'
import { isMap, type Mapping, setMember } from './map.ts'

/**
 * How Go's YAML readers resolve a plain scalar (`resolve` of go-yaml). It differs from YAML 1.2: `0644` is 420, `1_000`
 * is 1000. Go readers disagree in one case: kyaml (kpt, kustomize) reads `yes` as a string, kubectl as true. nodefit
 * reads it as a string, as its hosts do, and always writes it quoted.
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

function goBoolean(text: string): boolean | undefined {
  if (TRUE.has(text)) return true
  return FALSE.has(text) ? false : undefined
}

/** Whether some Go readers take the text as a boolean and others as a string. */
function isSometimesBoolean(text: string): boolean {
  return SOMETIMES_BOOLEAN.test(text)
}

function isGoNull(text: string): boolean {
  return NULL.has(text)
}

/** Returns the number that Go reads, a bigint beyond 2^53; undefined if Go reads a string. */
function goNumber(text: string): number | bigint | undefined {
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

const DIGITS = [...'0123456789']

const nullTag = defineScalarTag('tag:yaml.org,2002:null', {
  implicit: true,
  implicitFirstChars: ['', '~', 'n', 'N'],
  resolve: (text) => (isGoNull(text) ? null : NOT_RESOLVED),
  identify: (value) => value === null || value === undefined,
  represent: () => 'null',
})

const booleanTag = defineScalarTag('tag:yaml.org,2002:bool', {
  implicit: true,
  implicitFirstChars: [...'tTfF'],
  resolve: (text) => (text.length > 5 ? NOT_RESOLVED : (goBoolean(text) ?? NOT_RESOLVED)),
  identify: (value) => typeof value === 'boolean',
  represent: String,
})

const number = {
  resolve: (text: string) => goNumber(text) ?? NOT_RESOLVED,
  identify: (value: unknown) => typeof value === 'number' || typeof value === 'bigint',
  represent: printNumber,
}
const numberTag = defineScalarTag('tag:yaml.org,2002:float', {
  ...number,
  implicit: true,
  implicitFirstChars: ['-', '+', '.', ...DIGITS],
})
const integerTag = defineScalarTag('tag:yaml.org,2002:int', { ...number, identify: () => false })

const sometimesBooleanTag = defineScalarTag('tag:nodefit.dev,2026:sometimes-boolean', {
  implicit: true,
  implicitFirstChars: [...'yYnNoO'],
  resolve: (text) => (isSometimesBoolean(text) ? text : NOT_RESOLVED),
  identify: () => false,
})

/** kustomize rewrites a plain date as a timestamp, so a string that looks like a date must be quoted. */
const dateTag = defineScalarTag('tag:yaml.org,2002:timestamp', {
  implicit: true,
  implicitFirstChars: DIGITS,
  resolve: (text) => (/^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}($|[Tt ])/.test(text) ? text : NOT_RESOLVED),
  identify: () => false,
})

/** YAML 1.1 readers, which functions in Python and TypeScript use, take `12:30:45` as a base-60 number. */
const sexagesimalTag = defineScalarTag('tag:nodefit.dev,2026:sexagesimal', {
  implicit: true,
  implicitFirstChars: ['-', '+', ...DIGITS],
  resolve: (text) => (/^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+(\.[0-9_]*)?$/.test(text) ? text : NOT_RESOLVED),
  identify: () => false,
})

const LONGEST_KEY = 1024

/**
 * Reads maps as plain objects with string keys that cannot reach the prototype. Refuses keys that would exhaust memory.
 */
const mapTag = defineMappingTag<Mapping>('tag:yaml.org,2002:map', {
  create: () => ({}),
  addPair: (carrier, key, value) => {
    const name = typeof key === 'string' ? key : keyName(key)
    if (name === undefined) return 'a key must be a string, number or boolean'
    if (name.length > LONGEST_KEY) return `a key is longer than ${LONGEST_KEY} characters`
    setMember(carrier, name, value)
    return ''
  },
  has: (carrier, key) => Object.hasOwn(carrier, keyName(key) ?? ''),
  keys: (carrier) => Object.keys(carrier),
  get: (carrier, key) => carrier[String(key)],
  identify: isMap,
  represent: (value) => new Map(Object.entries(value).filter(([, member]) => member !== undefined)),
})

function keyName(key: unknown): string | undefined {
  return key === null || typeof key === 'object' ? undefined : String(key)
}

function printNumber(value: number | bigint): string {
  if (value === Infinity) return '.inf'
  if (value === -Infinity) return '-.inf'
  return Number.isNaN(value) ? '.nan' : String(value)
}

const TAGS = [strTag, seqTag, mapTag, nullTag, booleanTag, numberTag, integerTag, mergeTag]

/** Reads scalars as Go does. */
export const READ_SCHEMA = new Schema(TAGS)

/** Quotes whatever any reader would resolve to another type, so that all of them read the same. */
export const WRITE_SCHEMA = new Schema([...TAGS, dateTag, sometimesBooleanTag, sexagesimalTag])

const QUOTED = /"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/g
/** A scalar that begins as a number, from its start to the end of the line or entry. */
const SCALAR = /(?:^|[:,[{]|- )[ \t]*([-+.]?\d[\w.+-]*)[ \t]*(?=[,\]}#\r\n]|$)/gm
const NUMBER = /^(?:[-+]?(?:\d[\d_]*\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|0[xob][\da-fA-F_]+)$/
const CANONICAL_INTEGER = /^(?:0|-?[1-9]\d*)$/

/** Returns a number of a text that is not written as an integer of digits alone: `1.0`, `1e0`, `13.`, `007`, `0x10`. */
export function oddNumber(text: string): string | undefined {
  for (const [, scalar = ''] of text.replaceAll(QUOTED, '""').matchAll(SCALAR))
    if (NUMBER.test(scalar) && !CANONICAL_INTEGER.test(scalar)) return scalar
  return undefined
}
