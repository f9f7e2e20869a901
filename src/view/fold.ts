import type { Finding, Severity } from '../finding/index.ts'

/** One line for findings of one kind: the first, and how many more there are. */
export interface Folded {
  readonly finding: Finding
  readonly more: number
}

const RANK: Record<Severity, number> = { error: 0, warning: 1, info: 2 }
/** Each error has to be mended, so that more of one kind are shown. */
const MOST: Record<Severity, number> = { error: 10, warning: 1, info: 1 }

/**
 * Findings most severe first, those of one code together; all but the first few of a code are counted on its last line.
 */
export function folded(findings: readonly Finding[], isWhole = false): Folded[] {
  const kinds = new Map<string, Finding[]>()
  for (const one of [...findings].sort((a, b) => RANK[a.severity] - RANK[b.severity])) {
    const kind = `${one.severity} ${one.code}`
    const own = kinds.get(kind)
    if (own === undefined) kinds.set(kind, [one])
    else own.push(one)
  }
  return [...kinds.values()].flatMap((own) => {
    const most = isWhole ? own.length : MOST[own[0]?.severity ?? 'error']
    const shown = own.slice(0, most)
    return shown.map((finding, index) => ({
      finding,
      more: index === shown.length - 1 ? own.length - shown.length : 0,
    }))
  })
}
