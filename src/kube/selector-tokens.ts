/** A piece of selector text: `kind` is the symbol itself, `in`, `notin`, or `word`. */
export interface Token {
  kind: string
  text: string
}

const SYMBOLS = new Set([')', ',', '!', '==', '=', '>', '<', '!=', '('])
const TOKEN = /[ \t\r\n]+|[=!(),><]+|[^ \t\r\n=!(),><]+/g

/** Splits selector text as the lexer of `labels.Parse` does: of a run of symbols the longest known prefix counts. */
export function tokenize(text: string): Token[] {
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
