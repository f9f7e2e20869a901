import { join } from 'node:path'
import { differenceText } from '../change/index.ts'
import { describe } from '../krm/identity.ts'
import { asObject } from '../krm/object.ts'
import type { KubernetesObject } from '../krm/types.ts'
import type { Plan } from '../types.ts'
import { printable } from '../view/index.ts'
import { isLookedAt } from './looked-at.ts'
import { objectsIn } from './objects-in.ts'
import { outputChange } from './output-dir.ts'
import { KUSTOMIZATION } from './output-files.ts'
import type { OutputFolder } from './output-folder.ts'

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
  return asObject(objectsIn(text, name, isLookedAt)[0]?.value, name)
}
