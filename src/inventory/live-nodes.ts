import type { Finding, Read, Subject } from '../finding/index.ts'
import { KubeError, Quantity, type ResourceQuantities } from '../kube/index.ts'
import type { WorkloadSnapshot } from '../policy/index.ts'
import { finding } from './codes.ts'

/** What the pods on a node request, and which of them are of DaemonSets. */
export interface LiveNode {
  readonly name: string
  /** Undefined where the snapshot does not say. */
  readonly used?: ResourceQuantities
  readonly daemonPods: readonly DaemonPod[]
}

/** A pod of a DaemonSet. */
export interface DaemonPod {
  readonly namespace: string
  readonly name: string
  readonly requests: ResourceQuantities
}

/** The nodes of a snapshot; without a value it says nothing about them. */
export function readLiveNodes(subject: Subject, spec: WorkloadSnapshot['spec']): Read<LiveNode[]> {
  const { nodes, daemonSets = [] } = spec
  if (nodes === undefined) return { findings: [] }
  const malformed = [
    ...nodes.flatMap((node, index) => amountFindings(subject, node.used, `spec.nodes.${index}.used`)),
    ...daemonSets.flatMap((one, index) => amountFindings(subject, one.requests, `spec.daemonSets.${index}.requests`)),
  ]
  if (malformed.length > 0) return { findings: malformed }
  const pods = new Map<string, DaemonPod[]>(nodes.map(({ name }) => [name, []]))
  for (const { namespace = '', name, requests, nodes: places } of daemonSets)
    for (const place of places) pods.get(place)?.push({ namespace, name, requests: requests ?? {} })
  const value = nodes.map(({ name, used }) => ({ name, used: used ?? undefined, daemonPods: pods.get(name) ?? [] }))
  return { value, findings: [] }
}

function amountFindings(subject: Subject, amounts: ResourceQuantities | null | undefined, path: string): Finding[] {
  return Object.entries(amounts ?? {}).flatMap(([name, text]) => {
    try {
      Quantity.parse(text)
      return []
    } catch (error) {
      if (!(error instanceof KubeError)) throw error
      const field = { path: `${path}.${name}`, currentValue: text }
      return [finding('InvalidField', `${subject.metadata.name}: ${field.path}: ${error.message}`, { subject, field })]
    }
  })
}
