import { joinPath, locationOf } from '../krm/identity.ts'
import { isKustomizationPath } from '../krm/kustomization.ts'
import { listOf, memberOf } from '../krm/map.ts'
import type { Item } from '../krm/types.ts'
import { indexBy, memoOf } from './memo.ts'

/** The annotation of an object that kustomize runs as a function. */
export const KUSTOMIZE_FUNCTION = 'config.kubernetes.io/function'

/** A file of kustomize in the input, and what it names, as locations. */
export interface Kustomization {
  readonly item: Item
  readonly file: string
  readonly folder: string
  /** The files and folders under `resources` and `bases`. */
  readonly lists: readonly string[]
  /** The folders under `components`, which change what the kustomization has gathered before. */
  readonly components: readonly string[]
  readonly transformers: readonly string[]
  readonly patches: readonly Patch[]
}

/** A patch or a replacement of a kustomization. */
export interface Patch {
  /** Its place in the file, such as `patches[0]`. */
  readonly field: string
  /** Which objects it changes; undefined where only its own text says so. */
  readonly target?: unknown
  /** Its file, if it has one. */
  readonly file?: string
  /** Its text, if it is written into the kustomization. */
  readonly text?: string
}

/** The kustomizations of the input, on hosts that show files. */
export interface Kustomizations {
  readonly all: readonly Kustomization[]
  /** The items of each file. */
  itemsAt(file: string): readonly Item[]
  /**
   * Returns the files that a build of a kustomization gathers, each with the kustomizations that change it, the
   * innermost first.
   */
  layers(kustomization: Kustomization): ReadonlyMap<string, readonly Kustomization[]>
  /** Whether an item is a patch: kustomize reads it, and no tool applies it. */
  isPatch(item: Item): boolean
}

/** Reads the kustomizations of a list. kustomize knows no globs: each entry is a file, a folder or an address. */
export function kustomizationsOf(items: readonly Item[]): Kustomizations {
  const all = items.flatMap((item) => {
    const file = locationOf(item)
    return file !== undefined && isKustomizationPath(file) ? [readKustomization(item, file)] : []
  })
  if (all.length === 0) return NONE
  const files = indexBy(items, (item) => locationOf(item) ?? '')
  const folders = new Map(all.map((one) => [one.folder, one]))
  const listed = new Set(all.flatMap(({ lists }) => lists))
  const patches = new Set(all.flatMap((one) => one.patches.flatMap(({ file }) => file ?? [])))
  const isPatch = (item: Item) => {
    const file = locationOf(item)
    return file !== undefined && patches.has(file) && !listed.has(file)
  }
  // asked for each policy
  const layers = memoOf((one: Kustomization) => layersBelow(one, folders, new Set()))
  return { all, itemsAt: (file) => files.get(file) ?? [], layers, isPatch }
}

const NONE: Kustomizations = { all: [], itemsAt: () => [], layers: () => new Map(), isPatch: () => false }

/** Whether a kustomization has an object under `transformers` that runs as a function, as a policy does. */
export function runsFunction({ transformers }: Kustomization, { all, itemsAt, layers }: Kustomizations): boolean {
  const files = transformers.flatMap((entry) => {
    const inner = all.find(({ folder }) => folder === entry)
    return inner === undefined ? [entry] : [...layers(inner).keys()]
  })
  return files.flatMap(itemsAt).some(({ object }) => object.metadata.annotations?.[KUSTOMIZE_FUNCTION] !== undefined)
}

type Folders = ReadonlyMap<string, Kustomization>

function layersBelow(one: Kustomization, folders: Folders, above: ReadonlySet<Kustomization>) {
  const found = new Map<string, readonly Kustomization[]>()
  // kustomize refuses a circle
  if (above.has(one)) return found
  const way = new Set([...above, one])
  const own = withComponents(one, folders, new Set())
  for (const entry of own.flatMap(({ lists }) => lists)) {
    const inner = folders.get(entry)
    if (inner === undefined) found.set(entry, own)
    else for (const [file, layers] of layersBelow(inner, folders, way)) found.set(file, [...layers, ...own])
  }
  return found
}

/** A kustomization behind its components, in the order in which they change what it has gathered. */
function withComponents(one: Kustomization, folders: Folders, above: ReadonlySet<Kustomization>): Kustomization[] {
  if (above.has(one)) return []
  const way = new Set([...above, one])
  const inner = one.components.flatMap((folder) => {
    const component = folders.get(folder)
    return component === undefined ? [] : withComponents(component, folders, way)
  })
  return [...inner, one]
}

function readKustomization(item: Item, file: string): Kustomization {
  const folder = joinPath(file, '..')
  const { object } = item
  const paths = (...fields: string[]) =>
    fields.flatMap((field) => listOf(object[field])).flatMap((entry) => (isPath(entry) ? joinPath(folder, entry) : []))
  return {
    item,
    file,
    folder,
    lists: paths('resources', 'bases'),
    components: paths('components'),
    transformers: paths('transformers'),
    patches: ['patches', 'patchesStrategicMerge', 'patchesJson6902', 'replacements'].flatMap((field) =>
      listOf(object[field]).flatMap((entry, index) => readPatch(entry, `${field}[${index}]`, folder)),
    ),
  }
}

function readPatch(entry: unknown, field: string, folder: string): Patch[] {
  if (typeof entry === 'string')
    return [isPath(entry) ? { field, file: joinPath(folder, entry) } : { field, text: entry }]
  const [path, text, target] = ['path', 'patch', 'target'].map((key) => memberOf(entry, key))
  const file = isPath(path) ? { file: joinPath(folder, path) } : {}
  const selected = listOf(memberOf(entry, 'targets')).map((one) => memberOf(one, 'select'))
  if (selected.length > 0) return selected.map((select) => ({ field, target: select, ...file }))
  return [{ field, target, ...file, ...(typeof text === 'string' ? { text } : {}) }]
}

/** Whether an entry can be a path: kustomize also takes YAML in its place. */
function isPath(entry: unknown): entry is string {
  return typeof entry === 'string' && entry !== '' && !entry.includes('\n')
}
