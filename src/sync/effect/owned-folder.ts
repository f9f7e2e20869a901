import { lstatSync, readdirSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { writeWithSchema } from '../../files/manifest.ts'
import { objectsIn } from '../../files/objects-in.ts'
import { UserError } from '../../files/user-error.ts'
import { isError } from '../../finding/index.ts'
import { readInventory } from '../../inventory/index.ts'
import { KrmError } from '../../krm/error.ts'
import { asObject } from '../../krm/read-object.ts'
import { isTime } from '../../kube/index.ts'
import { isNodeInventory, type NodeInventory } from '../../policy/index.ts'
import { type Known, NOTHING_KNOWN } from '../nodes/known.ts'

export const INVENTORY = 'inventory.yaml'
export const WORKLOAD = 'workload.yaml'

/** What stands in the owned folder. */
export interface Owned {
  /** The texts of nodefit sync's own files, by name. */
  readonly files: ReadonlyMap<string, string>
  readonly known: Known
  /** When the nodes in Git were looked at, in milliseconds since 1970; undefined where there are none. */
  readonly observedAt?: number
}

/**
 * Reads the owned folder; one that is not there holds nothing. Throws `UserError` for whatever nodefit sync of this cluster did not write: it
 * would be lost, or be in the way.
 */
export function readOwned(
  root: string,
  { cluster, folder, output }: { cluster: string; folder: string; output?: string },
): Owned {
  const path = join(root, folder)
  const kind = lstatSync(path, { throwIfNoEntry: false })
  if (kind === undefined) return { files: new Map(), known: NOTHING_KNOWN }
  if (!kind.isDirectory()) throw new UserError(`${folder} is not a folder: nodefit sync needs one of its own`)
  const files = new Map<string, string>()
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    const place = `${folder}/${entry.name}`
    if (output !== undefined && isBelow(place, output)) continue
    const isOwn = entry.isFile() && (entry.name === INVENTORY || entry.name === WORKLOAD)
    if (!isOwn)
      throw new UserError(
        `${place} was not written by nodefit sync, which owns ${folder}: move it out of the folder, or give nodefit sync another one`,
      )
    files.set(entry.name, ownText(join(path, entry.name), place, cluster))
  }
  const text = files.get(INVENTORY)
  return text === undefined
    ? { files, known: NOTHING_KNOWN }
    : { files, ...readOwnInventory(text, `${folder}/${INVENTORY}`, cluster) }
}

/** A resource as a file of the owned folder. */
export function ownFile(cluster: string, resource: Record<string, unknown>): string {
  return `${markOf(cluster)}\n${writeWithSchema(resource)}`
}

/** The first line of each file of nodefit sync's; by it nodefit sync knows its own, and which cluster's. */
function markOf(cluster: string): string {
  return `# Written by nodefit sync of cluster ${cluster}, which rewrites this file: do not edit it.`
}

const ANY_MARK = /^# Written by nodefit sync of cluster ([^\s,]+), /

function ownText(file: string, place: string, cluster: string): string {
  const text = readFileSync(file, 'utf8').replaceAll('\r\n', '\n')
  const [, other] = ANY_MARK.exec(text) ?? []
  if (text.startsWith(`${markOf(cluster)}\n`)) return text
  if (other !== undefined && other !== cluster)
    throw new UserError(
      `${place} is of cluster ${other}, and this is ${cluster}: each cluster needs a folder of its own`,
    )
  throw new UserError(
    `${place} was not written by nodefit sync: delete it, and nodefit sync writes it anew, or give nodefit sync another folder`,
  )
}

function readOwnInventory(text: string, place: string, cluster: string): Pick<Owned, 'known' | 'observedAt'> {
  const broken = (why: string) =>
    new UserError(
      `${place} is not as nodefit sync wrote it: ${why}. Restore it, or delete it and nodefit sync writes it anew`,
    )
  try {
    const [object, another] = objectsIn(text, place).map(({ value }) => asObject(value, place))
    if (object === undefined || another !== undefined || !isNodeInventory(object))
      throw broken('it holds no NodeInventory')
    const { value: fleet, findings } = readInventory(object)
    const error = findings.find(isError)
    if (fleet === undefined || error !== undefined) throw broken(error?.sentence ?? 'it cannot be read')
    if (fleet.cluster !== cluster) throw broken(`its cluster is ${fleet.cluster}, and not ${cluster}`)
    const { labelKeys } = (object as unknown as NodeInventory).spec
    const { observedAt } = fleet
    const time = observedAt !== undefined && isTime(observedAt) ? Date.parse(observedAt) : undefined
    return { known: { shapes: fleet.shapes, labelKeys }, observedAt: time }
  } catch (error) {
    if (error instanceof KrmError) throw broken(error.message)
    throw error
  }
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: what ends a line of a commit's message
const CONTROL = /[\x00-\x1f\x7f]/

/** A path of a repository as Git writes it. Throws `UserError` for one that leads out of the repository. */
export function repositoryPath(path: string): string {
  const way = posix.normalize(path.replaceAll('\\', '/')).replace(/\/$/, '')
  const parts = way.split('/')
  if (path === '' || posix.isAbsolute(way) || parts.includes('..') || parts.includes('.git') || CONTROL.test(way))
    throw new UserError(`"${path}" is no path of the repository: it is written from its root, without .. and .git`)
  return way
}

/** Whether a path of a repository is a folder of it or lies below that. */
export function isBelow(folder: string, path: string): boolean {
  return folder === '.' || path === folder || path.startsWith(`${folder}/`)
}
