/** How Karpenter treats a label's key: whether it knows the label, and when a node gets it. */

export const INSTANCE_TYPE = 'node.kubernetes.io/instance-type'
export const NODE_POOL = 'karpenter.sh/nodepool'
export const CAPACITY_TYPE = 'karpenter.sh/capacity-type'
export const ZONE = 'topology.kubernetes.io/zone'
export const HOSTNAME = 'kubernetes.io/hostname'

/** Labels that Karpenter replaces with others (`NormalizedLabels`). */
const ALIASES: Readonly<Record<string, string>> = {
  'failure-domain.beta.kubernetes.io/zone': ZONE,
  'failure-domain.beta.kubernetes.io/region': 'topology.kubernetes.io/region',
  'beta.kubernetes.io/arch': 'kubernetes.io/arch',
  'beta.kubernetes.io/os': 'kubernetes.io/os',
  'beta.kubernetes.io/instance-type': INSTANCE_TYPE,
}

/** Returns the key that Karpenter uses for a label. */
export function asKarpenter(key: string): string {
  return Object.hasOwn(ALIASES, key) ? (ALIASES[key] ?? key) : key
}

const FIXED = [
  INSTANCE_TYPE,
  'kubernetes.io/arch',
  'kubernetes.io/os',
  'topology.kubernetes.io/region',
  'node.kubernetes.io/windows-build',
]

/**
 * Labels of an instance type that a provider adds to those Karpenter knows: AWS, Google and whoever follows them, EKS
 * Auto Mode, Azure, kwok.
 */
const OF_PROVIDER =
  /^(karpenter\.k8s\.[a-z0-9-]+\/instance-|eks\.amazonaws\.com\/instance-|karpenter\.azure\.com\/sku-|karpenter\.kwok\.sh\/instance-)/

/** Labels of a capacity reservation; a node outside a reservation lacks them. */
const OF_RESERVATION = /^(karpenter\.k8s\.aws|eks\.amazonaws\.com)\/capacity-reservation-/

/** Provider labels that some of its instance types lack. */
const LACKING = /gpu|accelerator|nvme|network|ebs|hypervisor|sustained|windows-build/

/** Whether an instance type has at most one value of the label. */
export function isFixed(key: string): boolean {
  return FIXED.includes(key) || OF_PROVIDER.test(key)
}

/** Whether some instance types lack the label. */
export function isLackedBySome(key: string): boolean {
  return isFixed(key) && LACKING.test(key)
}

/** Whether the offering decides the value: an instance type is offered with several. */
export function isOpen(key: string): boolean {
  return [ZONE, 'topology.k8s.aws/zone-id', CAPACITY_TYPE].includes(key) || isOfReservation(key)
}

/** Whether the label belongs to a capacity reservation. */
export function isOfReservation(key: string): boolean {
  return OF_RESERVATION.test(key)
}

/**
 * Whether Karpenter assumes that a node may have the label although its NodePool does not mention it
 * (`WellKnownLabels`).
 */
export function isWellKnown(key: string): boolean {
  return key === NODE_POOL || isFixed(key) || isOpen(key)
}

/** Whether Karpenter writes a label on each of its nodes as an integer, and in no other way. */
export function isIntegerOfKarpenter(key: string): boolean {
  return /^karpenter\.(?:k8s\.aws\/instance|azure\.com\/sku)-(?:cpu|memory)$/.test(key)
}
