import { basename, extname, join, relative, resolve, sep } from 'node:path'
import { AlikeTexts } from '../../krm/alike-texts.ts'
import { apiGroup, INDEX, LOCAL_CONFIG, PACKAGE_PATH, PATH, ROOT } from '../../krm/identity.ts'
import { KUSTOMIZATION_FILES, kustomizationObject } from '../../krm/kustomization.ts'
import { Effort, type Matches, wholePattern } from '../../krm/pattern.ts'
import type { Item } from '../../krm/types.ts'
import { type Document, objectsIn, placedItems, refuseConflict, withAnnotations } from './objects-in.ts'
import { isWithin, requireInside } from './paths.ts'
import { entriesOf, memoryCounter, type ReadLimits, readText, requireSmall, statOf } from './read-text.ts'
import { readAll } from './stdio.ts'
import { progress, say } from './terminal.ts'
import { UserError } from './user-error.ts'

const EXTENSIONS = new Set(['.yaml', '.yml', '.json'])
const NOT_OBJECTS = new Set(['Kptfile', 'resourcegroup.yaml'])
const KPT_GROUP = 'kpt.dev'
const NOT_ENTERED = new Set(['.git', 'node_modules'])

/** A file, and the folder it was found in; undefined for a file that is an argument. */
interface Source {
  readonly file: string
  readonly root?: string
  /** Whether it is a link to a folder. */
  readonly isFolderLink?: boolean
}

const STDIN: Source = { file: '-' }

/** Texts that replace files, by path below the folder as given; undefined leaves the file out. */
type Instead = ReadonlyMap<string, string | undefined>

/** How files are found and read. */
interface ReadOptions {
  /** The folder that links must stay in. */
  readonly within?: string
  /** The output folder, which is not read. */
  readonly except?: string
  readonly instead?: Instead
  /** Whether the files of kustomize are read too, each as local configuration; a file that is given is read anyway. */
  readonly kustomizations?: boolean
  readonly limits?: ReadLimits
  /** The documents of files that were read before, which stay as they are, by path; new ones are added. */
  readonly memo?: Map<string, readonly Document[]>
}

const NOTHING_INSTEAD: Instead = new Map()

/**
 * The objects of packages, files and stdin (`-`); Lists give their items. With several Kptfiles each folder with one is
 * a package; all other files are one scope. Items keep their source text. Throws `UserError` without files, and for a
 * file that links out of the folder `within`; `KrmError` for one that cannot be read.
 */
export function readObjects(paths: readonly string[], options: ReadOptions = {}): Item[] {
  const { except, instead = NOTHING_INSTEAD, kustomizations = false } = options
  const files = paths
    .flatMap((path) => (path === '-' ? [STDIN] : filesBelow(path, instead)))
    .filter(({ file }) => except === undefined || file === '-' || !isWithin(except, file))
    .filter((source) => kustomizations || !isKustomization(source))
  if (files.every(isKustomization)) throw new UserError(`no YAML or JSON files in ${paths.join(', ')}`)
  return itemsOf(files, options)
}

/**
 * The earlier output: the objects of a file or folder. Without any it says so on stderr, since the path may be a typo.
 */
export function readEarlier(path: string, within?: string): Item[] {
  const isPresent = path === '-' || statOf(path) !== undefined
  const sources = isPresent ? (path === '-' ? [STDIN] : filesBelow(path)) : []
  const items = itemsOf(
    sources.filter((source) => !isKustomization(source)),
    { within },
  )
  if (items.length === 0)
    say(`nodefit: ${isPresent ? `${path} is empty` : `there is no ${path}`}: nothing was rendered before\n`)
  return items
}

/** The objects of some files. */
export function readFiles(files: readonly string[]): Item[] {
  return itemsOf(files.map((file) => ({ file })))
}

