import type { Finding } from '../../finding/index.ts'
import { together } from '../../inventory/index.ts'
import { memo, once, type Planned, type World } from '../../world/index.ts'
import { type Agent, agentsOf, podAs } from './agents.ts'
import { fitsEverywhereIn } from './least-room.ts'
import { type Limits, limitsOf } from './limits.ts'
import { lotsIn } from './lots.ts'
import { withoutOpenSizes } from './open-sizes.ts'
import { quotaFindings } from './quotas.ts'
import { refusedFindings } from './refused.ts'
import { roomsIn } from './room.ts'
import { tooLargeFindings } from './too-large.ts'

/**
 * Whether Kubernetes would make and start the pods of what is rendered: the API server's own rules, LimitRanges, quotas and
 * RuntimeClasses of the package, and the room on the nodes. A pod that is refused needs no room.
 */
export function fitFindings(planned: readonly Planned[], world: World): Finding[] {
  const limits = memo((namespace: string) => limitsOf(world.items, namespace === '' ? undefined : namespace))
  const lots = once(() => lotsIn(world.fleets))
  const roomOf = roomsIn(planned, world)
  const fitsEverywhere = fitsEverywhereIn(world)
  const byNamespace = new Map<Limits, Agent[]>()
  const found = planned.flatMap((one) => {
    if (!one.isEnabled || one.mayRun === undefined) return []
    const own = limits(one.objects[0]?.object.metadata.namespace ?? '')
    const agents = agentsOf(one, own)
    const there = byNamespace.get(own) ?? []
    byNamespace.set(own, there)
    there.push(...agents)
    const template = podAs(withoutOpenSizes(one.mayRun.pod), own)
    const room = roomOf(one)
    const doubtful = agents.filter(
      ({ pod }) => pod.refusals.length === 0 && (room !== undefined || !fitsEverywhere(pod)),
    )
    return [
      ...refusedFindings(agents),
      ...tooLargeFindings(doubtful, template, (agent) => lots()(one, agent.rendered), room ?? (() => undefined)),
    ]
  })
  const quotas = [...byNamespace].flatMap(([{ quotas: all }, agents]) => {
    if (all.length === 0) return []
    const counted = agents
      .filter(({ pod }) => pod.refusals.length === 0)
      .map((agent) => ({ agent, nodeCount: together(lots()(agent.planned, agent.rendered)).nodeCount }))
    return all.flatMap((quota) => quotaFindings(quota, counted))
  })
  return [...found, ...quotas, ...limits.all().flatMap(({ findings }) => findings)]
}
