import { indexBy, type Trust, type World } from '../../core/index.ts'
import { type Fleet, isSameUid } from '../../facts/inventory/index.ts'
import { isWorkloadSnapshot, validate, type WorkloadSnapshot } from '../../kinds/index.ts'
import type { Finding } from '../../krm/finding.ts'
import { describe } from '../../krm/identity.ts'
import { listOf, memberOf } from '../../krm/map.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import type { Labels, Taint } from '../../kube/index.ts'
import { finding } from './codes.ts'
import { CONTROL_PLANE, labelKeysOf, labelPath } from './parameters.ts'
import type { Action } from './read-action.ts'
import type { ActionSettings } from './settings.ts'
import { isTrustedNode } from './trust.ts'
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
  /** The documents of the package that are a Deployment, by namespace and name. */
  readonly deployments: ReadonlyMap<string, readonly Item[]>
  /** What sets the replicas of a Deployment; by namespace and name, or by name alone where it names no namespace. */
  readonly scaled: ReadonlyMap<string, string>
  /** Whether nodes were exported with a label. */
  knows(labelKey: string): boolean
  /** The labels by which nodes belong to the pools of the package. */
  readonly poolKeys: ReadonlySet<string>
}

/** Collects what is known of all targets. */
export function targetsOf({ items, live, options }: World, fleet: Fleet): Targets {
  const nodes = new Map<string, NodeFacts>()
  const { value: { nodes: liveNodes = [] } = {} } = live(options.cluster ?? fleet.cluster)
  const liveUids = new Map(liveNodes.map(({ name, uid }) => [name, uid]))
  for (const { nodes: names, uids = {}, labels, taints } of fleet.shapes)
    for (const name of names) {
      const uid = Object.hasOwn(uids, name) ? uids[name] : liveUids.get(name)
      nodes.set(name, { uid, labels, taints })
    }
  const deployments = indexBy(items, ({ object }) =>
    object.apiVersion === 'apps/v1' && object.kind === 'Deployment' ? objectKey(object) : undefined,
  )
  const scaled = new Map<string, string>()
  let pods: Map<string, Target> | undefined
  for (const { object } of items) {
    const { namespace } = object.metadata
    const scaledName = scaledDeployment(object)
    const scaledIn = namespace === undefined ? '' : `${namespace}/`
    if (scaledName !== undefined) scaled.set(`${scaledIn}${scaledName}`, describe(object))
    if (!isWorkloadSnapshot(object) || validate('WorkloadSnapshot', object).length > 0) continue
    const { spec } = object as unknown as WorkloadSnapshot
    if (spec.targets === undefined || (fleet.cluster !== '' && spec.cluster !== fleet.cluster)) continue
    if (!isSameUid(spec.clusterUid, fleet.clusterUid)) continue
    pods ??= new Map()
    for (const target of spec.targets)
      if (target.kind === 'Pod') pods.set(`${target.namespace ?? 'default'}/${target.name}`, target)
  }
  const poolKeys = new Set(items.flatMap(({ object }) => poolKeyOf(object) ?? []))
  return { nodes, deployments, scaled, poolKeys, knows: (key) => fleet.knows(key), ...(pods && { pods }) }
}

/** Returns the label by which nodes belong to a pool; undefined for another object. */
function poolKeyOf({ kind, spec }: KubernetesObject): string | undefined {
  const key = kind === 'NodeSmithPool' ? memberOf(spec, 'poolLabelKey') : undefined
  return typeof key === 'string' ? key : undefined
}

/** The kinds that set the replicas of a workload: that of Kubernetes, and KEDA's, which makes one of these. */
const AUTOSCALERS = ['HorizontalPodAutoscaler', 'ScaledObject']

/** Returns the name of the Deployment whose replicas an object sets; undefined where it sets none. */
function scaledDeployment({ kind, spec }: KubernetesObject): string | undefined {
  if (!AUTOSCALERS.includes(kind)) return undefined
  const target = memberOf(spec, 'scaleTargetRef')
  const name = memberOf(target, 'name')
  return typeof name === 'string' && (memberOf(target, 'kind') ?? 'Deployment') === 'Deployment' ? name : undefined
}

/** Returns the key of a namespaced target. */
export function targetKey({ target }: Pick<Action, 'target'>): string {
  return objectKey({ metadata: target })
}

/** Returns the namespace and name of an object, `default` where it names no namespace. */
function objectKey({ metadata: { namespace = 'default', name } }: { metadata: { namespace?: string; name: string } }) {
  return `${namespace}/${name}`
}

const BEYOND = 'is of no node that the nodeSelector of the trust has'
/** What may not be done to a node of the control plane. */
const DISTURBING = ['cordonNode', 'taintNode', 'untaintNode', 'drainNode']

