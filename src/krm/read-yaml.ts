import {
  constructFromEvents,
  defineSequenceTag,
  EVENT_ID,
  type Event,
  SCALAR_STYLE,
  Schema,
  YAMLException,
} from 'js-yaml'
import type { AlikeTexts } from './alike-texts.ts'
import { type FirstLine, formatPlace, KrmError } from './error.ts'
import { READ_SCHEMA } from './go-scalar.ts'
import { type Parsed, parse } from './parse.ts'

const MAX_ALIASES = 64
const MAX_EXPANSION = 100_000

/** Control characters, Unicode line breaks and non-characters that Go's readers reject or change. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters to refuse
const FORBIDDEN = /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufffe\uffff]/
const ALL_FORBIDDEN = new RegExp(FORBIDDEN, 'g')
const SURROGATE = /\\(?:u|U0000)[dD][89a-fA-F]/
const SURROGATE_ESCAPE = /(?<!\\)(?:\\\\)*\\(?:u|U0000)[dD][89a-fA-F]/
const DIRECTIVE = /^(?:[ \t]*(?:#[^\n]*)?\r?\n)*%/

/**
 * Reads one YAML or JSON document as Go does, with string keys. Throws `KrmError` on invalid syntax, and on valid YAML
 * that is harmful or read differently elsewhere: duplicate keys, tags, directives, a second document, unpaired
 * surrogates, raw control characters, deep nesting, aliases that multiply. Errors name the line, counted from
 * `firstLine` if it is known. `alike` are the texts that were read before.
 */
export function readAnyYaml(text: string, name = 'the input', firstLine: FirstLine = 1, alike?: AlikeTexts): unknown {
  const parse = (outline: string) => readPlain(outline, name, firstLine, READ_SCHEMA)
  return alike?.read(text, parse) ?? readFolded(text) ?? parse(text)
}

function readPlain(text: string, name: string, firstLine: FirstLine, schema: Schema): unknown {
  refuseForbiddenText(text, name, firstLine)
  let value: unknown
  try {
    const parsed = parse(text)
    if (SURROGATE.test(text)) refuseSurrogates(parsed, name)
    value = construct(parsed, schema)
  } catch (error) {
    const what = error instanceof YAMLException ? notYamlText(text, error.mark?.line ?? 0) : undefined
    if (what !== undefined) throw new KrmError('YamlSyntax', `${name} cannot be read as YAML: ${what}`)
    if (error instanceof YAMLException)
      throw new KrmError(
        'YamlSyntax',
        `${name} cannot be read as YAML: ${error.reason}${formatPlace(text, error.mark?.line, firstLine, error.mark?.column)}`,
      )
    if (error instanceof RangeError) throw new KrmError('YamlRefused', `${name} is nested too deeply`)
    throw error
  }
  if (text.includes('*')) refuseExpansion(value, name)
  return value
}

/**
 * As `readAnyYaml`, for objects that are processed: a key `__proto__`, which no Kubernetes field, label or annotation
 * has, is refused.
 */
export function readYaml(text: string, name = 'the input'): unknown {
  const value = readAnyYaml(text, name)
  if (holdsPrototype(value))
    throw new KrmError('YamlRefused', `${name} has the key __proto__, which no Kubernetes object has`)
  return value
}

function holdsPrototype(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  return Object.hasOwn(value, '__proto__') || Object.values(value).some(holdsPrototype)
}

/**
 * Reads the text with its long lists folded, whose words need no checks. Undefined if there are none, or if the text
 * must be read unfolded.
 */
function readFolded(text: string): unknown {
  const folded = foldLists(text)
  if (folded === undefined) return undefined
  try {
    const value = readPlain(folded.text, 'the input', 1, folded.schema)
    return folded.isRead() ? value : undefined
  } catch {
    // reading the text unfolded reports the error with its place
    return undefined
  }
}

function construct({ events, source }: Parsed, schema: Schema): unknown {
  const documents = constructFromEvents(events as Event[], { source, schema, maxAliases: MAX_ALIASES })
  if (documents.length === 1) return documents[0]
  throw new YAMLException(documents.length === 0 ? 'it is empty' : 'there is a second document')
}

/** Refuses characters that Go's readers reject or change. Throws `KrmError`. */
export function refuseForbiddenText(text: string, name: string, firstLine: FirstLine = 1): void {
  const found = FORBIDDEN.exec(text)
  if (found !== null) {
    const above = text.slice(0, found.index).split(/\r\n?|\n/)
    const place = formatPlace(escaped(text), above.length - 1, firstLine, above.at(-1)?.length)
    throw new KrmError(
      'YamlRefused',
      `${name} contains the raw character U+${codeOf(found[0])} instead of an escape in double quotes${place}`,
    )
  }
  if (!text.isWellFormed()) throw new KrmError('YamlRefused', `${name} contains an unpaired surrogate`)
  if (DIRECTIVE.test(text))
    throw new KrmError('YamlRefused', `${name} begins with a YAML directive: remove the line with %`)
}

/** Escapes the forbidden characters, which makes them visible and harmless in a terminal. */
export function escaped(text: string): string {
  return text.replaceAll(ALL_FORBIDDEN, (character) => `\\u${codeOf(character)}`)
}