function itemsOf(
  files: readonly Source[],
  { within, instead = NOTHING_INSTEAD, limits, memo }: ReadOptions = {},
): Item[] {
  const link = files.find(({ isFolderLink }) => isFolderLink === true)
  if (link !== undefined)
    throw new UserError(
      `${link.file} is a link to a folder, which is not followed: give the folder as a PATH of its own, put a copy there, or list ${basename(link.file)} in ${join(link.root ?? '.', KRMIGNORE)}`,
    )
  if (within !== undefined) for (const { file } of files) requireInside(within, file)
  const paths = files.flatMap(({ file }) => (file === '-' ? [] : [file]))
  if (limits !== undefined) requireSmall(paths, limits)
  const countMemory = limits === undefined ? undefined : memoryCounter(limits)
  const packages = [...new Set(files.map(packageOf))]
  const alike = new AlikeTexts()
  const severalPackages = packages.filter((path) => path !== '').length > 1
  return files.flatMap((source) => {
    const { file, root } = source
    const text = file === '-' ? readStdin() : (instead.get(file) ?? readFile(file, limits?.file))
    const place = {
      [PATH]: file === '-' ? 'stdin.yaml' : slashed(root === undefined ? basename(file) : relative(root, file)),
      ...(severalPackages ? { [PACKAGE_PATH]: packageOf(source) } : {}),
      ...(root === undefined ? {} : { [ROOT]: slashed(resolve(root)) }),
    }
    const name = file === '-' ? 'the input' : file
    refuseConflict(text, name)
    if (isKustomization(source)) {
      const { object, ...rest } = kustomizationObject(text)
      return [{ ...rest, text, object: withAnnotations(object, { ...place, [INDEX]: '0', [LOCAL_CONFIG]: 'true' }) }]
    }
    countMemory?.(text, name)
    const documents = (instead.has(file) ? undefined : memo?.get(file)) ?? objectsIn(text, name, alike)
    if (!instead.has(file)) memo?.set(file, documents)
    // what kpt writes for itself: other tools do not know its kinds
    return placedItems(documents, name, place).filter(
      ({ object }) => root === undefined || apiGroup(object.apiVersion) !== KPT_GROUP,
    )
  })
}

function readStdin(): string {
  progress('reading stdin')
  return readAll(0)
}

function readFile(file: string, limit?: number): string {
  progress(`reading ${file}`)
  return readText(file, limit)
}

function filesBelow(path: string, instead = NOTHING_INSTEAD): Source[] {
  const kind = statOf(path)
  const given = [...instead].flatMap(([file, text]) =>
    text !== undefined && file.startsWith(path + sep) ? [file] : [],
  )
  if (kind === undefined && given.length === 0) throw new UserError(`there is no file or folder ${path}`)
  if (kind?.isDirectory() === false) return [{ file: path }]
  const found = (kind === undefined ? [] : below(path, ignoresIn(path))).filter(({ file }) => !instead.has(file))
  return [...found, ...given.map((file) => ({ file }))].map((source) => ({ ...source, root: path }))
}

const KRMIGNORE = '.krmignore'
const NOTHING_IGNORED: Ignores = () => false
const ALL_IGNORED: Ignores = () => true

/** What the .krmignore of a package leaves out, by paths below it. */
function ignoresIn(folder: string): Ignores {
  const file = join(folder, KRMIGNORE)
  return statOf(file)?.isFile() ? readKrmignore(readFile(file)) : NOTHING_IGNORED
}

/**
 * The files below a folder that hold objects or are kustomize's. As in kpt, a .krmignore is that of a package, the
 * outermost folder included, and does not leave out a package in an ignored folder.
 */
function below(folder: string, ignores: Ignores, start = folder): Source[] {
  return entriesOf(folder).flatMap((entry): Source[] => {
    const path = join(folder, entry.name)
    const isLink = entry.isSymbolicLink() && statOf(path)?.isDirectory() === true
    if (entry.isDirectory() || isLink) {
      if (NOT_ENTERED.has(entry.name) || entry.name.startsWith('.')) return []
      const isIgnored = ignores(slashed(relative(start, path)), true)
      if (isLink) return isIgnored ? [] : [{ file: path, isFolderLink: true }]
      if (isPackage(path)) return below(path, ignoresIn(path))
      return below(path, isIgnored ? ALL_IGNORED : ignores, start)
    }
    if (ignores(slashed(relative(start, path)), false) || NOT_OBJECTS.has(entry.name)) return []
    return EXTENSIONS.has(extname(entry.name)) || isKustomization({ file: path }) ? [{ file: path }] : []
  })
}

