import { memo } from '../../core/memo.ts'
import type { KubeObject } from './list.ts'

/** Returns the part of an object to keep; undefined leaves the object out. */
export type Trim = (object: KubeObject) => KubeObject | undefined

/**
 * Returns what trims the pods of a list to the part of a DaemonSet's pod that is looked at, and leaves out the pods of
 * others. The pods of a DaemonSet are alike but for name and node: what is equal is kept once for all of them, since
 * 100,000 whole pods would take a gigabyte.
 */
export function trimsDaemonPods(): Trim {
  const shared = sharesEqual()
  return ({ metadata, spec, status }) => {
    const { name, namespace, ownerReferences } = metadata as KubeObject['metadata'] & { ownerReferences?: Owner[] }
    const owner = ownerReferences?.find((one) => one.kind === 'DaemonSet' && one.controller === true)
    if (owner === undefined) return undefined
    const { nodeName, containers, initContainers, overhead, resources } = (spec ?? {}) as Record<string, unknown>
    const { phase, conditions, containerStatuses, initContainerStatuses } = (status ?? {}) as Record<string, unknown>
    const sized = (all: unknown) => picked(all, ['name', 'resources', 'restartPolicy'])
    return {
      metadata: {
        name,
        namespace: shared(namespace),
        ownerReferences: shared([{ kind: owner.kind, name: owner.name, controller: true }]),
      } as KubeObject['metadata'],
      spec: shared({
        nodeName,
        containers: sized(containers),
        initContainers: sized(initContainers),
        overhead,
        resources,
      }),
      status: shared({
        phase,
        conditions: looked(conditions),
        containerStatuses: stated(containerStatuses),
        initContainerStatuses: stated(initContainerStatuses),
      }),
    }
  }
}

/** Trims PodMetrics to what the containers of the pod use. */
export function podMetrics({ metadata: { name, namespace }, containers }: KubeObject): KubeObject {
  return { metadata: { name, namespace }, containers: picked(containers, ['name', 'usage']) }
}

interface Owner {
  readonly kind?: string
  readonly name?: string
  readonly controller?: boolean
}

/** Returns what gives one value for equal ones, and one for equal members of maps. */
function sharesEqual(): <Value>(value: Value) => Value {
  const read = memo((text: string): unknown => JSON.parse(text))
  const first = (value: unknown) => (value === undefined ? undefined : read(JSON.stringify(value)))
  return <Value>(value: Value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return first(value) as Value
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, first(member)])) as Value
  }
}

/** The conditions that say that a pod waits for a node, or that its resize is infeasible. */
function looked(conditions: unknown): unknown {
  const all = picked(conditions, ['type', 'status', 'reason', 'message'])
  return all?.filter(({ type, status }) => (type === 'PodScheduled' ? status !== 'True' : type === 'PodResizePending'))
}

/** What containers have, and why they ended; the times of states differ from pod to pod. */
function stated(statuses: unknown): unknown {
  return picked(statuses, ['name', 'state', 'lastState', 'resources', 'allocatedResources'])?.map((one) => ({
    ...one,
    ...(one.state === undefined ? {} : { state: reasonOf(one.state) }),
    ...(one.lastState === undefined ? {} : { lastState: reasonOf(one.lastState) }),
  }))
}

function reasonOf(state: unknown): object {
  const { terminated } = (state ?? {}) as { terminated?: { reason?: unknown } | null }
  return terminated === undefined || terminated === null ? {} : { terminated: { reason: terminated.reason } }
}

function picked(all: unknown, fields: readonly string[]): Array<Record<string, unknown>> | undefined {
  if (!Array.isArray(all)) return undefined
  return all.map((one: Record<string, unknown>) =>
    Object.fromEntries(fields.flatMap((field) => (one?.[field] === undefined ? [] : [[field, one[field]]]))),
  )
}
