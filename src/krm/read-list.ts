import { AlikeTexts } from './alike-texts.ts'
import { type Cuts, cutOutsideQuotes, cutPieces, findCuts, type Wire } from './cut-items.ts'
import { KrmError } from './error.ts'
import { describeUnread, itemFromWire, newItem, readNamed } from './item.ts'
import { locate, type Place } from './locate.ts'
import { isMap, type Mapping } from './map.ts'
import { asObject, type IsLookedAt, readObject } from './read-object.ts'
import { escaped, masked, readAnyYaml, refuseForbiddenText } from './read-yaml.ts'
import type { Item, ResourceList, Result } from './types.ts'

const API_VERSION = /^config\.kubernetes\.io\/(v1|v1beta1|v1alpha1)$/
const FRAME = 'what surrounds the items of the ResourceList'

/**
 * Reads a ResourceList (config.kubernetes.io v1, v1beta1 or v1alpha1) as hosts write it. Each item keeps its text. An
 * item for which `isLookedAt` is false may contain otherwise refused YAML, and is opaque then. Throws `KrmError` on
 * anything else: no input, no ResourceList, YAML that is unsafe to pass on.
 */
export function readResourceList(text: string, isLookedAt: IsLookedAt = () => true): ResourceList {
  const body = text.startsWith('\uFEFF') ? text.slice(1) : text
  if (body.trim() === '') throw new KrmError('EmptyInput', 'no input: a ResourceList was expected on stdin')
  refuseForbiddenInput(body)
  const wire = cut(body, findCuts)
  try {
    if (wire !== undefined) return readWire(wire, isLookedAt)
  } catch (error) {
    const better = error instanceof KrmError ? cut(body, cutOutsideQuotes) : undefined
    if (better === undefined) throw error
    return readWire(better, isLookedAt)
  }
  const better = cut(body, cutOutsideQuotes)
  return better === undefined ? readWhole(body, isLookedAt) : readWire(better, isLookedAt)
}

function cut(text: string, by: (text: string) => Cuts | undefined): Wire | undefined {
  const cuts = by(text)
  return cuts && cutPieces(text, cuts)
}

function readWire(wire: Wire, isLookedAt: IsLookedAt): ResourceList {
  const frame = asResourceList(readAnyYaml(wire.frame, FRAME, null))
  if (Object.hasOwn(frame, 'items')) throw new KrmError('YamlSyntax', 'the ResourceList has the key items twice')
  const alike = new AlikeTexts()
  const items = wire.items.map((source, index) => itemFromWire(source, index, isLookedAt, alike))
  return assemble(frame, items, itemFromFrame(wire.frame, frame))
}

/**
 * Reads any layout. Flow-style items are read one by one; others are parsed whole, and keep their text if it matches
 * the value.
 */
function readWhole(text: string, isLookedAt: IsLookedAt): ResourceList {
  const places = placesOfItems(text)
  const flow = readFlowItems(text, places, isLookedAt)
  const list = asResourceList(flow === undefined ? readAnyYaml(text) : readAnyYaml(flow.frame, FRAME, null))
  if (!Array.isArray(list.items))
    throw new KrmError('NotAResourceList', 'the ResourceList has no items: write items: [] for an empty list')
  const readHere = list.items.map((value: unknown, index) => {
    const object = asObject(value, `item ${index}`)
    const place = places?.items[index]
    return place?.flow ? { object, text: `${text.slice(place.start, place.end)}\n` } : newItem(object)
  })
  const config = list.functionConfig ? newItem(asObject(list.functionConfig, 'functionConfig')) : undefined
  return assemble(list, flow?.items ?? readHere, config)
}

function assemble(list: Mapping, items: readonly Item[], functionConfig: Item | undefined): ResourceList {
  const results = Array.isArray(list.results) ? (list.results as Result[]) : []
  const apiVersion = String(list.apiVersion)
  return functionConfig === undefined ? { apiVersion, items, results } : { apiVersion, items, functionConfig, results }
}

function asResourceList(value: unknown): Mapping {
  if (!isMap(value)) {
    throw new KrmError('NotAResourceList', 'the input is not a ResourceList')
  }
  const { apiVersion, kind } = value
  if (kind !== 'ResourceList' || typeof apiVersion !== 'string' || !API_VERSION.test(apiVersion)) {
    throw new KrmError(
      'NotAResourceList',
      `the input is ${String(apiVersion)} ${String(kind)}, not a config.kubernetes.io ResourceList (v1, v1beta1 or v1alpha1)`,
    )
  }
  return value
}

/** Returns the functionConfig with its own text, so that it is written unchanged. */
function itemFromFrame(frame: string, list: Mapping): Item | undefined {
  if (list.functionConfig === undefined || list.functionConfig === null) return undefined
  const object = asObject(list.functionConfig, 'functionConfig')
  const block = /^functionConfig:[ \t]*\r?\n((?:(?:[ \t]+.*|[ \t]*#.*|)(?:\r?\n|$))*)/m.exec(frame)
  const indent = /^ */.exec(block?.[1] ?? '')?.[0].length ?? 0
  if (block === null || indent === 0) return newItem(object)
  return { object, text: (block[1] ?? '').replace(new RegExp(`^ {1,${indent}}`, 'gm'), '') }
}

/** A ResourceList in flow style, such as JSON: its items, each with its text, and the text without them. */
interface FlowItems {
  readonly frame: string
  readonly items: readonly Item[]
}

/** Locates the items of a list in any layout; undefined if that is not possible. */
function placesOfItems(text: string): Place | undefined {
  return locate(text)?.entries.find(({ key }) => key === 'items')?.value
}

/** Reads flow-style items one by one; undefined if one of them is in block style. */
function readFlowItems(text: string, list: Place | undefined, isLookedAt: IsLookedAt): FlowItems | undefined {
  if (list?.kind !== 'sequence' || !list.flow || !list.items.every(({ flow }) => flow)) return undefined
  const items = list.items.map(({ start, end }, index) => {
    const piece = text.slice(start, end)
    return { ...readNamed(piece, index, () => readObject(piece, 'the object', isLookedAt)), text: `${piece}\n` }
  })
  return { frame: `${text.slice(0, list.start)}[]${text.slice(list.end)}`, items }
}

/**
 * Refuses a ResourceList with characters that Go's readers reject or change, and names the item that contains them.
 * Throws `KrmError`.
 */
function refuseForbiddenInput(text: string): void {
  try {
    refuseForbiddenText(text, 'the input')
  } catch (error) {
    for (const [index, piece] of itemTexts(text).entries())
      refuseForbiddenText(piece, describeUnread(escaped(piece), index), null)
    throw error
  }
}

/** Returns the texts of the items, cut as if all characters were allowed; empty if they cannot be cut. */
function itemTexts(text: string): string[] {
  const good = masked(text)
  const cuts = cutOutsideQuotes(good) ?? findCuts(good)
  const wire = cuts && cutPieces(text, cuts)
  if (wire !== undefined) return wire.items.map(({ raw }) => raw)
  return placesOfItems(good)?.items.map(({ start, end }) => text.slice(start, end)) ?? []
}
