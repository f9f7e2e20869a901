import { defineMappingTag, defineScalarTag, mergeTag, NOT_RESOLVED, Schema, seqTag, strTag } from 'js-yaml'
import { goBoolean, goNumber, isGoNull, isSometimesBoolean } from './go-scalar.ts'
import { isMap, type Mapping, setMember } from './map.ts'

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

/** kustomize rewrites a plain date as a timestamp, so a string that looks like one must be quoted. */
const dateTag = defineScalarTag('tag:yaml.org,2002:timestamp', {
  implicit: true,
  implicitFirstChars: DIGITS,
  resolve: (text) => (/^[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}($|[Tt ])/.test(text) ? text : NOT_RESOLVED),
  identify: () => false,
})

const LONGEST_KEY = 1024

/** Maps as plain objects with string keys, none of which reaches the prototype; keys that would exhaust memory are refused. */
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

/** Writes scalars so that every Go reader reads the same: what any of them would resolve is quoted. */
export const WRITE_SCHEMA = new Schema([...TAGS, dateTag, sometimesBooleanTag])
