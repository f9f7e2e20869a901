import type { World } from '../../core/index.ts'
import {
  KUBENODESMITH,
  NODE_SMITH_POOL_DEFAULTS,
  type NodeSmithPool,
  POOL_POLICY_DEFAULTS,
  type PoolPolicy,
  validate,
} from '../../kinds/index.ts'
import { type Finding, plural, type Read } from '../../krm/finding.ts'
import { memberOf } from '../../krm/map.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import {
  isDns1123Label,
  KubeError,
  type Labels,
  parseDuration,
  Quantity,
  type ResourceQuantities,
  type Taint,
} from '../../kube/index.ts'
import { finding } from './codes.ts'

/** A size of machines. */
export type MachineSize = PoolPolicy['spec']['machines'][number]

/** The limits of a pool; 0 is no limit, but for minNodes. */
type Limits = NonNullable<PoolPolicy['spec']['limits']>

/** A pool with its policy, defaults filled in. Times are in milliseconds. */
export interface PoolSettings {
  readonly subject: Item
  /** The name of the pool, which is the value of its label. */
  readonly name: string
  readonly namespace?: string
  readonly cluster?: string
  readonly pool: Item
  readonly provider: Provider
  readonly labelKey: string
  readonly templateLabels: Labels
  readonly limits: Limits
  readonly machines: readonly MachineSize[]
  readonly choice: 'first' | 'any'
  readonly isElastic: boolean
  readonly architecture: string
  readonly taints: readonly Taint[]
  readonly startupTaints: readonly Taint[]
  readonly reserved: ResourceQuantities
  readonly overhead: ResourceQuantities
  readonly priority: number
  readonly requiresTargeting: boolean
  readonly scaleUp: { readonly window: number; readonly batchSize: number }
  /** Undefined if no machine is removed. */
  readonly scaleDown?: { readonly window: number; readonly maxConcurrent: number }
  readonly drainTimeout: number
  /** The drain timeout as written, for the claim. */
  readonly drainText: string
  readonly times: { readonly settle: number; readonly trust: number; readonly provision: number }
  readonly headroom: { readonly requests: ResourceQuantities; readonly pods: number }
  readonly prefix: string
  readonly output: Required<Pick<OutputSpec, 'kind' | 'mode'>> & OutputSpec
  /** When a node of a NodePool is replaced; undefined where Karpenter's definition says it. */
  readonly expireAfter?: string
  /** The window before a node leaves, as written. */
  readonly scaleDownText: string
}

type OutputSpec = NonNullable<PoolPolicy['spec']['output']>

/** A PoolPolicy that is planned; without settings it is disabled. */
export interface PoolInput {
  readonly subject: Item
  readonly settings?: PoolSettings
}

/** The window before a node leaves, where the pool sets none: cluster-autoscaler's unneeded time. */
export const SCALE_DOWN_WINDOW = '10m'
/** A longer prefix leaves no room for the number in the label of KubeNodeSmith. */
const LONGEST_PREFIX = 56

/** Reads a PoolPolicy with its pool and its provider. */
export function readPool(subject: Item, world: World): Read<PoolInput> {
  const { object } = subject
  const problems = validate('PoolPolicy', object)
  if (problems.length > 0) return { findings: problems }
  const { spec, metadata } = object as unknown as PoolPolicy
  if (spec.enabled === false) return { value: { subject }, findings: [] }
  const wanted = { apiVersion: KUBENODESMITH, kind: 'NodeSmithPool', name: spec.poolRef }
  const isHere = (item: Item) => (item.object.metadata.namespace ?? '') === (metadata.namespace ?? '')
  const [pool, another] = world.named(wanted).filter(isHere)
  if (pool === undefined) {
    const sentence = `${metadata.name}: there is no NodeSmithPool ${spec.poolRef} in ${metadata.namespace === undefined ? 'the package' : `namespace ${metadata.namespace}`}`
    return {
      findings: [
        finding('PoolMissing', sentence, {
          subject: object,
          field: { path: 'spec.poolRef', currentValue: spec.poolRef },
        }),
      ],
    }
  }
  if (another !== undefined)
    return {
      findings: [
        finding('DuplicatePool', `the package has NodeSmithPool ${spec.poolRef} twice`, { subject: another.object }),
      ],
    }
  const poolProblems = validate('NodeSmithPool', pool.object)
  if (poolProblems.length > 0) return { findings: poolProblems }
  const { spec: poolSpec } = pool.object as unknown as NodeSmithPool
  const inForce = { ...poolSpec, limits: spec.limits ?? poolSpec.limits }
  const isClaim = (spec.output?.kind ?? POOL_POLICY_DEFAULTS.output.kind) === 'NodeSmithClaim'
  const { value: provider, findings: providerFindings } = isClaim
    ? readProvider(pool.object, inForce, world)
    : { value: { memoryOverheadMiB: 0 }, findings: [] }
  const faults: Finding[] = []
  const settings = settingsOf({ subject, pool, spec, poolSpec, provider }, faults)
  faults.push(...limitFindings(settings), ...prefixFindings(settings))
  const findings = [...faults, ...providerFindings]
  return faults.length > 0 ? { findings } : { value: { subject, settings }, findings }
}

