import { createHash } from 'node:crypto'
import { pathOf } from '../../../krm/identity.ts'
import type { Item } from '../../../krm/types.ts'
import { manifestTexts } from '../../files/manifest.ts'
import type { Projection } from '../nodes/project.ts'
import { asSet, comparableFile, comparableManifests, nodeKind } from './effect-of.ts'
import type { OwnedFolder } from './owned-folder.ts'
import type { Rendered } from './rendered.ts'
import { type UsageChanges, usageText } from './usage-changes.ts'

/**
 * The digest of what a render reads: every object with its path, and the earlier output. It does not depend on the
 * order of files.
 */
export function inputDigest(items: readonly Item[], earlier: readonly Item[]): string {
  const entry = (role: string) => (item: Item) => `${role} ${pathOf(item) ?? ''}\n${sourceOf(item)}`
  return digest([...items.map(entry('input')), ...earlier.map(entry('earlier'))].sort().join('\0'))
}

/** The digest of rendered manifests. */
export function outputDigest(manifests: readonly Item[]): string {
  return digest(manifestTexts(manifests).join('---\n'))
}

/** The digest of a text. */
export function textDigest(text: string): string {
  return digest(text)
}

function digest(text: string): string {
  return `sha256:${createHash('sha256').update(text).digest('hex')}`
}

/** The source of an object; an object of a List or of JSON has none. */
function sourceOf({ text, object }: Item): string {
  return text ?? JSON.stringify(object, (_, value: unknown) => (typeof value === 'bigint' ? `${value}n` : value))
}

/** What a change depends on. */
export interface Change {
  readonly owned: OwnedFolder
  readonly projection: Projection
  readonly next: Rendered
  readonly settings: { readonly folder: string; readonly output?: string }
  readonly usage: UsageChanges
  readonly clusterUid?: string
}

/**
 * Identifies a change while it waits for a review: what Git has, what is rendered and settled, and the kinds of the
 * nodes. The number and the state of nodes of the same kinds do not count, nor does the time.
 */
export function changeDigest({ owned, projection, next, settings, usage, clusterUid }: Change): string {
  const { folder, output } = settings
  const held = [...owned.files].sort(byName)
  const kinds = asSet(projection.shapes.map(nodeKind))
  const settled = usage.length === 0 ? [] : [usageText(usage)]
  const identity = owned.clusterUid === clusterUid ? [] : [clusterUid ?? '']
  return digest(JSON.stringify([folder, output ?? '', held, kinds, renderedChanges(next), ...settled, ...identity]))
}

function renderedChanges(next: Rendered): unknown {
  if (next.kind === 'nothing') return []
  if (next.kind === 'failed') return [next.key]
  const { change, manifests } = next
  if (change === undefined) return [comparableManifests(manifests)]
  const { write, remove, held } = change
  const files: Array<[name: string, before: string, after: string | null]> = remove.map((name) => [
    name,
    held.get(name) ?? '',
    null,
  ])
  for (const [name, text] of write) {
    const before = held.get(name)
    const after = comparableFile(text, name)
    if (before === undefined || comparableFile(before, name) !== after) files.push([name, before ?? '', after])
  }
  return files.sort(byName)
}

function byName([left]: readonly [string, ...unknown[]], [right]: readonly [string, ...unknown[]]): number {
  return left < right ? -1 : 1
}
