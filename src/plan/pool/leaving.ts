import { once } from '../../core/index.ts'
import { type Finding, plural } from '../../krm/finding.ts'
import { timeText } from '../../kube/index.ts'
import { finding } from './codes.ts'
import type { Machine, MachineNode } from './machines.ts'
import type { Packing } from './pack.ts'
import type { WaitingPod } from './pods.ts'
import type { Pool } from './pool.ts'
import { isFitting, type Vector } from './resources.ts'

/** Why a node with a claim is not removed, in words; the first that holds. */
type Staying =
  | 'not Ready'
  | 'cordoned by others'
  | 'needed by a pod or headroom'
  | 'a control plane'
  | 'kept by its annotation'
  | 'has pods'
  | 'not idle for long enough'
  | 'not Ready for long enough'
  | 'its claim is not in Git'
  | 'the pool changed a moment ago'
  | 'the pool opens a machine'
  | 'a pod waits that it has room for'
  | 'minNodes'
  | 'others leave first'
  | 'an action keeps it open'

/** What becomes of the machines that a pool does not need. */
export interface Leaving {
  /** The claims that are dropped. */
  readonly dropped: ReadonlySet<string>
  /** By node, the mark with which it is cordoned, in this run and before. */
  readonly marks: ReadonlyMap<string, string>
  /** Nodes that are opened again: their mark is withdrawn, and the cluster may still show it. */
  readonly reopened: ReadonlySet<string>
  /** By node, why it stays. */
  readonly staying: ReadonlyMap<string, Staying>
  readonly findings: readonly Finding[]
}

/** What decides about the machines of a pool. */
interface LeavingInput {
  readonly packing: Packing
  /** By node, its mark in Git. */
  readonly gitMarks: ReadonlyMap<string, string>
  readonly now: number
  /** Whether the earlier output is in the input; without it no machine is removed. */
  readonly isSeen: boolean
  /** The nodes that signed actions keep open. */
  readonly opened: ReadonlySet<string>
  /** When the pool last changed, as the cluster says. */
  readonly lastActivity?: number
}

/** Annotations of other tools that keep a node. */
const OPT_OUTS: ReadonlyArray<readonly [key: string, value: string]> = [
  ['cluster-autoscaler.kubernetes.io/scale-down-disabled', 'true'],
  ['karpenter.sh/do-not-disrupt', 'true'],
]
const CONTROL_PLANE = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master']

/**
 * Decides which machines of a pool leave, in two steps with a snapshot between them: an idle node is marked and
 * cordoned; once the cluster shows the mark of Git, the cordon and no pod, its claim is dropped. While the pool opens
 * a machine nothing is marked or dropped, nor a node that has room for a waiting pod: one that is too small for all of
 * them only takes the place of the machine that they need.
 */
export function leavingOf(pool: Pool, input: LeavingInput): Leaving {
  const { packing, gitMarks, now, isSeen, opened, lastActivity } = input
  const { settings } = pool
  const { scaleDown, limits } = settings
  const dropped = new Set<string>()
  const marks = new Map<string, string>()
  const reopened = new Set<string>()
  const staying = new Map<string, Staying>()
  const findings: Finding[] = []
  const used = new Set([...packing.used].flatMap((bin) => (bin.pool === pool ? bin.name : [])))
  const isOpening = isPoolOpening(pool, packing, now)
  // most pools have no node that might leave
  const waiting = once(() => waitingFor(pool, packing))
  const isNeeded = ({ room }: MachineNode) =>
    waiting().some((request) => room === undefined || isFitting(request, room))
  let leaving = 0
  for (const machine of pool.machines) {
    const { node, claim, state } = machine
    if (state === 'deleting') leaving++
    if (node === undefined || state === 'deleting') continue
    const mark = gitMarks.get(node.name)
    if (mark === undefined || claim?.isOurs !== true) {
      if (node.mark === undefined) continue
      // the claim is dropped already and the machine goes, or the mark was withdrawn and the cluster shows it still
      if (claim?.isOurs !== true) leaving++
      else reopened.add(node.name)
      continue
    }
    const waited = now - Date.parse(mark)
    const isKept = scaleDown === undefined || hasOptedOut(node) || used.has(machine.name) || opened.has(node.name)
    if (isKept || (waited >= settings.drainTimeout && node.blocking !== 0)) {
      reopened.add(node.name)
      if (!isKept) findings.push(drainFinding(pool, node, mark))
    } else {
      leaving++
      const isApplied = node.mark === mark && node.isCordoned
      if (isApplied && node.blocking === 0 && !isOpening && !isNeeded(node)) dropped.add(claim.name)
      else marks.set(node.name, mark)
    }
  }
  if (scaleDown === undefined) return { dropped, marks, reopened, staying, findings }
  const isActive = lastActivity !== undefined && now - lastActivity < scaleDown.window
  let left = pool.machines.filter(({ node, state }) => isOpen(node, state) && !marks.has(node?.name ?? '')).length
  const idle: Array<{ node: MachineNode; since: number }> = []
  for (const machine of pool.machines) {
    const { node } = machine
    if (node === undefined || marks.has(node.name) || gitMarks.has(node.name) || node.mark !== undefined) continue
    const isOpened = opened.has(node.name)
    const why = isOpened ? 'an action keeps it open' : reasonToStay(machine, scaleDown.window, used, now)
    if (why === undefined) idle.push({ node, since: node.idleSince ?? now })
    else staying.set(node.name, why)
  }
  idle.sort((a, b) => a.since - b.since || (a.node.name < b.node.name ? 1 : -1))
  for (const { node } of idle) {
    if (isOpening || isNeeded(node))
      staying.set(node.name, isOpening ? 'the pool opens a machine' : 'a pod waits that it has room for')
    else if (isActive || !isSeen)
      staying.set(node.name, isActive ? 'the pool changed a moment ago' : 'its claim is not in Git')
    else if (left - 1 < limits.minNodes) staying.set(node.name, 'minNodes')
    else if (leaving >= scaleDown.maxConcurrent) staying.set(node.name, 'others leave first')
    else {
      marks.set(node.name, timeText(now))
      left--
      leaving++
    }
  }
  return { dropped, marks, reopened, staying, findings }
}

