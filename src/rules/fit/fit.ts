import { indexBy, memo, once, type Planned, type Rendered, type World } from '../../core/index.ts'
import { type Fleet, nodeCountOf } from '../../facts/inventory/index.ts'
import type { Finding } from '../../krm/finding.ts'
import { isLocalConfig } from '../../krm/identity.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import type { Review, Rule } from '../rule.ts'
import { type Agent, agentsOf, LIMIT_CODES, limitsOf, podAs, withoutOpenSizes } from './agents.ts'
import { allTogether, beforeIn, lotsIn, neighboursIn, otherPodsIn, roomIn } from './other-pods.ts'
import { objectQuotaFindings, quotaFindings, REFUSAL_CODES, refusedFindings } from './refusals.ts'
import { fitsEverywhereIn } from './shortages.ts'
import { ROOM_CODES, tooLargeFindings } from './too-large.ts'

export const fit = {
  codes: { ...ROOM_CODES, ...REFUSAL_CODES, ...LIMIT_CODES },
  check: ({ planned, items, world, fleets }) =>
    fitFindings(planned, items, { world, fleets, podsOf: countPods(planned) }),
} satisfies Rule

/** Returns a function that counts the pods of a rendered object that run. */
function countPods(planned: Review['planned']): (rendered: Rendered) => number {
  const running = planned.flatMap(({ pods }) => pods.filter(({ runsAfter }) => runsAfter))
  const byObject = indexBy(running, ({ after }) => after)
  return (rendered) => nodeCountOf(byObject.get(rendered) ?? [])
}

/**
 * Reports rendered pods that Kubernetes would not create or start: by the API server's own rules, by the package's
 * LimitRanges, quotas and RuntimeClasses, and for lack of room on the nodes. A pod that is refused needs no room.
 * `podsOf` gives how many pods of an object run, as the summary counts them.
 */
export function fitFindings(
  planned: readonly Planned[],
  items: readonly Item[],
  {
    world,
    fleets,
    podsOf,
  }: {
    readonly world: World
    readonly fleets: readonly Fleet[]
    readonly podsOf: (rendered: Rendered) => number
  },
): Finding[] {
  const limits = memo((namespace: string) => limitsOf(items, namespace === '' ? undefined : namespace))
  const lots = once(() => lotsIn(fleets))
  const fitsEverywhere = fitsEverywhereIn(fleets)
  const lotsOf = ({ planned: one, rendered }: Agent) => lots()(one, rendered)
  const cases = planned.flatMap((one) => {
    if (!one.isEnabled || one.constraints === undefined) return []
    const namespace = one.objects[0]?.object.metadata.namespace ?? ''
    const agents = agentsOf(one, limits(namespace))
    const template = podAs(withoutOpenSizes(one.constraints.pod), limits(namespace))
    return [{ cluster: one.cluster, namespace, agents, made: agents.filter(isMade), template }]
  })
  const made = cases.flatMap((one) => one.made)
  const rooms = roomIn(planned, world)
  const all = allTogether(made)
  const isShared = all.subjects > 1 && (rooms !== undefined || !fitsEverywhere(all))
  const nobody: readonly Agent[] = []
  const neighbours = isShared ? neighboursIn(made, lotsOf) : () => nobody
  const before = beforeIn()
  const found = cases.flatMap(({ cluster, agents, made: own, template }) => {
    const isDoubtful = ({ pod }: Agent) => rooms !== undefined || isShared || !fitsEverywhere(pod)
    const room = rooms?.(cluster) ?? (() => undefined)
    return [
      ...refusedFindings(agents),
      ...tooLargeFindings(own.filter(isDoubtful), template, lotsOf, { room, neighbours, before }),
    ]
  })
  const otherPods = otherPodsIn(planned, world)
  const byNamespace = indexBy(cases, (one) => one.namespace)
  const quotas = [...byNamespace].flatMap(([namespace, own]) => {
    const { quotas: present } = limits(namespace)
    if (present.length === 0) return []
    const counted = own.flatMap((one) => one.made).map((agent) => ({ agent, nodeCount: podsOf(agent.rendered) }))
    const clusters = [...new Set(own.map(({ cluster }) => cluster))]
    const others = () => clusters.map((cluster) => otherPods(cluster, namespace))
    const daemonSets = () => appliedDaemonSets(items, namespace)
    return present.flatMap((quota) => [
      ...quotaFindings(quota, counted, others),
      ...objectQuotaFindings(quota, daemonSets()),
    ])
  })
  return [...found, ...quotas, ...limits.all().flatMap(({ findings }) => findings)]
}

/** Returns the DaemonSets of a namespace that are applied, whoever rendered them. */
function appliedDaemonSets(items: readonly Item[], namespace: string): KubernetesObject[] {
  return items
    .map(({ object }) => object)
    .filter(({ apiVersion, kind, metadata }) => {
      const isHere = (metadata.namespace ?? '') === namespace && !isLocalConfig(metadata.annotations)
      return apiVersion === 'apps/v1' && kind === 'DaemonSet' && isHere
    })
}

/** Whether the API server accepts the pods of an agent. */
function isMade({ pod }: Agent): boolean {
  return pod.refusals.length === 0
}
