import { lstatSync, readdirSync } from 'node:fs'
import { join, posix } from 'node:path'
import { readInventory } from '../../../facts/inventory/index.ts'
import { isNodeInventory, type NodeInventory } from '../../../kinds/index.ts'
import { KrmError } from '../../../krm/error.ts'
import { isError } from '../../../krm/finding.ts'
import { PATH, ROOT } from '../../../krm/identity.ts'
import { asObject } from '../../../krm/read-object.ts'
import { ownerOf } from '../../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../../krm/types.ts'
import { isTime } from '../../../kube/index.ts'
import { writeWithSchema } from '../../files/manifest.ts'
import { objectsIn } from '../../files/objects-in.ts'
import { DEFAULT_LIMITS, readText } from '../../files/read-text.ts'
import { UserError } from '../../files/user-error.ts'
import { type KnownNodes, NO_KNOWN_NODES } from '../nodes/projected-node.ts'

export const INVENTORY_FILE = 'inventory.yaml'
export const WORKLOAD_FILE = 'workload.yaml'

/** The owned folder in Git. */
export interface OwnedFolder {
  /** The texts of its files, by name. */
  readonly files: ReadonlyMap<string, string>
  readonly known: KnownNodes
  /** The uid of the cluster in its inventory; undefined where it has none. */
  readonly clusterUid?: string
  /** Its files as nodefit sync wrote them, where somebody has edited the inventory since. */
  readonly written?: ReadonlyMap<string, string>
  /** The observedAt of its inventory, in milliseconds since 1970; undefined where it has none. */
  readonly observedAt?: number
}

/**
 * Reads the owned folder; a missing one is empty. What nodefit sync has last written as the inventory counts, where
 * that is known and is another text. Throws `UserError` for a file that nodefit sync of this cluster did not write: it
 * would be overwritten.
 */
export function readOwnedFolder(
  root: string,
  { cluster, folder, output }: { cluster: string; folder: string; output?: string },
  writtenInventory?: string,
): OwnedFolder {
  const path = join(root, folder)
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (stats === undefined) return { files: new Map(), known: NO_KNOWN_NODES }
  if (!stats.isDirectory())
    throw new UserError(`${folder} is not a folder: set git.folder to one for nodefit sync alone`)
  const files = new Map<string, string>()
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const place = `${folder}/${entry.name}`
    if (output !== undefined && isBelow(place, output)) continue
    const isOwned = entry.isFile() && (entry.name === INVENTORY_FILE || entry.name === WORKLOAD_FILE)
    if (!isOwned)
      throw new UserError(
        `${place} was not written by nodefit sync, which owns ${folder}: move it out of the folder, or set git.folder to another one`,
      )
    files.set(entry.name, readOwnedFile(join(path, entry.name), place, cluster))
  }
  const text = files.get(INVENTORY_FILE)
  if (text === undefined) return { files, known: NO_KNOWN_NODES }
  const place = `${folder}/${INVENTORY_FILE}`
  if (writtenInventory === undefined || writtenInventory === text)
    return { files, ...parseInventory(text, place, cluster) }
  // what somebody cut out of it is no baseline of guards
  const written = new Map([...files, [INVENTORY_FILE, writtenInventory]])
  return { files, written, ...parseInventory(writtenInventory, place, cluster) }
}

/** The text of a resource as a file of the owned folder. */
export function ownedFileText(cluster: string, resource: Record<string, unknown>): string {
  return `${markOf(cluster)}\n${writeWithSchema(resource)}`
}

/** The first line of a file of the owned folder, which identifies the writer and the cluster. */
function markOf(cluster: string): string {
  return `# Written by nodefit sync of cluster ${cluster}, which rewrites this file: do not edit it.`
}

const ANY_MARK = /^# Written by nodefit sync of cluster ([^\s,]+), /

