import { createHash } from 'node:crypto'
import { nodeCountOf, type Shape } from '../../../facts/inventory/index.ts'
import { pathOf } from '../../../krm/identity.ts'
import { isMap, memberOf } from '../../../krm/map.ts'
import type { Item } from '../../../krm/types.ts'
import { PLANNERS } from '../../../rules/run.ts'
import { manifestTexts } from '../../files/manifest.ts'
import { objectsIn } from '../../files/objects-in.ts'
import type { Projection } from '../nodes/project.ts'
import { kindTaints } from '../nodes/projected-node.ts'
import type { Effect } from './evaluation.ts'
import { INVENTORY_FILE, type OwnedFolder } from './owned-folder.ts'
import type { Rendered } from './rendered.ts'
import { type UsageChanges, usageText } from './usage-changes.ts'

/**
 * A commit is made when the nodes are fewer than this part of those in Git, or those in Git fewer than this part of the
 * nodes.
 */
const MIN_RATIO = 0.75
/** Fewer nodes than this are no reason for a commit: a small cluster would have one for each. */
const MIN_DIFFERENCE = 5

/** What Git has, and what it would have. */
interface Comparison {
  readonly owned: OwnedFolder
  readonly projection: Projection
  /** The render with the new files. */
  readonly next: Rendered
  /** The render with the files of Git; called only where it is needed. */
  readonly before: () => Rendered
}

/**
 * Why a commit has to be made: other output, other manifests, another error; or other kinds of node where nothing is
 * rendered. Undefined where none has to be.
 */
export function effectOf(comparison: Comparison): Effect | undefined {
  const { owned, next, before } = comparison
  const isFirst = !owned.files.has(INVENTORY_FILE)
  if (next.kind === 'failed') {
    if (isFirst || hasOtherKinds(comparison)) return 'failed'
    const earlier = before()
    return earlier.kind === 'failed' && earlier.key === next.key ? undefined : 'failed'
  }
  if (next.kind === 'nothing') return isFirst || hasOtherKinds(comparison) ? 'inventory' : undefined
  if (next.change !== undefined && hasEffect(next.change)) return 'rendered'
  if (isFirst || hasOtherNodeCount(comparison)) return 'inventory'
  // the output folder is up to date
  if (next.change !== undefined) return undefined
  const earlier = before()
  return earlier.kind === 'rendered' && comparableManifests(earlier.manifests) === comparableManifests(next.manifests)
    ? undefined
    : 'inventory'
}

function hasEffect({ write, remove, held }: NonNullable<Extract<Rendered, { kind: 'rendered' }>['change']>): boolean {
  const isChanged = ([name, text]: readonly [string, string]) => {
    const before = held.get(name)
    return before === undefined || comparableFile(before, name) !== comparableFile(text, name)
  }
  return remove.length > 0 || [...write].some(isChanged)
}

/**
 * Whether the number of nodes has changed so much that guards would count from a number that is out of date. Git is
 * updated step by step, so that a fleet that loses half of its nodes at once still trips a guard, also one that had
 * grown before.
 */
function hasOtherNodeCount({ owned, projection }: Comparison): boolean {
  const nodeCount = nodeCountOf(owned.known.shapes)
  if (Math.abs(projection.nodeCount - nodeCount) < MIN_DIFFERENCE) return false
  return projection.nodeCount < MIN_RATIO * nodeCount || nodeCount < MIN_RATIO * projection.nodeCount
}

function hasOtherKinds({ owned, projection }: Comparison): boolean {
  return kindsText(projection.shapes) !== kindsText(owned.known.shapes)
}

function kindsText(shapes: Projection['shapes']): string {
  return asSet(shapes.map((shape) => `${nodeKind(shape)} ${shape.osImage ?? ''}`))
}

/**
 * Annotations whose change alone is no effect: a planner writes them for its next run, and nothing in a cluster depends
 * on them.
 */
const VOLATILE_ANNOTATIONS: ReadonlySet<string> = new Set(PLANNERS.flatMap(({ volatile }) => [...volatile]))

/** Manifests as a text that is equal where they have the same effect. */
export function comparableManifests(manifests: readonly Item[]): string {
  return JSON.stringify(manifests.map(({ object }) => comparable(object)))
}

/** A file of an output folder as a text that is equal where it has the same effect. */
export function comparableFile(text: string, name: string): string {
  return JSON.stringify(objectsIn(text, name).map(({ value }) => comparable(value)))
}

/** An object as JSON, without volatile annotations, and without their times where another field repeats them. */
function comparable(value: unknown): string {
  const text = (part: unknown) =>
    JSON.stringify(part, (_, member: unknown) => (typeof member === 'bigint' ? `${member}n` : member)) ?? ''
  const metadata = memberOf(value, 'metadata')
  const annotations = memberOf(metadata, 'annotations')
  if (!isMap(value) || !isMap(metadata) || !isMap(annotations)) return text(value)
  const [volatile, lasting] = [true, false].map((isVolatile) =>
    Object.entries(annotations).filter(([key]) => VOLATILE_ANNOTATIONS.has(key) === isVolatile),
  )
  const times = (volatile ?? []).flatMap(([, time]) => (typeof time === 'string' && time.includes('T') ? [time] : []))
  const rest = text({ ...value, metadata: { ...metadata, annotations: Object.fromEntries(lasting ?? []) } })
  return times.reduce((shortened, time) => shortened.replaceAll(time, ''), rest)
}

/** The kind of node of a shape, as text: labels, amounts and taints, without the state and the number of nodes. */
function nodeKind(shape: Shape): string {
  const { labels, capacity, allocatable } = shape
  const sorted = [labels, capacity, allocatable].map((map) => Object.entries(map).sort())
  return JSON.stringify([sorted, kindTaints(shape)])
}

/** Texts as one text, sorted and without duplicates. */
function asSet(texts: readonly string[]): string {
  return [...new Set(texts)].sort().join('\n')
}

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
interface Change {
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
