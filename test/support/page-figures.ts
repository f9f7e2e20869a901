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

/** Every figure of a page. The path of one in a row with `data-base` follows that, unless it begins with a slash. */
export function figuresIn(page: string): PageFigure[] {
  let base = ''
  return [...page.matchAll(/<(\/?[a-z][a-z0-9]*)([^>]*)>([^<]*)/g)].flatMap(([, tag, attributes = '', text = '']) => {
    const [, own] = /\bdata-base=(\S+)/.exec(attributes) ?? []
    if (tag === 'tr' || tag === '/table') base = own ?? ''
    const [, path] = /\bdata-path=(\S+)/.exec(attributes) ?? []
    return path === undefined ? [] : [{ path: path.startsWith('/') ? path : `${base}/${path}`, text: unescaped(text) }]
  })
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