function readOwnedFile(file: string, place: string, cluster: string): string {
  const text = readText(file, DEFAULT_LIMITS.packages).replaceAll('\r\n', '\n')
  const [, otherCluster] = ANY_MARK.exec(text) ?? []
  if (text.startsWith(`${markOf(cluster)}\n`)) return text
  if (otherCluster !== undefined && otherCluster !== cluster)
    throw new UserError(
      `${place} is of cluster ${otherCluster}, not of ${cluster}: set git.folder to a folder for this cluster alone`,
    )
  throw new UserError(
    `${place} was not written by nodefit sync: delete it to have it written again, or set git.folder to another folder`,
  )
}

/** Returns the text of the inventory in a checkout, whoever wrote it; undefined where there is none. */
export function inventoryInGit(root: string, folder: string): string | undefined {
  const file = join(root, folder, INVENTORY_FILE)
  if (lstatSync(file, { throwIfNoEntry: false })?.isFile() !== true) return undefined
  return readText(file, DEFAULT_LIMITS.packages).replaceAll('\r\n', '\n')
}

type InventoryInGit = Pick<OwnedFolder, 'known' | 'clusterUid' | 'observedAt'>

function parseInventory(text: string, place: string, cluster: string): InventoryInGit {
  const invalid = (why: string) =>
    new UserError(
      `${place} was changed after nodefit sync wrote it: ${why}. Restore it, or delete it to have it written again`,
    )
  try {
    const [object, another] = objectsIn(text, place).map(({ value }) => asObject(value, place))
    if (object === undefined || another !== undefined || !isNodeInventory(object))
      throw invalid('it must contain one NodeInventory')
    const { value: fleet, findings } = readInventory(object)
    const error = findings.find(isError)
    if (fleet === undefined || error !== undefined) throw invalid(error?.sentence ?? 'it cannot be read')
    if (fleet.cluster !== cluster) throw invalid(`its cluster is ${fleet.cluster}, not ${cluster}`)
    const { labelKeys } = (object as unknown as NodeInventory).spec
    const { observedAt, clusterUid } = fleet
    const time = observedAt !== undefined && isTime(observedAt) ? Date.parse(observedAt) : undefined
    const known = { shapes: fleet.shapes, labelKeys }
    return { known, ...(clusterUid === undefined ? {} : { clusterUid }), observedAt: time }
  } catch (error) {
    if (error instanceof KrmError) throw invalid(error.message)
    throw error
  }
}

/**
 * A sentence about nodes in the packages that do not come from the owned folder, since they would count twice; `owned`
 * is its inventory.
 */
export function otherNodeSource(items: readonly Item[], owned: string, cluster: string): string | undefined {
  for (const { object, text } of items) {
    if (ownerOf(object) !== undefined || text === owned) continue
    const spec = object.spec as { cluster?: unknown } | null | undefined
    const isNode = object.apiVersion === 'v1' && object.kind === 'Node'
    if (isNode || (isNodeInventory(object) && spec?.cluster === cluster))
      return `${object.kind} ${object.metadata.name} in ${placeOf(object)} duplicates the inventory of cluster ${cluster} that nodefit sync writes: remove that file, or leave it out of packages`
  }
  return undefined
}

/** The file of an object of the packages. */
function placeOf({ metadata: { annotations } }: KubernetesObject): string {
  const [path, root] = [PATH, ROOT].map((key) => annotations?.[key])
  if (typeof path !== 'string') return 'the packages'
  return typeof root === 'string' ? `${root}/${path}` : path
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these end a line of a commit message
const CONTROL = /[\x00-\x1f\x7f]/

/** A normalized path from the root of the repository. Throws `UserError` for one that leads out of it. */
export function repositoryPath(path: string): string {
  const normalized = posix.normalize(path.replaceAll('\\', '/')).replace(/\/$/, '')
  const parts = normalized.split('/')
  const isOutside = path === '' || posix.isAbsolute(normalized) || parts.includes('..') || parts.includes('.git')
  if (isOutside || CONTROL.test(normalized))
    throw new UserError(`"${path}" must be a path from the root of the repository, without .. and .git`)
  return normalized
}

/** Whether a path is a folder or lies below it. */
export function isBelow(folder: string, path: string): boolean {
  return folder === '.' || path === folder || path.startsWith(`${folder}/`)
}
