import type { KubernetesObject } from '../../../src/krm/types.ts'
import type { Affinity, Labels, Toleration } from '../../../src/kube/index.ts'
import { SIZES } from '../../../test/support/objects.ts'
import type { Draw } from './draw.ts'
import { ARCH, GPU, MEMORY, OS, POOL, TYPE, VALUES, ZONE } from './labels.ts'
import { AGENT, drawRequirement, drawToleration } from './template.ts'

/** The fields of a SizingPolicy that say which nodes get an agent. */
export interface PolicySpec {
  targetRef: { name: string }
  nodeGroupLabel?: string
  nodeGroupLabels?: string[]
  nodeGroupRanges?: { label: string; bounds: number[] }
  classes?: { ratio: number }
  groups?: Array<{ name: string; nodeSelector: Labels }>
  defaultNodeGroup?: string
  remainder?: boolean
  nodeSelector?: Labels
  affinity?: Affinity
  tolerations?: Toleration[]
  [field: string]: unknown
}

export type Policy = KubernetesObject & { spec: PolicySpec }

/** What a policy may group nodes by. */
export const GROUPINGS = ['label', 'labels', 'ranges', 'classes'] as const
export type GroupingKind = (typeof GROUPINGS)[number]

export function policyOf(namespace: string, spec: Omit<PolicySpec, 'targetRef'>): Policy {
  return {
    apiVersion: 'nodefit.dev/v1alpha1',
    kind: 'SizingPolicy',
    metadata: { name: AGENT, namespace },
    spec: { ...SIZES, targetRef: { name: AGENT }, ...spec },
  }
}

/** A policy that groups in one of these ways. */
export function drawPolicy(draw: Draw, namespace: string, kinds: readonly GroupingKind[]): Policy {
  const kind = draw.one(kinds)
  const hasRemainder = kind !== 'ranges' && draw.percent(25)
  return policyOf(namespace, {
    ...drawGrouping(draw, kind),
    ...(draw.percent(50) ? { groups: drawGroups(draw) } : {}),
    ...(draw.percent(25) ? { defaultNodeGroup: draw.one(['', '', 'others']) } : {}),
    ...(hasRemainder ? { remainder: false } : {}),
    ...(draw.percent(10) ? { nodeSelector: draw.one([{ [OS]: 'linux' }, { [ARCH]: 'amd64' }]) } : {}),
    ...(draw.percent(10) ? { affinity: required(draw) } : {}),
    ...(draw.percent(15) ? { tolerations: [drawToleration(draw)] } : {}),
  })
}

function required(draw: Draw): Affinity {
  const nodeSelectorTerms = draw.times(draw.integer(1, 2), () => ({ matchExpressions: [drawRequirement(draw)] }))
  return { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } }
}

function drawGrouping(draw: Draw, kind: GroupingKind): Omit<PolicySpec, 'targetRef'> {
  if (kind === 'labels') return { nodeGroupLabels: draw.some([TYPE, ZONE, POOL, ARCH], draw.one([2, 2, 3])) }
  if (kind === 'ranges') {
    const bounds = draw.some([1, 4096, 8192, 16384, 16385, 100000, 9007199254740991], draw.integer(1, 4))
    return { nodeGroupRanges: { label: MEMORY, bounds: bounds.sort((a, b) => a - b) } }
  }
  const label = draw.one([undefined, TYPE, TYPE, POOL, ZONE, MEMORY, OS])
  const own = label === undefined ? {} : { nodeGroupLabel: label }
  return kind === 'classes' ? { ...own, classes: { ratio: draw.one([2, 4]) } } : own
}

/** One to three explicit groups of one or two labels; some are of pools that have no node yet. */
function drawGroups(draw: Draw): NonNullable<PolicySpec['groups']> {
  return draw
    .times(draw.integer(1, 3), () => draw.one([1, 1, 2]))
    .map((count, index) => {
      const keys = draw.some([POOL, POOL, GPU, ARCH, TYPE, ZONE], count)
      const nodeSelector = Object.fromEntries(
        keys.map((key) => [key, draw.one(key === POOL ? POOLS : (VALUES[key] ?? []))]),
      )
      return { name: `own-${index}`, nodeSelector }
    })
}

const POOLS = [...(VALUES[POOL] ?? []), 'zero']

/** The labels that a policy groups by. */
export function groupLabelsOf({ nodeGroupRanges, nodeGroupLabels, nodeGroupLabel }: PolicySpec): readonly string[] {
  return nodeGroupRanges !== undefined ? [nodeGroupRanges.label] : (nodeGroupLabels ?? [nodeGroupLabel ?? TYPE])
}