/** Replaces the forbidden characters; offsets stay the same. */
export function masked(text: string): string {
  return text.replaceAll(ALL_FORBIDDEN, 'x')
}

function codeOf(character: string): string {
  return character.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')
}

/** Within double quotes a surrogate is an escape, which Go rejects; elsewhere it is ordinary text. */
function refuseSurrogates({ events, source }: Parsed, name: string): void {
  const isEscaped = (event: Event) =>
    event.type === EVENT_ID.SCALAR &&
    event.style === SCALAR_STYLE.DOUBLE_QUOTED &&
    SURROGATE_ESCAPE.test(source.slice(event.valueStart, event.valueEnd))
  if (events.some(isEscaped))
    throw new KrmError('YamlRefused', `${name} contains an unpaired surrogate, written as an escape`)
}

/** Counts what the aliases expand to, without expanding them. */
function refuseExpansion(root: unknown, name: string): void {
  const sizes = new Map<object, number>()
  const sizeOf = (value: unknown): number => {
    if (typeof value !== 'object' || value === null) return 1
    const known = sizes.get(value)
    if (known !== undefined) return known
    sizes.set(value, Infinity)
    let size = 1
    for (const member of Object.values(value)) size += sizeOf(member)
    sizes.set(value, size)
    return size
  }
  const expanded = sizeOf(root)
  if (expanded > MAX_EXPANSION && expanded > 2 * countOnce(sizes)) {
    throw new KrmError(
      'YamlRefused',
      `${name} has aliases that expand to ${Number.isFinite(expanded) ? expanded : 'endless'} values: write them out`,
    )
  }
}

function countOnce(sizes: Map<object, number>): number {
  let count = 1
  for (const container of sizes.keys()) count += Object.keys(container).length
  return count
}

/** What people give in place of YAML, by how it begins or what it has. */

const POINTER = /^version https:\/\/git-lfs\.github\.com\/spec\/v1\r?\n/
/** A line that a template of a Helm chart has, and no YAML; a text within YAML may have it, such as of a ConfigMap. */
const ACTION = /^\s*\{\{-?\s*(?:if|else|end|range|with|include|define|template|\/\*|- )/

/** Whether a text is the pointer that Git LFS checks out in place of a file. */
export function isPointer(text: string): boolean {
  return POINTER.test(text)
}

/**
 * Returns what a text is that cannot be read as YAML in a line, counted from 0, and what to do, in words; undefined
 * where neither that line nor the one before it tells.
 */
export function notYamlText(text: string, line: number): string | undefined {
  const [before = '', own = ''] = line === 0 ? ['', text.split('\n', 1)[0]] : text.split('\n', line + 1).slice(-2)
  return ACTION.test(own) || (before.startsWith('{{') && ACTION.test(before))
    ? 'it is a template of a Helm chart: render it first, with helm template'
    : undefined
}

/** A private-use character, which has no meaning in YAML. A text that contains it, or its escape, is not folded. */
const MARK = '\ue000'
const ESCAPED_MARK = /\\[uU](?:0000)?[eE]000/
/**
 * List entries that every YAML reader takes as strings: the words that Go resolves to other types (`true`, `null`) have
 * at most five letters. A run is bounded because of the regular expression's stack.
 */
const RUN = /^( *)- [A-Za-z][\w.-]{5,252}\n(?:\1- [A-Za-z][\w.-]{5,252}\n){15,500}/gm

/** A text in which each long list of plain words is one entry, and the schema that expands it again. */
export interface FoldedText {
  readonly text: string
  readonly schema: Schema
  /** Whether every folded entry was read as a list entry. If not, one of them was part of a longer text. */
  readonly isRead: () => boolean
}

/**
 * Folds the long lists of plain words in a YAML text, which make up most of an inventory: cutting them out by line is
 * far faster than parsing them. Undefined if they are less than half of the text. Lines and columns in errors do not
 * match the original, so a text that fails must be parsed again unfolded.
 */
export function foldLists(text: string): FoldedText | undefined {
  const lists = new Map<unknown, string[]>()
  const folded = text.replace(RUN, (run: string, indent: string) => {
    const marker = `${indent}- `
    const mark = `${MARK}${lists.size}`
    lists.set(mark, run.slice(marker.length, -1).split(`\n${marker}`))
    return `${marker}${mark}\n`
  })
  if (lists.size === 0 || folded.length * 2 > text.length) return undefined
  if (folded.split(MARK).length > lists.size + 1 || ESCAPED_MARK.test(folded)) return undefined
  const found = new Set<unknown>()
  return { text: folded, schema: unfoldingSchema(lists, found), isRead: () => found.size === lists.size }
}

/** Returns a schema that reads scalars as Go does, and replaces each mark by the entries of its list. */
function unfoldingSchema(lists: ReadonlyMap<unknown, readonly string[]>, found: Set<unknown>): Schema {
  const sequenceTag = defineSequenceTag<unknown[]>('tag:yaml.org,2002:seq', {
    create: () => [],
    addItem: (sequence, item) => {
      const words = lists.get(item)
      if (words === undefined) sequence.push(item)
      else {
        found.add(item)
        sequence.push(...words)
      }
    },
    identify: Array.isArray,
  })
  return new Schema([...READ_SCHEMA.tags.filter(({ tagName }) => tagName !== sequenceTag.tagName), sequenceTag])
}