/** Whether a machine of the pool was opened with this snapshot, in this run or before. */
function isPoolOpening(pool: Pool, { opened }: Packing, now: number): boolean {
  if ((opened.get(pool)?.length ?? 0) > 0) return true
  // times are written in whole seconds
  const second = Math.floor(now / 1000)
  return pool.machines.some(
    ({ claim }) => claim?.item !== undefined && Math.floor((claim.openedAt ?? 0) / 1000) === second,
  )
}

/** Returns what waiting pods request that the pool could serve, by constraints and size, each amount once. */
function waitingFor(pool: Pool, { outcomes }: Packing): Vector[] {
  const groups = new Set<WaitingPod['group']>()
  for (const [{ group }, { kind }] of outcomes) if (kind !== 'not helped' && kind !== 'no pool') groups.add(group)
  return [...groups]
    .filter(({ pools, request }) => pools.includes(pool) && pool.sizes.fitting(request).length > 0)
    .map(({ request }) => request)
}

function isOpen(node: MachineNode | undefined, state: Machine['state']): boolean {
  return state === 'node' && node !== undefined && !node.isCordoned && node.mark === undefined
}

function hasOptedOut({ labels, annotations }: MachineNode): boolean {
  return (
    CONTROL_PLANE.some((key) => Object.hasOwn(labels, key)) ||
    OPT_OUTS.some(([key, value]) => annotations[key] === value)
  )
}

function reasonToStay(
  { node, claim, state, name }: Machine,
  window: number,
  used: ReadonlySet<string>,
  now: number,
): Staying | undefined {
  if (node === undefined || state !== 'node') return 'not Ready'
  if (node.isCordoned) return 'cordoned by others'
  if (claim?.isOurs !== true) return 'its claim is not in Git'
  if (CONTROL_PLANE.some((key) => Object.hasOwn(node.labels, key))) return 'a control plane'
  if (hasOptedOut(node)) return 'kept by its annotation'
  if (used.has(name)) return 'needed by a pod or headroom'
  if (node.blocking !== 0) return 'has pods'
  if (node.idleSince === undefined || now - node.idleSince < window) return 'not idle for long enough'
  return node.readySince === undefined || now - node.readySince < window ? 'not Ready for long enough' : undefined
}

function drainFinding({ settings }: Pool, { name, blocking }: MachineNode, mark: string): Finding {
  const pods = blocking === undefined ? 'pods of an unknown number' : plural(blocking, 'pod')
  const sentence = `${settings.name}: node ${name}, cordoned at ${mark}, still has ${pods} after ${settings.drainText}`
  return finding('DrainTimeout', sentence, { subject: settings.subject.object })
}

/**
 * Returns the next time after now, in milliseconds, at which a pool may decide otherwise with the same snapshot: a pod
 * is old enough, a node has settled or been idle for long enough, a machine is late, or a drain takes too long.
 */
export function nextTime(pool: Pool, packing: Packing, { marks }: Leaving, now: number): number | undefined {
  const { settings, machines } = pool
  const { times, scaleUp, scaleDown } = settings
  let next: number | undefined
  const after = (time: number | undefined, wait: number) => {
    if (time !== undefined && time + wait > now && (next === undefined || time + wait < next)) next = time + wait
  }
  const { young, placed } = packing.podsOf(pool)
  for (const since of young) for (const time of since) after(time, scaleUp.window)
  for (const since of placed) for (const time of since) after(time, times.trust)
  const isWaiting = packing.outcomes.size > 0
  for (const { node, claim, state } of machines) {
    // the first instant beyond the limit
    if (state === 'joining') after(claim?.createdAt, times.provision + 1)
    if (isWaiting && state === 'node') after(node?.readySince, times.settle)
    if (node === undefined || state !== 'node') continue
    const mark = marks.get(node.name)
    if (mark !== undefined) after(Date.parse(mark), settings.drainTimeout)
    else if (scaleDown !== undefined && node.blocking === 0 && node.idleSince !== undefined)
      after(Math.max(node.idleSince, node.readySince ?? now), scaleDown.window)
  }
  return next
}
