import { isMap, listOf, memberOf } from '../../krm/map.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { type LabelSelector, type Labels, matchesLabels } from '../../kube/index.ts'

interface Container {
  restartPolicy?: string
  ports?: unknown
}

interface Port {
  hostPort?: number
  containerPort?: number
}

/**
 * Returns, in ascending order, the host ports that a DaemonSet's pods hold while they run: only one pod of a node can
 * have each. With `hostNetwork` every port is a host port (the API server defaults `hostPort`); of init containers,
 * only sidecars keep theirs.
 */
export function hostPortsOf({ spec }: KubernetesObject): number[] {
  const pod = (spec as { template?: { spec?: Record<string, unknown> | null } | null } | null | undefined)?.template
    ?.spec
  const sidecars = mapsIn<Container>(pod?.initContainers).filter(({ restartPolicy }) => restartPolicy === 'Always')
  const ports = [...mapsIn<Container>(pod?.containers), ...sidecars].flatMap((container) =>
    mapsIn<Port>(container.ports),
  )
  const held = ports.map(({ hostPort, containerPort }) => hostPort || (pod?.hostNetwork ? containerPort : undefined))
  return [...new Set(held.filter((port) => typeof port === 'number'))].sort((left, right) => left - right)
}

/** Returns the maps of a list. A template from which nothing was rendered may be malformed. */
function mapsIn<T>(value: unknown): T[] {
  return Array.isArray(value) ? value.filter((member) => typeof member === 'object' && member !== null) : []
}

interface Term {
  labelSelector?: LabelSelector | null
  namespaces?: unknown
  namespaceSelector?: unknown
  topologyKey?: unknown
  matchLabelKeys?: unknown
  mismatchLabelKeys?: unknown
}

/**
 * A label that the DaemonSet controller adds to each pod, different for every DaemonSet and every version of its
 * template.
 */
const REVISION = 'controller-revision-hash'

/**
 * Whether required pod anti-affinity of a DaemonSet's pods selects the pods themselves, as in the scheduler's
 * InterPodAffinity: a new pod then cannot start on a node where an old one runs. The topology key does not matter,
 * since two pods of one node share every topology. A term without namespaces and namespaceSelector applies to the pods'
 * own namespace; a selector that is not empty may select it, since the labels of namespaces are not known.
 * `matchLabelKeys` and `mismatchLabelKeys` extend the label selector by the pod's own labels.
 */
export function hasSelfAntiAffinity({ metadata, spec }: KubernetesObject): boolean {
  const template = memberOf(spec, 'template')
  const antiAffinity = memberOf(memberOf(memberOf(template, 'spec'), 'affinity'), 'podAntiAffinity')
  const terms = memberOf(antiAffinity, 'requiredDuringSchedulingIgnoredDuringExecution')
  const labels = memberOf(memberOf(template, 'metadata'), 'labels')
  const podLabels = isMap(labels) ? (labels as Labels) : {}
  return listOf(terms).some((term) => isMap(term) && selects(term, podLabels, metadata.namespace))
}

function selects(term: Term, podLabels: Labels, namespace: string | undefined): boolean {
  if (typeof term.topologyKey !== 'string' || term.topologyKey === '') return false
  if (!appliesToNamespace(term, namespace)) return false
  if (listOf(term.matchLabelKeys).includes(REVISION)) return false
  if (listOf(term.mismatchLabelKeys).some((key) => typeof key === 'string' && Object.hasOwn(podLabels, key)))
    return false
  try {
    return matchesLabels(term.labelSelector, podLabels)
  } catch {
    // the API server refuses such a selector
    return false
  }
}

/** Whether the term applies to the pods' own namespace. If that is set later, any listed one may be it. */
function appliesToNamespace({ namespaces, namespaceSelector }: Term, namespace: string | undefined): boolean {
  const listed = listOf(namespaces)
  if (isMap(namespaceSelector) || listed.length === 0) return true
  return namespace === undefined || listed.includes(namespace)
}
