import { readYaml } from '../krm/read-yaml.ts'
import { Failure } from './failure.ts'

/** A document, and its source text where it stands for itself. */
export interface Document {
  readonly value: unknown
  readonly text?: string
}

const LONG_INTEGER = /[[:,\s]-?[0-9]{16,}/
const NEEDS_CARE = /"(__proto__|constructor)"/

/** The objects of a file: every document of a YAML stream, or JSON values one after the other; Lists are taken apart. */
export function objectsIn(text: string, name: string): Document[] {
  return splitDocuments(text).flatMap((document, index) => {
    const place = `${name}, document ${index}`
    if (!/^\s*[{[]/.test(document)) return unwrap({ value: readYaml(document, place), text: document }, name)
    return readJson(document, place).flatMap((value) => unwrap({ value }, name))
  })
}

/** JSON.parse is a hundred times as fast as any YAML reader; what it would get wrong goes the slow way. */
function readJson(text: string, name: string): unknown[] {
  if (LONG_INTEGER.test(text) || NEEDS_CARE.test(text)) return [readYaml(text, name)]
  try {
    return [JSON.parse(text) as unknown]
  } catch {
    const values = text.split(/(?<=^[}\]])\s*\n(?=[{[])/m)
    return values.length > 1 ? values.flatMap((value) => readJson(value, name)) : [readYaml(text, name)]
  }
}

/** The members of a List, however deep; one that says it is a page of several is refused, since objects are missing. */
function unwrap(document: Document, name: string): Document[] {
  const { value } = document
  if (Array.isArray(value)) return value.flatMap((member) => unwrap({ value: member }, name))
  if (!isList(value)) return [document]
  const { metadata } = value
  if (metadata?.continue || metadata?.remainingItemCount) {
    throw new Failure(
      `PartialList: ${name} is one page of a longer list. List without a limit: kubectl get nodes -o json --chunk-size=0`,
    )
  }
  const { apiVersion, kind } = value
  const memberKind = kind.slice(0, -'List'.length)
  return value.items.flatMap((member) =>
    unwrap({ value: memberKind === '' ? member : { apiVersion, kind: memberKind, ...(member as object) } }, name),
  )
}

interface List {
  apiVersion: string
  kind: string
  metadata?: { continue?: string; remainingItemCount?: number }
  items: unknown[]
}

function isList(value: unknown): value is List {
  const { kind, items } = (value ?? {}) as Partial<List>
  return typeof kind === 'string' && kind.endsWith('List') && kind !== 'ResourceList' && Array.isArray(items)
}

/** The documents of a stream, those of comments alone left out; what stands on the line of a marker belongs to its document. */
function splitDocuments(text: string): string[] {
  const [first = '', ...others] = text.split(/^---(?=[ \t\r\n]|$)/m)
  const documents = [first, ...others.map((document) => document.replace(/^[ \t]*(?:#.*)?\r?\n/, ''))]
  return documents
    .map((document) => document.replace(/^\.\.\.[ \t]*\r?$/gm, ''))
    .filter((document) => /^[ \t]*[^#\s]/m.test(document))
}
