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
import { wordLines } from './words.ts'
import { AlikeWriter } from './write-alike.ts'

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
