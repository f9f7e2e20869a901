import { KubeError } from './error.ts'
import { SELECTOR_OPERATORS } from './label-selector.ts'
import { checkRequirement } from './requirements.ts'
import type { LabelSelector, LabelSelectorRequirement } from './types.ts'

const LONGEST_QUOTE = 200

const OPERATORS: Record<string, string> = {
  '=': 'In',
  '==': 'In',
  '!=': 'NotIn',
  '>': 'Gt',
  '<': 'Lt',
  in: 'In',
  notin: 'NotIn',
}

/**
 * Parses selector text as `kubectl -l` does (`labels.Parse`): `a=b`, `a!=b`, `a in (b, c)`, `a notin (b)`, `a`, `!a`,
 * `a>1`, `a<1`, joined by commas. Values of `In` and `NotIn` are sorted and deduplicated. Throws `KubeError`.
 */
export function parseSelector(text: string): LabelSelector {
  const reader = new Reader(text)
  const matchExpressions: LabelSelectorRequirement[] = []
  while (!reader.atEnd()) {
    const requirement = readRequirement(reader)
    checkRequirement(requirement, SELECTOR_OPERATORS)
    matchExpressions.push(requirement)
    if (reader.atEnd()) break
    reader.expect(',')
    if (!reader.nextIs('word', 'in', 'notin', '!')) reader.fail('an identifier after ","')
  }
  return matchExpressions.length === 0 ? {} : { matchExpressions }
}

function readRequirement(reader: Reader): LabelSelectorRequirement {
  const negated = reader.take('!')
  const key = reader.word()
  if (negated) return { key, operator: 'DoesNotExist' }
  if (reader.atEnd() || reader.nextIs(',')) return { key, operator: 'Exists' }
  const symbol = reader.next().kind
  const operator = Object.hasOwn(OPERATORS, symbol) ? OPERATORS[symbol] : undefined
  if (operator === undefined) return reader.fail('an operator: = == != in notin > <', -1)
  const values = symbol === 'in' || symbol === 'notin' ? readList(reader) : [readValue(reader)]
  return { key, operator, values: [...new Set(values)].sort() }
}

function readValue(reader: Reader): string {
  return reader.atEnd() || reader.nextIs(',') ? '' : reader.word()
}

/** `(a, b)`. Nothing between two commas, or in the parentheses, is the empty value. */
function readList(reader: Reader): string[] {
  reader.expect('(')
  const values: string[] = []
  for (;;) {
    values.push(reader.nextIs(',', ')') ? '' : reader.word())
    if (reader.take(')')) return values
    reader.expect(',')
  }
}

class Reader {
  readonly #text: string
  readonly #tokens: Token[]
  #at = 0

  constructor(text: string) {
    this.#text = text
    this.#tokens = tokenize(text)
  }

  atEnd(): boolean {
    return this.#at >= this.#tokens.length
  }

  nextIs(...kinds: string[]): boolean {
    const token = this.#tokens[this.#at]
    return token !== undefined && kinds.includes(token.kind)
  }

  next(): Token {
    const token = this.#tokens[this.#at++]
    return token ?? this.fail('more')
  }

  take(kind: string): boolean {
    if (!this.nextIs(kind)) return false
    this.#at++
    return true
  }

  expect(kind: string): void {
    if (!this.take(kind)) this.fail(`"${kind}"`)
  }

  /** Reads a key or value. `in` and `notin` are words where no operator can stand. */
  word(): string {
    return this.nextIs('word', 'in', 'notin') ? this.next().text : this.fail('an identifier')
  }

  fail(expected: string, offset = 0): never {
    const found = this.#tokens[this.#at + offset]?.text ?? 'the end'
    throw new KubeError(
      'SelectorSyntax',
      this.#text,
      `selector "${shortened(this.#text)}": found "${shortened(found)}", expected ${expected}`,
    )
  }
}

function shortened(text: string): string {
  return text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text
}

/** A token of selector text: `kind` is the symbol itself, `in`, `notin` or `word`. */
export interface Token {
  kind: string
  text: string
}

const SYMBOLS = new Set([')', ',', '!', '==', '=', '>', '<', '!=', '('])
const TOKEN = /[ \t\r\n]+|[=!(),><]+|[^ \t\r\n=!(),><]+/g

/**
 * Splits selector text as the lexer of `labels.Parse` does: the longest known prefix of a run of symbols is one token.
 */
function tokenize(text: string): Token[] {
  const tokens: Token[] = []
  for (const [piece] of text.matchAll(TOKEN)) {
    if (/^[ \t\r\n]/.test(piece)) continue
    if (/^[=!(),><]/.test(piece)) addSymbols(tokens, piece)
    else tokens.push({ kind: piece === 'in' || piece === 'notin' ? piece : 'word', text: piece })
  }
  return tokens
}

function addSymbols(tokens: Token[], run: string): void {
  for (let at = 0; at < run.length; ) {
    const two = run.slice(at, at + 2)
    const text = SYMBOLS.has(two) ? two : run.slice(at, at + 1)
    tokens.push({ kind: text, text })
    at += text.length
  }
}
