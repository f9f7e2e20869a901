import { DEFAULT_SCALAR_STYLE_RULES, dump, SCALAR_STYLE, type ScalarStyleRule } from 'js-yaml'
import { WRITE_SCHEMA } from './go-schema.ts'

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
