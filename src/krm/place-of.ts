const LONGEST_QUOTE = 60

/** Where something is wrong in a text, as the end of a sentence: the line's number, from that of the first one, and the line. */
export function placeOf(text: string, line: number | undefined, firstLine: number): string {
  if (line === undefined) return ''
  const lines = text.split(/\r\n?|\n/)
  let last = Math.min(line, lines.length - 1)
  while (last > 0 && (lines[last] ?? '').trim() === '') last--
  const words = (lines[last] ?? '').trim()
  const quote = words.length > LONGEST_QUOTE ? `${words.slice(0, LONGEST_QUOTE)}…` : words
  return `, line ${firstLine + last}: ${quote}`
}
