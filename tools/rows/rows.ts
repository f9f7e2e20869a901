/** How many rows each table of the Kubescape and korder specifications has. */
const TABLES: Record<string, number> = { N: 20, G: 12, R: 24, C: 24, F: 9, T: 23, O: 8, H: 41, M: 22, L: 20, V: 5 }
/** The tables of the specification of pools and actions, whose ids have two digits. */
const NODE_TABLES: Record<string, number> = { P: 52, K: 7, S: 19, A: 20 }
/** Rows that were added between two others. */
const BETWEEN = ['P27b', 'P40b', 'P41b', 'P45b']

/** The id of every row. */
export const ROWS: readonly string[] = [...idsOf(TABLES, 1), ...idsOf(NODE_TABLES, 2), ...BETWEEN]

function idsOf(tables: Readonly<Record<string, number>>, digits: number): string[] {
  return Object.entries(tables).flatMap(([letter, count]) =>
    Array.from({ length: count }, (_, index) => `${letter}${String(index + 1).padStart(digits, '0')}`),
  )
}

const LETTERS = Object.keys({ ...TABLES, ...NODE_TABLES }).join('')
const ID = new RegExp(`^([${LETTERS}][0-9]+b?)(?= |$)`)

/** The row that a test is of: its title begins with the id. */
export function rowOf(title: string): string | undefined {
  return ID.exec(title)?.[1]
}

/** The rows of the table in test/not-followed.md, each of which has a reason. */
export function excusedIn(page: string): string[] {
  return [...page.matchAll(/^\| ([A-Z][0-9]+b?) \| \S/gm)].map(([, id = '']) => id)
}

/** What does not fit between rows, titles of tests and reasons: a row with neither, a row with both, and an id that is no row. */
export function rowProblems(titles: readonly string[], excused: readonly string[]): string[] {
  const tested = titles.flatMap((title) => rowOf(title) ?? [])
  return [
    ...ROWS.filter((id) => !tested.includes(id) && !excused.includes(id)).map(
      (id) => `${id} has neither a test nor a reason`,
    ),
    ...ROWS.filter((id) => tested.includes(id) && excused.includes(id)).map(
      (id) => `${id} has both a test and a reason`,
    ),
    ...[...new Set([...tested, ...excused])].filter((id) => !ROWS.includes(id)).map((id) => `${id} is no row`),
  ]
}