/**
 * Why a verified action cannot have begun anything on its node, in words; undefined where it can. Whoever narrows the
 * policy of the package lets what was begun under it end all the same; beyond the trust nothing began.
 */
export function whyNotBegun(
  { type, target, parameters }: Action,
  { nodes }: Targets,
  settings: Pick<ActionSettings, 'nodeSelector' | 'allowControlPlane'>,
  trust: Trust | undefined,
): string | undefined {
  const labels = nodes.get(target.name)?.labels ?? {}
  if (trust?.types !== undefined && !trust.types.includes(type)) return `the trust of the run has no ${type}`
  if (!isTrustedNode(labels, settings.nodeSelector)) return 'its node is none of the nodeSelector of the trust'
  if (!DISTURBING.includes(type) || (trust?.allowControlPlane ?? settings.allowControlPlane)) return undefined
  const isOfControlPlane = CONTROL_PLANE.some((key) => Object.hasOwn(labels, key) || parameters.key === key)
  return isOfControlPlane ? 'it is of the control plane' : undefined
}

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
    if (!isTrustedNode(node.labels, settings.nodeSelector)) return report('NodeNotTrusted', BEYOND)
    const pooled = type === 'labelNode' ? labelKeysOf(action).find((key) => targets.poolKeys.has(key)) : undefined
    if (pooled !== undefined && !settings.allowLabels.includes(pooled)) {
      const sentence = `${name}: ${labelPath(action, pooled)} is the label of a node pool, which allowLabels does not have`
      return finding('ForbiddenLabel', sentence, { subject, field: { path: labelPath(action, pooled) } })
    }
    const unknown = type === 'labelNode' ? labelKeysOf(action).filter((key) => !targets.knows(key)) : []
    if (unknown.length > 0) return report('ActionLabelUnknown', `was exported without the label ${unknown.join(', ')}`)
    const isForbidden = DISTURBING.includes(type) && !settings.allowControlPlane
    return isForbidden && CONTROL_PLANE.some((key) => Object.hasOwn(node.labels, key))
      ? report('ControlPlaneNode', 'is of the control plane')
      : undefined
  }
  if (target.kind === 'Pod') {
    const pod = targets.pods?.get(targetKey(action))
    const labels = targets.nodes.get(pod?.node ?? '')?.labels
    if (settings.nodeSelector !== undefined && !(labels && isTrustedNode(labels, settings.nodeSelector)))
      return report('NodeNotTrusted', labels === undefined ? 'is on no node that a snapshot shows' : BEYOND)
    // the Job has a uid precondition, so it does nothing where the pod is another one, or gone
    if (targets.pods === undefined) return undefined
    if (pod === undefined) return report('ActionTargetMissing', 'is gone')
    if (pod.uid !== undefined && pod.uid !== target.uid)
      return report('ActionTargetChanged', `has the uid ${pod.uid}, not ${target.uid}`)
    if (pod.mirror === true) return report('PodNotEvictable', 'is the mirror of a static pod')
    return pod.controller === 'DaemonSet' ? report('PodNotEvictable', 'is of a DaemonSet') : undefined
  }
  const documents = targets.deployments.get(targetKey(action)) ?? []
  const isPartial = type === 'scaleDeployment' && settings.partialDeployments
  if (documents.length === 0 && !isPartial) return report('ActionTargetMissing', 'is not in the package')
  const { scaled } = targets
  const autoscaler = type === 'scaleDeployment' ? (scaled.get(targetKey(action)) ?? scaled.get(target.name)) : undefined
  if (autoscaler !== undefined) return report('HPAOwnsReplicas', `gets its replicas from ${autoscaler}`)
  if (type !== 'setImage' || documents.length === 0) return undefined
  const container = String(action.parameters.container)
  const names = documents.flatMap(({ object }) => containersOf(object)).map((one) => one.name)
  return names.includes(container)
    ? undefined
    : report('ActionTargetMissing', `has no container ${container}: it has ${names.join(', ') || 'none'}`)
}

/** A container of a Deployment, and the list that it is in. */
export interface DeploymentContainer {
  readonly list: 'containers' | 'initContainers'
  readonly name: string
}

/** Returns the containers of a Deployment, those that run before the others last; no two have one name. */
export function containersOf({ spec }: KubernetesObject): DeploymentContainer[] {
  const pod = memberOf(memberOf(spec, 'template'), 'spec')
  return (['containers', 'initContainers'] as const).flatMap((list) =>
    listOf(memberOf(pod, list)).flatMap((one) => {
      const name = memberOf(one, 'name')
      return typeof name === 'string' ? [{ list, name }] : []
    }),
  )
}
