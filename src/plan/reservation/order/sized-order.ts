import { canonical, copyableAnnotations, copyableLabels, sizedResources } from '../../../core/object/index.ts'
import type { SizingSettings } from '../../../kinds/index.ts'
import { LOCAL_CONFIG } from '../../../krm/identity.ts'
import { NOT_APPLIED } from '../../../krm/remembered.ts'
import type { KubernetesObject } from '../../../krm/types.ts'
import {
  type Affinity,
  formatDuration,
  type Labels,
  parseDuration,
  Quantity,
  type ResourceRequirements,
  type Toleration,
  timeText,
} from '../../../kube/index.ts'
import {
  and,
  type ContainerSize,
  type Group,
  type GroupName,
  type Placement,
  requiredTerms,
  withRequired,
} from '../../sizing/index.ts'
import { isDaemonOrder } from './read-order.ts'

/** The fields of a sized Order that are read again. */
export interface SizedOrder extends KubernetesObject {
  spec: {
    template: { spec: { nodeSelector?: Labels; affinity?: Affinity; [field: string]: unknown } }
    [field: string]: unknown
  }
}

/**
 * Returns the Order of a group: the target with the group's size, selector and labels. A plain Order gets as many
 * replicas as the group has nodes. An Order in DaemonSet mode is only input for Tickets and never applied (research:
 * korder section 4.5).
 */
export function sizedOrder(
  target: KubernetesObject,
  plan: { group: Group; name: GroupName; placement: Placement; size: ContainerSize; memory?: Record<string, string> },
  settings: SizingSettings,
): SizedOrder {
  const { group, name, placement, size, memory } = plan
  const { labels, annotations, namespace } = target.metadata
  const spec = target.spec as SizedOrder['spec']
  const template = spec.template
  const isDaemon = isDaemonOrder(target)
  const pod = {
    ...template.spec,
    ...canonicalTimes(template.spec),
    resources: sizedResources(template.spec.resources as ResourceRequirements | undefined, size.printed),
    nodeSelector: { ...placement.nodeSelector, ...group.nodeSelector },
    affinity: withRequired(placement.affinity, and(requiredTerms(placement.affinity), group.terms)),
    tolerations: placement.tolerations.length > 0 ? placement.tolerations.map(bareToleration) : undefined,
  }
  const { replicas: _, ...rest } = spec
  return canonical({
    apiVersion: target.apiVersion,
    kind: target.kind,
    metadata: {
      name: name.name,
      ...(namespace === undefined ? {} : { namespace }),
      labels: {
        ...copyableLabels(labels),
        [settings.managedBy.key]: settings.managedBy.value,
        [settings.nodeGroupKey]: name.label,
      },
      annotations: {
        ...copyableAnnotations(annotations),
        ...(isDaemon ? { [LOCAL_CONFIG]: 'true', [NOT_APPLIED]: 'true' } : {}),
        ...memory,
      },
    },
    spec: {
      ...rest,
      ...(isDaemon ? {} : { replicas: nodesThatTake(group, pod.resources) }),
      template: { ...template, spec: pod },
    },
  }) as unknown as SizedOrder
}

/** The taints of nodes that are not ready. */
const NOT_READY = /^node\.kubernetes\.io\/(?:not-ready|unreachable)\b/

/**
 * Returns on how many nodes of a group a guardian pod finds a place: cordoned nodes, those with a taint that keeps it
 * away and those with less allocatable than it requests take none. Nodes that are not ready count: replicas that follow
 * readiness would flap.
 */
function nodesThatTake({ members }: Group, resources: ResourceRequirements | undefined): number {
  const requests = Object.entries(resources?.requests ?? {})
  const takes = ({ shape: { unschedulable, allocatable }, mayStart, closedBy = '' }: Group['members'][number]) =>
    unschedulable !== true &&
    (mayStart || NOT_READY.test(closedBy)) &&
    requests.every(([name, amount]) => {
      const given = Object.hasOwn(allocatable, name) ? allocatable[name] : undefined
      return given === undefined || Quantity.parse(amount).compare(Quantity.parse(given)) <= 0
    })
  return members.filter(takes).reduce((sum, { nodeCount }) => sum + nodeCount, 0)
}

/** Returns the durations and times as the API server prints them. */
function canonicalTimes({ duration, startTime, window }: Record<string, unknown>): Record<string, unknown> {
  const times = (own: { duration?: unknown; startTime?: unknown }) => ({
    ...(typeof own.duration === 'string' ? { duration: formatDuration(parseDuration(own.duration)) } : {}),
    ...(typeof own.startTime === 'string' ? { startTime: timeText(own.startTime) } : {}),
  })
  return {
    ...times({ duration, startTime }),
    ...(window === undefined ? {} : { window: { ...(window as object), ...times(window as object) } }),
  }
}

/**
 * Returns a toleration without empty strings, which have no effect and which korder omits when it writes the
 * toleration.
 */
export function bareToleration(toleration: Toleration): Toleration {
  return Object.fromEntries(
    Object.entries(toleration).filter(([, value]) => value !== '' && value !== null),
  ) as Toleration
}
