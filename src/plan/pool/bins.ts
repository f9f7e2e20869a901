import type { Labels, Taint } from '../../kube/index.ts'
import type { Machine, MachineClaim, MachineNode } from './machines.ts'
import { looksAtName, type PodGroup, refusalOf, type WaitingPod } from './pods.ts'
import type { Pool } from './pool.ts'
import { isFitting, larger, minus, type Vector } from './resources.ts'

/** Room for pods: a node, a marked node, a machine in flight, or one that this run opens. */
export interface Bin {
  readonly pool: Pool
  readonly name: string
  readonly kind: 'node' | 'marked' | 'claim' | 'new'
  /** What is left of its room. */
  readonly room: number[]
  /** Its room before this run placed anything. */
  readonly start: Vector
  /** A node with its labels and taints; undefined for machines that are as their pool says. */
  readonly node?: {
    readonly name: string
    readonly labels: Labels
    readonly taints: readonly Taint[]
    readonly key: string
  }
  readonly readySince?: number
  /** Whether it is an open node that has been Ready for longer than `times.settle`. */
  readonly isSettled?: boolean
  /** When it was marked. */
  readonly marked?: number
  /** Whether pods run on it that the agents of each node are not; so where that is unknown. */
  readonly isTaken?: boolean
  /** When its claim was opened, and for which pods. */
  readonly opening?: { readonly at: number; readonly pods: ReadonlySet<string> }
}

/** Taints that a node has while it joins, and loses by itself (Karpenter's KnownEphemeralTaints). */
const EPHEMERAL = [
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/unreachable',
  'node.cloudprovider.kubernetes.io/uninitialized',
]
const CORDON = 'node.kubernetes.io/unschedulable'

/** The room of today's machines. */
export interface Bins {
  /** Ready and open nodes by name, then marked ones, then machines in flight in the order in which they were opened. */
  readonly all: readonly Bin[]
  /** Without the nodes that have been Ready for longer than `times.settle`. */
  readonly fresh: readonly Bin[]
  /** Open nodes that have been Ready for longer. */
  readonly settled: readonly Bin[]
  /** By pod, the open nodes and the machines in flight that were opened for it, the last one last. */
  readonly byPod: ReadonlyMap<string, readonly Bin[]>
}

/** Returns the room of today's machines. `isMarked` tells of a machine whether it may be opened again. */
export function binsOf(pools: readonly Pool[], marks: ReadonlyMap<string, number>, now: number): Bins {
  const nodes: Bin[] = []
  const marked: Bin[] = []
  const joining: Array<{ bin: Bin; opened: number }> = []
  for (const pool of pools)
    for (const machine of pool.machines) {
      const { name, node, claim, state } = machine
      if (state === 'joining') {
        const { room } = pool.sizes.of(claim?.requirements)
        const bin: Bin = { pool, name, kind: 'claim', room: [...room], start: room, ...openingOf(claim) }
        joining.push({ bin, opened: claim?.openedAt ?? 0 })
      } else if (state === 'node' && node?.room !== undefined) {
        const mark = marks.get(node.name)
        if (mark !== undefined)
          marked.push({
            ...nodeBin(pool, machine, node, node.room, now),
            kind: 'marked',
            marked: mark,
            isSettled: false,
          })
        else if (!node.isCordoned && node.mark === undefined) nodes.push(nodeBin(pool, machine, node, node.room, now))
      }
    }
  const byName = (a: Bin, b: Bin) => (a.name < b.name ? -1 : 1)
  nodes.sort(byName)
  marked.sort(byName)
  joining.sort((a, b) => a.opened - b.opened || a.bin.pool.order - b.bin.pool.order || byName(a.bin, b.bin))
  const after = [...marked, ...joining.map(({ bin }) => bin)]
  return {
    all: [...nodes, ...after],
    fresh: [...nodes.filter(({ isSettled }) => isSettled !== true), ...after],
    settled: nodes.filter(({ isSettled }) => isSettled === true),
    byPod: binsByPod([...nodes, ...joining.map(({ bin }) => bin)]),
  }
}

function binsByPod(bins: readonly Bin[]): Map<string, Bin[]> {
  const found = new Map<string, Bin[]>()
  const opened = bins.filter(({ opening }) => opening !== undefined)
  for (const bin of opened.sort((a, b) => (a.opening?.at ?? 0) - (b.opening?.at ?? 0)))
    for (const pod of bin.opening?.pods ?? []) {
      const known = found.get(pod)
      if (known === undefined) found.set(pod, [bin])
      else known.push(bin)
    }
  return found
}

/** A node that joined without the labels of its pool gets them, so they count. */
function nodeBin(pool: Pool, { name, claim }: Machine, node: MachineNode, room: Vector, now: number): Bin {
  const { startupTaints, times } = pool.settings
  const isNew = node.readySince !== undefined && now - node.readySince < times.provision
  const isStartup = ({ key, effect }: Taint) => startupTaints.some((one) => one.key === key && one.effect === effect)
  const isPassing = (taint: Taint) =>
    EPHEMERAL.includes(taint.key) || taint.key === CORDON || (isNew && isStartup(taint))
  const taints = node.taints.filter((taint) => !isPassing(taint))
  const labels = { ...pool.labels, ...node.labels }
  const isFresh = node.readySince !== undefined && now - node.readySince < times.settle
  // a fresh node keeps room for agents that are not bound yet
  const start = isFresh ? minus(room, larger(minus(pool.overhead, node.daemons), zeros(room))) : room
  return {
    ...{ pool, name, kind: 'node', room: [...start], start, readySince: node.readySince },
    ...(isFresh ? {} : { isSettled: true }),
    isTaken: node.blocking !== 0,
    ...openingOf(claim),
    node: { name: node.name, labels, taints, key: JSON.stringify([labels, taints]) },
  }
}

function openingOf(claim: MachineClaim | undefined): Pick<Bin, 'opening'> {
  if (claim?.openedAt === undefined || claim.openedFor.length === 0) return {}
  return { opening: { at: claim.openedAt, pods: new Set(claim.openedFor) } }
}

function zeros({ length }: Vector): number[] {
  return new Array<number>(length).fill(0)
}

/** Remembers which pods are admitted where, by what both have in common with others. */
export class Admission {
  readonly #known = new Map<string, Map<string, boolean>>()

  /** Whether a group may run in a bin, its room apart. The bin is of one of the group's pools. */
  admits({ like, key }: PodGroup, { node }: Bin): boolean {
    if (node === undefined) return true
    if (looksAtName(key)) return refusalOf(like, node) === undefined
    const byNode = this.#known.get(key) ?? new Map<string, boolean>()
    this.#known.set(key, byNode)
    const known = byNode.get(node.key) ?? refusalOf(like, node) === undefined
    byNode.set(node.key, known)
    return known
  }
}

/** Whether a marked node may be opened again for a pod, which the scheduler has not refused it for too long before. */
export function mayReopen({ marked }: Bin, { since }: WaitingPod, trust: number): boolean {
  return marked === undefined || since === undefined || marked - since < trust
}

/** Whether a request fits what is left in a bin. */
export function hasRoom(bin: Bin, request: Vector): boolean {
  return isFitting(request, bin.room)
}
