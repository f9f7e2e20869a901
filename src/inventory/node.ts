import { isMap } from '../krm/map.ts'
import type { Node, ResourceQuantities, Taint } from '../kube/index.ts'
import type { Shape } from './fleet.ts'
import { namedNodes } from './nodes.ts'

interface NodeStatus {
  conditions?: Array<{ type?: string; status?: string; lastHeartbeatTime?: unknown }>
  nodeInfo?: { osImage?: string }
  capacity?: ResourceQuantities
  allocatable?: ResourceQuantities
}

/** A Node, as the API server gives it, as a shape of its own. What changes with every heartbeat is left out. */
export function shapeOfNode(node: Node): Shape {
  const status = (node.status ?? {}) as NodeStatus
  const uid = node.metadata.uid
  return {
    labels: node.metadata.labels ?? {},
    taints: (node.spec?.taints ?? []).map(withoutTime),
    ready: status.conditions?.find(({ type }) => type === 'Ready')?.status,
    unschedulable: node.spec?.unschedulable === true,
    osImage: status.nodeInfo?.osImage ?? '',
    capacity: status.capacity ?? {},
    allocatable: status.allocatable ?? {},
    ...namedNodes([node.metadata.name]),
    ...(typeof uid === 'string' ? { uids: { [node.metadata.name]: uid } } : {}),
  }
}

/** What makes a Node unreadable, in words; the API server gives none of these. */
export function nodeProblem({ metadata, spec, status }: Node): string | undefined {
  const { conditions, capacity, allocatable, nodeInfo } = (status ?? {}) as NodeStatus
  if (typeof metadata.name !== 'string' || metadata.name === '') return 'it has no name'
  if (typeof (nodeInfo?.osImage ?? '') !== 'string') return 'status.nodeInfo.osImage is not text'
  if (!Object.values(metadata.labels ?? {}).every((value) => typeof value === 'string'))
    return 'a label has no text value'
  if (!isListOfMaps(spec?.taints)) return 'spec.taints is not a list of taints'
  if (!isListOfMaps(conditions)) return 'status.conditions is not a list of conditions'
  const amounts = [...Object.values(capacity ?? {}), ...Object.values(allocatable ?? {})]
  return amounts.every((amount) => typeof amount === 'string' || typeof amount === 'number')
    ? undefined
    : 'an amount is not a quantity'
}

function isListOfMaps(value: unknown): boolean {
  if (value === undefined || value === null) return true
  return Array.isArray(value) && value.every(isMap)
}

/** When the node was last heard of: its newest heartbeat, RFC 3339. */
export function lastHeartbeat(node: Node): string | undefined {
  const { conditions } = (node.status ?? {}) as NodeStatus
  const times = (conditions ?? []).map(({ lastHeartbeatTime }) => lastHeartbeatTime)
  return times
    .filter((time) => typeof time === 'string')
    .sort()
    .at(-1)
}

function withoutTime({ key, value, effect }: Taint): Taint {
  return value === undefined ? { key, effect } : { key, value, effect }
}
