import { join, relative, resolve, sep } from 'node:path'
import { printable } from '../../face/index.ts'
import { differenceText, listFolder } from '../../fate/index.ts'
import { isActionPolicy } from '../../kinds/index.ts'
import { plural } from '../../krm/finding.ts'
import { describe, identityOf } from '../../krm/identity.ts'
import { asObject } from '../../krm/read-object.ts'
import { ownerOf } from '../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import type { Plan } from '../../rules/plan.ts'
import { FOR_NOW, KUSTOMIZATION, manifestsOf, outputFiles } from './manifest.ts'
import { objectsIn } from './objects-in.ts'
import { changeTo, type FolderChange, type OutputFolder, objectsOf, readOutputFolder } from './output-folder.ts'
import { isWithin } from './paths.ts'
import { finishChange, isUnsettled, replaceFiles, whileLocked } from './replace-files.ts'
import { UserError } from './user-error.ts'
import { writeFileAtomically } from './write-file.ts'

/** Opens an output folder with the earlier output in it. Throws `UserError` where an input is inside. */
export function openOutput(path: string, inputs: readonly string[]): { folder: OutputFolder; earlier: Item[] } {
  const input = inputs.find((file) => file !== '-' && isWithin(path, file))
  if (input !== undefined)
    throw new UserError(`${input} is in the output folder ${path}: write the output to another folder`)
  const folder = readOutputFolder(path)
  return { folder, earlier: objectsOf(folder) }
}

/**
 * The files that a plan writes to and removes from an output folder. Throws `UserError` for a plan without objects,
 * which Flux would prune everything for, and for a plan of several packages.
 */
export function outputChange(folder: OutputFolder, plan: Plan): FolderChange {
  const manifests = manifestsOf(plan)
  if (plan.packages.length > 1)
    throw new UserError(
      `the input has ${plan.packages.length} packages, but an output folder holds one: build each package into its own folder`,
    )
  if (manifests.length === 0 && plan.packages.some(({ planned }) => planned.some(isOfActions)))
    throw new UserError(
      `no object is rendered, so ${folder.path} is not changed: when actions have ended nothing else is there, and tools refuse an empty folder; add deploy/actions/actions.yaml to the package`,
    )
  if (manifests.length === 0 && plan.packages.some(({ planned }) => planned.some(({ isEnabled }) => isEnabled)))
    throw new UserError(
      `no object is rendered, so ${folder.path} is not changed, since tools refuse an empty folder or delete everything for it: ${FOR_NOW}`,
    )
  if (manifests.length === 0)
    throw new UserError(
      `no object is rendered, so ${folder.path} is not changed: to remove the applied objects, delete the folder and the Application or Kustomization that uses it`,
    )
  const change = changeTo(folder, outputFiles(manifests))
  refuseForeignPolicies(folder, change.remove, plan)
  return change
}

function isOfActions({ subject }: Plan['packages'][number]['planned'][number]): boolean {
  return isActionPolicy(subject.object)
}

/** Objects of a policy that is not in this run, as one of another --set, are not removed. */
function refuseForeignPolicies({ path, files }: OutputFolder, remove: readonly string[], plan: Plan): void {
  const changes = plan.packages.flatMap((entry) => entry.changes)
  const planned = new Set(changes.flatMap(({ before }) => (before === undefined ? [] : [identityOf(before.object)])))
  for (const name of remove) {
    const [object] = objectsIn(files.get(name) ?? '', name).map(({ value }) => asObject(value, name))
    if (object !== undefined && ownerOf(object) !== undefined && !planned.has(identityOf(object)))
      throw new UserError(
        `${join(path, name)} is owned by ${ownerOf(object)}, which is not in this run: build all policies of the folder in one run, or each into its own folder`,
      )
  }
}

/**
 * Waits until no other run writes into a folder, and completes what a run that was killed has begun; `told` says so.
 * Then opens it as `openOutput` does.
 */
