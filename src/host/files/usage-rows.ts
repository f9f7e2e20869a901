import { podSpecOf, servedNodes } from '../../core/object/index.ts'
import { type Shape, shapeOfNode, type UsageRow, usageKey } from '../../facts/inventory/index.ts'
import {
  type Imported,
  type InForce,
  nodeSizeOf,
  type Recommended,
  readAutoscalers,
  settleImported,
  writeRow,
} from '../../facts/usage/index.ts'
import { isSizingPolicy, SIZING_POLICY_DEFAULTS } from '../../kinds/index.ts'
import { listOf, memberOf } from '../../krm/map.ts'
import { markedGroup, ownerOf } from '../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { type Container, type Node, type PodSpec, Quantity, readQuantity } from '../../kube/index.ts'

/** What usage is imported from: answers of Prometheus as read, and objects. */
export interface UsageSources {
  readonly answers: ReadonlyArray<readonly Imported[]>
  /** VerticalPodAutoscalers, and what tells their policies and groups: SizingPolicies and rendered DaemonSets. */
  readonly objects: readonly Item[]
}

/** Rows of usage, and the DaemonSets of which no group is known. */
export interface ImportedRows {
  readonly rows: readonly UsageRow[]
  readonly unknown: readonly string[]
  /** The containers of which a recommendation is the recommender's floor: it says nothing of use. */
  readonly floors: readonly string[]
}

/** A node group that a DaemonSet's usage is of. */
interface GroupOf {
  readonly policy: string
  readonly group: string
  readonly shapes: readonly Shape[]
  readonly containers: readonly Container[]
}

const PREFIX = 'SizingPolicy/'

/**
 * Returns the rows of what other systems measured or recommended, at a time; what was measured counts before what was
 * recommended. A DaemonSet that nodefit rendered is its group; one that a policy names as its target is a group of its
 * own, from which all groups borrow until they have a row.
 */
export function importedRows({ answers, objects }: UsageSources, nodes: readonly Item[], now: number): ImportedRows {
  const shapes = nodes.map(({ object }) => shapeOfNode(object as unknown as Node))
  const known = objects.map(({ object }) => object)
  const rows = new Map<string, UsageRow>()
  const unknown = new Set<string>()
  const add = (
    {
      namespace,
      daemonSet,
      container,
      ...of
    }: Pick<Imported, 'daemonSet' | 'container'> & { namespace?: string | undefined; scope?: Recommended['scope'] },
    make: (group: GroupOf) => Parameters<typeof writeRow>[0],
  ) => {
    const group = groupOf({ namespace, daemonSet, ...of }, known, shapes)
    const by = of.scope === undefined ? '' : ` by ${of.scope.label}`
    if (group === undefined) unknown.add(`${qualified(namespace, daemonSet)}${by}`)
    else {
      const row = writeRow(
        { ...make(group), policy: group.policy, container, group: group.group },
        smallestAmounts(group.shapes),
      )
      if (!rows.has(usageKey(row))) rows.set(usageKey(row), row)
    }
  }
  const key = { policy: '', container: '', group: '' }
  for (const one of answers.flat())
    add(one, ({ containers }) => ({ ...key, ...settleImported(one.hours, inForceOf(containers, one.container)) }))
  const floors = new Set<string>()
  for (const { used, isFloor, ...one } of readAutoscalers(
    known.filter(({ kind }) => kind === 'VerticalPodAutoscaler'),
  )) {
    if (isFloor) {
      floors.add(`${qualified(one.namespace, one.daemonSet)} (${one.container})`)
      continue
    }
    add(one, () => ({
      ...key,
      ...{ days: 0, pods: 0 },
      settled: { used, limits: {}, at: now, why: 'Imported' as const, raisedAt: [] },
    }))
  }
  return {
    rows: [...rows].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, row]) => row),
    unknown: [...unknown].sort(),
    floors: [...floors].sort(),
  }
}

interface Wanted {
  readonly namespace?: string | undefined
  readonly daemonSet: string
  readonly scope?: Recommended['scope']
}

