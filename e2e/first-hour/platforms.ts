/** What a kubelet reports as capacity and allocatable on EKS, GKE, k3s and a kubeadm cluster, by each platform's rule. */

/** A machine as its vendor sells it. */
export interface Machine {
  readonly cores: number
  readonly memoryMi: number
  /** Most pods; 110, the kubelet's default, where the platform does not set another. */
  readonly pods?: number
}

/** The part of a node's memory that pods cannot use, in MiB, and of its cores in millicores. */
interface Reserve {
  readonly milliCores: number
  readonly memoryMi: number
}

export type Platform = 'eks' | 'gke' | 'k3s' | 'kubeadm'

const POD_LIMIT = 110
const KI = 1024
/** The kubelet's default hard eviction threshold for memory. */
const EVICTION_MI = 100

/** Where a machine reports less memory than is sold: a fixed part (firmware, crash kernel) and a share (page tables, hypervisor). */
const UNSEEN: Readonly<Record<Platform, { fixedMi: number; share: number }>> = {
  eks: { fixedMi: 250, share: 0.026 },
  gke: { fixedMi: 60, share: 0.02 },
  k3s: { fixedMi: 90, share: 0.012 },
  kubeadm: { fixedMi: 120, share: 0.014 },
}

/** Of a machine with the memory that its kernel sees. */
const RESERVES: Readonly<Record<Platform, (machine: Machine) => Reserve>> = {
  // nodeadm: kubeReserved of 255Mi + 11Mi a pod, and the share of cores below; the threshold on top
  eks: ({ cores, pods = POD_LIMIT }) => ({ milliCores: coresReserved(cores), memoryMi: 255 + 11 * pods + EVICTION_MI }),
  // "Node allocatable resources" in GKE's documentation of node sizes
  gke: ({ cores, memoryMi }) => ({
    milliCores: coresReserved(cores),
    memoryMi: sharesOf(memoryMi, MEMORY_STEPS) + EVICTION_MI,
  }),
  // k3s sets thresholds for disks alone, which takes the kubelet's default for memory away
  k3s: () => ({ milliCores: 0, memoryMi: 0 }),
  kubeadm: () => ({ milliCores: 0, memoryMi: EVICTION_MI }),
}

/** Up to how much in all (cores, or MiB), and which share of that part is reserved. */
const CORE_STEPS: ReadonlyArray<readonly [upTo: number, share: number]> = [
  [1, 0.06],
  [2, 0.01],
  [4, 0.005],
  [Number.POSITIVE_INFINITY, 0.0025],
]
const MEMORY_STEPS: typeof CORE_STEPS = [
  [4 * 1024, 0.25],
  [8 * 1024, 0.2],
  [16 * 1024, 0.1],
  [128 * 1024, 0.06],
  [Number.POSITIVE_INFINITY, 0.02],
]

/** `status.capacity` and `status.allocatable` of a machine; `jitterKi` is by how much its memory differs from that of its like. */
export function resourcesOn(platform: Platform, machine: Machine, jitterKi: number) {
  const { fixedMi, share } = UNSEEN[platform]
  const seenMi = machine.memoryMi * (1 - share) - fixedMi
  const { milliCores, memoryMi } = RESERVES[platform]({ ...machine, memoryMi: seenMi })
  const memoryKi = Math.round(seenMi * KI) - jitterKi
  const pods = String(machine.pods ?? POD_LIMIT)
  const free = machine.cores * 1000 - milliCores
  return {
    capacity: { cpu: String(machine.cores), memory: `${memoryKi}Ki`, pods },
    allocatable: {
      cpu: free % 1000 === 0 ? String(free / 1000) : `${free}m`,
      memory: `${memoryKi - Math.ceil(memoryMi * KI)}Ki`,
      pods,
    },
  }
}

/** Millicores that EKS and GKE reserve. */
function coresReserved(cores: number): number {
  return Math.floor(sharesOf(cores, CORE_STEPS) * 1000 + 1e-6)
}

function sharesOf(amount: number, steps: typeof CORE_STEPS): number {
  let from = 0
  let sum = 0
  for (const [upTo, share] of steps) {
    sum += Math.max(0, Math.min(amount, upTo) - from) * share
    from = upTo
  }
  return sum
}
