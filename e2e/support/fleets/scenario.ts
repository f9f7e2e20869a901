import { Draw } from './draw.ts'
import { drawEvents } from './events.ts'
import type { Rendering } from './faults.ts'
import { MEMORY, POOL, TYPE } from './labels.ts'
import type { FleetNode } from './nodes.ts'
import { drawNodes, nodeNamed } from './nodes.ts'
import { type Package, renderPackage } from './package.ts'
import { drawPolicy, GROUPINGS, type GroupingKind, type Policy, policyOf } from './policy.ts'
import { changedTemplate, type DaemonSet, drawTemplate, templateOf } from './template.ts'

/** What a fleet is put through: a first render, nodes that come and change, and a second render of all that changed. */
export interface Scenario {
  readonly name: string
  readonly nodes: readonly FleetNode[]
  readonly template: DaemonSet
  readonly policy: Policy
  readonly hasInventory: boolean
  /** The nodes some time after the first render, without a new one. */
  readonly joined: readonly FleetNode[]
  readonly second: Pick<Package, 'nodes' | 'template' | 'policy' | 'earlierIs'>
}

/** A drawn scenario, and why those before it were refused. */
export interface Drawn {
  readonly scenario: Scenario
  readonly refusals: readonly Refusal[]
}

export interface Refusal {
  readonly name: string
  readonly code: string
  readonly message: string
}

/** The codes by which a run says that it would render something wrong: never the fault of a drawn package. */
export const NEVER = ['Uncovered', 'CoveredTwice', 'RunsElsewhere']

const MOST_TRIES = 40

/** The scenario of a seed; what is refused, as a policy may be that fits none of the nodes, is drawn again. */
export function drawScenario(seed: number, kinds: readonly GroupingKind[]): Drawn {
  const refusals: Refusal[] = []
  for (let tried = 0; tried < MOST_TRIES; tried++) {
    const scenario = draw(`fleet-${seed}`, new Draw(`${seed}/${tried}`), kinds)
    const first = renderPackage(firstPackage(scenario))
    const second = first.refusedFor.length === 0 ? renderPackage(secondPackage(scenario, first)) : undefined
    const refused = [first, second].flatMap((one) => refusalsOf(`${seed}/${tried}`, one))
    if (refused.length === 0) return { scenario, refusals }
    refusals.push(...refused)
  }
  const codes = [...new Set(refusals.map(({ code }) => code))]
  throw new Error(`nothing that was drawn for fleet ${seed} is rendered: ${codes.join(', ')}`)
}

function refusalsOf(name: string, rendering: Rendering | undefined): Refusal[] {
  const errors = (rendering?.results ?? []).filter(({ severity }) => severity === 'error')
  return errors.map(({ tags, message }) => ({ name, code: tags?.code ?? 'no code', message }))
}

function draw(name: string, chance: Draw, kinds: readonly GroupingKind[]): Scenario {
  const nodes = drawNodes(chance, name)
  const template = drawTemplate(chance, name, nodes)
  const policy = drawPolicy(chance, name, kinds)
  const joined = drawEvents(chance, nodes, `${name}-joined`)
  const last = drawEvents(chance, joined, `${name}-last`)
  const second = {
    nodes: last,
    template: changedTemplate(chance, template, last),
    policy: drawPolicy(chance, name, chance.percent(50) ? [kindOf(policy)] : kinds),
    earlierIs: chance.one(['in the package', 'in the package', 'apart', 'not seen'] as const),
  }
  return { name, nodes, template, policy, hasInventory: chance.percent(50), joined, second }
}

function kindOf({ spec }: Policy): GroupingKind {
  if (spec.nodeGroupRanges !== undefined) return 'ranges'
  if (spec.classes !== undefined) return 'classes'
  return spec.nodeGroupLabels === undefined ? 'label' : 'labels'
}

export function firstPackage({ nodes, template, policy, hasInventory }: Scenario): Package {
  return { nodes, template, policy, hasInventory, earlier: [], earlierIs: 'in the package' }
}

export function secondPackage({ hasInventory, second }: Scenario, { objects }: Rendering): Package {
  return { ...second, hasInventory, earlier: objects }
}

/**
 * A small fleet without chance: three types, a node without the label, a tainted one; a new type and an unlabelled node join, and the
 * second render groups by another label.
 */
export function plainScenario(name: string, spec: Parameters<typeof policyOf>[1] = {}): Scenario {
  const labelled = ['a', 'a', 'b', 'c'].map((type, index) => nodeNamed(`${name}-${index}`, { [TYPE]: type }))
  const tainted = nodeNamed(`${name}-tainted`, { [TYPE]: 'a' })
  tainted.spec.taints = [{ key: 'dedicated', value: 'infra', effect: 'NoExecute' }]
  const nodes = [...labelled, tainted, nodeNamed(`${name}-unlabelled`, {})]
  const joined = [...nodes, nodeNamed(`${name}-new`, { [TYPE]: 'new' }), nodeNamed(`${name}-late`, {})]
  const template = templateOf(name, { tolerations: [{ key: 'dedicated', operator: 'Exists' }] })
  const policy = policyOf(name, spec)
  const other = policyOf(name, { ...spec, nodeGroupLabel: POOL })
  const second = { nodes: joined, template, policy: other, earlierIs: 'in the package' as const }
  return { name, nodes, template, policy, hasInventory: false, joined, second }
}

/** The ways of grouping that this tree renders; those that are still to be built are not drawn. */
export function builtGroupings(): GroupingKind[] {
  const specs: Record<GroupingKind, Parameters<typeof policyOf>[1]> = {
    label: {},
    labels: { nodeGroupLabels: [TYPE, MEMORY] },
    ranges: { nodeGroupRanges: { label: MEMORY, bounds: [8192] } },
    classes: { classes: { ratio: 2 } },
  }
  return GROUPINGS.filter((kind) => {
    const { refusedFor } = renderPackage(firstPackage(plainScenario('probe', specs[kind])))
    return !refusedFor.some((code) => code === 'NotBuilt' || code === 'UnknownField')
  })
}
