import { lstatSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { AlikeTexts } from '../../krm/alike-texts.ts'
import { asObject } from '../../krm/read-object.ts'
import type { Item } from '../../krm/types.ts'
import { fileNameOf, KUSTOMIZATION, listedIn, MARK } from './manifest.ts'
import { objectsIn, refuseConflict } from './objects-in.ts'
import { readFiles } from './read-objects.ts'
import { readText } from './read-text.ts'
import { COMMIT } from './replace-files.ts'
import { UserError } from './user-error.ts'

const MANIFEST = /\.(?:yaml|yml|json)$/
const OTHER_KUSTOMIZATIONS = ['kustomization.yml', 'Kustomization']

/** An output folder and the files of nodefit in it. */
export interface OutputFolder {
  readonly path: string
  /** The text of each file with nodefit's mark, by name. */
  readonly files: ReadonlyMap<string, string>
}

/** The files to write to a folder and to remove from it. */
export interface FolderChange {
  readonly write: ReadonlyMap<string, string>
  readonly remove: readonly string[]
}

/** Reads an output folder; a missing one is empty. Throws `UserError` after an interrupted write. */
export function readOutputFolder(path: string): OutputFolder {
  const kind = statSync(path, { throwIfNoEntry: false })
  if (kind !== undefined && !kind.isDirectory()) throw new UserError(`${path} is not a folder`)
  const entries = kind === undefined ? [] : readdirSync(path, { withFileTypes: true })
  if (entries.some(({ name }) => name === COMMIT))
    throw new UserError(
      `a write into ${path} was interrupted: run nodefit build --output-dir ${path} again to complete it`,
    )
  const marked = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.yaml'))
    .map(({ name }) => [name, readNormalized(join(path, name))] as const)
    .filter(([name, text]) => {
      if (text.includes(MARK)) refuseConflict(text, join(path, name), path)
      return isMarked(text)
    })
    .sort(([left], [right]) => (left < right ? -1 : 1))
  return { path, files: new Map(marked) }
}

/** The objects in the files of an output folder. */
export function objectsOf({ path, files }: OutputFolder): Item[] {
  return readFiles([...files.keys()].filter((name) => name !== KUSTOMIZATION).map((name) => join(path, name)))
}

/**
 * The change that leaves these files in a folder and no other file of nodefit. Throws `UserError` where that would
 * overwrite or remove a file that nodefit did not write, or where a new kustomization.yaml would leave manifests in the
 * folder out.
 */
export function changeTo(folder: OutputFolder, wanted: ReadonlyMap<string, string>): FolderChange {
  const { path, files } = folder
  if (!files.has(KUSTOMIZATION)) refuseForeignManifests(path)
  const other = OTHER_KUSTOMIZATIONS.find((name) => exists(join(path, name)))
  if (other !== undefined)
    throw new UserError(
      `${join(path, other)} is beside ${KUSTOMIZATION}, and tools read only one of them: move it away`,
    )
  const alike = new AlikeTexts()
  refuseEditedList(folder, alike)
  const write = new Map([...wanted].filter(([name, text]) => files.get(name) !== text))
  const remove = [...files.keys()].filter((name) => !wanted.has(name) && isUnedited(folder, name, alike))
  for (const name of write.keys()) {
    if (name !== KUSTOMIZATION && exists(join(path, name)) && !isUnedited(folder, name, alike))
      throw editedError(path, name)
  }
  return { write, remove }
}

/** Refuses a list that users edited: nodefit would remove what they added. */
function refuseEditedList(folder: OutputFolder, alike: AlikeTexts): void {
  const { path, files } = folder
  const text = files.get(KUSTOMIZATION)
  if (text === undefined && !exists(join(path, KUSTOMIZATION))) return
  const listed = text === undefined ? undefined : listedIn(text)
  if (listed === undefined) throw editedError(path, KUSTOMIZATION)
  const added = listed.find((name) => exists(join(path, name)) && !isUnedited(folder, name, alike))
  if (added !== undefined) throw editedError(path, added)
}

/** Whether a file has the mark and the one object that its name says. */
function isUnedited({ path, files }: OutputFolder, name: string, alike: AlikeTexts): boolean {
  const text = files.get(name)
  if (text === undefined || name === KUSTOMIZATION) return text !== undefined
  try {
    const objects = objectsIn(text, join(path, name), alike)
    return objects.length === 1 && fileNameOf(asObject(objects[0]?.value, name)) === name
  } catch {
    return false
  }
}

/**
 * Refuses other manifests in a folder without a list: with one, Flux and Argo CD apply only listed files and prune the
 * rest.
 */
function refuseForeignManifests(path: string): void {
  if (!exists(path)) return
  const found = readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => MANIFEST.test(name))
    .sort()
    .find((name) => !isMarkedFile(join(path, name)))
  if (found !== undefined)
    throw new UserError(
      `${join(path, found)} was not written by nodefit, and the ${KUSTOMIZATION} of nodefit would not list it: give --output-dir its own folder`,
    )
}

/** The text of a file; a Git checkout may have given it CRLF line ends. */
function readNormalized(file: string): string {
  return readText(file).replaceAll('\r\n', '\n')
}

function isMarkedFile(file: string): boolean {
  return !lstatSync(file).isFile() || isMarked(readNormalized(file))
}

function isMarked(text: string): boolean {
  return text.startsWith(`${MARK}\n`)
}

function exists(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined
}

function editedError(path: string, name: string): UserError {
  return new UserError(
    `${join(path, name)} is not as nodefit wrote it: restore it (git restore ${join(path, name)}), or move it to another folder`,
  )
}
