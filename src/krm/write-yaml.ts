import { DEFAULT_SCALAR_STYLE_RULES, dump, SCALAR_STYLE, type ScalarStyleRule } from 'js-yaml'
import { WRITE_SCHEMA } from './go-scalar.ts'
import { setMember } from './map.ts'

/** Go loses blanks at the start of a literal block and rejects a tab there: only plain text may stand in one. */
const LITERAL_SAFE = /^[^\s\p{C}][^\p{Zl}\p{Zp}]*$/u
const NOT_LITERAL = /[\t\r\x7f-\x9f\u2028\u2029\ufeff]|[ ]\n|\n{2,}$/

const multilineAsDoubleQuoted: ScalarStyleRule = (layout) => {
  const { value } = layout.node
  if (layout.style !== SCALAR_STYLE.PLAIN || !value.includes('\n')) return
  if (layout.isKey || !LITERAL_SAFE.test(value) || NOT_LITERAL.test(value)) layout.style = SCALAR_STYLE.DOUBLE_QUOTED
}

const RULES = [multilineAsDoubleQuoted, ...Object.values(DEFAULT_SCALAR_STYLE_RULES)]

/**
 * A value as block YAML that every Go reader (kubectl, kpt, kustomize) reads back as the same value: lists not
 * indented, nothing folded, no anchors, strings quoted wherever one of those readers would see something else.
 */
export function writeYaml(value: unknown): string {
  return dump(value, {
    schema: WRITE_SCHEMA,
    lineWidth: -1,
    noRefs: true,
    seqNoIndent: true,
    quoteStyle: 'double',
    scalarStyleRules: RULES,
  })
}

/** A value on one line, in flow style. */
export function writeFlowYaml(value: unknown): string {
  return dump(value, {
    schema: WRITE_SCHEMA,
    lineWidth: -1,
    noRefs: true,
    flowLevel: 0,
    quoteStyle: 'double',
  }).trimEnd()
}

/** Of private use: it means nothing in YAML, and stands plain as a value. */
const MARK = '\ue000'
/** What is before the key, of indentation and entries that begin there, says at which column it stands. */
const MARKED_LINE = /^((?: |- )*)(.*): \ue000([0-9]+)$/gm
/** Keys that stand before their value on one line, quoted or not; no index of a list is one. */
const SIMPLE_KEY = /^[A-Za-z][\w./-]{0,127}$/
/** Scalars, keys among them, from which on a list or map is worth a text of its own. */
const LEAST = 4

/**
 * Writes several objects as YAML, each to the same bytes as `writeYaml` does. Lists and maps that they have in common, as one
 * and the same object in memory, are printed once: DaemonSets of one template are nearly nothing else.
 */
export function yamlWriter(objects: readonly unknown[]): (value: unknown) => string {
  const shared = sharedIn(objects)
  const blocks = new Map<object, string>()
  const blockOf = (value: object): string => {
    // below a key, so that it is printed as at any depth but the first
    const block = blocks.get(value) ?? writeYaml({ x: value }).slice('x:'.length, -1)
    blocks.set(value, block)
    return block
  }
  return (value) => {
    const cut: object[] = []
    const rest = shared.size === 0 ? value : withoutShared(value, shared, cut)
    if (rest === undefined || cut.length === 0) return writeYaml(value)
    return writeYaml(rest).replace(MARKED_LINE, (_, before: string, key: string, index: string) => {
      const block = blockOf(cut[Number(index)] as object)
      return `${before}${key}:${block.replace(/^(?=[^\r\n])/gm, ' '.repeat(before.length))}`
    })
  }
}

/** The lists and maps that are met more than once, and are large enough. What they hold is not looked through again. */
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
    const members = Object.values(value)
    const size = members.reduce(
      (sum: number, member) => sum + sizeOf(member),
      Array.isArray(value) ? 0 : members.length,
    )
    if (size >= LEAST) sizes.set(value, size)
    return size
  }
  for (const object of objects) sizeOf(object)
  return shared
}

/** The value with a mark for each shared one below a simple key; undefined where a text of its own could be taken for a mark. */
function withoutShared(value: unknown, shared: ReadonlySet<unknown>, cut: object[]): unknown {
  if (typeof value === 'string') return value.includes(MARK) ? undefined : value
  if (typeof value !== 'object' || value === null) return value
  const rest: Record<string, unknown> | unknown[] = Array.isArray(value) ? [] : {}
  for (const [key, member] of Object.entries(value)) {
    const isCut = shared.has(member) && SIMPLE_KEY.test(key)
    const left = isCut ? `${MARK}${cut.push(member) - 1}` : withoutShared(member, shared, cut)
    if (left === undefined && member !== undefined) return undefined
    if (Array.isArray(rest)) rest.push(left)
    else setMember(rest, key, left)
  }
  return rest
}
