/** The label and taint keys of the drawn fleets, with values that nodes have and values that only come later. */

export const TYPE = 'node.kubernetes.io/instance-type'
export const ZONE = 'topology.kubernetes.io/zone'
export const POOL = 'example.com/pool'
export const MEMORY = 'karpenter.k8s.aws/instance-memory'
export const GPU = 'nvidia.com/gpu.present'
export const OS = 'kubernetes.io/os'
export const ARCH = 'kubernetes.io/arch'

/** Values that a first inventory may hold. */
export const VALUES: Readonly<Record<string, readonly string[]>> = {
  [TYPE]: ['m5.large', 'm5.xlarge', 'c5.2xlarge', 'r5.4xlarge', 'g5.xlarge', 'Standard_D4s_v5', 't3.micro', '8'],
  [ZONE]: ['eu-1a', 'eu-1b', 'eu-1c', ''],
  [POOL]: ['general', 'spot', 'gpu', 'infra', ''],
  [MEMORY]: ['4096', '8192', '16384', '016384', '65536', '131072', '0'],
  [GPU]: ['true', 'false'],
  [OS]: ['linux', 'linux', 'linux', 'windows'],
  [ARCH]: ['amd64', 'amd64', 'arm64'],
}

/** Values that only nodes have that join later. */
export const LATER: Readonly<Record<string, readonly string[]>> = {
  [TYPE]: ['m7.large', 'x2.metal', 'm5.large-new'],
  [ZONE]: ['eu-2a', 'other'],
  [POOL]: ['zero', 'brand-new'],
  [MEMORY]: ['12288', '524288', '9007199254740993'],
}

/** Values of the numeric label that are no integer. */
export const NO_INTEGERS = ['64Gi', '', '1e4', '9223372036854775808']

export const KEYS = Object.keys(VALUES)

/** Every value that a requirement on the key may name. */
export function valuesOf(key: string): string[] {
  return [...new Set([...(VALUES[key] ?? []), ...(LATER[key] ?? []), 'no-such-value'])]
}

export const TAINTS = [
  { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' },
  { key: 'dedicated', value: 'infra', effect: 'NoExecute' },
  { key: 'example.com/spot', effect: 'NoSchedule' },
  { key: 'example.com/level', value: '5', effect: 'NoExecute' },
  { key: 'example.com/soft', value: 'yes', effect: 'PreferNoSchedule' },
] as const
