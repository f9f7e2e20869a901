/** What loads a file that stands beside the program: Node.js, or a single executable from itself. */
declare const require: (name: string) => unknown

const PARTS = { api: './api.cjs', fn: './fn.cjs', page: './page.cjs', sync: './sync.cjs' } as const

/** Loads a part of the program that most commands do without, such as the client of the API server. */
export function loadPart<Part>(name: keyof typeof PARTS): Part {
  const file: string = PARTS[name]
  return require(file) as Part
}
