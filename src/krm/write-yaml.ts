import {
  COLLECTION_STYLE,
  DEFAULT_SCALAR_STYLE_RULES,
  dump,
  type Node,
  SCALAR_STYLE,
  type ScalarStyleRule,
} from 'js-yaml'
import { WRITE_SCHEMA } from './go-scalar.ts'
import { isMap, type Mapping, setMember } from './map.ts'

/** Go drops blanks at the start of a literal block and rejects a tab there, so only plain text may use one. */
const LITERAL_SAFE = /^[^\s\p{C}][^\p{Zl}\p{Zp}]*$/u
const NOT_LITERAL = /[\t\r\x7f-\x9f\u2028\u2029\ufeff]|[ ]\n|\n{2,}$/

const multilineAsDoubleQuoted: ScalarStyleRule = (layout) => {
  const { value } = layout.node
  if (layout.style !== SCALAR_STYLE.PLAIN || !value.includes('\n')) return
  if (layout.isKey || !LITERAL_SAFE.test(value) || NOT_LITERAL.test(value)) layout.style = SCALAR_STYLE.DOUBLE_QUOTED
}

/** Within a flow map or list, Go reads no plain text that begins with a colon, and writes none that has one. */
const colonInFlowAsDoubleQuoted: ScalarStyleRule = (layout) => {
  if (layout.style === SCALAR_STYLE.PLAIN && layout.flowOnly && layout.node.value.includes(':'))
    layout.style = SCALAR_STYLE.DOUBLE_QUOTED
}

const RULES = [multilineAsDoubleQuoted, colonInFlowAsDoubleQuoted, ...Object.values(DEFAULT_SCALAR_STYLE_RULES)]

/**
 * Writes a value as block YAML that every Go reader (kubectl, kpt, kustomize) reads back unchanged: lists are not
 * indented, nothing is folded, there are no anchors, and strings are quoted wherever a reader would take them for
 * another type. Each entry of the list at `rows`, the keys that lead to it, is on one line, in flow style.
 */
export function writeYaml(value: unknown, rows: readonly string[] = []): string {
  return dump(value, {
    schema: WRITE_SCHEMA,
    lineWidth: -1,
    noRefs: true,
    seqNoIndent: true,
    quoteStyle: 'double',
    scalarStyleRules: RULES,
    transform: ([document]) => setOnLines(rows.length === 0 ? undefined : memberAt(document?.contents, rows)),
  })
}

function memberAt(node: Node | null | undefined, path: readonly string[]): Node | undefined {
  return path.reduce<Node | undefined>((at, name) => {
    const entries = at?.kind === 'mapping' ? at.items : []
    return entries.find(({ key }) => key.kind === 'scalar' && key.value === name)?.value
  }, node ?? undefined)
}

function setOnLines(list: Node | undefined): void {
  if (list?.kind !== 'sequence') return
  for (const entry of list.items)
    if (entry.kind === 'mapping' || entry.kind === 'sequence') entry.style = COLLECTION_STYLE.FLOW
}

/** Writes a value on one line, in flow style. */
export function writeFlowYaml(value: unknown): string {
  return dump(value, {
    schema: WRITE_SCHEMA,
    lineWidth: -1,
    noRefs: true,
    flowLevel: 0,
    quoteStyle: 'double',
    scalarStyleRules: RULES,
  }).trimEnd()
}

/** A private-use character, which has no meaning in YAML and needs no quotes as a value. */
const MARK = '\ue000'
/** The indentation and the markers before a key give the key's column. */
const MARKED_LINE = /^((?: |- )*)(.*): \ue000([0-9]+)$/gm
/** Keys that stand on one line with their value, quoted or not; a list index is not one. */
const SIMPLE_KEY = /^[A-Za-z][\w./-]{0,127}$/
/** The number of scalars, keys included, from which a list or map is worth printing on its own. */
const LEAST = 4
/** The number of members from which a map is printed on its own, in the hope that it has words only. */
const LONG = 64

/**
 * Returns a writer for several objects, with the same bytes as `writeYaml`. Lists and maps that they share in memory
 * are printed once: DaemonSets of one template consist of little else. So is what differs in words only. `layout`
 * moves what is printed to its place in a larger text; it sees what differs in words only once.
 */
