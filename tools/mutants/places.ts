import { editsOf } from './edits.ts'
import type { Block, Mutant } from './mutant.ts'
import { childrenOf, isSyntax, parse, type Syntax } from './syntax.ts'

/** A file's blocks, and every fault that its syntax offers, in the order of the text. */
export interface Places {
  readonly blocks: readonly Block[]
  readonly mutants: readonly Mutant[]
}

/** Reads one file; `file` is its path below the root. */
export function placesIn(file: string, text: string): Places {
  const blocks: Block[] = []
  const mutants: Mutant[] = []
  visit(parse(text))
  return { blocks, mutants: mutants.map((mutant) => ({ ...mutant, block: innermost(mutant.start) })) }

  function visit(node: Syntax): void {
    enter(node)
    for (const { kind, start, end, to } of editsOf(node, text))
      mutants.push({ file, kind, line: lineAt(text, start), start, end, from: text.slice(start, end), to, block: -1 })
    for (const child of childrenOf(node)) visit(child)
  }

  function enter(node: Syntax): void {
    const isBody = node.type === 'ArrowFunctionExpression' && isSyntax(node.body) && node.body.type !== 'BlockStatement'
    const body = isBody ? (node.body as Syntax) : node
    if (isBody || node.type === 'BlockStatement')
      blocks.push({ start: body.start, end: body.end, isExpression: isBody })
  }

  /** Blocks stand in the order in which they open, so that the last that holds a place is the innermost. */
  function innermost(place: number): number {
    return blocks.findLastIndex(({ start, end }) => start <= place && place < end)
  }
}

function lineAt(text: string, place: number): number {
  return text.slice(0, place).split('\n').length
}

/** The text with a mark in each block that says it was entered: `__seen[n] = 1`, n counted from `first`. */
export function marked(text: string, blocks: readonly Block[], first: number): string {
  const marks = blocks.flatMap(({ start, end, isExpression }, index) =>
    isExpression
      ? [
          { at: start, order: index, text: `(__seen[${first + index}] = 1, (` },
          { at: end, order: -index, text: '))' },
        ]
      : [{ at: start + 1, order: index, text: ` __seen[${first + index}] = 1;` }],
  )
  let out = text
  for (const mark of marks.sort((a, b) => b.at - a.at || b.order - a.order))
    out = out.slice(0, mark.at) + mark.text + out.slice(mark.at)
  return out
}
