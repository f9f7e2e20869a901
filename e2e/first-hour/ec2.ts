/** The instance types of the fleets on EKS, and the labels that Karpenter writes on a node of each. */

/** Cores, MiB as sold, most pods by network interfaces and their addresses, and the architecture. */
interface Ec2Machine {
  readonly cores: number
  readonly memoryMi: number
  readonly pods: number
  readonly arch: 'amd64' | 'arm64'
}

const GI = 1024
const machine = (cores: number, memoryGi: number, pods: number, arch: Ec2Machine['arch'] = 'amd64'): Ec2Machine => ({
  cores,
  memoryMi: memoryGi * GI,
  pods,
  arch,
})

export const EC2 = {
  'm5.large': machine(2, 8, 29),
  'm5.xlarge': machine(4, 16, 58),
  'm5.2xlarge': machine(8, 32, 58),
  'm5.4xlarge': machine(16, 64, 234),
  'm6i.large': machine(2, 8, 29),
  'm6i.xlarge': machine(4, 16, 58),
  'm6i.2xlarge': machine(8, 32, 58),
  'm6i.4xlarge': machine(16, 64, 234),
  'm6g.xlarge': machine(4, 16, 58, 'arm64'),
  'm6g.2xlarge': machine(8, 32, 58, 'arm64'),
  'c5.xlarge': machine(4, 8, 58),
  'c5.2xlarge': machine(8, 16, 58),
  'c6i.2xlarge': machine(8, 16, 58),
  'c6i.4xlarge': machine(16, 32, 234),
  'c6a.8xlarge': machine(32, 64, 234),
  'r5.large': machine(2, 16, 29),
  'r5.xlarge': machine(4, 32, 58),
  'r5.4xlarge': machine(16, 128, 234),
  'r6i.2xlarge': machine(8, 64, 58),
  'r6i.8xlarge': machine(32, 256, 234),
  'g5.xlarge': machine(4, 16, 58),
  'p4d.24xlarge': machine(96, 1152, 737),
} as const satisfies Readonly<Record<string, Ec2Machine>>
export type Ec2Type = keyof typeof EC2

const NVIDIA: ReadonlySet<string> = new Set(['g', 'p'])

/** The well-known labels of Karpenter's provider for AWS, those of the NodePool and of the registration. */
export function karpenterLabels(type: Ec2Type, nodePool: string): Record<string, string> {
  const [family = '', size = ''] = type.split('.')
  const [, category = '', generation = '', more = ''] = /^([a-z])(\d)([a-z]*)$/.exec(family) ?? []
  const { cores, memoryMi } = EC2[type]
  const manufacturer = more.startsWith('g') ? 'aws' : more.startsWith('a') ? 'amd' : 'intel'
  const prefix = 'karpenter.k8s.aws'
  return {
    [`${prefix}/ec2nodeclass`]: 'default',
    [`${prefix}/instance-category`]: category,
    [`${prefix}/instance-cpu`]: String(cores),
    [`${prefix}/instance-cpu-manufacturer`]: manufacturer,
    [`${prefix}/instance-family`]: family,
    [`${prefix}/instance-generation`]: generation,
    [`${prefix}/instance-hypervisor`]: 'nitro',
    [`${prefix}/instance-memory`]: String(memoryMi),
    [`${prefix}/instance-size`]: size,
    ...(NVIDIA.has(category)
      ? { [`${prefix}/instance-gpu-count`]: '1', [`${prefix}/instance-gpu-manufacturer`]: 'nvidia' }
      : {}),
    'karpenter.sh/capacity-type': nodePool === 'default' ? 'spot' : 'on-demand',
    'karpenter.sh/initialized': 'true',
    'karpenter.sh/nodepool': nodePool,
    'karpenter.sh/registered': 'true',
  }
}
