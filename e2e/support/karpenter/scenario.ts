import type { KubernetesObject } from '../../../src/krm/types.ts'
import type { Labels, Taint } from '../../../src/kube/index.ts'
import { TYPE as INSTANCE_TYPE } from '../../../test/support/objects.ts'

export const ZONE = 'topology.kubernetes.io/zone'
export const CAPACITY = 'karpenter.sh/capacity-type'
export const POOL = 'karpenter.sh/nodepool'
export const MEMORY = 'karpenter.k8s.aws/instance-memory'
export const FAMILY = 'karpenter.k8s.aws/instance-family'
export const GPU = 'karpenter.k8s.aws/instance-gpu-name'
const ARCH = 'kubernetes.io/arch'
const OS = 'kubernetes.io/os'

/** Labels of instance types that Karpenter's AWS provider makes known to it. */
export const WELL_KNOWN = [MEMORY, FAMILY, GPU]

export interface Requirement {
  readonly key: string
  readonly operator: string
  readonly values?: readonly string[]
}

export interface InstanceType {
  readonly name: string
  readonly labels: Labels
  readonly cpu: number
}

const type = (name: string, cpu: number, memory: string, arch: string, gpu?: string): InstanceType => ({
  name,
  cpu,
  labels: {
    [INSTANCE_TYPE]: name,
    [ARCH]: arch,
    [OS]: 'linux',
    [MEMORY]: memory,
    [FAMILY]: name.split('.')[0] ?? '',
    ...(gpu === undefined ? {} : { [GPU]: gpu }),
  },
})

export const TYPES = [
  type('c7g.xlarge', 4, '8192', 'arm64'),
  type('g5.xlarge', 4, '16384', 'amd64', 'a10g'),
  type('m5.4xlarge', 16, '65536', 'amd64'),
  type('m5.large', 2, '8192', 'amd64'),
]

/** One that no node has, otherwise like the first. */
export const NEW_TYPE = type('c7g.metal', 4, '8192', 'arm64')

export const ZONES = ['eu-1a', 'eu-1b', 'eu-1c']
export const CAPACITIES = ['on-demand', 'spot']

export interface PoolSpec {
  readonly name: string
  readonly requirements?: readonly Requirement[]
  readonly labels?: Labels
  /** Labels that its nodes get after their launch. */
  readonly later?: Labels
  readonly taints?: readonly Taint[]
  readonly limits?: Record<string, string>
  /** Whether it has no nodes. */
  readonly isAtZero?: boolean
}

export function nodePool({ name, requirements = [], labels, taints, limits }: PoolSpec): KubernetesObject {
  const nodeClassRef = { group: 'karpenter.k8s.aws', kind: 'EC2NodeClass', name: 'standard' }
  return {
    apiVersion: 'karpenter.sh/v1',
    kind: 'NodePool',
    metadata: { name },
    spec: {
      ...(limits === undefined ? {} : { limits }),
      template: {
        metadata: { labels: labels ?? {} },
        spec: { nodeClassRef, requirements, ...(taints === undefined ? {} : { taints }) },
      },
    },
  }
}

/** The values of a requirement that names them, `all` where it says nothing or leaves some out. */
function valuesOf({ requirements = [] }: PoolSpec, key: string, all: readonly string[]): readonly string[] {
  const own = requirements.filter((one) => one.key === key)
  return all.filter((value) =>
    own.every(({ operator, values = [] }) => {
      if (operator === 'In') return values.includes(value)
      if (operator === 'NotIn') return !values.includes(value)
      return operator !== 'DoesNotExist'
    }),
  )
}

/** Whether the pool takes the type. */
export function takes(pool: PoolSpec, { labels, cpu }: InstanceType): boolean {
  if (pool.limits?.cpu !== undefined && cpu > Number(pool.limits.cpu)) return false
  return Object.entries(labels).every(([key, value]) => valuesOf(pool, key, [value]).length > 0)
}

const PROVIDED = [INSTANCE_TYPE, ARCH, OS, MEMORY, FAMILY, GPU, ZONE, CAPACITY]

/** Every node that Karpenter may make of the pool and type: one for each zone, capacity type and value of the pool's own labels. */
export function launches(pool: PoolSpec, instanceType: InstanceType): Labels[] {
  const start: Labels = {
    ...pool.later,
    ...instanceType.labels,
    ...pool.labels,
    [POOL]: pool.name,
    [`beta.${ARCH}`]: instanceType.labels[ARCH] ?? '',
    'karpenter.k8s.aws/ec2nodeclass': 'standard',
    'karpenter.sh/registered': 'true',
    'karpenter.sh/initialized': 'true',
  }
  const own = (pool.requirements ?? []).filter(({ key, operator }) => operator === 'In' && !PROVIDED.includes(key))
  const choices: Array<readonly [string, readonly string[]]> = [
    [ZONE, valuesOf(pool, ZONE, ZONES)],
    [CAPACITY, valuesOf(pool, CAPACITY, CAPACITIES)],
    ...own.map(({ key, values = [] }) => [key, values] as const),
  ]
  return choices.reduce(
    (all, [key, values]) => all.flatMap((labels) => values.map((value) => ({ ...labels, [key]: value }))),
    [start],
  )
}
