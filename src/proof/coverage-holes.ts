import { type Finding, listNames } from '../finding/index.ts'
import { mergeNodes } from '../inventory/index.ts'
import { describe } from '../krm/identity.ts'
import type { Item } from '../krm/types.ts'
import { Region } from '../kube/index.ts'
import type { Planned } from '../world/index.ts'
import { finding } from './codes.ts'
import { type KnownNode, nodeText, regionOfPolicy, regionOfSource, todayText } from './coverage-places.ts'

/** A region that no policy serves, with the reason. */
interface Cause {
  readonly why: string
  readonly region: Region
}

/**
 * Reports nodes that the source admits and no enabled policy covers: a policy declares a hole there, or is disabled
 * while another is enabled, or no policy selects them. Names an example of each kind of node, and the nodes that exist
 * today.
 */
export function holeFindings(
  source: Item,
  all: readonly Planned[],
  served: Region,
  { nodes, limit, plansAllSubjects }: { nodes: () => readonly KnownNode[]; limit: number; plansAllSubjects: boolean },
): Finding[] {
  const [first] = all.filter(({ isEnabled, isSuspended }) => isEnabled && !isSuspended)
  const { constraints } = first ?? {}
  const everywhere = constraints && regionOfSource(constraints)
  const hole = everywhere?.minus(served, limit)
  if (first === undefined || hole === undefined || hole.isEmpty()) return []
  const named = all.flatMap(causesOf)
  const rest = hole.minus(
    Region.union(all.flatMap(({ constraints: own }) => (own && regionOfPolicy(own)) ?? [])),
    limit,
  )
  const suspended = all.filter(({ isSuspended }) => isSuspended).map(({ subject }) => subject.object.metadata.name)
  const but = suspended.length === 0 ? '' : `, except possibly ${listNames(suspended)}, which is suspended`
  // other policies of the package may serve them, and this run does not plan those
  const noPolicy = plansAllSubjects ? 'no policy' : 'no policy of this run'
  const causes = [...named, ...(rest === undefined ? [] : [{ why: `no policy selects them${but}`, region: rest }])]
  return causes.flatMap(({ why, region }) => {
    const unserved = hole.and(region)
    const node = unserved.witness()
    if (node === undefined) return []
    const today = mergeNodes(nodes().filter((one) => unserved.has(one)))
    const sentence = `${describe(source.object)} may run on ${nodeText(node)}, but ${noPolicy} serves such nodes: ${why}; ${todayText(today)}`
    return [
      finding('HoleOnPurpose', sentence, {
        subject: first.subject.object,
        field: { path: 'spec', currentValue: node },
      }),
    ]
  })
}

/** Returns the regions that a subject leaves unserved, with the reason for each. */
function causesOf({ isEnabled, subject, holes = [], constraints }: Planned): Cause[] {
  const { name } = subject.object.metadata
  const own = constraints && regionOfPolicy(constraints)
  if (own === undefined) return []
  if (!isEnabled) return [{ why: `${name} is disabled`, region: own }]
  return holes.map(({ region, why }) => ({ why: `${name} has ${why}`, region: region.and(own) }))
}
