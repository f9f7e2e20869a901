import { type Kustomization, kustomizationsOf, type World } from '../core/index.ts'
import { type Finding, listNames } from '../krm/finding.ts'
import { describe, identityOf, isLocalConfig, joinPath, locationOf, pathOf } from '../krm/identity.ts'
import { withResources } from '../krm/kustomization.ts'
import { TEMPLATE } from '../krm/remembered.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import type { Change, PlannedChanges } from './change.ts'
import { finding } from './codes.ts'

/** What a package is after the changes so far. */
interface Changed {
  readonly planned: readonly PlannedChanges[]
  readonly changes: readonly Change[]
  readonly current: (item: Item) => Item
  /** Whether the run only checks and writes nothing. */
  readonly isCheck: boolean
}

/** A rendered file that a kustomization does not list. */
interface Unlisted {
  readonly by: Kustomization
  readonly file: string
  readonly subject: KubernetesObject
  /** What is retired for the objects of the file; undefined where nothing is, or the kustomization never applied it. */
  readonly template?: Item | undefined
  /** Whether the kustomization lists nothing of the subject: it is the nearest, and may be about something else. */
  readonly isForeign: boolean
}

/**
 * Holds the rendered files of a package against its kustomizations: a tool that builds one applies only what it lists.
 * A kustomization of the package that is written by this run gets the missing entries, and loses those of files that
 * the run empties, or somebody has moved; any other is `FileNotListed`, an error where a template is retired for the
 * file.
 */
export function listFiles(
  { planned, changes, current, isCheck }: Changed,
  world: World,
): { replaced: Map<Item, Item>; findings: Finding[] } {
  const { all } = world.kustomizations
  const replaced = new Map<Item, Item>()
  if (all.length === 0) return { replaced, findings: [] }
  const missing = planned.flatMap((one) => unlistedFiles(one, current, world))
  const emptied = emptiedFiles(changes, world)
  const rendered = changes.flatMap((change) => (isInPackage(change, world) ? fileOf(change.after) : []))
  const findings = all.flatMap((by) => {
    const own = new Map(missing.filter((one) => one.by === by).map((one) => [one.file, one]))
    const isOurs = world.holds(by.item) && by.item.opaque === undefined
    const gone = isOurs ? movedFrom(by, rendered, world) : new Set<string>()
    const removed = isOurs ? by.lists.filter((file) => emptied.has(file) || gone.has(file)) : []
    const wanted = [...own.values()].flatMap(({ file, isForeign }) =>
      isOurs && !isForeign && isBelow(by, file) ? [file] : [],
    )
    const edited = wanted.length + removed.length > 0 && withEntries(by, current(by.item), wanted, removed)
    // without a text of its own it would be written anew, without its anchors
    const addable = edited && (edited.text !== undefined || by.item.text === undefined) ? wanted : []
    const isWritten = world.keepsFiles && !isCheck && addable.length + removed.length > 0
    if (isWritten) replaced.set(by.item, withEntries(by, current(by.item), addable, removed))
    return [
      ...(isWritten ? editFindings(by, addable, removed) : []),
      ...[...own.values()].flatMap((one) => {
        const isAddable = addable.includes(one.file)
        return isWritten && isAddable ? [] : unlistedFinding(one, isAddable)
      }),
    ]
  })
  return { replaced, findings }
}

/**
 * The rendered files of a subject that a build of what lists its template, its policy or another of its files does not
 * gather; without such a list, those that the nearest kustomization does not.
 */
function unlistedFiles({ changes, source, subject }: PlannedChanges, current: (item: Item) => Item, world: World) {
  const { all, layers } = world.kustomizations
  const files = [
    ...new Set(changes.flatMap((change) => (isInPackage(change, world) ? fileOf(change.after) : []))),
  ].sort()
  if (files.length === 0) return []
  const template = current(source ?? subject)
  const isRetired = template.object.metadata.annotations?.[TEMPLATE] === 'true'
  const parts = new Set([...fileOf(template), ...fileOf(subject), ...files])
  const lists = all.filter((one) => one.lists.some((file) => parts.has(file)))
  const gathered = new Map(all.map((one) => [one, layers(one)]))
  const place = { subject: subject.object, isForeign: lists.length === 0, ...(isRetired ? { template } : {}) }
  return files.flatMap((file): Unlisted[] => {
    if (lists.length > 0)
      return lists.filter((by) => !gathered.get(by)?.has(file)).map((by) => ({ by, file, ...place }))
    const by = nearestAbove(file, all)
    if (by === undefined) return []
    // one that cannot be read may list all of it
    return [{ by, file, ...place, template: by.item.opaque === undefined ? undefined : place.template }]
  })
}

/** Whether a rendered object is in a file of the package when the run is over, and is applied from there. */
function isInPackage({ kind, before, after }: Change, { keepsFiles, holds }: World): boolean {
  if (after === undefined || kind === 'released' || isLocalConfig(after.object.metadata.annotations)) return false
  return keepsFiles || (before !== undefined && holds(before))
}

function fileOf(item: Item | undefined): string[] {
  const file = item && locationOf(item)
  return file === undefined ? [] : [file]
}

/** The files of which the run removes every object. */
function emptiedFiles(changes: readonly Change[], { holds, kustomizations }: World): ReadonlySet<string> {
  const isHeld = (item: Item | undefined): item is Item => item !== undefined && holds(item)
  const kept = new Set(changes.flatMap(({ after }) => fileOf(after)))
  const left = changes.filter(({ kind }) => kind === 'removed').flatMap(({ before }) => (isHeld(before) ? before : []))
  const leaving = new Set(left)
  const files = left.flatMap((item) => fileOf(item))
  return new Set(
    files.filter((file) => !kept.has(file) && kustomizations.itemsAt(file).every((item) => leaving.has(item))),
  )
}

