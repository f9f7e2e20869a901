/** A document of a YAML stream: its text, and the line of the file that it begins in. */
export interface DocumentText {
  readonly text: string
  readonly firstLine: number
}

const MARKER = /^---(?=[ \t\r\n]|$)/gm
const REST_OF_MARKER = /^[ \t]*(?:#.*)?\r?\n/

/** The documents of a stream, those of comments alone left out; what stands on the line of a marker belongs to its document. */
export function documentsOf(stream: string): DocumentText[] {
  const documents: DocumentText[] = []
  let line = 1
  const add = (start: number, end: number) => {
    const piece = stream.slice(start, end)
    const rest = start === 0 ? undefined : REST_OF_MARKER.exec(piece)?.[0]
    const text = piece.slice(rest?.length ?? 0).replace(/^\.\.\.[ \t]*\r?$/gm, '')
    if (/^[ \t]*[^#\s]/m.test(text)) documents.push({ text, firstLine: rest === undefined ? line : line + 1 })
    line += piece.split('\n').length - 1
  }
  let start = 0
  for (const { index } of stream.matchAll(MARKER)) {
    add(start, index)
    start = index + '---'.length
  }
  add(start, stream.length)
  return documents
}
