/** Seven fleets: allocatable thousandths of a core and MiB, pods, number of nodes, the role, the day a type joins. */

export interface NodeType {
  readonly name: string
  readonly cpu: number
  readonly memory: number
  readonly pods: number
  readonly count: number
  readonly role: string
  readonly joins: number
}

export interface FleetOf {
  readonly types: readonly NodeType[]
  /** How many days a node lives, in the mean. */
  readonly life: number
}

type More = Partial<Pick<NodeType, 'role' | 'joins'>>
const typeOf = (name: string, [cpu, memory, pods, count]: readonly number[], more: More = {}): NodeType => ({
  ...{ name, cpu: cpu ?? 0, memory: memory ?? 0, pods: pods ?? 0, count: count ?? 0, role: 'worker', joins: 0 },
  ...more,
})
/** A type of EKS, by its cores and GiB: what its AMI leaves of them. */
const eks = (name: string, cores: number, gib: number, pods: number, count: number, more: More = {}): NodeType => {
  const kept = 60 + (cores > 1 ? 10 : 0) + 5 * Math.min(Math.max(cores - 2, 0), 2) + 2.5 * Math.max(cores - 4, 0)
  const memory = Math.trunc(gib * 1024 * 0.985 - 255 - 11 * pods - 100)
  return typeOf(name, [Math.trunc(cores * 1000 - kept), memory, pods, count], more)
}

const SIZES: Readonly<Record<string, readonly [cores: number, pods: number]>> = {
  large: [2, 29],
  xlarge: [4, 58],
  '2xlarge': [8, 58],
  '4xlarge': [16, 234],
  '8xlarge': [32, 234],
  '16xlarge': [64, 250],
}
const KARPENTER = `m5.large 22, m5.xlarge 18, m5.2xlarge 10, m5.4xlarge 4, m6i.large 18, m6i.xlarge 14, m6i.2xlarge 8,
  m6i.4xlarge 3, m6i.8xlarge 1, m6g.large 9, m6g.xlarge 8, m6g.2xlarge 4, c5.large 8, c5.xlarge 9, c5.2xlarge 6,
  c5.4xlarge 3, c6i.large 6, c6i.xlarge 7, c6i.2xlarge 4, c6i.8xlarge 2, c6g.xlarge 5, c6g.2xlarge 3, r5.large 8,
  r5.xlarge 8, r5.2xlarge 5, r5.4xlarge 2, r6i.large 5, r6i.xlarge 5, r6i.2xlarge 3, r6i.8xlarge 2, r6i.16xlarge 1,
  m7i.large 4, m7i.xlarge 3, m7i.16xlarge 1, r7i.4xlarge 1`
const karpenter = KARPENTER.split(',').map((text) => {
  const [name = '', count] = text.trim().split(' ')
  const [cores, pods] = SIZES[name.slice(name.indexOf('.') + 1)] ?? [0, 0]
  const gib = { c: 2, m: 4, r: 8 }[name[0] ?? ''] ?? 0
  return eks(name, cores, cores * gib, pods, Number(count))
})

export const FLEETS: Readonly<Record<string, FleetOf>> = {
  eks40: {
    life: 45,
    types: [
      eks('m5.large', 2, 8, 29, 25),
      eks('m5.xlarge', 4, 16, 58, 12),
      eks('r5.16xlarge', 64, 512, 250, 2),
      eks('m5.24xlarge', 96, 384, 250, 1),
    ],
  },
  karpenter220: {
    life: 18,
    types: [
      ...karpenter,
      eks('m7g.4xlarge', 16, 64, 234, 8, { joins: 30 }),
      eks('r7g.12xlarge', 48, 384, 234, 3, { joins: 30 }),
    ],
  },
  aks85: {
    life: 60,
    types: [
      typeOf('D4ds', [3860, 12_700, 110, 5], { role: 'system' }),
      typeOf('D8ds', [7820, 27_724, 110, 55]),
      typeOf('E16ds', [15_740, 121_930, 110, 18]),
      typeOf('NC24ads', [23_660, 214_230, 110, 7], { role: 'gpu' }),
    ],
  },
  openshift30: {
    life: 400,
    types: [
      typeOf('master', [7500, 31_000, 250, 3], { role: 'master' }),
      typeOf('infra', [7500, 31_000, 250, 3]),
      typeOf('worker', [15_500, 63_200, 250, 24]),
    ],
  },
  k3s60: {
    life: 400,
    types: [
      typeOf('pi', [4000, 7800, 110, 34]),
      typeOf('nuc', [8000, 31_800, 110, 18]),
      typeOf('server', [32_000, 128_500, 110, 8], { role: 'server' }),
    ],
  },
  metal21: {
    life: 800,
    types: [
      typeOf('control', [3900, 15_600, 110, 3], { role: 'master' }),
      typeOf('small', [15_500, 63_000, 110, 10]),
      typeOf('middle', [63_500, 256_000, 110, 6]),
      typeOf('large', [127_500, 1_030_000, 250, 2], { role: 'gpu' }),
    ],
  },
  mixed500: {
    life: 30,
    types: [
      eks('m5.large', 2, 8, 29, 130),
      eks('m5.xlarge', 4, 16, 58, 120),
      eks('m5.2xlarge', 8, 32, 58, 80),
      eks('m5.4xlarge', 16, 64, 234, 50),
      eks('c6g.xlarge', 4, 8, 58, 30),
      eks('r5.2xlarge', 8, 64, 58, 25),
      eks('c6i.8xlarge', 32, 64, 234, 14),
      eks('r5.8xlarge', 32, 256, 234, 10),
      eks('g5.xlarge', 4, 16, 58, 10, { role: 'gpu' }),
      eks('g5.12xlarge', 48, 192, 234, 4, { role: 'gpu' }),
      eks('m5.24xlarge', 96, 384, 250, 3),
      eks('u-6tb1.metal', 224, 6144, 250, 1),
      eks('m7i.2xlarge', 8, 32, 58, 16, { joins: 30 }),
      eks('m7i.16xlarge', 64, 256, 250, 7, { joins: 40 }),
    ],
  },
}
