import { createHash } from 'node:crypto'
import type { Shape } from '../../inventory/index.ts'
import { pathOf } from '../../krm/identity.ts'
import type { Item } from '../../krm/types.ts'
import type { Projection } from '../nodes/project.ts'
import { ownTaints } from '../nodes/projected-node.ts'
import type { Owned } from './owned-folder.ts'
import { comparable, lasting, type Rendered, textOf } from './rendered.ts'

const TIME = /\d{4}-\d\d-\d\dT[\d:.]+Z/g

/** What a change is made of. */
export interface Change {
  readonly owned: Owned
  readonly projection: Projection
  readonly next: Rendered
  readonly settings: { readonly folder: string; readonly output?: string }
}

/**
 * By what a change is known while it waits for somebody: what Git has, what is rendered, and of which kinds the nodes are. Nodes of these
 * kinds that come, go, or do otherwise leave it the change it is, and so does the time at which it is made.
 */
export function changeDigest({ owned, projection, next, settings: { folder, output } }: Change): string {
  const held = [...owned.files].sort(byName)
  const kinds = asSet(projection.shapes.map(kindOf))
  return digest(JSON.stringify([folder, output ?? '', held, kinds, outcomeOf(next)]))
}

function outcomeOf(next: Rendered): unknown {
  if (next.kind === 'nothing') return []
  if (next.kind === 'failed') return [next.key]
  const { change, manifests } = next
  if (change === undefined) return [timeless(comparable(manifests))]
  const { write, remove, held } = change
  const files: Array<[name: string, was: string, is: string | null]> = remove.map((name) => [
    name,
    held.get(name) ?? '',
    null,
  ])
  for (const [name, text] of write) {
    const was = held.get(name) ?? ''
    const is = timeless(lasting(text))
    if (is !== timeless(lasting(was))) files.push([name, was, is])
  }
  return files.sort(byName)
}

/** Manifests without when Tickets were begun, wherever that stands: each render begins those anew that nobody has taken yet. */
function timeless(text: string): string {
  const begun = new Set([...text.matchAll(/^ *nodefit\.dev\/begun: "?([^"\n]+)"?$/gm)].map(([, time]) => time))
  return begun.size === 0 ? text : text.replaceAll(TIME, (time) => (begun.has(time) ? '' : time))
}

function byName([one]: readonly [string, ...unknown[]], [other]: readonly [string, ...unknown[]]): number {
  return one < other ? -1 : 1
}

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

/** What kind of node a shape is of, as text: its labels, amounts and taints; neither how its nodes do nor how many they are. */
export function kindOf(shape: Shape): string {
  const { labels, capacity, allocatable } = shape
  const sorted = [labels, capacity, allocatable].map((map) => Object.entries(map).sort())
  return JSON.stringify([sorted, ownTaints(shape)])
}

/** Texts as one, each once, in order. */
export function asSet(texts: readonly string[]): string {
  return [...new Set(texts)].sort().join('\n')
}
