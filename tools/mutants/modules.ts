import { readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Script } from 'node:vm'
import { transformSync } from 'esbuild'

type Loaded = { exports: unknown }
type Code = (module: Loaded, exports: unknown, require: (name: string) => unknown, url: string) => void

/** What modules get instead of a package. */
type Instead = Readonly<Record<string, unknown>>

/**
 * The modules of the tree, run in this process from their text. A world is one evaluation of them: what a fault cannot
 * change is taken from the world without faults, so that one fault costs the evaluation of what imports it, and no process.
 */
export class Modules {
  private readonly codes = new Map<string, Code>()
  private readonly importers: ReadonlyMap<string, ReadonlySet<string>>
  private readonly sound = new Map<string, Loaded>()
  private readonly require: NodeJS.Require

  private readonly root: string
  private readonly instead: Instead
  private readonly textOf: (path: string) => string

  constructor(root: string, instead: Instead, textOf = (path: string) => readFileSync(path, 'utf8')) {
    this.root = root
    this.instead = instead
    this.textOf = textOf
    this.require = createRequire(join(root, 'package.json'))
    this.importers = importersIn(root)
  }

  /** A world of its own; with a text for one file, that file and all that import it are evaluated anew. */
  world(changed?: { readonly path: string; readonly text: string }): (path: string) => unknown {
    const own = new Map<string, Loaded>()
    const touched = changed === undefined ? new Set<string>() : this.importersOf(changed.path)
    const code = changed === undefined ? undefined : compiled(changed.path, changed.text)
    const load = (path: string): unknown => {
      const isOwn = touched.has(path) || path.endsWith('.test.ts')
      const loaded = isOwn ? own : this.sound
      const known = loaded.get(path)
      if (known !== undefined) return known.exports
      const module: Loaded = { exports: {} }
      loaded.set(path, module)
      const run = path === changed?.path && code !== undefined ? code : this.codeOf(path)
      try {
        run(module, module.exports, (name) => this.resolved(name, path, load), pathToFileURL(path).href)
      } catch (error) {
        loaded.delete(path)
        throw error
      }
      return module.exports
    }
    return load
  }

  private resolved(name: string, from: string, load: (path: string) => unknown): unknown {
    if (Object.hasOwn(this.instead, name)) return this.instead[name]
    if (name !== '#validators' && !name.startsWith('.')) return this.require(name)
    return load(name === '#validators' ? join(this.root, 'dist/validators.js') : join(dirname(from), name))
  }

  private codeOf(path: string): Code {
    const code = this.codes.get(path) ?? compiled(path, this.textOf(path))
    this.codes.set(path, code)
    return code
  }

  /** A file, and what imports it, itself or by way of others. */
  importersOf(path: string): Set<string> {
    const found = new Set([path])
    for (const one of found) for (const importer of this.importers.get(one) ?? []) found.add(importer)
    return found
  }
}

/** Who imports whom, by the files' own words. */
function importersIn(root: string): Map<string, Set<string>> {
  const importers = new Map<string, Set<string>>()
  for (const path of ['src', 'test', 'tools/mutants'].flatMap((folder) => filesIn(join(root, folder))))
    for (const [, name = ''] of readFileSync(path, 'utf8').matchAll(/(?:from|import) '(\.[^']+)'/g)) {
      const target = join(dirname(path), name)
      importers.set(target, (importers.get(target) ?? new Set()).add(path))
    }
  return importers
}

/** The TypeScript files of a folder and those below it, in order. */
export function filesIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))
    .map((file) => join(folder, file))
    .sort()
}

function compiled(path: string, text: string): Code {
  const { code } = transformSync(text, {
    loader: path.endsWith('.ts') ? 'ts' : 'js',
    format: 'cjs',
    target: 'node20',
    define: { 'import.meta.url': '__url' },
  })
  return new Script(`(function (module, exports, require, __url) {${code}\n})`, { filename: path }).runInThisContext()
}
