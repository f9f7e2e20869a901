import { join } from 'node:path'
import { differenceText } from '../change/index.ts'
import { describe, identityOf } from '../krm/identity.ts'
import { asObject } from '../krm/read-object.ts'
import { ownerOf } from '../krm/remembered.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import type { Plan } from '../types.ts'
import { printable } from '../view/index.ts'
import { objectsIn } from './objects-in.ts'
import { KUSTOMIZATION, outputFiles } from './output-files.ts'
import { changeTo, type FolderChange, type OutputFolder, objectsOf, readOutputFolder } from './output-folder.ts'
import { isWithin } from './paths.ts'
import { manifestsOf } from './rendering.ts'
import { replaceFiles } from './replace-files.ts'
import { UserError } from './user-error.ts'

/** An output folder and what was rendered into it before. Throws `UserError` where an input lies in it. */
export function openOutput(path: string, inputs: readonly string[]): { folder: OutputFolder; earlier: Item[] } {
  const input = inputs.find((one) => one !== '-' && isWithin(path, one))
  if (input !== undefined)
    throw new UserError(
      `${input} lies in the output folder ${path}: what is read and what is written need folders apart`,
    )
  const folder = readOutputFolder(path)
  return { folder, earlier: objectsOf(folder) }
}

/**
 * What a plan makes of an output folder. Throws `UserError` where that is nothing at all, which Flux would take for the wish to prune
 * everything, or where several packages come to one folder.
 */
export function outputChange(folder: OutputFolder, plan: Plan): FolderChange {
  const manifests = manifestsOf(plan)
  if (plan.packages.length > 1)
    throw new UserError(
      `the input is ${plan.packages.length} packages, and an output folder is that of one: build each into a folder of its own`,
    )
  if (manifests.length === 0)
    throw new UserError(
      `nothing is left to apply, and ${folder.path} stays as it is: to remove what was applied from it, delete the folder and what points at it`,
    )
  const change = changeTo(folder, outputFiles(manifests))
  refuseUnsaid(folder, change.remove, plan)
  return change
}

/** What another run rendered into the folder, as with another --set, is no longer rendered only because nobody asked for it. */
function refuseUnsaid({ path, own }: OutputFolder, remove: readonly string[], plan: Plan): void {
  const changes = plan.packages.flatMap((one) => one.changes)
  const said = new Set(changes.flatMap(({ before }) => (before === undefined ? [] : [identityOf(before.object)])))
  for (const name of remove) {
    const [object] = objectsIn(own.get(name) ?? '', name).map(({ value }) => asObject(value, name))
    if (object !== undefined && ownerOf(object) !== undefined && !said.has(identityOf(object)))
      throw new UserError(
        `${join(path, name)} belongs to ${ownerOf(object)}, which this run is not about: give all policies of the folder in one run, or each a folder of its own`,
      )
  }
}

/** Makes a folder hold what was planned; what was there already is not touched. Says what was done. */
export function writeOutputFolder({ path, own }: OutputFolder, { write, remove }: FolderChange): string {
  // each listed file is there at any time: new files come before the list, and those that go leave after it
  const ordered = [...write].sort(([left], [right]) => Number(left === KUSTOMIZATION) - Number(right === KUSTOMIZATION))
  replaceFiles(path, new Map(ordered), remove)
  const added = [...write.keys()].filter((name) => !own.has(name)).length
  return write.size + remove.length === 0
    ? `${path} is as it was`
    : `${path}: ${added} files added, ${write.size - added} changed, ${remove.length} removed`
}

/** What is not current in an output folder, a line for each file, and the command that mends it behind them; none where all is. */
export function staleFiles(folder: OutputFolder, plan: Plan, mend: string): string[] {
  const { write, remove } = outputChange(folder, plan)
  if (write.size + remove.length === 0) return []
  const lines = [
    ...[...write].map(([name, text]) => lineOf(folder, name, text)),
    ...remove.map((name) => `${nameOf(folder, name)} is there, and no longer rendered`),
  ]
  return [...lines.map((line) => `nodefit: error: ${printable(line)}`), `nodefit: to mend it: ${mend}`]
}

function lineOf(folder: OutputFolder, name: string, wanted: string): string {
  const present = folder.own.get(name)
  if (name === KUSTOMIZATION) return `${join(folder.path, name)} does not list what is rendered`
  const object = objectIn(wanted, name)
  const who = `${describe(object)} (${join(folder.path, name)})`
  if (present === undefined) return `${who} is not there`
  return `${who} is not what is rendered: ${differenceText(objectIn(present, name), object) ?? 'its text differs, and says the same'}`
}

function nameOf(folder: OutputFolder, name: string): string {
  return `${describe(objectIn(folder.own.get(name) ?? '', name))} (${join(folder.path, name)})`
}

function objectIn(text: string, name: string): KubernetesObject {
  return asObject(objectsIn(text, name)[0]?.value, name)
}
