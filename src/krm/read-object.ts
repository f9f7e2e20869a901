import { YAMLException } from 'js-yaml'
import { KrmError } from './error.ts'
import { isMap } from './map.ts'
import { isBlock, rootEntries } from './members.ts'
import { asObject } from './object.ts'
import { parse } from './parse.ts'
import type { FirstLine } from './place-of.ts'
import { readAnyYaml } from './read-yaml.ts'
import type { Item, KubernetesObject } from './types.ts'

/** Whether the caller looks at more of such an object than apiVersion, kind and metadata. */
export type IsLookedAt = (object: KubernetesObject) => boolean

/** What is read of every object. */
const IDENTITY = ['apiVersion', 'kind', 'metadata']

/** What an item of a host holds, as an object. Throws `KrmError`. */
export function readObject(text: string, name: string, isLookedAt: IsLookedAt): Pick<Item, 'object' | 'opaque'> {
  const { value, opaque } = readDocument(text, name, isLookedAt, null)
  return { object: asObject(value, name), ...(opaque && { opaque }) }
}

/**
 * What a text holds. Where it holds YAML that is refused, and nobody looks at such an object, it is opaque: the value is
 * its identity alone, and `opaque` what was refused. Throws `KrmError`.
 */
export function readDocument(
  text: string,
  name: string,
  isLookedAt: IsLookedAt,
  firstLine: FirstLine,
): { value: unknown; opaque?: KrmError } {
  try {
    return { value: readAnyYaml(text, name, firstLine) }
  } catch (error) {
    if (!(error instanceof KrmError)) throw error
    const value = readIdentity(text)
    if (value === undefined || isLookedAt(value)) throw error
    return { value, opaque: error }
  }
}

/**
 * apiVersion, kind and metadata of an object, each read as a document of its own; undefined where one of them cannot be
 * read, or where the text cannot be taken apart: then it is not even known where the object ends.
 */
export function readIdentity(text: string): KubernetesObject | undefined {
  try {
    const pieces = identityTexts(text)
    if (pieces === undefined) return undefined
    const values = pieces.map((piece) => readAnyYaml(piece, 'the object'))
    return values.every(isMap) ? asObject(Object.assign({}, ...values), 'the object') : undefined
  } catch (error) {
    if (error instanceof KrmError || error instanceof YAMLException || error instanceof RangeError) return undefined
    throw error
  }
}

/** The entries of the identity, each with the text up to the next key. */
function identityTexts(text: string): string[] | undefined {
  const parsed = parse(text)
  const entries = rootEntries(parsed)
  if (entries === undefined) return undefined
  const { events, source } = parsed
  const isFlow = !isBlock(events[1])
  const own = entries.flatMap(({ key, keyStart }, index) => {
    if (key === undefined || !IDENTITY.includes(key)) return []
    const next = entries[index + 1]?.keyStart
    const lineStart = source.lastIndexOf('\n', keyStart - 1) + 1
    if (!isFlow) {
      const end = next === undefined ? source.length : source.lastIndexOf('\n', next - 1) + 1
      return [{ key, piece: ' '.repeat(keyStart - lineStart) + source.slice(keyStart, end) }]
    }
    return [{ key, piece: next === undefined ? `{${source.slice(keyStart)}` : `{${source.slice(keyStart, next)}\n}` }]
  })
  const isTwice = new Set(own.map(({ key }) => key)).size < own.length
  return isTwice ? undefined : own.map(({ piece }) => piece)
}
