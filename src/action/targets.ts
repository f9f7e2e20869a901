import type { Finding } from '../finding/index.ts'
import type { Fleet } from '../inventory/index.ts'
import type { Item } from '../krm/types.ts'
import type { Labels, Taint } from '../kube/index.ts'
import { isWorkloadSnapshot, validate, type WorkloadSnapshot } from '../policy/index.ts'
import type { World } from '../world/index.ts'
import { finding } from './codes.ts'
import type { Action } from './read-action.ts'
import type { ActionSettings } from './settings.ts'
import { targetText } from './verify.ts'

/** What is known of a node. */
export interface NodeFacts {
  readonly uid?: string
  readonly labels: Labels
  readonly taints: readonly Taint[]
}

type Target = NonNullable<WorkloadSnapshot['spec']['targets']>[number]

/** What actions are done to. */
export interface Targets {
  readonly nodes: ReadonlyMap<string, NodeFacts>
  /** By namespace and name; undefined where no snapshot shows the pods that actions name. */
  readonly pods?: ReadonlyMap<string, Target>
  /** The Deployments of the package, by namespace and name. */
  readonly deployments: ReadonlyMap<string, Item>
  /** The Deployments of the package whose replicas a HorizontalPodAutoscaler sets, with its name. */
  readonly scaled: ReadonlyMap<string, string>
}

/** Collects what is known of all targets. */
export function targetsOf({ items, live, options }: World, fleet: Fleet): Targets {
  const nodes = new Map<string, NodeFacts>()
  const { value: { nodes: liveNodes = [] } = {} } = live(options.cluster ?? fleet.cluster)
  const liveUids = new Map(liveNodes.map(({ name, uid }) => [name, uid]))
  for (const { nodes: names, uids = {}, labels, taints } of fleet.shapes)
    for (const name of names) nodes.set(name, { uid: uids[name] ?? liveUids.get(name), labels, taints })
  const deployments = new Map<string, Item>()
  const scaled = new Map<string, string>()
  let pods: Map<string, Target> | undefined
  for (const item of items) {
    const { object } = item
    const { namespace = 'default', name } = object.metadata
    if (object.apiVersion === 'apps/v1' && object.kind === 'Deployment') deployments.set(`${namespace}/${name}`, item)
    if (object.kind === 'HorizontalPodAutoscaler') {
      const { scaleTargetRef } = (object.spec ?? {}) as { scaleTargetRef?: { kind?: unknown; name?: unknown } }
      if (scaleTargetRef?.kind === 'Deployment') scaled.set(`${namespace}/${String(scaleTargetRef.name)}`, name)
    }
    if (!isWorkloadSnapshot(object) || validate('WorkloadSnapshot', object).length > 0) continue
    const { spec } = object as unknown as WorkloadSnapshot
    if (spec.targets === undefined || (fleet.cluster !== '' && spec.cluster !== fleet.cluster)) continue
    pods ??= new Map()
    for (const target of spec.targets)
      if (target.kind === 'Pod') pods.set(`${target.namespace ?? 'default'}/${target.name}`, target)
  }
  return { nodes, deployments, scaled, ...(pods && { pods }) }
}

/** Returns the key of a namespaced target. */
export function targetKey({ target: { namespace = 'default', name } }: Pick<Action, 'target'>): string {
  return `${namespace}/${name}`
}

const CONTROL_PLANE = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master']
/** What may not be done to a node of the control plane. */
const DISTURBING = ['cordonNode', 'taintNode', 'drainNode']

/** Reports why an action has nothing to act on, or may not act on it; undefined where it may. */
export function targetFinding(action: Action, targets: Targets, settings: ActionSettings): Finding | undefined {
  const { subject, type, target } = action
  const { name } = subject.metadata
  const report = (code: Parameters<typeof finding>[0], words: string) =>
    finding(code, `${name}: ${targetText(action)} ${words}`, { subject, field: { path: 'spec.target.name' } })
  if (target.kind === 'Node') {
    const node = targets.nodes.get(target.name)
    if (node === undefined) return report('ActionTargetMissing', 'is not among the nodes')
    if (target.uid !== undefined && node.uid !== undefined && target.uid !== node.uid)
      return report('ActionTargetChanged', `has the uid ${node.uid}, not ${target.uid}`)
    if (node.uid === undefined) return report('NodeUidUnknown', 'has no uid in the inventory')
    const isForbidden = DISTURBING.includes(type) && !settings.allowControlPlane
    return isForbidden && CONTROL_PLANE.some((key) => Object.hasOwn(node.labels, key))
      ? report('ControlPlaneNode', 'is of the control plane')
      : undefined
  }
  if (target.kind === 'Pod') {
    const pod = targets.pods?.get(targetKey(action))
    // the Job has a uid precondition, so it does nothing where the pod is another one, or gone
    if (targets.pods === undefined) return undefined
    if (pod === undefined) return report('ActionTargetMissing', 'is gone')
    if (pod.uid !== undefined && pod.uid !== target.uid)
      return report('ActionTargetChanged', `has the uid ${pod.uid}, not ${target.uid}`)
    if (pod.mirror === true) return report('PodNotEvictable', 'is the mirror of a static pod')
    return pod.controller === 'DaemonSet' ? report('PodNotEvictable', 'is of a DaemonSet') : undefined
  }
  const isPartial = type === 'scaleDeployment' && settings.partialDeployments
  if (!targets.deployments.has(targetKey(action)))
    return isPartial ? undefined : report('ActionTargetMissing', 'is not in the package')
  const autoscaler = type === 'scaleDeployment' ? targets.scaled.get(targetKey(action)) : undefined
  return autoscaler === undefined
    ? undefined
    : report('HPAOwnsReplicas', `gets its replicas from HorizontalPodAutoscaler ${autoscaler}`)
}
