import type { Constraints, Planned } from '../core/index.ts'
import { type Fleet, mergeNodes, type Nodes, namedNodes, nodesText, type Shape } from '../facts/inventory/index.ts'
import type { AcceptedHole } from '../kinds/index.ts'
import { codesAbout, type Finding, findingOf, listNames, plural } from '../krm/finding.ts'
import { describe } from '../krm/identity.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { type NodeIdentity, Region, type Requirements, regionOfPod, unlessMalformed } from '../kube/index.ts'
import { isIntegerOfKarpenter } from './autoscaler/label-keys.ts'
import { placeOf, unnamedShapes } from './place.ts'
import type { Examples } from './rule.ts'

export const HOLE_CODES = codesAbout('Coverage and doubles', {
  HoleOnPurpose: {
    severity: 'warning',
    meaning:
      'Nodes where the template may run get no agent, because a policy excludes them, renders nothing or is disabled. One for each kind of node.',
    mend: 'Widen the policy or add one for these nodes. If they need no agent, add its entry to spec.holes of a RenderConfig.',
    acceptedBy:
      'Remove this entry: each HoleOnPurpose then gives the entry of spec.holes that accepts the nodes it is about, and no others.',
    roles: ['shown'],
  },
  HoleUnused: {
    severity: 'warning',
    meaning:
      'An entry of spec.holes of the RenderConfig accepts no hole: the policy serves or does not select these nodes, or is not in the package.',
    mend: 'Correct policy and labels, or remove the entry.',
  },
})
const finding = findingOf(HOLE_CODES)

export const EXAMPLES: Examples<typeof HOLE_CODES> = {
  HoleOnPurpose: `
kind: SizingPolicy
spec: { remainder: false }
`,
  HoleUnused: `
apiVersion: nodefit.dev/v1alpha1
kind: RenderConfig
metadata: { name: config }
spec: { holes: [{ policy: agent, labels: '!cores' }] }
`,
}

/** A region that no policy serves, with the reason, and the policies that may accept it. */
interface Cause {
  readonly why: string
  readonly region: Region
  readonly policies: readonly string[]
}

/** What `holeFindings` reads besides a source, its subjects and what they serve. */
export interface HoleInput {
  readonly nodes: () => readonly KnownNode[]
  /** The most alternatives that a region may need. */
  readonly limit: number
  readonly plansAllSubjects: boolean
  readonly accepted: readonly AcceptedHole[]
}

/** The most kinds of node that are told apart in an alternative of a hole, and that are reported of a cause. */
const [MOST_KINDS, MOST_REPORTED] = [64, 8]

/**
 * Reports nodes that the source admits and no enabled policy covers: a policy declares a hole there, renders nothing,
 * or is disabled while another is enabled, or no policy selects them. One finding for each kind of node, with an
 * example and the nodes that exist today. Nodes in accepted holes of the policy are not reported; `used` holds the
 * holes that accepted some.
 */
export function holeFindings(
  source: Item,
  all: readonly Planned[],
  served: Region,
  { nodes, limit, plansAllSubjects, accepted }: HoleInput,
): { findings: Finding[]; used: AcceptedHole[] } {
  const [first] = all.filter(({ isEnabled, isSuspended }) => isEnabled && !isSuspended)
  const { constraints } = first ?? {}
  const everywhere = constraints && regionOfSource(constraints)
  const hole = everywhere?.minus(served, limit)
  if (first === undefined || hole === undefined || hole.isEmpty()) return { findings: [], used: [] }
  const used = new Set<AcceptedHole>()
  const findings = causesOf(all, first, hole, { limit, plansAllSubjects }).flatMap(({ why, region, policies }) => {
    const unserved = hole.and(region)
    const own = accepted.filter((one) => policies.includes(one.policy) && one.region.meets(unserved))
    for (const one of own) used.add(one)
    const left = unserved.minus(Region.union(own.map((one) => one.region)), limit) ?? unserved
    const here = nodes().filter((one) => left.has(one))
    const kinds = left.kinds(MOST_KINDS).filter((kind) => mayBe(kind) || here.some((one) => kind.has(one)))
    const ofKind = (kind: Requirements) => here.filter((one) => kinds.find((each) => each.has(one)) === kind)
    const noPolicy = plansAllSubjects ? 'no policy' : 'no policy of this run'
    const reported = kinds.slice(0, MOST_REPORTED)
    return reported.map((kind, index) => {
      const isLast = index === reported.length - 1 && kinds.length > reported.length
      // the last finding counts the nodes of all kinds that are not reported
      const today = mergeNodes((isLast ? kinds.slice(index) : [kind]).flatMap(ofKind))
      const more = isLast ? ` and ${plural(kinds.length - reported.length, 'more kind')} of node` : ''
      const sentence = `${describe(source.object)} may run on ${kindText(kind)}${more}, but ${noPolicy} serves such nodes: ${why}; ${todayText(today)}${entryText(kind, policies[0] ?? '')}`
      return finding('HoleOnPurpose', sentence, {
        subject: first.subject.object,
        field: { path: 'spec', currentValue: kind.witness() },
      })
    })
  })
  return { findings, used: [...used] }
}

