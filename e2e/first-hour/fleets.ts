/**
 * The five fleets of a first hour with nodefit, as `kubectl get nodes -o json` prints them. Nothing is drawn: the same call gives
 * the same bytes. `node --import tsx e2e/first-hour/write.ts DIR` writes them into a folder.
 */
import { EC2, type Ec2Type, karpenterLabels } from './ec2.ts'
import { type Machine, type Platform, resourcesOn } from './platforms.ts'

export interface Taint {
  readonly key: string
  readonly value?: string
  readonly effect: string
}

/** A node with the fields that nodefit and the scheduler read. */
export interface FleetNode {
  readonly apiVersion: 'v1'
  readonly kind: 'Node'
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> }
  readonly spec: { readonly unschedulable?: true; readonly taints?: readonly Taint[] }
  readonly status: {
    readonly capacity: Readonly<Record<string, string>>
    readonly allocatable: Readonly<Record<string, string>>
    readonly conditions: ReadonlyArray<{ readonly type: string; readonly status: string }>
    readonly nodeInfo: object
  }
}

/** Machines that are alike. */
interface Pool {
  readonly count: number
  /** Of the names of its nodes. */
  readonly prefix: string
  readonly machine: Machine
  readonly labels: Readonly<Record<string, string>>
  readonly taints?: readonly Taint[]
  /** How many of its nodes are cordoned: the last ones. */
  readonly cordoned?: number
  /** How many of its nodes the kubelet has left: the first ones. */
  readonly lost?: number
}

/** The names of the fleets. */
export const FLEETS = ['eks-karpenter', 'eks', 'gke', 'k3s', 'bare-metal'] as const
export type FleetName = (typeof FLEETS)[number]

const POOLS: Readonly<Record<FleetName, { readonly platform: Platform; readonly pools: () => readonly Pool[] }>> = {
  'eks-karpenter': { platform: 'eks', pools: karpenterPools },
  eks: { platform: 'eks', pools: eksPools },
  gke: { platform: 'gke', pools: gkePools },
  k3s: { platform: 'k3s', pools: k3sPools },
  'bare-metal': { platform: 'kubeadm', pools: bareMetalPools },
}

/** The nodes of a fleet. */
export function fleetNodes(fleet: FleetName): FleetNode[] {
  const { platform, pools } = POOLS[fleet]
  let place = 0
  return pools().flatMap((pool) =>
    Array.from({ length: pool.count }, (_, index) => nodeOf(platform, pool, index, place++)),
  )
}

/** A fleet as kubectl prints it. */
export function nodeList(fleet: FleetName): string {
  const list = { apiVersion: 'v1', items: fleetNodes(fleet), kind: 'List', metadata: { resourceVersion: '' } }
  return `${JSON.stringify(list, undefined, 4)}\n`
}

function nodeOf(platform: Platform, pool: Pool, index: number, place: number): FleetNode {
  const name = `${pool.prefix}-${String(index).padStart(3, '0')}`
  const isLost = index < (pool.lost ?? 0)
  const isCordoned = index >= pool.count - (pool.cordoned ?? 0)
  const taints = [
    ...(pool.taints ?? []),
    ...(isCordoned ? [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] : []),
    ...(isLost ? ['NoSchedule', 'NoExecute'].map((effect) => ({ key: 'node.kubernetes.io/unreachable', effect })) : []),
  ]
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: {
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        ...zoneOf(platform, place),
        ...pool.labels,
      },
    },
    spec: {
      ...(isCordoned ? { unschedulable: true } : {}),
      ...(taints.length > 0 ? { taints } : {}),
    },
    status: {
      // machines of one type differ by a few Ki
      ...resourcesOn(platform, pool.machine, (place * 7) % 64),
      conditions: [{ type: 'Ready', status: isLost ? 'Unknown' : 'True' }],
      nodeInfo: { operatingSystem: 'linux', osImage: OS_IMAGES[platform] },
    },
  }
}

const OS_IMAGES: Readonly<Record<Platform, string>> = {
  eks: 'Amazon Linux 2023.9.20260101',
  gke: 'Container-Optimized OS from Google',
  k3s: 'Debian GNU/Linux 13 (trixie)',
  kubeadm: 'Ubuntu 24.04.3 LTS',
}

function zoneOf(platform: Platform, place: number): Record<string, string> {
  const region = { eks: 'eu-central-1', gke: 'europe-west1', k3s: '', kubeadm: '' }[platform]
  if (region === '') return {}
  const letter = 'abc'[place % 3]
  return {
    'topology.kubernetes.io/region': region,
    'topology.kubernetes.io/zone': platform === 'gke' ? `${region}-${letter}` : `${region}${letter}`,
  }
}

