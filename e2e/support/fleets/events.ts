import type { Draw } from './draw.ts'
import { LATER, MEMORY, NO_INTEGERS, POOL, TAINTS, TYPE, VALUES, ZONE } from './labels.ts'
import { CORDONED, type FleetNode, NOT_READY, renamed, withLabel, withTaints } from './nodes.ts'

const STATES = new Set([...NOT_READY, CORDONED].map(({ key }) => key))
const LABELS = [TYPE, ZONE, POOL, MEMORY]

/** What happens to the nodes of a fleet: some join, are labelled otherwise, tainted, ready again, or leave. */
export function drawEvents(draw: Draw, nodes: readonly FleetNode[], prefix: string): FleetNode[] {
  const stay = nodes.filter(() => !draw.percent(4)).map((node) => (draw.percent(25) ? changed(draw, node) : node))
  const joined = draw.times(draw.integer(3, 6), () => changedLabels(draw, draw.one(nodes)))
  return [...stay, ...joined.map((node, index) => renamed(node, `${prefix}-${index}`))]
}

function changed(draw: Draw, node: FleetNode): FleetNode {
  const taints = node.spec.taints ?? []
  const what = draw.integer(1, 5)
  if (what === 1) return withTaints(node, [...taints, draw.one(TAINTS)])
  if (what === 2) return withTaints(node, [])
  if (what === 3) return isReady(node) ? withTaints(node, [...taints, ...NOT_READY]) : readyAgain(node)
  return changedLabels(draw, node)
}

/** A value that nobody has seen, one that is known, an empty one, or none. */
function changedLabels(draw: Draw, node: FleetNode): FleetNode {
  const keys = draw.some(LABELS, draw.one([1, 1, 2]))
  return keys.reduce((one, key) => withLabel(one, key, drawValue(draw, key)), node)
}

function drawValue(draw: Draw, key: string): string | undefined {
  if (draw.percent(20)) return undefined
  if (draw.percent(50)) return draw.one(LATER[key] ?? [])
  if (draw.percent(15)) return key === MEMORY ? draw.one(NO_INTEGERS) : ''
  return draw.one(VALUES[key] ?? [])
}

function isReady({ spec: { taints = [] } }: FleetNode): boolean {
  return !taints.some(({ key }) => STATES.has(key))
}

/** The node when it is ready and no longer cordoned. */
export function readyAgain(node: FleetNode): FleetNode {
  const { unschedulable: _, ...spec } = node.spec
  const kept = (node.spec.taints ?? []).filter(({ key }) => !STATES.has(key))
  return withTaints({ ...node, spec }, kept)
}
