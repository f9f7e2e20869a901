/** A cluster of one pool in steps of a minute: machines that come late or never, pods, a scheduler, and a tool that applies Git. */
import { LEAVING } from '../../../src/krm/remembered.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { timeText } from '../../../src/kube/index.ts'
import { POOL_LABEL } from '../../../test/support/pools.ts'
import type { Draw } from '../fleets/draw.ts'

export const START = Date.parse('2026-01-15T00:00:00Z')
const MINUTE = 60_000
export const timeOf = (step: number): string => timeText(START + step * MINUTE)

export interface Pod {
  readonly name: string
  readonly cpu: number
  readonly memory: number
  readonly created: number
  /** How many steps it runs. */
  readonly lasts: number
  /** Whether no node helps it: it waits for something else than a machine. */
  readonly isPoison: boolean
  /** Whether something limits it that is not planned with, as the snapshot says. */
  readonly isLimited: boolean
  node?: string
  ends?: number
}

export interface Machine {
  readonly name: string
  readonly created: number
  /** When its node is Ready; undefined if it never is. */
  readonly joins?: number
  readonly cpu: number
  readonly memory: number
  isFailed: boolean
  isReady: boolean
  isCordoned: boolean
  mark?: string
  idleSince?: number
}

/** What a simulated cluster did that must never be. */
export interface Faults {
  busyRemoved: number
  namesUsedTwice: number
}

/** How pods come to nodes. */
export interface Scheduler {
  /** Whether no pod is bound to a cordoned node. */
  readonly keepsCordons: boolean
  /** How many steps after a node was Ready pods are bound to it. */
  readonly bindsAfter: number
}

/** Room for pods on a machine: what its kubelet allocates, less its agents. */
const RESERVED_CPU = 100

export class SimulatedCluster {
  readonly pods = new Map<string, Pod>()
  readonly machines = new Map<string, Machine>()
  readonly faults: Faults = { busyRemoved: 0, namesUsedTwice: 0 }
  readonly #draw: Draw
  /** The machines whose node was Ready, whatever became of them. */
  readonly joined = new Set<string>()
  /** The machines on which a pod ran, whatever became of them. */
  readonly ran = new Set<string>()
  readonly #names = new Set<string>()
  #count = 0

  readonly #scheduler: Scheduler

  constructor(draw: Draw, scheduler: Partial<Scheduler> = {}) {
    this.#draw = draw
    this.#scheduler = { keepsCordons: true, bindsAfter: 0, ...scheduler }
  }

  /** Makes and removes machines, and writes fields of nodes, as a tool does that applies Git. */
  apply(git: readonly KubernetesObject[], step: number): void {
    const claims = new Map(git.filter(({ kind }) => kind === 'NodeSmithClaim').map((one) => [one.metadata.name, one]))
    for (const [name, { spec }] of claims) {
      if (this.machines.has(name)) continue
      if (this.#names.has(name)) this.faults.namesUsedTwice++
      this.#names.add(name)
      const { cpuCores, memoryMiB } = (spec as { requirements: { cpuCores: number; memoryMiB: number } }).requirements
      const fate = this.#draw.integer(0, 99)
      const joins = fate < 4 ? undefined : step + this.#draw.integer(2, 6)
      const state = { isFailed: false, isReady: false, isCordoned: false }
      const size = { cpu: cpuCores * 1000 - RESERVED_CPU, memory: memoryMiB }
      this.machines.set(name, { name, created: step, joins, ...size, ...state, isFailed: fate < 2 })
    }
    for (const { name } of [...this.machines.values()].filter(({ name }) => !claims.has(name))) this.#remove(name)
    for (const { kind, metadata, spec } of git) {
      const machine = kind === 'Node' ? this.machines.get(metadata.name) : undefined
      if (machine?.isReady !== true) continue
      machine.mark = metadata.annotations?.[LEAVING]
      machine.isCordoned = (spec as { unschedulable?: boolean } | undefined)?.unschedulable === true
    }
  }

  #remove(name: string): void {
    this.machines.delete(name)
    const lost = [...this.pods.values()].filter(({ node }) => node === name)
    if (lost.length > 0) this.faults.busyRemoved++
    for (const pod of lost) {
      pod.node = undefined
      pod.ends = undefined
    }
  }