function groupOf(
  { namespace, daemonSet, scope }: Wanted,
  objects: readonly KubernetesObject[],
  shapes: readonly Shape[],
): GroupOf | undefined {
  const isNear = ({ metadata }: KubernetesObject) =>
    namespace === undefined || metadata.namespace === undefined || metadata.namespace === namespace
  const own = objects.find(
    (object) =>
      object.kind === 'DaemonSet' && object.metadata.name === daemonSet && isNear(object) && isRendered(object),
  )
  if (own !== undefined && scope === undefined) {
    const pod = podSpecOf(own)
    return {
      policy: qualified(own.metadata.namespace ?? namespace, (ownerOf(own) ?? '').slice(PREFIX.length)),
      group: markedGroup(own) ?? '',
      shapes: shapes.filter((shape) => servedNodes(pod, shape).length > 0),
      containers: containersOf(pod),
    }
  }
  const policy = objects.find(
    (object) =>
      isSizingPolicy(object) && isNear(object) && memberOf(memberOf(object.spec, 'targetRef'), 'name') === daemonSet,
  )
  if (policy === undefined) return undefined
  const template = objects.find(
    (object) =>
      object.kind === 'DaemonSet' && object.metadata.name === daemonSet && isNear(object) && !isRendered(object),
  )
  const of = {
    policy: qualified(template?.metadata.namespace ?? policy.metadata.namespace ?? namespace, policy.metadata.name),
    containers: template === undefined ? [] : containersOf(podSpecOf(template)),
  }
  if (scope === undefined) return { ...of, group: `target/${daemonSet}`, shapes }
  const label = memberOf(policy.spec, 'nodeGroupLabel') ?? SIZING_POLICY_DEFAULTS.nodeGroupLabel
  if (label !== scope.label) return undefined
  const members = shapes.filter(({ labels }) => labels[scope.label] === scope.value)
  return { ...of, group: scope.value === undefined ? 'default' : `value:${scope.value}`, shapes: members }
}

function isRendered(object: KubernetesObject): boolean {
  return ownerOf(object)?.startsWith(PREFIX) === true && markedGroup(object) !== undefined
}

function qualified(namespace: string | undefined, name: string): string {
  return namespace === undefined ? name : `${namespace}/${name}`
}

function containersOf(pod: PodSpec): readonly Container[] {
  return [...(pod.containers ?? []), ...(pod.initContainers ?? [])]
}

/** The smallest amount of each resource, as the nodes write it; undefined without nodes. */
export function smallestAmounts(shapes: readonly Shape[]): UsageRow['node'] {
  const texts = (['cpu', 'memory', 'pods'] as const).flatMap((resource) => {
    const all = shapes.flatMap(({ allocatable }) => allocatable[resource] ?? [])
    const sorted = all.toSorted((a, b) => Quantity.parse(a).compare(Quantity.parse(b)))
    return sorted[0] === undefined ? [] : [[resource, sorted[0]]]
  })
  return texts.length === 0 ? undefined : Object.fromEntries(texts)
}

const HEAP = 'GOMEMLIMIT'
const FROM_LIMIT = 'limits.memory'

/** The limits of a container as it was rendered, and whether its heap is sized by them. */
function inForceOf(containers: readonly Container[], name: string): InForce {
  const found = containers.find((one) => one.name === name)
  const { cpu, memory } = nodeSizeOf(readable(found?.resources?.limits))
  const isFromLimit = (variable: unknown) =>
    memberOf(memberOf(memberOf(variable, 'valueFrom'), 'resourceFieldRef'), 'resource') === FROM_LIMIT
  return {
    limits: { ...(cpu !== undefined && { cpu }), ...(memory !== undefined && { memory }) },
    hasHeapByLimit: listOf(found?.env).some((variable) => memberOf(variable, 'name') === HEAP || isFromLimit(variable)),
  }
}

/** The amounts that are quantities: a template may leave others open. */
function readable(limits: unknown): Record<string, string | number> {
  return Object.fromEntries(
    Object.entries((limits ?? {}) as Record<string, string | number>).filter(
      ([, text]) => (readQuantity(text)?.nanoValue() ?? 0n) > 0n,
    ),
  )
}
