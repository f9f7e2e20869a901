import { type Constraints, type Hole, indexBy, once, type Planned } from '../core/index.ts'
import { podSpecOf } from '../core/object/index.ts'
import type { Fleet } from '../facts/inventory/index.ts'
import { type AcceptedHole, isRenderConfig } from '../kinds/index.ts'
import { codesAbout, type Finding, findingOf } from '../krm/finding.ts'
import { describe } from '../krm/identity.ts'
import type { Item } from '../krm/types.ts'
import {
  daemonTolerations,
  firstOverlap,
  type NodeIdentity,
  Region,
  uncoveredTaint,
  untoleratedTaint,
} from '../kube/index.ts'
import { taintText } from '../kube/taint.ts'
import {
  HOLE_CODES,
  type HoleInput,
  holeFindings,
  type KnownNode,
  knownNodes,
  nodeText,
  regionOfPolicy,
  type Served,
  servedBy,
  UNNAMED,
  unusedHoleFindings,
} from './coverage-holes.ts'
import type { Examples, Rule } from './rule.ts'

const CODES = codesAbout('Coverage and doubles', {
  Uncovered: {
    severity: 'error',
    allowable: true,
    meaning: 'A pod of the template may run on a possible node that no rendered DaemonSet selects.',
    mend: 'Report it as a bug, with the package.',
  },
  CoveredTwice: {
    severity: 'error',
    allowable: true,
    meaning: 'Two rendered DaemonSets of a policy select one possible node: two agents.',
    mend: 'Report it as a bug, with the package.',
  },
  RunsElsewhere: {
    severity: 'error',
    allowable: true,
    meaning: 'A rendered DaemonSet selects a possible node that the template or the policy excludes.',
    mend: 'Report it as a bug, with the package.',
  },
  CoverageNotProved: {
    severity: 'error',
    allowable: true,
    meaning:
      'The affinities of template and policy distinguish too many kinds of nodes to prove that exactly one DaemonSet serves each.',
    mend: 'Use fewer terms and labels in the required node affinity, or allow CoverageNotProved.',
  },
})
const finding = findingOf(CODES)

export const coverage = {
  codes: { ...CODES, ...HOLE_CODES },
  check: ({ planned, fleets, world }) =>
    coverageFindings(planned, fleets, {
      plansAllSubjects: world.plansAllSubjects,
      accepted: world.options.holes,
      isConfigOfPackage: world.items.some(({ object }) => isRenderConfig(object)),
    }),
} satisfies Rule

export const EXAMPLES: Examples<typeof CODES> = {
  Uncovered: { why: 'only a planner at fault brings it about' },
  CoveredTwice: { why: 'only a planner at fault brings it about' },
  RunsElsewhere: { why: 'only a planner at fault brings it about' },
  CoverageNotProved: { why: 'it takes affinities of more than 4,096 kinds of nodes' },
}

/** The most regions that a proof may need at a time; beyond it nothing is proved. */
const MOST_REGIONS = 4096

/**
 * Proves from the rendered objects that exactly one of them serves each node where a pod of the source may run: also a
 * node type that no inventory shows, a node without the label, a pool that is scaled to zero. All policies of a source
 * are proved together. The proof does not rely on the plan, only on what the source, the policies and the objects say
 * about nodes. What a suspended policy keeps serves its nodes, and is not checked itself. An enabled policy that
 * renders nothing, as one without nodes that was allowed, leaves a hole. `plansAllSubjects`: whether all policies of
 * the package are planned.
 */
export function coverageFindings(
  planned: readonly Planned[],
  fleets: readonly Fleet[],
  {
    plansAllSubjects = true,
    accepted = [],
    isConfigOfPackage = true,
  }: { plansAllSubjects?: boolean; accepted?: readonly AcceptedHole[]; isConfigOfPackage?: boolean } = {},
): Finding[] {
  const rivals = indexBy(planned, (one) => (one.constraints === undefined && !one.isSuspended ? undefined : one.source))
  const nodes = once(() => knownNodes(fleets))
  const input = { nodes, limit: MOST_REGIONS, plansAllSubjects, accepted }
  const proved = [...rivals].flatMap(([source, all]) =>
    all.some(({ isEnabled, isSuspended }) => isEnabled && !isSuspended) ? [ofSource(source, all, input)] : [],
  )
  const used = proved.flatMap((one) => one.used)
  return [
    ...proved.flatMap(({ findings }) => findings),
    ...(plansAllSubjects ? unusedHoleFindings(accepted, used, planned, isConfigOfPackage) : []),
  ]
}

function ofSource(source: Item, all: readonly Planned[], input: HoleInput): ReturnType<typeof holeFindings> {
  const enabled = all.filter(({ isEnabled, isSuspended, objects }) => {
    // a policy without objects had nothing to size by; that was allowed, and its nodes are a hole
    return isEnabled && (isSuspended || objects.length > 0)
  })
  const served = enabled.flatMap(servedBy)
  const ofPolicy = indexBy(served, ({ by }) => by)
  const servedOf = (one: Planned) => ofPolicy.get(one) ?? []
  const everything = Region.union(served.map(({ region }) => region))
  const holes = holeFindings(source, all, everything, input)
  const findings = [
    ...enabled.flatMap((one) => uncoveredFindings(one, servedOf(one), input.nodes)),
    ...enabled.flatMap((one) => elsewhereFindings(one, servedOf(one))),
    ...enabled.flatMap((one) => (one.isSuspended ? [] : twiceFindings(servedOf(one)))),
    ...enabled.flatMap(taintFindings),
    ...holes.findings,
  ]
  return { findings, used: holes.used }
}