export function yamlWriter(objects: readonly unknown[], layout = (text: string) => text): (value: unknown) => string {
  const shared = sharedIn(objects)
  const blocks = new Map<object, string>()
  const alike = new AlikeWriter()
  const print = (value: unknown) => alike.write(value, (one) => layout(writeYaml(one)))
  const blockOf = (value: object): string => {
    // below a key, where the text is the same at any depth but the first
    const block =
      blocks.get(value) ??
      (isLong(value) ? wordLines(value) : undefined) ??
      writeYaml({ x: value }).slice('x:'.length, -1)
    blocks.set(value, block)
    return block
  }
  return (value) => {
    const cut: object[] = []
    const rest = shared.size === 0 ? value : withoutShared(value, shared, cut)
    if (rest === undefined || cut.length === 0) return print(value)
    return print(rest).replace(MARKED_LINE, (_, before: string, key: string, index: string) => {
      const block = blockOf(cut[Number(index)] as object)
      return `${before}${key}:${block.replace(/^(?=[^\r\n])/gm, ' '.repeat(before.length))}`
    })
  }
}

/**
 * Returns the lists and maps that occur more than once and are large enough, and long maps. Does not search inside
 * those that it has seen.
 */
function sharedIn(objects: readonly unknown[]): ReadonlySet<unknown> {
  const sizes = new Map<unknown, number>()
  const shared = new Set<unknown>()
  const sizeOf = (value: unknown): number => {
    if (typeof value !== 'object' || value === null) return 1
    const known = sizes.get(value)
    if (known !== undefined) {
      shared.add(value)
      return known
    }
    if (isLong(value)) shared.add(value)
    let size = 0
    if (Array.isArray(value)) for (const entry of value) size += sizeOf(entry)
    else for (const key of Object.keys(value)) size += 1 + sizeOf((value as Record<string, unknown>)[key])
    if (size >= LEAST) sizes.set(value, size)
    return size
  }
  for (const object of objects) sizeOf(object)
  return shared
}

/**
 * Replaces each shared value below a simple key by a mark; undefined if some text could be taken for a mark. What has
 * no shared value is returned as it is.
 */
function withoutShared(value: unknown, shared: ReadonlySet<unknown>, cut: object[]): unknown {
  if (typeof value === 'string') return value.includes(MARK) ? undefined : value
  if (typeof value !== 'object' || value === null) return value
  let rest: Record<string, unknown> | unknown[] | undefined
  for (const key of Object.keys(value)) {
    const member = (value as Mapping)[key]
    const isCut = typeof member === 'object' && shared.has(member) && SIMPLE_KEY.test(key)
    const left = isCut ? `${MARK}${cut.push(member as object) - 1}` : withoutShared(member, shared, cut)
    if (left === undefined && member !== undefined) return undefined
    if (left === member) continue
    rest ??= Array.isArray(value) ? [...value] : { ...value }
    setMember(rest as Mapping, key, left)
  }
  return rest ?? value
}

function isLong(value: object): value is Mapping {
  return isMap(value) && Object.keys(value).length >= LONG
}

/** A text that is printed without quotes: a word that no YAML reader takes as another type, or a uid. */
const WORD =
  /^(?:(?!(?:true|false|null|y|yes|n|no|on|off)$)[a-z][\w./-]*|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12})$/i
/** A text that is printed in double quotes as it is: digits, a time, and what has a colon and a blank. */
const QUOTED = /^(?:[0-9]+|[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}Z|[\w .:/+@=,()-]*: [\w .:/+@=,()-]*)$/
/** JSON of printable ASCII, such as a signed action: double quotes have the same escapes in YAML. */
const JSON_TEXT = /^(?:\{[ -~]*\}|\[[ -~]*\])$/
/** A longer key would stand on a line of its own. */
const LONGEST_KEY = 1000

/** Returns a text as YAML has it where that is known without a printer; undefined for any other. */
function wordText(text: string): string | undefined {
  if (WORD.test(text)) return text
  if (QUOTED.test(text)) return `"${text}"`
  return JSON_TEXT.test(text) ? JSON.stringify(text) : undefined
}

/** Whether JSON and YAML print a number as the same digits. */
function isPlainInteger(value: unknown): boolean {
  return Number.isSafeInteger(value) && !Object.is(value, -0)
}

/**
 * Prints a map of words and integers below a key: a line for each member, indented by two. Undefined where it has
 * others.
 */