/** 179 nodes of 20 types: what Karpenter chose for four NodePools, three of them tainted, and the group that it runs on itself. */
function karpenterPools(): readonly Pool[] {
  const dedicated = (value: string): Taint[] => [{ key: 'dedicated', value, effect: 'NoSchedule' }]
  const gpu: Taint[] = [{ key: 'nvidia.com/gpu', value: 'true', effect: 'NoSchedule' }]
  const chosen: ReadonlyArray<readonly [pool: string, type: Ec2Type, count: number, taints?: readonly Taint[]]> = [
    ['default', 'm5.large', 14],
    ['default', 'm5.xlarge', 22],
    ['default', 'm5.2xlarge', 18],
    ['default', 'm6i.large', 9],
    ['default', 'm6i.xlarge', 16],
    ['default', 'm6i.2xlarge', 14],
    ['default', 'm6i.4xlarge', 6],
    ['default', 'c5.xlarge', 10],
    ['default', 'c5.2xlarge', 8],
    ['default', 'c6i.2xlarge', 7],
    ['default', 'c6i.4xlarge', 4],
    ['default', 'r5.large', 6],
    ['default', 'r5.xlarge', 8],
    ['default', 'r6i.2xlarge', 5],
    ['default', 'm6g.xlarge', 8],
    ['default', 'm6g.2xlarge', 4],
    ['batch', 'c6a.8xlarge', 5, dedicated('batch')],
    ['batch', 'r6i.8xlarge', 3, dedicated('batch')],
    ['stateful', 'm5.4xlarge', 3, dedicated('stateful')],
    ['gpu', 'g5.xlarge', 4, gpu],
  ]
  return [
    ...chosen.map(([pool, type, count, taints], index) => ({
      ...ec2Pool(type, count, `ip-10-0-${index}`, karpenterLabels(type, pool)),
      ...(taints === undefined ? {} : { taints }),
      // Karpenter consolidates a node, and another one was just lost
      ...(type === 'm5.2xlarge' ? { cordoned: 1 } : {}),
      ...(type === 'm5.xlarge' ? { lost: 1 } : {}),
    })),
    ec2Pool('m5.large', 5, 'ip-10-0-200', { 'eks.amazonaws.com/nodegroup': 'system' }),
  ]
}

/** 40 nodes of managed node groups, three of them p4d. */
function eksPools(): readonly Pool[] {
  const group = (type: Ec2Type, count: number, name: string, index: number) =>
    ec2Pool(type, count, `ip-10-1-${index}`, {
      'eks.amazonaws.com/capacityType': 'ON_DEMAND',
      'eks.amazonaws.com/nodegroup': name,
    })
  return [
    group('m5.2xlarge', 22, 'general', 0),
    { ...group('m5.xlarge', 10, 'web', 1), cordoned: 1 },
    group('r5.4xlarge', 5, 'cache', 2),
    group('p4d.24xlarge', 3, 'training', 3),
  ]
}

function ec2Pool(type: Ec2Type, count: number, prefix: string, labels: Record<string, string>): Pool {
  const { arch, ...machine } = EC2[type]
  return {
    count,
    prefix,
    machine,
    labels: {
      'beta.kubernetes.io/instance-type': type,
      'node.kubernetes.io/instance-type': type,
      'kubernetes.io/arch': arch,
      ...labels,
    },
  }
}

/** 300 nodes in 6 pools. */
function gkePools(): readonly Pool[] {
  const gpu: Taint[] = [{ key: 'nvidia.com/gpu', value: 'present', effect: 'NoSchedule' }]
  const pool = (name: string, type: string, count: number, cores: number, memoryMi: number): Pool => ({
    count,
    prefix: `gke-prod-${name}`,
    machine: { cores, memoryMi },
    labels: {
      'beta.kubernetes.io/instance-type': type,
      'cloud.google.com/gke-nodepool': name,
      'cloud.google.com/machine-family': type.split('-')[0] ?? '',
      'node.kubernetes.io/instance-type': type,
    },
  })
  return [
    { ...pool('default-pool', 'e2-standard-4', 90, 4, 16 * 1024), lost: 1 },
    pool('web', 'e2-standard-8', 80, 8, 32 * 1024),
    pool('cache', 'n2-highmem-8', 60, 8, 64 * 1024),
    { ...pool('compute', 'c2-standard-16', 40, 16, 64 * 1024), cordoned: 1 },
    pool('large', 'n2-standard-32', 24, 32, 128 * 1024),
    { ...pool('gpu', 'a2-highgpu-1g', 6, 12, 85 * 1024), taints: gpu },
  ]
}

/** 60 boxes of 4 sizes, without a cloud controller, so without instance types; k3s taints no server. */
function k3sPools(): readonly Pool[] {
  const boxes = (prefix: string, count: number, cores: number, memoryGi: number, labels = {}): Pool => ({
    count,
    prefix,
    machine: { cores, memoryMi: memoryGi * 1024 },
    labels,
  })
  const server = { 'node-role.kubernetes.io/control-plane': 'true', 'node-role.kubernetes.io/etcd': 'true' }
  return [
    boxes('server', 3, 4, 8, server),
    boxes('pi', 24, 4, 4),
    boxes('nuc', 17, 4, 8),
    boxes('tower', 12, 8, 32),
    boxes('rack', 4, 16, 64),
  ]
}

/** 21 machines of a kubeadm cluster, three of them with 1 TiB. */
function bareMetalPools(): readonly Pool[] {
  const machines = (prefix: string, count: number, cores: number, memoryGi: number): Pool => ({
    count,
    prefix,
    machine: { cores, memoryMi: memoryGi * 1024 },
    labels: {},
  })
  return [
    {
      ...machines('control', 3, 8, 32),
      labels: { 'node-role.kubernetes.io/control-plane': '' },
      taints: [{ key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' }],
    },
    machines('worker', 15, 64, 256),
    machines('large', 3, 128, 1024),
  ]
}
