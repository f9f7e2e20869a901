import { lstatSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { asObject } from '../krm/read-object.ts'
import type { Item } from '../krm/types.ts'
import { objectsIn } from './objects-in.ts'
import { fileNameOf, KUSTOMIZATION, listedIn, MARK } from './output-files.ts'
import { readFiles } from './read-objects.ts'
import { COMMIT } from './replace-files.ts'
import { toText } from './stdio.ts'
import { UserError } from './user-error.ts'

const MANIFEST = /\.(?:yaml|yml|json)$/
const OTHER_KUSTOMIZATIONS = ['kustomization.yml', 'Kustomization']

/** What stands in an output folder. */
export interface OutputFolder {
  readonly path: string
  /** The files with nodefit's mark, by name, with their text. */
  readonly own: ReadonlyMap<string, string>
}

/** What has to be done to a folder so that it holds some files. */
export interface FolderChange {
  readonly write: ReadonlyMap<string, string>
  readonly remove: readonly string[]
}

/** Reads an output folder; one that is not there holds nothing. Throws `UserError` where a write into it did not end. */
export function readOutputFolder(path: string): OutputFolder {
  const kind = statSync(path, { throwIfNoEntry: false })
  if (kind !== undefined && !kind.isDirectory()) throw new UserError(`${path} is not a folder`)
  const entries = kind === undefined ? [] : readdirSync(path, { withFileTypes: true })
  if (entries.some(({ name }) => name === COMMIT))
    throw new UserError(`a write into ${path} did not end: run nodefit build --output-dir ${path} again, which ends it`)
  const own = entries
    .filter((entry) => entry.isFile() && entry.name.endsWith('.yaml'))
    .map(({ name }) => [name, textOf(join(path, name))] as const)
    .filter(([, text]) => isMarked(text))
    .sort(([left], [right]) => (left < right ? -1 : 1))
  return { path, own: new Map(own) }
}

/** The objects that were rendered into the folder before. */
export function objectsOf({ path, own }: OutputFolder): Item[] {
  return readFiles([...own.keys()].filter((name) => name !== KUSTOMIZATION).map((name) => join(path, name)))
}

/**
 * What makes a folder hold these files, and no other file of nodefit's. Throws `UserError` where that would overwrite or remove
 * what nodefit did not write, or leave manifests that are there out of a list that was not there before.
 */
export function changeTo(folder: OutputFolder, files: ReadonlyMap<string, string>): FolderChange {
  const { path, own } = folder
  if (!own.has(KUSTOMIZATION)) refuseForeignManifests(path)
  const other = OTHER_KUSTOMIZATIONS.find((name) => isThere(join(path, name)))
  if (other !== undefined) throw new UserError(`${join(path, other)} stands beside the ${KUSTOMIZATION}: move it away`)
  refuseEditedList(folder)
  const write = new Map([...files].filter(([name, text]) => own.get(name) !== text))
  const remove = [...own.keys()].filter((name) => !files.has(name) && isOwn(folder, name))
  for (const name of write.keys()) {
    if (name !== KUSTOMIZATION && isThere(join(path, name)) && !isOwn(folder, name)) throw foreign(path, name)
  }
  return { write, remove }
}

/** Nobody but nodefit may have changed the list: what somebody added to it would be lost. */
function refuseEditedList(folder: OutputFolder): void {
  const { path, own } = folder
  const text = own.get(KUSTOMIZATION)
  if (text === undefined && !isThere(join(path, KUSTOMIZATION))) return
  const listed = text === undefined ? undefined : listedIn(text)
  if (listed === undefined) throw foreign(path, KUSTOMIZATION)
  const added = listed.find((name) => isThere(join(path, name)) && !isOwn(folder, name))
  if (added !== undefined) throw foreign(path, added)
}

/** A file is nodefit's if it has the mark and holds the one object that its name says. */
function isOwn({ path, own }: OutputFolder, name: string): boolean {
  const text = own.get(name)
  if (text === undefined || name === KUSTOMIZATION) return text !== undefined
  try {
    const objects = objectsIn(text, join(path, name))
    return objects.length === 1 && fileNameOf(asObject(objects[0]?.value, name)) === name
  } catch {
    return false
  }
}

/** As soon as there is a list, Flux and Argo CD apply only what is on it, and prune the rest. */
function refuseForeignManifests(path: string): void {
  if (!isThere(path)) return
  const found = readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => MANIFEST.test(name))
    .sort()
    .find((name) => !isMarkedFile(join(path, name)))
  if (found !== undefined)
    throw new UserError(
      `${join(path, found)} was not written by nodefit, and would be left out of the ${KUSTOMIZATION} that lists what nodefit renders: give --output-dir a folder of its own`,
    )
}

/** What a file says, also where a checkout made its line ends those of Windows. */
function textOf(file: string): string {
  return toText(readFileSync(file), file).replaceAll('\r\n', '\n')
}

function isMarkedFile(file: string): boolean {
  return !lstatSync(file).isFile() || isMarked(textOf(file))
}

function isMarked(text: string): boolean {
  return text.startsWith(`${MARK}\n`)
}

function isThere(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined
}

function foreign(path: string, name: string): UserError {
  return new UserError(
    `${join(path, name)} is not as nodefit wrote it: move it away or restore it (git restore ${join(path, name)}); what is your own belongs into another folder`,
  )
}
