import { isError } from '../../finding/index.ts'
import { ownerOf } from '../../krm/ownership.ts'
import type { Item } from '../../krm/types.ts'
import { isNodeInventory } from '../../policy/index.ts'
import { ownTaints, type Projection } from '../nodes/index.ts'
import type { Effect, Evaluation, FileChanges } from './evaluation.ts'
import { INVENTORY, type Owned } from './owned-folder.ts'
import { comparable, type Rendered, renderedWith } from './rendered.ts'
import type { EffectSettings } from './settings.ts'

/** What is decided about: the repository, what the owned folder has, and what it is to hold. */
export interface Inputs {
  readonly root: string
  readonly owned: Owned
  readonly own: Owned['files']
  readonly projection: Projection
  /** Milliseconds since 1970, in whole seconds. */
  readonly time: number
  readonly settings: EffectSettings
}

/** Errors by which a run says that it would take too much away, or is about the wrong cluster: a human has to look at it. */
const GUARDS: ReadonlySet<string> = new Set([
  'GuardTripped',
  'OutputOfOtherCluster',
  'WrongCluster',
  'SeveralClusters',
  'TwoSources',
])

/** Renders with what Git has and with what it is to have, and tells what comes of the difference. */
export function decide(inputs: Inputs): Evaluation {
  const { owned, own, settings, time, projection } = inputs
  const source = { ...settings, root: inputs.root }
  const next = renderedWith(source, own)
  const other = otherSource(next.items, own.get(INVENTORY) ?? '', settings.cluster)
  if (other !== undefined) return { kind: 'stopped', sentence: other, findings: [] }
  const findings = next.kind === 'failed' ? next.findings : next.kind === 'rendered' ? next.plan.findings : []
  const guard = findings.find((one) => isError(one) && GUARDS.has(one.code))
  const age =
    settings.maxAge === undefined || owned.observedAt === undefined ? undefined : owned.observedAt + settings.maxAge
  const until = dateOf([projection.until, age], time)
  if (guard !== undefined) return { kind: 'stopped', sentence: `${guard.code}: ${guard.message}`, until, findings }
  const effect = effectOf(inputs, next, () => renderedWith(source, owned.files))
  const failure = next.kind === 'failed' ? next.sentence : undefined
  const isOld = age !== undefined && age <= time
  const made = effect ?? (projection.isOverdue ? 'inventory' : isOld ? 'age' : undefined)
  if (made === undefined) return { kind: 'unchanged', why: 'effect', until, failure, findings }
  const summary = `${projection.nodeCount} nodes`
  const commit = { changes: changesOf(inputs, next), message: `Nodes of ${settings.cluster}\n` }
  return { kind: 'commit', commit, effect: made, until, summary, failure, findings }
}

/** What the new files come to, where that is another than what Git's came to. */
function effectOf(inputs: Inputs, next: Rendered, before: () => Rendered): Effect | undefined {
  const { owned, settings } = inputs
  const isFirst = !owned.files.has(INVENTORY)
  if (next.kind === 'failed') {
    if (isFirst || hasOtherShapes(inputs)) return 'failed'
    const earlier = before()
    return earlier.kind === 'failed' && earlier.key === next.key ? undefined : 'failed'
  }
  if (next.kind === 'nothing') return isFirst || hasOtherShapes(inputs) ? 'inventory' : undefined
  if (next.change !== undefined) {
    if (next.change.write.size + next.change.remove.length > 0) return 'rendered'
    return isFirst ? 'inventory' : undefined
  }
  if (isFirst) return 'inventory'
  const earlier = before()
  const isSame = earlier.kind === 'rendered' && comparable(earlier.manifests) === comparable(next.manifests)
  return isSame ? undefined : settings.output === undefined ? 'inventory' : 'rendered'
}

/** Whether there are other kinds of node than Git has; how the nodes of a kind do, and how many they are, does not count. */
function hasOtherShapes({ owned, projection }: Inputs): boolean {
  const kinds = (shapes: Projection['shapes']) =>
    [
      ...new Set(
        shapes.map((shape) =>
          JSON.stringify([shape.labels, ownTaints(shape), shape.osImage, shape.capacity, shape.allocatable]),
        ),
      ),
    ].sort()
  return JSON.stringify(kinds(projection.shapes)) !== JSON.stringify(kinds(owned.known.shapes))
}

function changesOf({ owned, own, settings: { folder, output = '' } }: Inputs, next: Rendered): FileChanges {
  const write = new Map<string, string>()
  const remove: string[] = []
  for (const [name, text] of own) if (owned.files.get(name) !== text) write.set(`${folder}/${name}`, text)
  for (const name of owned.files.keys()) if (!own.has(name)) remove.push(`${folder}/${name}`)
  const change = next.kind === 'rendered' ? next.change : undefined
  for (const [name, text] of change?.write ?? []) write.set(`${output}/${name}`, text)
  for (const name of change?.remove ?? []) remove.push(`${output}/${name}`)
  return { write, remove }
}

/** Nodes from elsewhere: what nodefit sync keeps and they would count the same nodes twice. */
function otherSource(items: readonly Item[], own: string, cluster: string): string | undefined {
  for (const { object, text } of items) {
    if (ownerOf(object) !== undefined || text === own) continue
    const spec = object.spec as { cluster?: unknown } | null | undefined
    const isOther = isNodeInventory(object)
      ? spec?.cluster === cluster
      : object.apiVersion === 'v1' && object.kind === 'Node'
    if (isOther)
      return `${object.kind} ${object.metadata.name} stands in the packages beside the inventory that nodefit sync keeps of cluster ${cluster}: remove it from the repository, or from what is rendered`
  }
  return undefined
}

function dateOf(instants: ReadonlyArray<number | undefined>, time: number): Date | undefined {
  const next = instants.filter((one) => one !== undefined && one > time) as number[]
  // an evaluation knows whole seconds only
  return next.length === 0 ? undefined : new Date(Math.ceil(Math.min(...next) / 1000) * 1000)
}
