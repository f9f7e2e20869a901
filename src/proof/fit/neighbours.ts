import type { Shape } from '../../inventory/index.ts'
import { Quantity } from '../../kube/index.ts'
import { memo, type Planned } from '../../world/index.ts'
import { type Agent, mostOf } from './agents.ts'
import { lacking } from './lacking.ts'
import type { Lot } from './lots.ts'

const NOBODY: readonly Agent[] = []

/**
 * Agents that run beside each other on a node, or, of nodes without names, on each node of their shape; none where one
 * is alone.
 */
export type Neighbours = (shape: Shape, node?: string) => readonly Agent[]

/**
 * Looks up which agents take room where: one that is too large for the node itself stays pending, and takes none. Nodes
 * of one shape with the same agents share one list of them.
 */
export function neighboursIn(agents: readonly Agent[], lotsOf: (agent: Agent) => readonly Lot[]): Neighbours {
  const numbers = new Map<Shape, Map<string | undefined, number[]>>()
  for (const [number, agent] of agents.entries())
    for (const { shape, nodes } of lotsOf(agent)) {
      const own = numbers.get(shape) ?? new Map<string | undefined, number[]>()
      numbers.set(shape, own)
      for (const node of nodes.length === 0 ? [undefined] : nodes) {
        const known = own.get(node)
        if (known === undefined) own.set(node, [number])
        else known.push(number)
      }
    }
  const places = new Map(
    [...numbers].map(([shape, own]) => {
      const listOf = memo((key: string) => {
        const all = key.split(' ').flatMap((number) => agents[Number(number)] ?? [])
        return all.filter(({ pod }) => lacking(pod, shape.allocatable).length === 0)
      })
      const shared = [...own].filter(([, some]) => some.length > 1)
      return [shape, new Map(shared.map(([node, some]) => [node, listOf(some.join(' '))]))] as const
    }),
  )
  return (shape, node) => places.get(shape)?.get(node) ?? NOBODY
}

/** As a pod that requests what the largest agents of all subjects do together. */
export function allTogether(agents: readonly Agent[]): { requests: Record<string, Quantity>; subjects: number } {
  const bySubject = new Map<Planned, Array<Record<string, Quantity>>>()
  for (const { planned, pod } of agents) bySubject.set(planned, [...(bySubject.get(planned) ?? []), pod.requests])
  const requests: Record<string, Quantity> = { pods: Quantity.of(BigInt(bySubject.size), 'DecimalSI') }
  for (const own of bySubject.values())
    for (const [name, amount] of Object.entries(own.reduce(mostOf)))
      requests[name] = requests[name]?.plus(amount) ?? amount
  return { requests, subjects: bySubject.size }
}