export function openSettled(path: string, inputs: readonly string[], told: (text: string) => void) {
  for (;;) {
    if (isUnsettled(path) && whileLocked(path, () => finishChange(path)))
      told(`the earlier write into ${path} was interrupted and is now complete`)
    try {
      return openOutput(path, inputs)
    } catch (error) {
      // another run has begun to write, and may have taken a file away
      if (!isUnsettled(path) && (error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
}

/**
 * Writes what a plan changes in the folder and returns a summary of it; undefined, and nothing is written, where
 * another run has changed the folder since it was opened. Unchanged files are not touched. Throws as `outputChange`.
 */
export function writeOutputFolder(folder: OutputFolder, plan: Plan): string | undefined {
  const { path, files } = folder
  const change = changeUnlessStale(folder, plan)
  if (change === undefined) return undefined
  const { write, remove } = change
  if (write.size + remove.length === 0) return `${path} is unchanged`
  // every listed file exists at any time: new files are written before the list, old ones removed after it
  const ordered = [...write].sort(([left], [right]) => Number(left === KUSTOMIZATION) - Number(right === KUSTOMIZATION))
  return whileLocked(path, () => {
    finishChange(path)
    if (isStale(folder)) return undefined
    replaceFiles(path, new Map(ordered), remove)
    const added = [...write.keys()].filter((name) => !files.has(name)).length
    return `${path}: ${plural(added, 'file')} added, ${write.size - added} changed, ${remove.length} removed`
  })
}

function changeUnlessStale(folder: OutputFolder, plan: Plan): FolderChange | undefined {
  try {
    return outputChange(folder, plan)
  } catch (error) {
    if (isUnsettled(folder.path) || isStale(folder)) return undefined
    throw error
  }
}

/** Whether the files of nodefit in the folder are others now than when it was opened. */
function isStale({ path, files }: OutputFolder): boolean {
  const now = readOutputFolder(path).files
  return now.size !== files.size || [...now].some(([name, text]) => files.get(name) !== text)
}

/**
 * Adds an output folder to the kustomization of the input that has to list it, and returns a sentence about that;
 * undefined where none has to.
 */
export function listOutputFolder(path: string, items: readonly Item[], plan: Plan): string | undefined {
  const { packages } = plan
  const sources = packages.flatMap(({ planned }) => planned.flatMap(({ source }) => source ?? []))
  const folder = resolve(path).split(sep).filter(Boolean).join('/')
  const change = listFolder(items, sources, folder, manifestsOf(plan))
  if (change === undefined) return undefined
  const file = `${sep}${change.file}`
  const { entry, twice } = change
  if (twice !== undefined)
    return `${relative('', file)} is unchanged, and does not list ${entry}, which holds the objects of ${twice} as well: list ${entry} in place of ${twice}, or let the host read ${path} itself`
  writeFileAtomically(file, change.text)
  return `${relative('', file)} now lists ${entry}`
}

/** A file of an output folder that differs from the plan, and how. */
export interface StaleFile {
  readonly path: string
  readonly sentence: string
}

/** Returns the files of an output folder that differ from the plan. */
export function staleFiles(folder: OutputFolder, plan: Plan): StaleFile[] {
  const { write, remove } = outputChange(folder, plan)
  const file = (name: string, sentence: string) => ({ path: join(folder.path, name), sentence: printable(sentence) })
  return [
    ...[...write].map(([name, text]) => file(name, lineOf(folder, name, text))),
    ...remove.map((name) => file(name, `${fileLabel(folder, name)} is no longer rendered`)),
  ]
}

function lineOf(folder: OutputFolder, name: string, wanted: string): string {
  const present = folder.files.get(name)
  if (name === KUSTOMIZATION) return `${join(folder.path, name)} does not list the rendered files`
  const object = objectIn(wanted, name)
  const label = `${describe(object)} (${join(folder.path, name)})`
  if (present === undefined) return `${label} is missing`
  return `${label} differs from the rendered object: ${differenceText(objectIn(present, name), object) ?? 'only its formatting differs'}`
}

function fileLabel(folder: OutputFolder, name: string): string {
  return `${describe(objectIn(folder.files.get(name) ?? '', name))} (${join(folder.path, name)})`
}

function objectIn(text: string, name: string): KubernetesObject {
  return asObject(objectsIn(text, name)[0]?.value, name)
}
