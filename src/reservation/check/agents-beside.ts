import { KubeError, podRequests, type Quantity, withDefaultRequests } from '../../kube/index.ts'
import { isReadablePodSpec, podSpecOf } from '../../object/index.ts'
import type { Planned, Rendered } from '../../world/index.ts'

type Requests = Readonly<Record<string, Quantity>>

/**
 * What the agents that were planned before the Tickets request on a node of a cluster, one entry for each agent: beside
 * them a guardian has to find its room. An agent whose pods no node would take, since its amounts cannot be read, takes
 * none.
 */
export function agentsBeside(planned: readonly Planned[], cluster: string): (node: string) => readonly Requests[] {
  const byNode = new Map<string, Requests[]>()
  const own = planned.filter((one) => one.isEnabled && (one.cluster === undefined || one.cluster === cluster))
  for (const rendered of own.flatMap(({ objects }) => objects)) {
    const requests = requestsOf(rendered)
    if (requests === undefined) continue
    for (const node of rendered.nodes) {
      const some = byNode.get(node)
      if (some === undefined) byNode.set(node, [requests])
      else some.push(requests)
    }
  }
  return (node) => byNode.get(node) ?? []
}

function requestsOf({ object }: Rendered): Requests | undefined {
  const pod = podSpecOf(object)
  if (!isReadablePodSpec(pod)) return undefined
  try {
    return podRequests(withDefaultRequests(pod))
  } catch (error) {
    if (error instanceof KubeError) return undefined
    throw error
  }
}