interface Parts {
  readonly subject: Item
  readonly pool: Item
  readonly spec: PoolPolicy['spec']
  readonly poolSpec: NodeSmithPool['spec']
  readonly provider: Provider
}

function settingsOf({ subject, pool, spec, poolSpec, provider }: Parts, faults: Finding[]): PoolSettings {
  const defaults = POOL_POLICY_DEFAULTS
  const ofPolicy = (path: string, text: string) => duration(subject.object, path, text, faults)
  const ofPool = (path: string, text: string) => duration(pool.object, path, text, faults)
  const amounts = (path: string, given: object) => quantities(subject.object, path, given as ResourceQuantities, faults)
  const { metadata } = subject.object
  const drainText = spec.scaleDown?.drainTimeout ?? defaults.scaleDown.drainTimeout
  const times = { ...defaults.times, ...spec.times }
  const { pods, ...headroom } = { ...defaults.headroom, ...spec.headroom }
  for (const [index, { resources = {} }] of spec.machines.entries())
    amounts(`spec.machines.${index}.resources`, resources)
  return {
    ...{ subject, pool, provider, name: spec.poolRef, cluster: spec.cluster },
    ...(metadata.namespace === undefined ? {} : { namespace: metadata.namespace }),
    labelKey: poolSpec.poolLabelKey ?? NODE_SMITH_POOL_DEFAULTS.poolLabelKey,
    templateLabels: poolSpec.machineTemplate.labels ?? {},
    limits: spec.limits ?? poolSpec.limits,
    machines: spec.machines,
    choice: spec.choice ?? defaults.choice,
    isElastic: (spec.sizing ?? defaults.sizing) === 'Elastic',
    architecture: spec.architecture ?? defaults.architecture,
    taints: spec.taints ?? [],
    startupTaints: spec.startupTaints ?? [],
    reserved: amounts('spec.reserved', { ...defaults.reserved, ...spec.reserved }),
    overhead: amounts('spec.overhead', { ...defaults.overhead, ...spec.overhead }),
    priority: spec.priority ?? defaults.priority,
    requiresTargeting: spec.requireTargeting ?? defaults.requireTargeting,
    scaleUp: {
      window: ofPool('spec.scaleUp.stabilizationWindow', poolSpec.scaleUp?.stabilizationWindow ?? '0'),
      batchSize: spec.scaleUp?.batchSize ?? defaults.scaleUp.batchSize,
    },
    ...((poolSpec.scaleDown === undefined && spec.scaleDown === undefined) || !isShrinking(spec)
      ? {}
      : {
          scaleDown: {
            window: ofPool(
              'spec.scaleDown.stabilizationWindow',
              poolSpec.scaleDown?.stabilizationWindow ?? SCALE_DOWN_WINDOW,
            ),
            maxConcurrent: spec.scaleDown?.maxConcurrent || defaults.scaleDown.maxConcurrent,
          },
        }),
    drainTimeout: ofPolicy('spec.scaleDown.drainTimeout', drainText),
    drainText,
    times: {
      settle: ofPolicy('spec.times.settle', times.settle),
      trust: ofPolicy('spec.times.trust', times.trust),
      provision: ofPolicy('spec.times.provision', times.provision),
    },
    headroom: { requests: amounts('spec.headroom', headroom), pods },
    prefix: spec.output?.namePrefix ?? spec.poolRef,
    output: { ...defaults.output, ...spec.output },
    ...(spec.expireAfter === undefined ? {} : { expireAfter: spec.expireAfter }),
    scaleDownText: poolSpec.scaleDown?.stabilizationWindow ?? SCALE_DOWN_WINDOW,
  }
}

/** Whether a machine that leaves can be named to its provider: where replicas shrink, Karpenter picks the node. */
function isShrinking({ output }: PoolPolicy['spec']): boolean {
  return output?.kind !== 'NodePool' || output.mode !== 'static'
}

const MILLISECOND = 1_000_000n

function duration(subject: KubernetesObject, path: string, text: string, faults: Finding[]): number {
  try {
    const value = parseDuration(text)
    if (value >= 0n) return Number(value / MILLISECOND)
    faults.push(invalid(subject, path, text, 'is negative'))
  } catch (error) {
    if (!(error instanceof KubeError)) throw error
    faults.push(invalid(subject, path, text, `is not a duration: write 90s, 5m or 1h30m`))
  }
  return 0
}

