import type { Fleet, Shape } from '../inventory/index.ts'
import type { Item } from '../krm/types.ts'
import type { PodSpec } from '../kube/index.ts'
import { clusterShapes, isReadablePodSpec, podSpecOf, servedNodes } from '../object/index.ts'
import type { Change, PlannedChanges } from './change.ts'

/** What the change of one object does to the pods of today's nodes. */
export interface Restart {
  /** Pods that restart, since their template differs; with OnDelete, only after someone deletes them. */
  readonly pods: number
  /** Nodes that come from another object of the same subject: their old pod stops, and a new one starts. */
  readonly moved: number
  readonly isOnDelete: boolean
}

const POD_TEMPLATE = /^spec\.template(?:\.|$)/
const PLACEMENT = /^spec\.template(?:\.spec(?:\.(?:affinity|nodeSelector|tolerations)(?:\.|$)|$)|$)/

/** Returns what restarts for each object of a subject that is added or changed. */
export function restartsOf(
  { objects, cluster, changes }: Pick<PlannedChanges, 'objects' | 'cluster' | 'changes'>,
  fleets: readonly Fleet[],
): Map<Change, Restart> {
  if (changes.length === 0) return new Map()
  const counts = new Map(objects.map(({ object, nodeCount }) => [object.metadata.name, nodeCount]))
  const moved = movedTo(changes, clusterShapes(fleets, cluster))
  return new Map(
    changes.flatMap((change): Array<[Change, Restart]> => {
      const { kind, after, fields, isNeverApplied } = change
      if (after === undefined || kind === 'unchanged' || kind === 'released') return []
      // an object that is never applied has no pods
      const arrived = isNeverApplied === true ? 0 : (moved.get(change) ?? 0)
      const isAnew = kind === 'changed' && fields.some(({ path }) => POD_TEMPLATE.test(path))
      const pods = isAnew ? Math.max((counts.get(after.object.metadata.name) ?? 0) - arrived, 0) : 0
      return [[change, { pods, moved: arrived, isOnDelete: isOnDelete(after.object.spec) }]]
    }),
  )
}

/** Returns how many nodes each object takes over from another; none where no node selection changed. */
function movedTo(changes: readonly Change[], shapes: readonly Shape[]): Map<Change, number> {
  const counts = new Map<Change, number>()
  const present = changes.filter(({ before }) => before !== undefined)
  if (present.length === 0 || !changes.some(choosesAnew)) return counts
  const earlier = candidates(present, ({ before }) => before)
  const later = candidates(changes, ({ after }) => after)
  for (const shape of shapes) {
    const before = serversOf(earlier, shape)
    const after = serversOf(later, shape)
    for (const { server, nodes, count } of after) {
      const stayed = nodes.filter((name) => serverOf(before, name) === server).length
      const unserved = nodes.filter((name) => serverOf(before, name) === undefined).length
      const whole = before.find(({ isAll }) => isAll)?.server
      const unnamed = whole === undefined || whole === server ? 0 : count - nodes.length
      counts.set(server, (counts.get(server) ?? 0) + nodes.length - stayed - unserved + unnamed)
    }
  }
  return counts
}

/** An object with the nodes of a shape that it serves. */
interface Server {
  readonly server: Change
  readonly isAll: boolean
  readonly nodes: readonly string[]
  readonly count: number
}

/** Returns the changes with the pods of one side, where they can be read. */
function candidates(changes: readonly Change[], side: (change: Change) => Item | undefined): Array<[Change, PodSpec]> {
  return changes.flatMap((change) => {
    const item = side(change)
    if (item === undefined) return []
    const pod = podSpecOf(item.object)
    return isReadablePodSpec(pod) ? [[change, pod] as [Change, PodSpec]] : []
  })
}

function serversOf(pods: ReadonlyArray<readonly [Change, PodSpec]>, shape: Shape): Server[] {
  const servers: Server[] = []
  for (const [server, pod] of pods) {
    const served = servedNodes(pod, shape)
    if (served === 'all') return [...servers, { server, isAll: true, nodes: shape.nodes, count: shape.nodeCount }]
    if (served.length > 0) servers.push({ server, isAll: false, nodes: served, count: served.length })
  }
  return servers
}

function serverOf(servers: readonly Server[], name: string): Change | undefined {
  return servers.find(({ isAll, nodes }) => isAll || nodes.includes(name))?.server
}

function choosesAnew({ kind, fields }: Change): boolean {
  return kind === 'added' || kind === 'removed' || fields.some(({ path }) => PLACEMENT.test(path))
}

function isOnDelete(spec: unknown): boolean {
  return (
    (spec as { updateStrategy?: { type?: unknown } | null } | null | undefined)?.updateStrategy?.type === 'OnDelete'
  )
}