function isKustomization({ file, isFolderLink }: Source): boolean {
  return KUSTOMIZATION_FILES.includes(basename(file)) && isFolderLink !== true
}

function isPackage(folder: string): boolean {
  return statOf(join(folder, 'Kptfile'))?.isFile() === true
}

/** The nearest folder with a Kptfile, from that of the file up to the given folder; empty without one. */
function packageOf({ file, root }: Source): string {
  if (root === undefined) return ''
  for (let folder = join(file, '..'); ; folder = join(folder, '..')) {
    if (isPackage(folder)) return slashed(folder)
    if (relative(root, folder) === '') return ''
  }
}

function slashed(path: string): string {
  return path.split(sep).join('/')
}

/** Whether the file or folder of a path below the package is ignored. */
type Ignores = (path: string, isFolder: boolean) => boolean

/** What each file may cost beside what the patterns do: a package may have any number of files. */
const STEPS_OF_A_FILE = 2_000
/** How much of a pattern a message shows. */
const MOST_SHOWN = 40

interface Pattern {
  readonly isAnchored: boolean
  readonly isForFolders: boolean
  readonly parts: readonly Matches[]
}

/**
 * Reads a .krmignore as kpt does (kyaml's ignoreFilesMatcher): a pattern with a leading slash is matched from the
 * folder of the file, any other against the last parts of a path, a trailing slash means folders only, and a pattern
 * behind `!` wins over all others. There is no `**`. Throws `UserError` for a pattern that is too long to be read.
 */
export function readKrmignore(text: string): Ignores {
  const effort = new Effort()
  const lines = text
    .split(/\r?\n/)
    .map((line) => line.replace(/^ +| +$/g, ''))
    .filter((line) => line.replaceAll('/', '') !== '' && !line.startsWith('#'))
  const ignored = lines.filter((line) => !line.startsWith('!')).map((line) => readPattern(line, effort))
  const accepted = lines.flatMap((line) => (/^!.*[^/]/.test(line) ? [readPattern(line.slice(1), effort)] : []))
  return (path, isFolder) => {
    effort.allow(STEPS_OF_A_FILE)
    const parts = path.split('/')
    const isAny = (patterns: readonly Pattern[]) => patterns.some((pattern) => matches(pattern, parts, isFolder))
    const isIgnored = isAny(ignored) && !isAny(accepted)
    if (effort.isSpent) throw new UserError('.krmignore: its patterns are too many for the files of the package')
    return isIgnored
  }
}

function readPattern(line: string, effort: Effort): Pattern {
  const parts = line
    .replace(/^\\#/, '#')
    .replace(/^\/+|\/+$/g, '')
    .split('/')
  return {
    isAnchored: line.startsWith('/'),
    isForFolders: line.endsWith('/'),
    parts: parts.map((part) => partPattern(part, effort)),
  }
}

/** What lies in an ignored folder is not reached, so only whole paths and their ends are compared. */
function matches({ isAnchored, isForFolders, parts }: Pattern, path: readonly string[], isFolder: boolean): boolean {
  if ((isForFolders && !isFolder) || path.length < parts.length) return false
  if (isAnchored && path.length !== parts.length) return false
  return path.slice(-parts.length).every((part, index) => parts[index]?.(part))
}

/** A part of a pattern as Go's filepath.Match reads it; a malformed one matches nothing. */
function partPattern(part: string, effort: Effort): Matches {
  let isMalformed = false
  const source = part.replaceAll(/\\(.)|\[(\^?)((?:\\.|[^\]\\])+)\]|[*?]|[^\\[*?]+|./g, (piece, escaped, not, set) => {
    if (escaped !== undefined) return literal(escaped)
    if (set !== undefined) return `[${not}${set.replaceAll(/\[/g, '\\[')}]`
    if (piece === '[' || piece === '\\') isMalformed = true
    if (piece === '*') return '.*'
    return piece === '?' ? '.' : literal(piece)
  })
  if (isMalformed) return () => false
  const matches = wholePattern(source, effort)
  if (matches === undefined && effort.isSpent) return () => false
  if (matches === undefined)
    throw new UserError(
      `.krmignore: a pattern of ${part.length} characters is too long: ${part.slice(0, MOST_SHOWN)}...`,
    )
  return matches
}

function literal(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&')
}
