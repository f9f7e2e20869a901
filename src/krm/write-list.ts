import { sourceOf } from './item.ts'
import type { Item, ResourceList, Result } from './types.ts'
import { writeYaml, yamlWriter } from './write-yaml.ts'

/**
 * Writes a ResourceList. Items with text are written as that text, unchanged ones byte for byte; others are printed so
 * that every Go reader reads the same.
 */
export function writeResourceList(list: ResourceList): string {
  return resourceListPieces(list).join('')
}

/** As `writeResourceList`, in pieces. Together they may be many megabytes, which the caller need not concatenate. */
export function resourceListPieces(list: ResourceList): string[] {
  const column = commonColumn(list.items)
  const parts = [`apiVersion: ${list.apiVersion}\nkind: ResourceList\n`]
  parts.push(list.items.length === 0 ? 'items: []\n' : 'items:\n')
  const printed = list.items.flatMap((item) => (isPrinted(item) ? [item.object] : []))
  const write = yamlWriter(printed, (text) => entryText(text, column))
  for (const item of list.items) parts.push(itemText(item, column, write))
  if (list.functionConfig !== undefined)
    parts.push(
      `functionConfig:\n${indentBy(2, documentText(list.functionConfig.text ?? writeYaml(list.functionConfig.object)))}`,
    )
  if (list.results.length > 0) parts.push('results:\n', ...resultTexts(list.results))
  return parts
}

/** Returns each result as an entry of a list: a run may have one for each of thousands of actions. */
function resultTexts(results: readonly Result[]): string[] {
  const write = yamlWriter([])
  return results.map((result) => write([result]))
}

/** Returns the column at which items from the wire begin, if all of them share one. */
function commonColumn(items: readonly Item[]): number {
  for (const item of items) {
    const source = sourceOf(item)
    if (source !== undefined) return /^ */.exec(source.raw)?.[0].length ?? 0
  }
  return 0
}

/** Does not ask for the text of an item from the wire, which would cut it needlessly. */
function isPrinted(item: Item): boolean {
  return sourceOf(item) === undefined && item.text === undefined
}

function itemText(item: Item, column: number, write: (value: unknown) => string): string {
  const raw = sourceOf(item)?.raw
  if (raw?.startsWith(`${' '.repeat(column)}-`)) return raw.endsWith('\n') ? raw : `${raw}\n`
  const { text } = item
  return text === undefined ? write(item.object) : entryText(documentText(text), column)
}

/** Returns the text of a document as an entry of a list whose markers are at a column. */
function entryText(text: string, column: number): string {
  return `${' '.repeat(column)}- ${indentBy(column + 2, text).slice(column + 2)}`
}

function documentText(text: string): string {
  const trimmed = text.replace(/^(?:[ \t]*\r?\n)+/, '')
  return trimmed.endsWith('\n') ? trimmed : `${trimmed}\n`
}

function indentBy(columns: number, text: string): string {
  const indent = ' '.repeat(columns)
  return text.replace(/^(?=[^\r\n])/gm, indent)
}