/** Whether nodes of a kind may come: Karpenter alone writes some labels, and writes integers. */
function mayBe({ keysWithoutIntegers }: Requirements): boolean {
  return !keysWithoutIntegers.some(isIntegerOfKarpenter)
}

/** Formats the entry of `spec.holes` that accepts a kind of node; empty where its labels do not tell it. */
function entryText({ selectorText, keysWithoutIntegers: keys }: Requirements, policy: string): string {
  const texts = keys.length === 0 ? '' : `, notInteger: [${keys.join(', ')}]`
  const labels = JSON.stringify(selectorText)
  return selectorText === '' ? '' : `; its entry is { policy: ${policy}, labels: ${labels}${texts} }`
}

/** Returns the regions that the subjects of a source leave unserved, with the reason for each. */
function causesOf(
  all: readonly Planned[],
  first: Planned,
  hole: Region,
  { limit, plansAllSubjects }: Pick<HoleInput, 'limit' | 'plansAllSubjects'>,
): Cause[] {
  const rest = hole.minus(
    Region.union(all.flatMap(({ constraints: own }) => (own && regionOfPolicy(own)) ?? [])),
    limit,
  )
  const suspended = all.filter(({ isSuspended }) => isSuspended).map(nameIn)
  const but = suspended.length === 0 ? '' : `, except possibly ${listNames(suspended)}, which is suspended`
  // other policies of the package may serve them, and this run does not plan those
  const noPolicy = plansAllSubjects ? 'no policy' : 'no policy of this run'
  const policies = [...new Set([first, ...all].map(nameIn))]
  return [
    ...all.flatMap(causesIn),
    ...(rest === undefined ? [] : [{ why: `${noPolicy} selects them${but}`, region: rest, policies }]),
  ]
}

/** Returns the regions that a subject leaves unserved, with the reason for each. */
function causesIn(planned: Planned): Cause[] {
  const { isEnabled, isSuspended, objects, holes = [], constraints } = planned
  const name = nameIn(planned)
  const own = constraints && regionOfPolicy(constraints)
  if (own === undefined) return []
  if (!isEnabled) return [{ why: `${name} is disabled`, region: own, policies: [name] }]
  if (objects.length === 0 && !isSuspended)
    return [{ why: `${name} renders nothing, since it has no nodes`, region: own, policies: [name] }]
  return holes.map(({ region, why }) => ({ why: `${name} has ${why}`, region: region.and(own), policies: [name] }))
}

function nameIn({ subject }: Planned): string {
  return subject.object.metadata.name
}

/**
 * Reports accepted holes that accept nothing, since the policy serves these nodes or selects none of them.
 * `isOfPackage`: whether the RenderConfig is an item of the package, so that it is about no other package.
 */
export function unusedHoleFindings(
  accepted: readonly AcceptedHole[],
  used: readonly AcceptedHole[],
  planned: readonly Planned[],
  isOfPackage: boolean,
): Finding[] {
  const names = new Set(planned.map(nameIn))
  return accepted
    .filter((one) => !used.includes(one) && (isOfPackage || names.has(one.policy)))
    .map(({ policy, labels, path, config }) => {
      const why = names.has(policy) ? `${policy} leaves out no such nodes` : `the package has no policy ${policy}`
      const text = typeof labels === 'string' ? labels : JSON.stringify(labels)
      const place = { subject: config, field: { path, currentValue: { policy, labels } } }
      return finding('HoleUnused', `${path} accepts nodes with ${text} without an agent, but ${why}`, place)
    })
}

