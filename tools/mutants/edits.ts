import { isSyntax, type Syntax } from './syntax.ts'

/** An edit of the text: what stands from start to end becomes `to`. */
export interface Edit {
  readonly kind: string
  readonly start: number
  readonly end: number
  readonly to: string
}

/** Every small fault that can be made at a node, of the kinds that people make: each is other code, most of it of the same type. */
export function editsOf(node: Syntax, text: string): Edit[] {
  const at = (part: unknown): string => (isSyntax(part) ? text.slice(part.start, part.end) : '')
  const whole = (kind: string, to: string): Edit => ({ kind, start: node.start, end: node.end, to })
  switch (node.type) {
    case 'IfStatement':
    case 'ConditionalExpression':
      return isSyntax(node.test) && !SAYS_ITSELF.has(node.test.type)
        ? [{ kind: 'negate', start: node.test.start, end: node.test.end, to: `!(${at(node.test)})` }]
        : []
    case 'LogicalExpression':
      if (node.operator === '??') return [whole('only the default', at(node.right))]
      return [betweenOperands(node, text, 'and, or', node.operator === '&&' ? '||' : '&&')]
    case 'BinaryExpression': {
      const other = OTHER_OPERATOR.get(String(node.operator))
      const isText = [node.left, node.right].some((side) => isSyntax(side) && TEXTS.has(side.type))
      return other === undefined || (isText && other === '-') ? [] : [betweenOperands(node, text, other, other)]
    }
    case 'UnaryExpression':
      return node.operator === '!' ? [whole('drop !', at(node.argument))] : []
    case 'NumericLiteral':
      return [whole('one more', String(Number(node.value) + 1))]
    case 'BigIntLiteral':
      return [whole('one more', `${BigInt(String(node.value)) + 1n}n`)]
    case 'CallExpression':
    case 'OptionalCallExpression':
      return callEdits(node, at)
    case 'ArrayExpression':
      return listEdits(node.elements, text)
    case 'ObjectExpression':
      return listEdits(node.properties, text).filter(({ kind }) => kind === 'drop spread')
    case 'ExpressionStatement':
      return isSyntax(node.expression) && node.expression.type === 'CallExpression'
        ? [whole('drop statement', '{}')]
        : []
    case 'FunctionDeclaration':
    case 'ClassMethod':
      return earlyReturn(node, at)
    default:
      return []
  }
}

/** A test of these kinds is edited where it stands. */
const SAYS_ITSELF = new Set(['BinaryExpression', 'LogicalExpression', 'UnaryExpression'])
const TEXTS = new Set(['StringLiteral', 'TemplateLiteral'])

const OTHER_OPERATOR: ReadonlyMap<string, string> = new Map(
  Object.entries({
    '<': '<=',
    '<=': '<',
    '>': '>=',
    '>=': '>',
    '===': '!==',
    '!==': '===',
    '+': '-',
    '-': '+',
    '*': '+',
    '/': '*',
  }),
)

const OTHER_METHOD: ReadonlyMap<string, string> = new Map(
  Object.entries({
    some: 'every',
    every: 'some',
    startsWith: 'endsWith',
    max: 'min',
    min: 'max',
  }),
)

const DROPPED_METHODS = new Set(['filter', 'sort', 'toSorted', 'slice', 'reverse', 'toReversed'])

function callEdits(node: Syntax, at: (part: unknown) => string): Edit[] {
  const callee = node.callee
  if (!isSyntax(callee) || !isSyntax(callee.property) || !isSyntax(callee.object)) return []
  const name = at(callee.property)
  const other = OTHER_METHOD.get(name)
  if (other !== undefined)
    return [{ kind: `${name}, ${other}`, start: callee.property.start, end: callee.property.end, to: other }]
  return DROPPED_METHODS.has(name)
    ? [{ kind: `drop ${name}`, start: node.start, end: node.end, to: at(callee.object) }]
    : []
}

function betweenOperands(node: Syntax, text: string, kind: string, to: string): Edit {
  const { left, right } = node as unknown as { left: Syntax; right: Syntax }
  const start = text.indexOf(String(node.operator), left.end)
  return start < 0 || start > right.start
    ? { kind, start: left.end, end: right.start, to: ` ${to} ` }
    : { kind, start, end: start + String(node.operator).length, to }
}

/** A list without one of its spreads, or without its last entry. */
function listEdits(entries: unknown, text: string): Edit[] {
  const list = (Array.isArray(entries) ? entries : []).filter(isSyntax)
  const without = (entry: Syntax, kind: string): Edit => {
    const comma = /^\s*,/.exec(text.slice(entry.end))?.[0].length ?? 0
    return { kind, start: entry.start, end: entry.end + comma, to: '' }
  }
  const spreads = list.filter(({ type }) => type === 'SpreadElement').map((entry) => without(entry, 'drop spread'))
  const last = list.at(-1)
  return spreads.length > 0 || list.length < 2 || last === undefined ? spreads : [without(last, 'drop entry')]
}

/** A function that gives at once the empty value of the type that it says it gives. */
function earlyReturn(node: Syntax, at: (part: unknown) => string): Edit[] {
  const type = at(node.returnType).replace(/^:\s*/, '')
  const empty = EMPTY.find(([pattern]) => pattern.test(type))?.[1]
  if (!isSyntax(node.body) || empty === undefined) return []
  return [{ kind: 'return early', start: node.body.start + 1, end: node.body.start + 1, to: ` ${empty};` }]
}

const EMPTY: ReadonlyArray<readonly [RegExp, string]> = [
  [/\[\]$|^(?:Readonly)?Array</, 'return []'],
  [/\| undefined$/, 'return undefined'],
  [/^boolean$/, 'return true'],
  [/^string$/, "return ''"],
  [/^(?:Readonly)?Map</, 'return new Map()'],
  [/^(?:Readonly)?Set</, 'return new Set()'],
  [/^void$/, 'return'],
]
