import { emptyPlanned, type Planned, type Planner, type Rendered, type World } from '../../../src/core/index.ts'
import { namedNodes } from '../../../src/facts/inventory/index.ts'
import { ownerName } from '../../../src/krm/remembered.ts'
import type { Item } from '../../../src/krm/types.ts'

interface NodeMark {
  readonly subject: Item
  /** Whose nodes are marked: those with this value of the label pool. */
  readonly type: string
  readonly isEnabled: boolean
}

/** A partial Node for each node, labelled with how many objects the planners before it rendered for that node. */
export const nodeMarkPlanner = {
  codes: {},
  summary: () => 'PolicySummary',
  asksFor: 'NodeMark',
  volatile: [],
  schemas: [{ apiVersion: 'nodefit.dev/v1alpha1', kind: 'NodeMark' }],
  leaves: () => 'removed',
  claims: ({ object }) => object.kind === 'NodeMark',
  isInput: ({ object }) => object.kind === 'NodeMark',
  read: (subject) => {
    const { enabled, type } = subject.object.spec as { enabled?: boolean; type: string }
    return { value: { subject, type, isEnabled: enabled !== false }, findings: [] }
  },
  plan: (all, world, before) => all.map((one) => planNodeMark(one, world, before)),
} as const satisfies Planner<NodeMark>

function planNodeMark({ subject, type, isEnabled }: NodeMark, world: World, before: readonly Planned[]): Planned {
  const { items: earlier } = world.earlier([ownerName('NodeMark', subject.object.metadata.name)])
  const start = emptyPlanned({ subject, isEnabled, earlier })
  if (!isEnabled) return start
  const served = before.flatMap(({ objects }) => objects.flatMap((one) => one.nodes))
  const shapes = world.fleet().value?.shapes ?? []
  const nodes = shapes.flatMap((shape) => (shape.labels.pool === type ? shape.nodes : [])).sort()
  const objects = nodes.map((node): Rendered => {
    const labels = { 'example.com/agents': String(served.filter((one) => one === node).length) }
    const object = { apiVersion: 'v1', kind: 'Node', metadata: { name: node, labels } }
    return { object, file: 'nodes.yaml', about: node, node, ...namedNodes([node]) }
  })
  return { ...start, objects, ...namedNodes(nodes) }
}
