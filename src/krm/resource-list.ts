import { KrmError } from './error.ts'
import { asObject, itemFromWire, newItem, type Source, sourceOf } from './item.ts'
import { locate } from './locate.ts'
import { readYaml, refuseForbiddenText } from './read-yaml.ts'
import type { Item, ResourceList, Result } from './types.ts'
import { sliceWire } from './wire.ts'
import { writeYaml } from './write-yaml.ts'

const API_VERSION = /^config\.kubernetes\.io\/(v1|v1beta1|v1alpha1)$/

type Mapping = Record<string, unknown>

/**
 * Reads a ResourceList (config.kubernetes.io v1, v1beta1 or v1alpha1) as a host writes it. Each item keeps its text.
 * Throws `KrmError` on anything else: no input, no ResourceList, YAML that is unsafe to pass on.
 */
export function readResourceList(text: string): ResourceList {
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text
  if (body.trim() === '') throw new KrmError('EmptyInput', 'no input: a ResourceList was expected on stdin')
  refuseForbiddenText(body, 'the input')
  const wire = sliceWire(body)
  if (wire === undefined) return readWhole(body)
  const frame = asResourceList(readYaml(wire.frame))
  const items = wire.items.map(readItem)
  return assemble(frame, items, itemFromFrame(wire.frame, frame))
}

/** An item that cannot be read is named by its file, which the host wrote into it. */
function readItem(source: Source, index: number): Item {
  try {
    return itemFromWire(source, 'the object')
  } catch (error) {
    if (!(error instanceof KrmError)) throw error
    const path = /^ +(?:internal\.)?config\.kubernetes\.io\/path: ['"]?([^'"\n]+)/m.exec(source.raw)?.[1]
    throw new KrmError(
      error.code,
      error.message.replace('the object', path === undefined ? `item ${index}` : `item ${index} (${path})`),
    )
  }
}

/** Any layout: parsed whole, and each item's text cut out by its place where text and value correspond. */
function readWhole(text: string): ResourceList {
  const list = asResourceList(readYaml(text))
  if (!Array.isArray(list.items))
    throw new KrmError('NotAResourceList', 'the ResourceList has no items: an empty list is written items: []')
  const places = locate(text)?.entries.find(({ key }) => key === 'items')?.value.items
  const items = list.items.map((value: unknown, index) => {
    const object = asObject(value, `item ${index}`)
    const place = places?.[index]
    return place?.flow ? { object, text: `${text.slice(place.start, place.end)}\n` } : newItem(object)
  })
  return assemble(
    list,
    items,
    list.functionConfig ? newItem(asObject(list.functionConfig, 'functionConfig')) : undefined,
  )
}

function assemble(list: Mapping, items: Item[], functionConfig: Item | undefined): ResourceList {
  const results = Array.isArray(list.results) ? (list.results as Result[]) : []
  const apiVersion = String(list.apiVersion)
  return functionConfig === undefined ? { apiVersion, items, results } : { apiVersion, items, functionConfig, results }
}

function asResourceList(value: unknown): Mapping {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new KrmError('NotAResourceList', 'the input is not a ResourceList')
  }
  const { apiVersion, kind } = value as Mapping
  if (kind !== 'ResourceList' || typeof apiVersion !== 'string' || !API_VERSION.test(apiVersion)) {
    throw new KrmError(
      'NotAResourceList',
      `the input is ${String(apiVersion)} ${String(kind)}, not a config.kubernetes.io ResourceList (v1, v1beta1 or v1alpha1)`,
    )
  }
  return value as Mapping
}

/** The functionConfig with its own text, so that it goes out as it came in. */
function itemFromFrame(frame: string, list: Mapping): Item | undefined {
  if (list.functionConfig === undefined || list.functionConfig === null) return undefined
  const object = asObject(list.functionConfig, 'functionConfig')
  const block = /^functionConfig:[ \t]*\r?\n((?:(?:[ \t]+.*|[ \t]*#.*|)(?:\r?\n|$))*)/m.exec(frame)
  const indent = /^ */.exec(block?.[1] ?? '')?.[0].length ?? 0
  if (block === null || indent === 0) return newItem(object)
  return { object, text: (block[1] ?? '').replace(new RegExp(`^ {1,${indent}}`, 'gm'), '') }
}

/**
 * Writes a ResourceList. Items with text go out as that text, those straight from the wire byte for byte; the rest
 * is printed so that every Go reader reads the same.
 */
export function writeResourceList(list: ResourceList): string {
  const column = commonColumn(list.items)
  const parts = [`apiVersion: ${list.apiVersion}\nkind: ResourceList\n`]
  parts.push(list.items.length === 0 ? 'items: []\n' : 'items:\n')
  for (const item of list.items) parts.push(itemText(item, column))
  if (list.functionConfig !== undefined)
    parts.push(`functionConfig:\n${indentBy(2, documentText(list.functionConfig))}`)
  if (list.results.length > 0) parts.push(writeYaml({ results: list.results }))
  return parts.join('')
}

/** The column at which the wire's items begin, if it is one and the same for all that still have their text. */
function commonColumn(items: readonly Item[]): number {
  for (const item of items) {
    const source = sourceOf(item)
    if (source !== undefined) return /^ */.exec(source.raw)?.[0].length ?? 0
  }
  return 0
}

function itemText(item: Item, column: number): string {
  const raw = sourceOf(item)?.raw
  if (raw?.startsWith(`${' '.repeat(column)}-`)) return raw.endsWith('\n') ? raw : `${raw}\n`
  const body = indentBy(column + 2, documentText(item))
  return `${' '.repeat(column)}- ${body.slice(column + 2)}`
}

function documentText(item: Item): string {
  const text = item.text ?? writeYaml(item.object)
  const trimmed = text.replace(/^(?:[ \t]*\r?\n)+/, '')
  return trimmed.endsWith('\n') ? trimmed : `${trimmed}\n`
}

function indentBy(columns: number, text: string): string {
  const indent = ' '.repeat(columns)
  return text.replace(/^(?=[^\r\n])/gm, indent)
}
