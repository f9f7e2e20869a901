import type { FleetJson, GroupJson } from '../../src/face/fleet-types.ts'
import { nodeCountOf, type Shape } from '../../src/facts/inventory/index.ts'
import {
  CONFIG_MAP_DEFAULTS,
  type PercentageName,
  type Resource,
  SIZING_POLICY_DEFAULTS,
} from '../../src/kinds/index.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { Quantity } from '../../src/kube/index.ts'
import { isMap } from '../../src/kube/unknown-value.ts'

/** What the controls beside the editors show of the first policy. */
export interface Controls {
  readonly hasPolicy: boolean
  /** The label that nodes are grouped by; undefined for another grouping, which `grouping` names. */
  readonly label?: string
  readonly grouping?: string
  /** The labels of the nodes that tell some of them apart, and how many values each has. */
  readonly labels: ReadonlyArray<{ readonly key: string; readonly values: number }>
  /** Null where none is written; undefined where the policy does not say. */
  readonly percentages: Readonly<Record<PercentageName, number | null | undefined>>
  readonly least: Readonly<Record<Resource, string>>
  readonly most: Readonly<Record<Resource, string>>
  /** How many groups have a request that is the bound. */
  readonly reached: Readonly<Record<'least' | 'most', Readonly<Record<Resource, number>>>>
}

const PERCENTAGES: readonly PercentageName[] = ['requestCPU', 'requestMemory', 'limitCPU', 'limitMemory']
/** Labels with more values tell single nodes apart, and their DaemonSets would be as many. */
const MOST_VALUES = 40

/** Returns what the controls show of a policy, the shapes of the nodes, and what was rendered of them. */
export function controlsOf(
  policy: KubernetesObject | undefined,
  shapes: readonly Shape[],
  packages: FleetJson['packages'] = [],
): Controls {
  const spec = isMap(policy?.spec) ? policy.spec : {}
  const isOfConfigMap = isMap(spec.targetRef) && spec.targetRef.kind === 'ConfigMap'
  const defaults: Readonly<Record<string, unknown>> = isOfConfigMap ? CONFIG_MAP_DEFAULTS : {}
  const written = (field: string) => ({ ...asMap(defaults[field]), ...asMap(spec[field]) })
  const percentages = written('resourcePercentages')
  const bounds = (field: string) => {
    const { cpu = '', memory = '' } = written(field)
    return { cpu: String(cpu ?? ''), memory: String(memory ?? '') }
  }
  const [least, most] = [bounds('minResources'), bounds('maxResources')]
  const groups = packages
    .flatMap(({ agents }) => agents.filter(({ name }) => name === policy?.metadata.name))
    .flatMap((agent) => agent.groups)
  return {
    hasPolicy: policy !== undefined,
    ...groupingOf(spec),
    labels: labelsOf(shapes),
    percentages: Object.fromEntries(PERCENTAGES.map((name) => [name, percentOf(percentages[name])])) as Record<
      PercentageName,
      number | null | undefined
    >,
    least,
    most,
    reached: { least: reachedBy(groups, least), most: reachedBy(groups, most) },
  }
}

function reachedBy(groups: readonly GroupJson[], bound: Readonly<Record<Resource, string>>): Record<Resource, number> {
  const count = (resource: Resource) => {
    const amount = bound[resource] === '' ? undefined : Quantity.parse(bound[resource])
    const isReached = ({ after }: { readonly after: string | null }) =>
      after !== null && amount !== undefined && Quantity.parse(after).compare(amount) === 0
    return groups.filter(({ containers }) => containers.some((one) => isReached(one[resource].request))).length
  }
  // without groups the bounds may be anything
  return groups.length === 0 ? { cpu: 0, memory: 0 } : { cpu: count('cpu'), memory: count('memory') }
}

function asMap(value: unknown): Readonly<Record<string, unknown>> {
  return isMap(value) ? value : {}
}

function percentOf(value: unknown): number | null | undefined {
  if (value === null || value === 'none') return null
  const percent = typeof value === 'number' || typeof value === 'string' ? Number(value) : Number.NaN
  return Number.isFinite(percent) ? percent : undefined
}

function groupingOf(spec: Readonly<Record<string, unknown>>): Pick<Controls, 'label' | 'grouping'> {
  const { nodeGroupLabel, nodeGroupLabels, nodeGroupRanges, classes } = spec
  if (isMap(nodeGroupRanges)) return { grouping: `ranges of ${String(nodeGroupRanges.label)}` }
  if (Array.isArray(nodeGroupLabels)) return { grouping: nodeGroupLabels.join(' and ') }
  const label = typeof nodeGroupLabel === 'string' ? nodeGroupLabel : SIZING_POLICY_DEFAULTS.nodeGroupLabel
  return isMap(classes) ? { grouping: `classes of ${label} that are similar in size` } : { label }
}

/** The labels with the fewest values come first; one that all nodes have with one value tells nothing apart. */
function labelsOf(shapes: readonly Shape[]): Controls['labels'] {
  const values = new Map<string, Set<string>>()
  const counts = new Map<string, number>()
  for (const shape of shapes)
    for (const [key, value] of Object.entries(shape.labels)) {
      const known = values.get(key) ?? new Set<string>()
      values.set(key, known.add(value))
      counts.set(key, (counts.get(key) ?? 0) + nodeCountOf([shape]))
    }
  const all = nodeCountOf(shapes)
  return [...values]
    .map(([key, known]) => ({ key, values: known.size }))
    .filter(({ key, values: count }) => count <= MOST_VALUES && (count > 1 || (counts.get(key) ?? 0) < all))
    .sort((a, b) => (a.key < b.key ? -1 : 1))
}