/**
 * The entries of a kustomization from which somebody has moved a rendered file: nothing is there any more, and a file
 * of the same name elsewhere is rendered. kustomize builds nothing where an entry is missing.
 */
function movedFrom(by: Kustomization, rendered: readonly string[], { items, kustomizations }: World): Set<string> {
  const nameIn = (file: string) => file.slice(file.lastIndexOf('/') + 1)
  const names = new Set(rendered.filter((file) => isBelow(by, file)).map(nameIn))
  const candidates = by.lists.filter((file) => /\.ya?ml$/.test(file) && names.has(nameIn(file)))
  if (candidates.length === 0) return new Set()
  const files = new Set([...items.flatMap(fileOf), ...rendered])
  return new Set(candidates.filter((file) => !files.has(file) && kustomizations.itemsAt(file).length === 0))
}

/** The kustomization of the folder that is nearest above a file. */
function nearestAbove(file: string, all: readonly Kustomization[]): Kustomization | undefined {
  const above = all.filter((one) => isBelow(one, file))
  return above.sort((left, right) => right.folder.length - left.folder.length)[0]
}

/** kustomize reads files only in or below the folder of the kustomization. */
function isBelow({ folder }: Kustomization, file: string): boolean {
  return folder === '' || file.startsWith(`${folder}/`)
}

/** The path of a file from the folder of a kustomization. */
function entryFor({ folder }: Kustomization, file: string): string {
  const [from, to] = [folder, file].map((path) => path.split('/').filter((part) => part !== '')) as [string[], string[]]
  const common = from.findIndex((part, index) => part !== to[index])
  const shared = common < 0 ? from.length : common
  return [...from.slice(shared).map(() => '..'), ...to.slice(shared)].join('/')
}

/** The kustomization with other entries under `resources`; the rest of its text stays as it is. */
function withEntries(by: Kustomization, item: Item, added: readonly string[], removed: readonly string[]): Item {
  const isGone = (entry: unknown) => typeof entry === 'string' && removed.includes(joinPath(by.folder, entry))
  return withResources(
    item,
    added.map((file) => entryFor(by, file)),
    isGone,
  )
}

/**
 * Returns the kustomization that has to list an output folder, with the entry: it lists a source that its user keeps
 * back, and no kustomization lists what is rendered from it. Undefined where there is none. `twice` names the files
 * that it gathers and of which the folder holds an object as well: kustomize refuses what it finds twice.
 */
export function listFolder(
  items: readonly Item[],
  sources: readonly Item[],
  folder: string,
  held: readonly Item[],
): { file: string; entry: string; text: string; twice?: string } | undefined {
  const { all, layers, itemsAt } = kustomizationsOf(items)
  if (all.some(({ lists }) => lists.includes(folder))) return undefined
  const kept = new Set(sources.filter(({ object }) => isLocalConfig(object.metadata.annotations)).flatMap(fileOf))
  const by = all.find((one) => isBelow(one, folder) && one.lists.some((file) => kept.has(file)))
  if (by === undefined || by.item.opaque !== undefined) return undefined
  const { text } = withEntries(by, by.item, [folder], [])
  if (text === undefined) return undefined
  const known = new Set(held.map(({ object }) => identityOf(object)))
  const isHeld = ({ object }: Item) => !isLocalConfig(object.metadata.annotations) && known.has(identityOf(object))
  const twice = [...layers(by).keys()].filter((file) => itemsAt(file).some(isHeld)).map((file) => entryFor(by, file))
  return { file: by.file, entry: entryFor(by, folder), text, ...(twice.length > 0 ? { twice: listNames(twice) } : {}) }
}

const BY_HAND = 'Add the file to resources of that kustomization.yaml, which reads files in or below its folder.'

function editFindings(by: Kustomization, added: readonly string[], removed: readonly string[]): Finding[] {
  const words = (files: readonly string[]) => listNames(files.map((file) => entryFor(by, file)))
  const parts = [
    ...(added.length > 0 ? [`now lists ${words(added)}`] : []),
    ...(removed.length > 0 ? [`no longer lists ${words(removed)}, in which nothing is left`] : []),
  ]
  return parts.length === 0 ? [] : [finding('FileListed', `${pathText(by)} ${parts.join(', and ')}`)]
}

/** `isAddable`: kpt fn render adds the entry. */
function unlistedFinding({ by, file, subject, template }: Unlisted, isAddable: boolean): Finding {
  const { opaque } = by.item
  const why = opaque === undefined ? 'does not list' : 'cannot be read, and has to list'
  const end =
    template === undefined ? '' : `; ${describe(template.object)}, from which it is rendered, is not applied either`
  const entry = entryFor(by, file)
  const cause = opaque === undefined ? '' : ` (${opaque.message})`
  const sentence = `${pathText(by)} ${why} ${entry}, which is rendered${end}${cause}`
  const field = { path: 'resources', proposedValue: entry }
  const mend = opaque === undefined ? BY_HAND : `Correct what cannot be read. ${BY_HAND}`
  const found = finding('FileNotListed', sentence, { subject, field, ...(isAddable ? {} : { mend }) })
  return template === undefined ? { ...found, severity: 'warning' } : found
}

function pathText({ item, file }: Kustomization): string {
  return pathOf(item) ?? file
}
