import { type Answers, indexBy, once } from '../../../core/index.ts'
import type { Shape } from '../../../facts/inventory/index.ts'
import type { PodSpec } from '../../../kube/index.ts'
import { taintText } from '../../../kube/taint.ts'
import { ineligible, selectorText } from './eligibility.ts'
import type { TicketsPlan } from './plan-tickets.ts'

/**
 * Returns what the Tickets of Orders say of a node: the Ticket there with each rule that lets the node in, or why there
 * is none now. A node that a rule excludes is answered by the account.
 */
export function ticketAnswers(
  plans: ReadonlyArray<Pick<TicketsPlan, 'order' | 'tickets' | 'nodes'>>,
  shapes: readonly Shape[],
): Answers {
  const shapeOf = once(() => new Map(shapes.flatMap((shape) => shape.nodes.map((name) => [name, shape] as const))))
  const tickets = once(() => {
    const all = plans.flatMap(({ order, tickets }) => tickets.map(({ node, object }) => ({ node, object, order })))
    return indexBy(all, ({ node }) => node)
  })
  return {
    node: (name) => {
      const shape = shapeOf().get(name)
      const [ticket] = tickets().get(name) ?? []
      if (shape !== undefined && ticket !== undefined) {
        const { object, order } = ticket
        return { state: 'Ticket', sentence: `Ticket ${object.metadata.name}`, lines: rulesFor(name, shape, order.pod) }
      }
      const closed = plans.find(({ nodes }) => nodes.includes(name))
      if (closed === undefined) return undefined
      return { state: 'no window', sentence: `${closed.order.name}: no Ticket now: its window is closed` }
    },
  }
}

/** Returns why a node has a Ticket, a line for each rule in their order; see `ineligible`. */
function rulesFor(name: string, shape: Shape, pod: PodSpec): string[] {
  const why = ineligible(name, shape, pod)
  if (why !== undefined) return [`kept although it is not eligible any more: ${why.reason}`]
  const { nodeName, nodeSelector = {}, affinity } = pod
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution
  const places = [
    ...(nodeName ? [`nodeName: the template names the node ${nodeName}`] : []),
    ...(Object.keys(nodeSelector).length > 0 ? [`nodeSelector: ${selectorText(nodeSelector)} matches`] : []),
    ...(required === undefined ? [] : ['affinity: required node affinity matches']),
  ]
  const taints = shape.taints.filter(({ effect }) => effect !== 'PreferNoSchedule')
  return [
    'Ready: it is Ready, and not cordoned',
    ...(places.length > 0 ? places : ['nodeSelector: the template selects every node']),
    ...taints.map((taint) => `taint: ${taintText(taint)} is tolerated`),
  ]
}
