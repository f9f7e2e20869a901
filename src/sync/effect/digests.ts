import { createHash } from 'node:crypto'
import { pathOf } from '../../krm/identity.ts'
import type { Item } from '../../krm/types.ts'
import { textOf } from './rendered.ts'

/** What a render reads, as one digest: every object with its file, and what was rendered before. The order of files does not matter. */
export function inputDigest(items: readonly Item[], earlier: readonly Item[]): string {
  const said = (role: string) => (item: Item) => `${role} ${pathOf(item) ?? ''}\n${sourceOf(item)}`
  return digest([...items.map(said('input')), ...earlier.map(said('earlier'))].sort().join('\0'))
}

/** What a render gives, as one digest. */
export function outputDigest(manifests: readonly Item[]): string {
  return digest(textOf(manifests))
}

/** The digest of a text, with the name of its algorithm. */
export function digest(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`
}

/** The source of an object; what stands in a List or in JSON has none of its own. */
function sourceOf({ text, object }: Item): string {
  return text ?? JSON.stringify(object, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value))
}