  /** Machines join, pods end and come, and the scheduler binds those that a node has room for. */
  tick(step: number, arrivals: number): void {
    for (const machine of this.machines.values()) {
      if (machine.joins !== step) continue
      machine.isReady = true
      this.joined.add(machine.name)
    }
    for (const pod of [...this.pods.values()])
      if (pod.ends !== undefined && pod.ends <= step) this.pods.delete(pod.name)
    for (let index = 0; index < arrivals; index++) this.#arrive(step)
    for (const pod of this.pods.values()) {
      if (pod.node !== undefined || pod.isPoison) continue
      const open = [...this.machines.values()].filter((one) => this.#isOpen(one, step))
      const node = open.find((one) => this.#fits(pod, one))
      if (node === undefined) continue
      pod.node = node.name
      this.ran.add(node.name)
      pod.ends = step + pod.lasts
    }
    for (const machine of this.machines.values()) {
      const isIdle = machine.isReady && this.podsOn(machine.name).length === 0
      machine.idleSince = isIdle ? (machine.idleSince ?? step) : undefined
    }
  }

  #arrive(step: number): void {
    const draw = this.#draw
    const name = `p${this.#count++}`
    const [cpu, memory] = [draw.one([300, 500, 1000, 1500, 3000]), draw.one([256, 512, 1024, 4096])]
    const lasts = draw.one([3, 10, 30, 90])
    const isPoison = draw.percent(5)
    const isLimited = draw.percent(isPoison ? 60 : 5)
    this.pods.set(name, { name, cpu, memory, created: step, lasts, isPoison, isLimited })
  }

  podsOn(node: string): Pod[] {
    return [...this.pods.values()].filter((pod) => pod.node === node)
  }

  #isOpen({ isReady, isCordoned, joins = 0 }: Machine, step: number): boolean {
    const { keepsCordons, bindsAfter } = this.#scheduler
    return isReady && !(isCordoned && keepsCordons) && step >= joins + bindsAfter
  }

  #fits(pod: Pod, machine: Machine): boolean {
    const on = this.podsOn(machine.name)
    const sum = (of: (one: Pod) => number) => on.reduce((all, one) => all + of(one), 0)
    return sum(({ cpu }) => cpu) + pod.cpu <= machine.cpu && sum(({ memory }) => memory) + pod.memory <= machine.memory
  }

  /** The inventory and the snapshot of now. */
  export(step: number): KubernetesObject[] {
    const nodes = [...this.machines.values()].filter(({ joins }) => joins !== undefined && joins <= step)
    const control = {
      labels: {},
      ready: 'True',
      allocatable: { cpu: '4', memory: '8Gi', pods: '110' },
      nodes: ['control-plane'],
    }
    const shapes = nodes.map((one) => ({
      labels: { [POOL_LABEL]: 'small' },
      ready: 'True',
      ...(one.isCordoned ? { unschedulable: true } : {}),
      capacity: { cpu: `${one.cpu + RESERVED_CPU}m`, memory: `${one.memory}Mi`, pods: '110' },
      allocatable: { cpu: `${one.cpu}m`, memory: `${one.memory}Mi`, pods: '110' },
      nodes: [one.name],
    }))
    const pending = [...this.pods.values()].filter(({ node }) => node === undefined)
    const claims = [...this.machines.values()].map((one) => claimEntry(one))
    const kind = (name: string, spec: object): KubernetesObject => ({
      ...{ apiVersion: 'nodefit.dev/v1alpha1', kind: name, metadata: { name: 'live' } },
      spec: { cluster: 'prod', observedAt: timeOf(step), ...spec },
    })
    return [
      kind('NodeInventory', { labelKeys: ['*'], nodeCount: shapes.length + 1, shapes: [control, ...shapes] }),
      kind('WorkloadSnapshot', {
        nodes: nodes.map((one) => this.#nodeEntry(one)),
        pending: pending.map((pod) => ({
          like: {
            requests: { cpu: `${pod.cpu}m`, memory: `${pod.memory}Mi` },
            ...(pod.isLimited ? { limits: ['volumes'] } : {}),
          },
          pods: [{ namespace: 'default', name: pod.name, since: timeOf(pod.created), reason: 'Unschedulable' }],
        })),
        claims,
        pools: [],
      }),
    ]
  }

  #nodeEntry({ name, joins = 0, idleSince, mark }: Machine): object {
    const pods = this.podsOn(name)
    const sum = (of: (one: Pod) => number) => pods.reduce((all, one) => all + of(one), 0)
    return {
      name,
      uid: `uid-${name}`,
      readySince: timeOf(joins),
      blocking: pods.length,
      used: { cpu: `${sum(({ cpu }) => cpu)}m`, memory: `${sum(({ memory }) => memory)}Mi`, pods: String(pods.length) },
      daemons: {},
      ...(idleSince === undefined ? {} : { idleSince: timeOf(idleSince) }),
      ...(mark === undefined ? {} : { annotations: { [LEAVING]: mark } }),
    }
  }
}

function claimEntry({ name, created, isFailed, cpu, memory }: Machine): object {
  const requirements = { cpuCores: (cpu + RESERVED_CPU) / 1000, memoryMiB: memory }
  const failed = isFailed ? { failed: true } : {}
  return { namespace: 'kubenodesmith', name, poolRef: 'small', requirements, createdAt: timeOf(created), ...failed }
}
