/** A figure of a page: the path that it names, and what it shows. */
export interface PageFigure {
  readonly path: string
  readonly text: string
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }

/** The text of a piece of HTML without markup. */
export function unescaped(text: string): string {
  return text.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => ENTITIES[name] ?? '')
}

/**
 * Every figure of a page. The path of one in a row with `data-base` follows that, unless it begins with a slash; that of
 * a cell in a table with `data-rows` is the path of the table, its row and its column.
 */
export function figuresIn(page: string): PageFigure[] {
  let base = ''
  let table: { readonly path: string; readonly columns: string[] } | undefined
  let row: string | undefined
  let cell = 0
  return [...page.matchAll(/<(\/?[a-z][a-z0-9]*)([^>]*)>([^<]*)/g)].flatMap(([, tag, attributes = '', text = '']) => {
    const value = (name: string) => new RegExp(`\\b${name}=(\\S+)`).exec(attributes)?.[1]?.replaceAll('"', '')
    if (tag === 'tr' || tag === '/table') base = value('data-base') ?? ''
    const path = value('data-path')
    if (path !== undefined) return [{ path: resolved(base, path), text: unescaped(text) }]
    const rows = value('data-rows')
    if (tag === 'table') table = rows === undefined ? undefined : { path: rows, columns: [] }
    if (tag === 'tr') {
      row = value('data-row')
      cell = 0
    } else if (table !== undefined && (tag === 'th' || tag === 'td')) {
      if (row === undefined) table.columns.push(value('data-column') ?? '')
      else {
        const column = table.columns[cell++] ?? ''
        const shown = text.trim()
        if (column !== '' && shown !== '')
          return [{ path: resolved(`${table.path}/${row}`, column), text: unescaped(shown) }]
      }
    }
    return []
  })
}

/** A path from a base, with `..` for what is above. */
export function resolved(base: string, path: string): string {
  if (path.startsWith('/')) return path
  const keys = base.split('/')
  for (const key of path.split('/')) {
    if (key === '..') keys.pop()
    else keys.push(key)
  }
  return keys.join('/')
}

/** What a JSON pointer (RFC 6901) finds; undefined where there is nothing. */
export function valueAt(document: unknown, pointer: string): unknown {
  return pointer
    .split('/')
    .slice(1)
    .reduce<unknown>((value, key) => (value as Record<string, unknown> | undefined)?.[key], document)
}

/** The figures that are not what the document has at their path, in words. */
export function wrongFigures(figures: readonly PageFigure[], document: unknown): string[] {
  return figures.flatMap(({ path, text }) => {
    const value = valueAt(document, path)
    const isScalar = typeof value === 'string' || typeof value === 'number'
    return isScalar && String(value) === text ? [] : [`${path} is ${JSON.stringify(value)}, the page shows ${text}`]
  })
}

/** The tags of a page in their order, without attributes: its structure. */
export function tagsIn(page: string): string[] {
  return [...page.matchAll(/<(\/?[a-zA-Z!][a-zA-Z0-9]*)/g)].map(([, tag = '']) => tag)
}