function wordLines(map: Mapping): string | undefined {
  let text = ''
  for (const key of Object.keys(map)) {
    const value = map[key]
    const printed = typeof value === 'string' ? wordText(value) : isPlainInteger(value) ? String(value) : undefined
    if (printed === undefined || key.length > LONGEST_KEY || wordText(key) !== key) return undefined
    text += `\n  ${key}: ${printed}`
  }
  return text
}

/** A private-use character, which has no meaning in YAML. A value with a text that contains it is printed itself. */
const ALIKE_MARK = '\ue002'
/** Printed in quotes, since a text with a colon and a blank must be. */
const QUOTED_MARK = `${ALIKE_MARK}: `
const MARKS = new RegExp(`"${QUOTED_MARK}"|${ALIKE_MARK}`)
/** The number of outlines that are kept: alike values are neighbours. */
const MOST = 64
/** The number of texts that have a number in outlines: those that are no words are few, and come again and again. */
const MOST_TEXTS = 4096

/**
 * Prints values that differ in words only, such as thousands of partial Nodes: their outline, the value without its
 * words, is printed when it comes the second time, and each further text is that one filled with words.
 */
class AlikeWriter {
  readonly #printed = new Map<string, readonly string[] | 'once' | 'none'>()
  readonly #numbers = new Map<string, number>()

  /** Returns the text that `print` gives for the value. */
  write(value: unknown, print: (value: unknown) => string): string {
    const words: string[] = []
    const outline = this.#outlineOf(value, words)
    if (outline === undefined) return print(value)
    const known = this.#printed.get(outline)
    const pieces = known === 'once' ? piecesOf(value, words.length, print) : known
    if (pieces !== known || pieces === undefined) this.#remember(outline, pieces ?? 'once')
    if (typeof pieces !== 'object') return print(value)
    let text = ''
    for (const [index, piece] of pieces.entries()) text += piece + (words[index] ?? '')
    return text
  }

  #remember(outline: string, pieces: readonly string[] | 'once' | 'none'): void {
    this.#printed.set(outline, pieces)
    if (this.#printed.size > MOST)
      for (const oldest of this.#printed.keys()) {
        this.#printed.delete(oldest)
        break
      }
    if (this.#numbers.size <= MOST_TEXTS) return
    this.#printed.clear()
    this.#numbers.clear()
  }

  /**
   * Returns a text that two values have in common only where they are the same but for their words, which are added to
   * `words` as they are printed; undefined if JSON cannot say the value.
   */
  #outlineOf(value: unknown, words: string[]): string | undefined {
    if (typeof value === 'string') {
      const word = wordText(value)
      if (word === undefined) return value.includes(ALIKE_MARK) ? undefined : this.#numberOf(value)
      words.push(word)
      return word === value ? ALIKE_MARK : QUOTED_MARK
    }
    if (value === null || typeof value === 'boolean' || isPlainInteger(value)) return `=${value}`
    let outline = ''
    if (Array.isArray(value)) {
      for (const entry of value) {
        const inner = this.#outlineOf(entry, words)
        if (inner === undefined) return undefined
        outline += `${inner},`
      }
      return `[${outline}]`
    }
    if (!isMap(value)) return undefined
    for (const key of Object.keys(value)) {
      const inner = this.#outlineOf(value[key], words)
      if (inner === undefined) return undefined
      outline += `${this.#numberOf(key)}${inner},`
    }
    return `{${outline}}`
  }

  /** Returns a text that stands for another one. */
  #numberOf(text: string): string {
    const number = this.#numbers.get(text) ?? this.#numbers.size
    this.#numbers.set(text, number)
    return `#${number}`
  }
}

/** Returns the printed text between the words; 'none' unless each word is a mark of its own. */
function piecesOf(value: unknown, count: number, print: (value: unknown) => string): readonly string[] | 'none' {
  const pieces = print(marked(value)).split(MARKS)
  return pieces.length === count + 1 ? pieces : 'none'
}

/** Returns a value with marks for its words. */
function marked(value: unknown): unknown {
  if (typeof value === 'string') {
    const word = wordText(value)
    if (word === undefined) return value
    return word === value ? ALIKE_MARK : QUOTED_MARK
  }
  if (Array.isArray(value)) return value.map(marked)
  if (!isMap(value)) return value
  const map: Mapping = {}
  for (const key of Object.keys(value)) setMember(map, key, marked(value[key]))
  return map
}