/** A rendered object, the nodes its pods may be on, and the subject it belongs to. */
export interface Served {
  readonly by: Planned
  readonly object: KubernetesObject
  readonly region: Region
}

/** A node that exists or may come, or the nodes of a shape without names: those are the same except for their names. */
export type KnownNode = NodeIdentity & Pick<Shape, 'taints'> & Nodes

/** Returns every object that a subject renders, with the nodes its pods may be on. */
export function servedBy(planned: Planned): Served[] {
  return planned.objects.map(({ object }) => ({ by: planned, object, region: placeOf(object) ?? Region.nowhere }))
}

/**
 * Returns where a source's pods may be, before any policy; undefined where that cannot be read, which is reported where
 * the source is read.
 */
function regionOfSource({ pod }: Constraints): Region | undefined {
  return unlessMalformed(() => regionOfPod(pod))
}

/**
 * Returns where the pods of a policy may be: its source's region, narrowed by the policy; undefined where that cannot
 * be read.
 */
export function regionOfPolicy({ pod, nodeSelector, affinity }: Constraints): Region | undefined {
  return unlessMalformed(() => regionOfPod(pod).and(regionOfPod({ nodeSelector, affinity })))
}

/**
 * Returns the nodes that exist, and those without a name: of shapes that are only counted, and of node types that may
 * come.
 */
export function knownNodes(fleets: readonly Fleet[]): KnownNode[] {
  const known = fleets.flatMap(({ shapes }) =>
    shapes.flatMap(({ labels, taints, nodes }) =>
      nodes.map((name) => ({ name, labels, taints, ...namedNodes([name]) })),
    ),
  )
  const unnamed = unnamedShapes(fleets).map(({ labels, taints, nodes, nodeCount }) => {
    return { name: UNNAMED, labels, taints, nodes: [], nodeCount: nodeCount - nodes.length }
  })
  return [...known, ...unnamed]
}

/**
 * A placeholder for the name of a node without one; no inventory has a node of this name. Constraints on node names are
 * refused where nodes are only counted.
 */
export const UNNAMED = 'node-without-name'

/** Formats a node for a message: its name where it exists today, else its labels. */
export function nodeText({ labels }: NodeIdentity, name?: string): string {
  if (name !== undefined) return `node ${name}`
  const pairs = Object.entries(labels).map(([key, value]) => `${key}=${value}`)
  return pairs.length === 0 ? 'a node without labels' : `a node with ${listNames(pairs, 5)}`
}

/** How many values of a label a message lists. */
const MOST_VALUES = 5

/**
 * Formats a kind of node for a message: labels with their values, with an example, or with the values that they do not
 * have, then labels that are absent.
 */
function kindText(kind: Requirements): string {
  const { labels = {} } = kind.witness() ?? {}
  const keys = kind.keys.filter((key) => typeof key === 'string').sort()
  const present: string[] = []
  const absent: string[] = []
  for (const key of keys) {
    const values = kind.valuesOf(key)
    const listed = [...(values.listedValues ?? [])].sort()
    const [first] = values.selectorOn(key)
    if (listed.length > 1) present.push(`${key} in (${listNames(listed, MOST_VALUES)})`)
    else if (Object.hasOwn(labels, key)) present.push(`${key}=${labels[key]}`)
    else if (first?.operator === 'NotIn') present.push(`${key} notin (${listNames(first.values ?? [], MOST_VALUES)})`)
    else absent.push(key)
  }
  if (absent.length === 0) return present.length === 0 ? 'any node' : `a node with ${listNames(present, MOST_VALUES)}`
  const without = `without ${listNames(absent, MOST_VALUES)}`
  return present.length === 0 ? `a node ${without}` : `a node with ${listNames(present, MOST_VALUES)}, ${without}`
}

/** Formats how many nodes there are today, and the first names, if any has one. */
export function todayText({ nodes, nodeCount }: Nodes): string {
  if (nodeCount === 0) return 'no node is affected today'
  const who = nodes.length === 0 ? '' : `: ${nodesText({ nodes: [...nodes].sort(), nodeCount })}`
  return `${plural(nodeCount, 'node')} affected today${who}`
}
