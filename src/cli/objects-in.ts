import { readYaml } from '../krm/read-yaml.ts'
import { Failure } from './failure.ts'

/** A document, and its source text where it stands for itself. */
export interface Document {
  readonly value: unknown
  readonly text?: string
}

const LONG_INTEGER = /[[:,\s]-?[0-9]{16,}/
const NEEDS_CARE = /"(__proto__|constructor)"/

/** The objects of a file: every document of a YAML stream, or JSON; Lists are taken apart. */
export function objectsIn(text: string, name: string): Document[] {
  if (/^\s*[{[]/.test(text)) return unwrap({ value: readJson(text, name) }, name)
  return splitDocuments(text).flatMap((document, index) => {
    const value = readYaml(document, `${name}, document ${index}`)
    return value === null || value === undefined ? [] : unwrap({ value, text: document }, name)
  })
}

/** JSON.parse is a hundred times as fast as any YAML reader; what it would get wrong goes the slow way. */
function readJson(text: string, name: string): unknown {
  if (LONG_INTEGER.test(text) || NEEDS_CARE.test(text)) return readYaml(text, name)
  try {
    return JSON.parse(text)
  } catch {
    return readYaml(text, name)
  }
}

/** The members of a List; a list that says it is one page of several is refused, since objects are missing. */
function unwrap(document: Document, name: string): Document[] {
  const { value } = document
  if (Array.isArray(value)) return value.map((member) => ({ value: member }))
  if (!isList(value)) return [document]
  const { metadata } = value
  if (metadata?.continue || metadata?.remainingItemCount) {
    throw new Failure(
      `PartialList: ${name} is one page of a longer list. List without a limit: kubectl get nodes -o json --chunk-size=0`,
    )
  }
  const { apiVersion, kind } = value
  const memberKind = kind.slice(0, -'List'.length)
  return value.items.map((member) => ({
    value: memberKind === '' ? member : { apiVersion, kind: memberKind, ...(member as object) },
  }))
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

function splitDocuments(text: string): string[] {
  return text
    .split(/^---(?:[ \t].*)?\r?$\n?/m)
    .map((document) => document.replace(/^\.\.\.[ \t]*\r?$/m, ''))
    .filter((document) => document.trim() !== '')
}
