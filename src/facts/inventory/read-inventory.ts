import { type NodeInventory, unknownFields, validate } from '../../kinds/index.ts'
import { plural, type Read, type Subject } from '../../krm/finding/index.ts'
import { isTime } from '../../kube/index.ts'
import { finding } from './codes.ts'
import type { Fleet, Shape } from './fleet.ts'
import { labelKeyMatcher } from './label-keys.ts'
import { namedNodes, nodeCountOf } from './nodes.ts'

/**
 * Reads a NodeInventory; without a value the findings contain an error. A truncated one is returned as it is, for runs
 * that allow it.
 */
export function readInventory(resource: Subject): Read<Fleet> {
  const invalid = validate('NodeInventory', resource)
  if (invalid.length > 0) {
    const place = (field: (typeof invalid)[number]['field']) => ({ subject: resource, field })
    return { findings: invalid.map(({ sentence, field }) => finding('InventoryInvalid', sentence, place(field))) }
  }
  const { spec } = resource as unknown as NodeInventory
  const shapes = spec.shapes.map(toShape)
  const places = spec.shapes.map((shape) => ['spec.shapes[]', shape] as const)
  const findings = unknownFields('NodeInventory', resource, [['spec', spec], ...places])
  const nodeCount = nodeCountOf(shapes)
  if (nodeCount !== spec.nodeCount) {
    const field = { path: 'spec.nodeCount', currentValue: spec.nodeCount, proposedValue: nodeCount }
    const sentence = `NodeInventory ${resource.metadata.name} has ${plural(nodeCount, 'node')}, but nodeCount is ${spec.nodeCount}`
    findings.push(finding('InventoryCut', sentence, { subject: resource, field }))
  }
  const knows = labelKeyMatcher(spec.labelKeys)
  const { cluster, clusterUid, observedAt } = spec
  const identity = { cluster, ...(clusterUid === undefined ? {} : { clusterUid }) }
  return { value: { ...identity, observedAt, shapes, knows }, findings }
}

function toShape(shape: NodeInventory['spec']['shapes'][number]): Shape {
  return {
    labels: shape.labels ?? {},
    taints: shape.taints ?? [],
    ready: shape.ready,
    unschedulable: shape.unschedulable ?? false,
    osImage: shape.osImage ?? '',
    capacity: shape.capacity ?? {},
    allocatable: shape.allocatable ?? {},
    ...(shape.count === undefined ? namedNodes(shape.nodes ?? []) : { nodes: [], nodeCount: shape.count }),
    uids: shape.uids,
    ...(shape.emptySince === undefined ? {} : { emptySince: shape.emptySince }),
  }
}

/** Returns the newest `observedAt` of the inventories and snapshots; undefined if none has one. */
export function newestTime(sources: readonly Subject[]): Date | undefined {
  const times = sources
    .map((source) => (source as { spec?: { observedAt?: unknown } | null }).spec?.observedAt)
    .filter((text): text is string => typeof text === 'string' && isTime(text))
    .map((text) => new Date(text).getTime())
  return times.length === 0 ? undefined : new Date(times.reduce((newest, time) => Math.max(newest, time)))
}
