import { plural } from '../../finding/index.ts'
import type { Quantity } from '../../kube/index.ts'
import type { Agent } from './agent.ts'

/** What several agents request on one node. */
export interface Sum {
  readonly pods: number
  readonly requests: Readonly<Record<string, Quantity>>
}

/** The sum of the agents' requests. */
export function sumOf(agents: readonly Agent[]): Sum {
  const requests: Record<string, Quantity> = {}
  for (const agent of agents)
    for (const [name, amount] of Object.entries(agent.requests)) requests[name] = requests[name]?.plus(amount) ?? amount
  return { pods: agents.length, requests }
}

/** A text that is the same for equal sums. */
export function sumKey({ pods, requests }: Sum): string {
  const amounts = Object.entries(requests).map(([name, amount]) => `${name} ${amount.nanoValue()}`)
  return [pods, ...amounts.filter((text) => !text.endsWith(' 0')).sort()].join(', ')
}

/** The sum in words: `2 pods (cpu 300m, memory 540Mi)`. */
export function sumText({ pods, requests }: Sum): string {
  const amounts = ['cpu', 'memory'].flatMap((name) =>
    requests[name] === undefined ? [] : [`${name} ${requests[name]}`],
  )
  return amounts.length === 0 ? plural(pods, 'pod') : `${plural(pods, 'pod')} (${amounts.join(', ')})`
}
