import { parsers } from 'prettier/plugins/babel'

/** A node of the syntax tree, with where it stands in the text. */
export interface Syntax {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [field: string]: unknown
}

/** The tree of a TypeScript file. */
export function parse(text: string): Syntax {
  const parser = parsers['babel-ts']
  if (parser === undefined) throw new Error('no parser for TypeScript')
  return parser.parse(text, {} as Parameters<typeof parser.parse>[1]) as Syntax
}

/** The nodes right below one, in the order of the text; types, imports and what only throws are left out: no run shows them. */
export function childrenOf(node: Syntax): Syntax[] {
  return Object.entries(node)
    .filter(([field]) => !SKIPPED_FIELDS.has(field) && !(isOrder(node) && field !== 'test'))
    .flatMap(([, value]) => (Array.isArray(value) ? value : [value]))
    .filter(isSyntax)
    .filter(({ type }) => EXPRESSIONS_OF_TYPES.has(type) || !(type.startsWith('TS') || SKIPPED.has(type)))
    .sort((a, b) => a.start - b.start)
}

/** `a < b ? -1 : 1`: by how much one is before the other nobody asks. */
function isOrder({ type, consequent, alternate }: Syntax): boolean {
  const isNumber = (side: unknown): boolean =>
    isSyntax(side) && (side.type === 'NumericLiteral' || (side.type === 'UnaryExpression' && isNumber(side.argument)))
  return type === 'ConditionalExpression' && isNumber(consequent) && isNumber(alternate)
}

const SKIPPED_FIELDS = new Set(['comments', 'tokens', 'errors', 'loc', 'extra', 'leadingComments', 'trailingComments'])
const SKIPPED = new Set(['ImportDeclaration', 'ThrowStatement', 'TypeAnnotation'])
const EXPRESSIONS_OF_TYPES = new Set(['TSAsExpression', 'TSSatisfiesExpression', 'TSNonNullExpression'])

export function isSyntax(value: unknown): value is Syntax {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value
}
