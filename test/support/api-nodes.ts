/** Nodes as the API server gives them, and what happens to them. */

import { labelKeysWith, type ProjectedNode, trimNode } from '../../src/host/sync/nodes/projected-node.ts'
import type { Taint } from '../../src/kube/index.ts'
import { OS, TYPE } from './objects.ts'

export const START = '2026-11-20T12:00:00Z'

export interface ApiNode {
  metadata: {
    name: string
    uid: string
    creationTimestamp: string
    labels: Record<string, string>
    [field: string]: unknown
  }
  spec: { taints?: Taint[]; unschedulable?: boolean }
  status: {
    allocatable: Record<string, string>
    capacity: Record<string, string>
    conditions: Array<{ type: string; status: string; lastHeartbeatTime: string; lastTransitionTime: string }>
    nodeInfo: { osImage: string }
    images?: unknown[]
  }
}

/** A Ready node of a type, made long ago. */
export function apiNode(name: string, type = 'm5.large', memory = 7_134_856): ApiNode {
  const before = '2026-11-01T00:00:00Z'
  return {
    metadata: {
      name,
      uid: `uid-${name}`,
      creationTimestamp: before,
      labels: { [OS]: 'linux', [TYPE]: type, 'kubernetes.io/hostname': name },
    },
    spec: {},
    status: {
      allocatable: { cpu: '1930m', memory: `${memory}Ki`, pods: '29' },
      capacity: { cpu: '2', memory: `${memory + 900_000}Ki`, pods: '29' },
      conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: before, lastTransitionTime: before }],
      nodeInfo: { osImage: 'Amazon Linux 2023' },
    },
  }
}

/** The node with its Ready condition changed at a time, and the taints that go with that. */
export function turned(node: ApiNode, status: 'True' | 'False' | 'Unknown', at: number): ApiNode {
  const time = new Date(at).toISOString()
  const [condition] = node.status.conditions
  const others = (node.spec.taints ?? []).filter(({ key }) => !/not-ready|unreachable/.test(key))
  const key = status === 'False' ? 'node.kubernetes.io/not-ready' : 'node.kubernetes.io/unreachable'
  const own = status === 'True' ? [] : ['NoSchedule', 'NoExecute'].map((effect) => ({ key, effect }))
  const conditions = condition === undefined ? [] : [{ ...condition, status, lastTransitionTime: time }]
  return { ...node, spec: { ...node.spec, taints: [...others, ...own] }, status: { ...node.status, conditions } }
}

/** What the watch keeps of nodes. */
export function projected(nodes: Iterable<ApiNode>, labels: readonly string[] = []): ProjectedNode[] {
  return [...nodes].map(trimNode(labelKeysWith(labels)))
}
