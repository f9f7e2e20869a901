import { type Finding, isError } from '../../finding/index.ts'
import { ownerOf } from '../../krm/ownership.ts'
import type { Item } from '../../krm/types.ts'
import { isNodeInventory } from '../../policy/index.ts'
import type { Rendered } from './rendered.ts'

/** Errors by which a run says that it would take too much away, or is about the wrong cluster: a human has to look at it. */
const GUARDS: ReadonlySet<string> = new Set([
  'GuardTripped',
  'OutputOfOtherCluster',
  'WrongCluster',
  'SeveralClusters',
  'TwoSources',
])

/** What a render has to say. */
export function findingsOf(rendered: Rendered): readonly Finding[] {
  if (rendered.kind === 'rendered') return rendered.plan.findings
  return rendered.kind === 'failed' ? rendered.findings : []
}

/** The first guard that a render trips, with the sentence that asks for somebody to look at it. */
export function guardOf(rendered: Rendered): string | undefined {
  const guard = findingsOf(rendered).find((one) => isError(one) && GUARDS.has(one.code))
  return guard && `${guard.code}: ${guard.message}`
}

/** Nodes from elsewhere, said as a sentence: what nodefit sync keeps and they would count the same nodes twice. */
export function otherSource(items: readonly Item[], own: string, cluster: string): string | undefined {
  for (const { object, text } of items) {
    if (ownerOf(object) !== undefined || text === own) continue
    const spec = object.spec as { cluster?: unknown } | null | undefined
    const isNode = object.apiVersion === 'v1' && object.kind === 'Node'
    if (isNode || (isNodeInventory(object) && spec?.cluster === cluster))
      return `${object.kind} ${object.metadata.name} stands in the packages beside the inventory that nodefit sync keeps of cluster ${cluster}: remove it from the repository, or from what is rendered`
  }
  return undefined
}
