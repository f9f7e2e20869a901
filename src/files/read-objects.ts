import { readdirSync, readFileSync, statSync } from 'node:fs'
import { basename, extname, join, relative, sep } from 'node:path'
import { INDEX, PACKAGE_PATH, PATH } from '../krm/annotation.ts'
import { asObject } from '../krm/read-object.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { objectsIn } from './objects-in.ts'
import { isWithin, requireInside } from './paths.ts'
import { readAll, toText } from './stdio.ts'
import { progress, say } from './terminal.ts'
import { UserError } from './user-error.ts'

const EXTENSIONS = new Set(['.yaml', '.yml', '.json'])
const NOT_OBJECTS = new Set(['Kptfile', 'kustomization.yaml', 'kustomization.yml'])
const NOT_ENTERED = new Set(['.git', 'node_modules'])

/** A file, and the folder it was found in; undefined for a file that is an argument. */
interface Source {
  readonly file: string
  readonly root?: string
}

const STDIN: Source = { file: '-' }

/** Texts that replace files, by path below the folder as given; undefined leaves the file out. */
export type Instead = ReadonlyMap<string, string | undefined>

/** How files are found and read. */
export interface ReadOptions {
  /** The folder that links must stay in. */
  readonly within?: string
  /** The output folder, which is not read. */
  readonly except?: string
  readonly instead?: Instead
}

const NOTHING_INSTEAD: Instead = new Map()

/**
 * The objects of packages, files and stdin (`-`); Lists give their items. With several Kptfiles each folder with one is
 * a package; all other files are one scope. Items keep their source text. Throws `UserError` without files, and for a
 * file that links out of the folder `within`.
 */
export function readObjects(
  paths: readonly string[],
  { within, except, instead = NOTHING_INSTEAD }: ReadOptions = {},
): Item[] {
  const files = paths
    .flatMap((path) => (path === '-' ? [STDIN] : filesBelow(path, instead)))
    .filter(({ file }) => except === undefined || file === '-' || !isWithin(except, file))
  if (files.length === 0) throw new UserError(`no YAML or JSON files in ${paths.join(', ')}`)
  return itemsOf(files, within, instead)
}

/**
 * The earlier output: the objects of a file or folder. Without any it says so on stderr, since the path may be a typo.
 */
export function readEarlier(path: string, within?: string): Item[] {
  const isPresent = path === '-' || statSync(path, { throwIfNoEntry: false }) !== undefined
  const items = isPresent ? itemsOf(path === '-' ? [STDIN] : filesBelow(path), within) : []
  if (items.length === 0)
    say(`nodefit: ${isPresent ? `${path} is empty` : `there is no ${path}`}: nothing was rendered before\n`)
  return items
}

/** The objects of some files. */
export function readFiles(files: readonly string[]): Item[] {
  return itemsOf(files.map((file) => ({ file })))
}

function itemsOf(files: readonly Source[], within?: string, instead = NOTHING_INSTEAD): Item[] {
  if (within !== undefined) for (const { file } of files) requireInside(within, file)
  const packages = [...new Set(files.map(packageOf))]
  const severalPackages = packages.filter((path) => path !== '').length > 1
  return files.flatMap((source) => {
    const { file, root } = source
    const text = file === '-' ? readStdin() : (instead.get(file) ?? readFile(file))
    const place = {
      [PATH]: file === '-' ? 'stdin.yaml' : slashed(root === undefined ? basename(file) : relative(root, file)),
      ...(severalPackages ? { [PACKAGE_PATH]: packageOf(source) } : {}),
    }
    const name = file === '-' ? 'the input' : file
    return objectsIn(text, name).map(({ value, ...rest }, index) => {
      const object = asObject(value, `${name}, object ${index + 1}`)
      return { ...rest, object: withAnnotations(object, { ...place, [INDEX]: String(index) }) }
    })
  })
}

/** The object with the annotations that kpt would add; the source text has none. */
function withAnnotations(object: KubernetesObject, place: Record<string, string>): KubernetesObject {
  return { ...object, metadata: { ...object.metadata, annotations: { ...object.metadata.annotations, ...place } } }
}

function readStdin(): string {
  progress('reading stdin')
  return readAll(0)
}

function readFile(file: string): string {
  progress(`reading ${file}`)
  return toText(readFileSync(file), file)
}

function filesBelow(path: string, instead = NOTHING_INSTEAD): Source[] {
  const kind = statSync(path, { throwIfNoEntry: false })
  const given = [...instead].flatMap(([file, text]) =>
    text !== undefined && file.startsWith(path + sep) ? [file] : [],
  )
  if (kind === undefined && given.length === 0) throw new UserError(`there is no file or folder ${path}`)
  if (kind?.isDirectory() === false) return [{ file: path }]
  const found = (kind === undefined ? [] : below(path)).filter((file) => !instead.has(file))
  return [...found, ...given].map((file) => ({ file, root: path }))
}

function below(folder: string): string[] {
  const entries = readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return NOT_ENTERED.has(entry.name) || entry.name.startsWith('.') ? [] : below(path)
    return EXTENSIONS.has(extname(entry.name)) && !NOT_OBJECTS.has(basename(path)) ? [path] : []
  })
}

/** The nearest folder with a Kptfile, from that of the file up to the given folder; empty without one. */
function packageOf({ file, root }: Source): string {
  if (root === undefined) return ''
  for (let folder = join(file, '..'); ; folder = join(folder, '..')) {
    if (statSync(join(folder, 'Kptfile'), { throwIfNoEntry: false })?.isFile()) return slashed(folder)
    if (relative(root, folder) === '') return ''
  }
}

function slashed(path: string): string {
  return path.split(sep).join('/')
}
