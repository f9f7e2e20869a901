/** What a policy says that a container gets, worked out anew from docs/reference/sizing-policy.md: nothing of `src/` is imported. */
import type { DaemonSet, Node, Resources } from './kubernetes.ts'
import { nano, standingOn } from './recompute.ts'

type AmountName = 'requestCPU' | 'requestMemory' | 'limitCPU' | 'limitMemory'
type Bounds = Readonly<Partial<Record<'cpu' | 'memory' | AmountName, string | number>>>

/** The fields of a SizingPolicy that decide sizes in a first package. */
export interface PolicySpec {
  readonly containers?: ReadonlyArray<{ readonly name: string }>
  readonly resourcePercentages: Readonly<Partial<Record<AmountName, number | 'none'>>>
  readonly minResources?: Bounds
  readonly maxResources?: Bounds
}

const AMOUNTS: ReadonlyArray<readonly [name: AmountName, place: keyof Resources, resource: 'cpu' | 'memory']> = [
  ['requestCPU', 'requests', 'cpu'],
  ['requestMemory', 'requests', 'memory'],
  ['limitCPU', 'limits', 'cpu'],
  ['limitMemory', 'limits', 'memory'],
]
const MI = 1n << 20n
const NANO = 1_000_000_000n

export interface Size {
  readonly name: AmountName
  readonly place: keyof Resources
  readonly resource: 'cpu' | 'memory'
  /** In nano cores or nano bytes; undefined where nothing is set. */
  readonly amount?: bigint
}

/** What the sized container of a rendered DaemonSet gets on its nodes; none where it serves no node. */
export function expectedSizes(daemonSet: DaemonSet, policy: PolicySpec, nodes: readonly Node[]): readonly Size[] {
  const on = (standing: string) => nodes.filter((node) => standingOn(daemonSet.spec.template.spec, node) === standing)
  const started = on('start')
  const counted = started.length > 0 ? started : on('stay')
  if (counted.length === 0) return []
  const sizes = AMOUNTS.map(([name, place, resource]): Size => {
    const percentage = policy.resourcePercentages[name]
    if (typeof percentage !== 'number') return { name, place, resource }
    const allocatable = counted.map((node) => nano(node.status.allocatable[resource] ?? 0))
    const [smallest = 0n] = allocatable.sort((a, b) => Number(a - b))
    return { name, place, resource, amount: boundedSize(name, resource, shareOf(smallest, percentage), policy) }
  })
  // a limit below its request is raised to it
  return sizes.map((size) => {
    const request = sizes.find(({ place, resource }) => place === 'requests' && resource === size.resource)?.amount
    const isBelow = size.amount !== undefined && request !== undefined && size.amount < request
    return isBelow ? { ...size, amount: request } : size
  })
}

/** The share, exactly, of a decimal percentage. */
function shareOf(amount: bigint, percentage: number): bigint {
  const [whole = '', decimals = ''] = String(percentage).split('.')
  return (amount * BigInt(whole + decimals)) / (100n * 10n ** BigInt(decimals.length))
}

/** A bound that decides stands as it is; memory between the bounds is in whole Mi, cpu in millicores. */
function boundedSize(name: AmountName, resource: 'cpu' | 'memory', share: bigint, policy: PolicySpec): bigint {
  const boundOf = (bounds: Bounds = {}) => bounds[name] ?? bounds[resource]
  const [low = 0, high] = [boundOf(policy.minResources), boundOf(policy.maxResources)]
  const [least, most] = [nano(low), high === undefined ? undefined : nano(high)]
  const step = resource === 'cpu' ? NANO / 1000n : NANO
  const floored = (share / step) * step
  if (floored <= least) return least
  if (most !== undefined && floored >= most) return most
  if (resource === 'cpu') return floored
  const inMi = (floored / (MI * NANO)) * MI * NANO
  return inMi < least ? least : inMi
}
