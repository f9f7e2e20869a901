import {
  demandOf,
  earlierOf,
  emptyPlanned,
  kindOfGroup,
  type Line,
  type Planned,
  type Rendered,
  type World,
} from '../../core/index.ts'
import { findTarget, podSpecOf, rememberedNodes } from '../../core/object/index.ts'
import { mergeNodes, nodeCountOf } from '../../facts/inventory/index.ts'
import type { SizingSettings } from '../../kinds/index.ts'
import { markedGroup, releaserOf } from '../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { finding } from './codes.ts'

/** The state that views show of a suspended policy. */
const SUSPENDED: Line = { kind: 'state', state: 'suspended' }

/**
 * The plan of a suspended policy: its earlier output, unchanged, whatever changed in nodes, template and policy. Only
 * its target is read, so that it stays marked as local-config. `NeedsEarlierOutput` where the input has no earlier
 * output.
 */
export function planSuspended(
  subject: Item,
  settings: SizingSettings,
  world: World,
  keep: (object: KubernetesObject) => Rendered,
): Planned {
  const { value: source } = findTarget(world.named(settings.target), world.items, settings)
  const earlier = earlierOf(settings, source?.object, world)
  const ours = earlier.filter(({ object }) => releaserOf(object) === undefined)
  const objects = ours.map(({ object }) => {
    const kept = keep(object)
    // today's nodes are not read: those that it had when it was written
    const nodeCount = rememberedNodes(object) ?? kept.nodeCount
    return { ...kept, group: keptGroup(object), nodeCount, isKept: true }
  })
  const groups = objects.filter(({ object, group }) => {
    return group !== undefined && group.kind !== 'remainder' && rememberedNodes(object) !== 0
  }).length
  const { name } = settings.subject.metadata
  const field = { path: 'spec.suspend', currentValue: true }
  const missing = `${name} is suspended, but the input holds none of its earlier output`
  return emptyPlanned({
    subject,
    isSuspended: true,
    source,
    earlier,
    objects,
    // kept DaemonSets run on every new node, too
    demand: objects
      .filter(({ object }) => object.kind === 'DaemonSet')
      .map(({ object }) => demandOf('pod', object.metadata.name, podSpecOf(object))),
    ...mergeNodes(objects),
    account: [
      SUSPENDED,
      { kind: 'count', count: groups, noun: 'group' },
      { kind: 'count', count: nodeCountOf(objects), noun: 'node' },
    ],
    findings: objects.length > 0 ? [] : [finding('NeedsEarlierOutput', missing, { subject: settings.subject, field })],
  })
}

/** The group that a kept object was rendered for. */
function keptGroup(object: KubernetesObject): Rendered['group'] {
  const kind = kindOfGroup(object)
  return kind === undefined ? undefined : { id: String(markedGroup(object)), kind }
}