/**
 * Reports where a policy's pods may run although nothing that it renders serves the node, except in the holes it
 * declares.
 */
function uncoveredFindings(planned: Planned, served: readonly Served[], nodes: () => readonly KnownNode[]): Finding[] {
  const { constraints, holes = [], subject } = planned
  const wanted = constraints && regionOfPolicy(constraints)
  if (constraints === undefined || wanted === undefined) return []
  const servedRegion = Region.union(served.map(({ region }) => region))
  const left = wanted
    .minus(servedRegion, MOST_REGIONS)
    ?.minus(Region.union(holes.map(({ region }) => region)), MOST_REGIONS)
  if (left === undefined) {
    const sentence = `${subject.object.metadata.name}: template and policy select more than ${MOST_REGIONS} kinds of nodes, too many to prove coverage`
    return [finding('CoverageNotProved', sentence, { subject: subject.object })]
  }
  const node = left.witness()
  if (node !== undefined) return [uncovered(planned, node)]
  // every node is served or in a hole now; a hole that is only for unseen nodes must not hold an existing one
  const unseen = holes.filter(({ mayHoldNodes }) => !mayHoldNodes).map(({ region }) => region)
  if (unseen.length === 0) return []
  const missed = nodes().find(
    (one) =>
      isIn(unseen, one) &&
      wanted.has(one) &&
      !servedRegion.has(one) &&
      !isInHole(one, holes) &&
      mayStayOn(one, constraints),
  )
  if (missed === undefined) return []
  const { name, labels, taints } = missed
  return [uncovered(planned, { name, labels, taints }, name === UNNAMED ? undefined : name)]
}

/**
 * Whether a pod may stay on the node; a node with a NoExecute taint that is not tolerated needs no pod, whatever its
 * labels.
 */
function mayStayOn({ taints }: KnownNode, { pod, tolerations }: Constraints): boolean {
  const all = [...(pod.tolerations ?? []), ...tolerations]
  return untoleratedTaint([...taints], daemonTolerations({ ...pod, tolerations: all }), ['NoExecute']) === undefined
}

function isIn(regions: readonly Region[], node: NodeIdentity): boolean {
  return regions.some((region) => region.has(node))
}

function isInHole(node: NodeIdentity, holes: readonly Hole[]): boolean {
  return holes.some(({ region, mayHoldNodes }) => mayHoldNodes && region.has(node))
}

function uncovered({ subject: { object } }: Planned, node: NodeIdentity & Partial<KnownNode>, name?: string): Finding {
  const sentence = `${object.metadata.name}: pods may run on ${nodeText(node, name)}, but no rendered object runs there`
  return finding('Uncovered', sentence, { subject: object, field: { path: 'spec', currentValue: node } })
}

/**
 * Reports rendered objects that run where their source and policy allow no pod, or in a hole that the policy declares.
 */
function elsewhereFindings(planned: Planned, served: readonly Served[]): Finding[] {
  const { constraints, holes = [], subject } = planned
  const region = constraints && regionOfPolicy(constraints)
  const wanted = region?.minus(Region.union(holes.map((hole) => hole.region)), MOST_REGIONS)
  if (wanted === undefined) return []
  return served.flatMap(({ object, region }) => {
    const node = region.minus(wanted, MOST_REGIONS)?.witness()
    if (node === undefined) return []
    const sentence = `${describe(object)} would run on ${nodeText(node)}, which the template or the policy excludes`
    return [
      finding('RunsElsewhere', sentence, { subject: subject.object, field: { path: 'spec', currentValue: node } }),
    ]
  })
}

/** Reports nodes that two objects of one policy serve; names the first two that overlap. */
function twiceFindings(served: readonly Served[]): Finding[] {
  const meeting = firstOverlap(served.map(({ region }) => region))
  const [one, other] = meeting === undefined ? [] : [served[meeting.later], served[meeting.earlier]]
  if (meeting === undefined || one === undefined || other === undefined) return []
  const sentence = `${describe(other.object)} and ${describe(one.object)} would both run on ${nodeText(meeting.node)}`
  const subject = one.by.subject.object
  return [finding('CoveredTwice', sentence, { subject, field: { path: 'spec', currentValue: meeting.node } })]
}

/** Reports rendered objects that do not tolerate exactly the taints that template and policy together tolerate. */
function taintFindings({ constraints, objects, subject }: Planned): Finding[] {
  if (constraints === undefined) return []
  const wanted = [...(constraints.pod.tolerations ?? []), ...constraints.tolerations]
  return objects.flatMap(({ object }) => {
    const own = podSpecOf(object).tolerations ?? []
    const missing = uncoveredTaint(wanted, own)
    const added = uncoveredTaint(own, wanted)
    const place = (taint: object) => ({
      subject: subject.object,
      field: { path: 'spec', currentValue: { taints: [taint] } },
    })
    return [
      ...(missing === undefined
        ? []
        : [
            finding(
              'Uncovered',
              `${describe(object)} does not tolerate ${taintText(missing)}, unlike template and policy`,
              place(missing),
            ),
          ]),
      ...(added === undefined
        ? []
        : [
            finding(
              'RunsElsewhere',
              `${describe(object)} tolerates ${taintText(added)}, which neither template nor policy tolerates`,
              place(added),
            ),
          ]),
    ]
  })
}
