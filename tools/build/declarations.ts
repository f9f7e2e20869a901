/**
 * The declarations of the library as one file: what its entries export and what that mentions, out of the declaration files that tsc
 * writes. TypeScript 7 has no API by which a tool for this work could be used; what tsc writes is regular enough to be read as text:
 * each statement begins at the margin, each import is one line. The test of the package compiles a program with the outcome.
 */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** Where a name is declared, or at least exported. */
interface Reference {
  readonly file: string
  readonly name: string
}

interface Module {
  /** The text of each declaration, with its comment. */
  readonly declarations: ReadonlyMap<string, string>
  /** What its names stand for that other files declare. */
  readonly imports: ReadonlyMap<string, Reference>
  readonly reexports: ReadonlyMap<string, Reference>
  /** Files of which it exports everything. */
  readonly stars: readonly string[]
}

const STATEMENT = /^(?=\/\*\*|(?:export|import|declare|type|interface|const|class|function|abstract)\b)/m
const FROM = /^(import|export)(?: type)? (?:\{(.*)\}|\*) from '(\..+)';$/
const DECLARED = /^(?:export )?(?:declare )?(?:abstract )?(?:type|interface|const|function|class) (\w+)/
const COMMENT = /(\/\*[\s\S]*?\*\/)/
const INLINE_IMPORT = /\bimport\("(\.[^"]+)"\)\.(\w+)/g
const WORD = /(?<![.\w$])[A-Za-z_$][\w$]*/g

/** Collects declarations from the files of a folder, each under a name of its own in one text. */
export class Declarations {
  readonly #folder: string
  readonly #modules = new Map<string, Module>()
  /** By name in the bundle, the declaration that has it. */
  readonly #owners = new Map<string, Reference>()
  /** By name in the bundle, the text. */
  readonly #texts = new Map<string, string>()
  /** By name in the bundle, the names that its text mentions. */
  readonly #mentions = new Map<string, ReadonlySet<string>>()

  constructor(folder: string) {
    this.#folder = folder
  }

  get text(): string {
    return [...this.#texts.values()].join('')
  }

  /** Adds what a file exports, and all that it mentions. Returns the exported names. */
  add(file: string): string[] {
    const { declarations, reexports } = this.#moduleOf(file)
    const exported = [...declarations].filter(([, text]) => /^export /m.test(text)).map(([name]) => name)
    const names = [...exported, ...reexports.keys()].toSorted()
    for (const name of names) this.#owners.set(name, this.#declared({ file, name }))
    for (const name of names) this.#put(name)
    return names
  }

  /** The types that some names mention and that are not among them; one with parameters stands for what is made of it. */
  missing(names: readonly string[]): string[] {
    const reached = new Set(names)
    for (const name of reached) for (const inner of this.#mentions.get(name) ?? []) reached.add(inner)
    const isPlainType = (name: string) =>
      /^export (?:interface|type|declare class) \w+\b(?!<)/m.test(this.#texts.get(name) ?? '')
    return [...reached].filter((name) => !names.includes(name) && isPlainType(name))
  }

  /** Takes up the text of the declaration that has a name in the bundle, and of all that it mentions. */
  #put(given: string): void {
    const owner = this.#owners.get(given)
    if (owner === undefined || this.#texts.has(given)) return
    const { file, name } = owner
    const { declarations, imports } = this.#moduleOf(file)
    const mentions = new Set<string>()
    const nameFor = (target: Reference) => {
      const inner = this.#nameFor(this.#declared(target))
      mentions.add(inner)
      return inner
    }
    const renamed = (code: string) =>
      code
        .replaceAll(INLINE_IMPORT, (_, path: string, inner: string) =>
          nameFor({ file: besides(file, path), name: inner }),
        )
        .replaceAll(WORD, (word) => {
          if (word === name) return given
          const target = imports.get(word) ?? (declarations.has(word) ? { file, name: word } : undefined)
          return target === undefined ? word : nameFor(target)
        })
    const parts = this.#textOf(owner).split(COMMENT)
    this.#texts.set(given, parts.map((part) => (COMMENT.test(part) ? part : renamed(part))).join(''))
    this.#mentions.set(given, mentions)
    for (const inner of mentions) this.#put(inner)
  }

  /** The name of a declaration in the bundle: its own, or one that says that an exported one is made of it. */
  #nameFor(declared: Reference): string {
    for (const name of [declared.name, `Any${declared.name}`]) {
      const owner = this.#owners.get(name) ?? declared
      this.#owners.set(name, owner)
      if (this.#textOf(owner) === this.#textOf(declared)) return name
    }
    throw new Error(`${declared.file} declares a third ${declared.name}`)
  }

  #textOf({ file, name }: Reference): string {
    return this.#moduleOf(file).declarations.get(name) ?? ''
  }

  /** Where a name is declared that a file declares, imports or exports. */
  #declared({ file, name }: Reference): Reference {
    const { declarations, imports, reexports, stars } = this.#moduleOf(file)
    if (declarations.has(name)) return { file, name }
    const star = stars.find((one) => this.#moduleOf(one).declarations.has(name))
    const target = reexports.get(name) ?? imports.get(name) ?? (star === undefined ? undefined : { file: star, name })
    if (target === undefined) throw new Error(`${file} does not declare ${name}`)
    return this.#declared(target)
  }

  #moduleOf(file: string): Module {
    const known = this.#modules.get(file)
    if (known !== undefined) return known
    const made = readModule(file, readFileSync(join(this.#folder, file), 'utf8'))
    this.#modules.set(file, made)
    return made
  }
}

function readModule(file: string, text: string): Module {
  const declarations = new Map<string, string>()
  const imports = new Map<string, Reference>()
  const reexports = new Map<string, Reference>()
  const stars: string[] = []
  let comment = ''
  for (const statement of text.split(STATEMENT)) {
    if (statement.startsWith('/**')) {
      comment = statement
      continue
    }
    const [, keyword, members, path = ''] = FROM.exec(statement.trim()) ?? []
    const [, declared] = DECLARED.exec(statement) ?? []
    if (declared !== undefined) declarations.set(declared, `${declarations.get(declared) ?? ''}${comment}${statement}`)
    else if (keyword !== undefined && members === undefined) stars.push(besides(file, path))
    for (const member of members?.split(',').filter((one) => one.trim() !== '') ?? []) {
      const [name = '', local = name] = member
        .trim()
        .replace(/^type /, '')
        .split(' as ')
      const names = keyword === 'import' ? imports : reexports
      names.set(local, { file: besides(file, path), name })
    }
    comment = ''
  }
  return { declarations, imports, reexports, stars }
}

/** The declaration file that a path names, seen from another. */
function besides(file: string, path: string): string {
  return join(dirname(file), path).replace(/\.[jt]s$/, '.d.ts')
}