function quantities(subject: KubernetesObject, path: string, given: ResourceQuantities, faults: Finding[]) {
  return Object.fromEntries(
    Object.entries(given).filter(([name, text]) => {
      try {
        if (Quantity.parse(text).nanoValue() >= 0n) return true
        faults.push(invalid(subject, `${path}.${name}`, String(text), 'is negative'))
      } catch (error) {
        if (!(error instanceof KubeError)) throw error
        faults.push(invalid(subject, `${path}.${name}`, String(text), 'is not a quantity'))
      }
      return false
    }),
  )
}

function limitFindings({ subject, pool, limits }: PoolSettings): Finding[] {
  const { minNodes, maxNodes } = limits
  if (maxNodes === 0 || maxNodes >= minNodes) return []
  const isOfPolicy = (subject.object.spec as PoolPolicy['spec']).limits === limits
  const { object } = isOfPolicy ? subject : pool
  return [invalid(object, 'spec.limits.maxNodes', String(maxNodes), `is below minNodes ${minNodes}; 0 is no limit`)]
}

function prefixFindings({ subject, prefix }: PoolSettings): Finding[] {
  const path =
    (subject.object.spec as PoolPolicy['spec']).output?.namePrefix === undefined
      ? 'spec.poolRef'
      : 'spec.output.namePrefix'
  const problem =
    prefix.length > LONGEST_PREFIX
      ? `has ${prefix.length} characters; names of machines leave room for ${LONGEST_PREFIX}`
      : isDns1123Label(prefix)
        ? undefined
        : 'cannot begin the name of a machine: use lower case letters, digits and -'
  return problem === undefined ? [] : [invalid(subject.object, path, prefix, problem)]
}

/** Reports a field of a pool or policy, as written. */
export function invalid(subject: KubernetesObject, path: string, value: string, problem: string): Finding {
  const sentence = `${subject.kind} ${subject.metadata.name}: ${path} "${value}" ${problem}`
  return finding('PoolInvalid', sentence, { subject, field: { path, currentValue: value } })
}

/** What makes the machines of a pool, as far as a plan depends on it. */
interface Provider {
  /** What it adds to the memory of each machine, in MiB. */
  readonly memoryOverheadMiB: number
}

/** Reads the NodeSmithProvider of a pool, in its namespace; the value is always given. */
function readProvider(
  pool: KubernetesObject,
  { providerRef, limits }: NodeSmithPool['spec'],
  world: World,
): Required<Read<Provider>> {
  const wanted = { apiVersion: KUBENODESMITH, kind: 'NodeSmithProvider', name: providerRef }
  const found = world
    .named(wanted)
    .find(({ object }) => (object.metadata.namespace ?? '') === (pool.metadata.namespace ?? ''))
  if (found === undefined) {
    const sentence = `NodeSmithPool ${pool.metadata.name}: there is no NodeSmithProvider ${providerRef || '""'} in the package`
    const field = { path: 'spec.providerRef', currentValue: providerRef }
    return {
      value: { memoryOverheadMiB: 0 },
      findings: [finding('ProviderMissing', sentence, { subject: pool, field })],
    }
  }
  const { object: subject } = found
  const type = memberOf(subject.spec, 'type')
  const proxmox = memberOf(subject.spec, 'proxmox')
  const overhead = memberOf(proxmox, 'vmMemOverheadMiB') ?? 0
  const isNumber = Number.isSafeInteger(overhead) && (overhead as number) >= 0
  const range = memberOf(proxmox, 'vmIDRange')
  const [lower, upper] = [memberOf(range, 'lower'), memberOf(range, 'upper')].map(Number)
  const ids = (upper ?? Number.NaN) - (lower ?? Number.NaN) + 1
  const name = `NodeSmithProvider ${providerRef}`
  return {
    value: { memoryOverheadMiB: isNumber ? (overhead as number) : 0 },
    findings: [
      ...(isNumber
        ? []
        : [finding('PoolInvalid', `${name}: spec.proxmox.vmMemOverheadMiB is not a number of MiB`, { subject })]),
      ...(type === 'proxmox' || type === undefined
        ? []
        : [
            finding('ProviderUnsupported', `${name}: KubeNodeSmith has no machines of type ${String(type)}`, {
              subject,
            }),
          ]),
      ...(ids < limits.maxNodes
        ? [
            finding(
              'ProviderRangeShort',
              `${name} has ${plural(ids, 'machine id')}, but the pool may have ${plural(limits.maxNodes, 'node')}`,
              {
                subject,
                field: { path: 'spec.proxmox.vmIDRange', currentValue: range },
              },
            ),
          ]
        : []),
    ],
  }
}
