import { indexBy, memoOf, once } from '../../core/index.ts'
import { isReadablePodSpec, lastingTaint, podSpecOf, servedNodes } from '../../core/object/index.ts'
import {
  type Fleet,
  isCounted,
  type LiveNode,
  type Shape,
  shapeText,
  USUAL_LABEL_KEYS,
} from '../../facts/inventory/index.ts'
import { nearest, type SizingSettings } from '../../kinds/index.ts'
import { type Finding, listNames, plural, type Subject } from '../../krm/finding.ts'
import type { Item } from '../../krm/types.ts'
import { daemonTolerations, KubeError, matchesNodeSelector, type PodSpec } from '../../kube/index.ts'
import { finding } from './codes.ts'
import { explicitId } from './explicit-groups.ts'
import { type Group, nameOfGroup, overrideTexts } from './group.ts'
import type { Member } from './membership.ts'
import { countTerms, type Placement, placementKeys, selectorConflicts, selectsByName } from './placement.ts'
import { countJoined, MOST_TERMS, requiredTerms } from './terms.ts'

/** Findings about groups: empty, impossible or tainted ones, and policy entries that name none. */

/** `EmptyGroup` for each explicit group without nodes that is not reported as impossible. */
export function emptyGroupFindings(
  groups: readonly Group[],
  impossible: readonly Group[],
  { explicitGroups, subject }: SizingSettings,
): Finding[] {
  const reported = new Set([...groups.filter(({ members }) => members.length > 0), ...impossible].map(({ id }) => id))
  return explicitGroups.flatMap(({ name, nodeSelector }, index) => {
    if (reported.has(explicitId(name))) return []
    const field = { path: `spec.groups.${index}.nodeSelector`, currentValue: nodeSelector }
    return [finding('EmptyGroup', `${subject.metadata.name}: group ${name} has no nodes`, { subject, field })]
  })
}

/** `GroupImpossible` for a group that no node can match. */
export function impossibleFinding(group: Group, { subject }: SizingSettings): Finding {
  const sentence = `${subject.metadata.name}: no node can match ${nameOfGroup(group)}, so it is not rendered: template, policy and group contradict each other`
  return finding('GroupImpossible', sentence)
}

/** `OverrideUnused` for each entry of `overrides` and `names` that names no group. */
export function unusedEntryFindings(
  groups: ReadonlyArray<Pick<Group, 'aliases' | 'family'> & Partial<Pick<Group, 'id'>>>,
  { overrides, names, subject }: SizingSettings,
): Finding[] {
  const known = new Set(groups.flatMap(overrideTexts))
  const entries = [
    ...overrides.flatMap((override, index) =>
      override.groups.map((name) => ({ name, path: `spec.overrides.${index}.groups` })),
    ),
    ...Object.keys(names).map((name) => ({ name, path: `spec.names.${name}` })),
  ]
  return entries
    .filter(({ name }) => !known.has(name))
    .map(({ name, path }) => {
      // messages and annotations tell groups by their identity, which is no key
      const [meant] = groups.find(({ id }) => id === name)?.aliases ?? []
      const hint = meant === undefined ? '' : `; did you mean ${JSON.stringify(meant)}?`
      const sentence = `${subject.metadata.name}: ${path} names ${name}, but there is no such group${hint}`
      return finding('OverrideUnused', sentence, { field: { path, currentValue: name, proposedValue: meant } })
    })
}

/**
 * `GroupTainted` for groups whose nodes all have a NoSchedule taint that the pods do not tolerate: one finding per list
 * of taints. A warning where pods run there as far as the input shows, since they are not replaced once they stop;
 * otherwise nothing is lost.
 */
export function taintedFindings(
  groups: readonly Group[],
  { subject }: SizingSettings,
  runsOn: (member: Member) => boolean,
): Finding[] {
  const closed = groups.flatMap((group) => {
    const real = group.members.filter(({ declared }) => !declared)
    if (real.length === 0 || real.some(({ mayStart }) => mayStart)) return []
    const taints = [...new Set(real.flatMap(({ closedBy }) => closedBy ?? []))].sort().join(', ')
    return [{ id: group.id, taints, hasRun: real.some(runsOn) }]
  })
  return [...indexBy(closed, ({ taints, hasRun }) => `${hasRun} ${taints}`).values()].map((tainted) => {
    const [{ taints = '', hasRun = false } = {}] = tainted
    const which = `${tainted.length === 1 ? 'group' : 'groups'} ${listNames(tainted.map(({ id }) => id))}`
    const sentence = `${subject.metadata.name}: no node of ${which} accepts new pods: they do not tolerate ${taints}`
    const found = finding('GroupTainted', hasRun ? `${sentence}; a pod ran there until now` : sentence)
    return hasRun ? { ...found, severity: 'warning' as const } : found
  })
}

/**
 * Returns whether the input shows that a pod of the agent runs on nodes: a WorkloadSnapshot has it, or an earlier
 * object could start it there.
 */
export function runsBefore(
  earlier: readonly Item[],
  { target, subject }: SizingSettings,
  live: readonly LiveNode[] = [],
): (member: Member) => boolean {
  const template = { name: target.name, namespace: subject.metadata.namespace }
  const agents = indexBy([template, ...earlier.map(({ object }) => object.metadata)], ({ name }) => name)
  const isAgent = (pod: LiveNode['daemonPods'][number]) =>
    agents.get(pod.name)?.some(({ namespace }) => !namespace || !pod.namespace || namespace === pod.namespace) === true
  const running = once(() => {
    const nodes = live.filter(({ daemonPods }) => daemonPods.some(isAgent))
    return new Set(nodes.map(({ name }) => name))
  })
  const pods = earlier.map(({ object }) => podSpecOf(object)).filter(isReadablePodSpec)
  return ({ shape, nodes }) =>
    nodes.some((node) => running().has(node)) ||
    pods.some(
      (pod) =>
        lastingTaint(shape, daemonTolerations(pod), 'NoSchedule') === undefined && servedNodes(pod, shape).length > 0,
    )
}

/** Checks of a policy before its nodes are grouped. */

/**
 * Errors in where a policy places pods: another cluster, contradicting nodeSelectors, too many terms, malformed
 * affinity.
 */
export function placementFindings(
  pod: PodSpec,
  placement: Placement,
  settings: SizingSettings,
  cluster: string | undefined,
): Finding[] {
  return [
    ...clusterFindings(settings, cluster),
    ...conflictFindings(pod, settings),
    ...tooManyTermsFindings(pod, settings),
    ...malformedFindings(placement, settings),
  ]
}

/** A requirement that Kubernetes cannot evaluate is an error, not one that matches no node. */
function malformedFindings(placement: Placement, { subject }: SizingSettings): Finding[] {
  try {
    for (const term of requiredTerms(placement.affinity) ?? [])
      matchesNodeSelector({ name: 'any', labels: {} }, { nodeSelectorTerms: [term] })
    return []
  } catch (error) {
    if (!(error instanceof KubeError)) throw error
    const sentence = `${subject.metadata.name}: required node affinity of policy or template: ${error.message}`
    return [finding('InvalidField', sentence, { subject, field: { path: 'spec.affinity' } })]
  }
}

/** Joined terms multiply: a thousand terms on each side would be a million in every rendered object. */
function tooManyTermsFindings(pod: PodSpec, settings: SizingSettings): Finding[] {
  const { subject } = settings
  const count = countTerms(pod, settings)
  if (count <= MOST_TERMS) return []
  const [template = 0, policy = 0] = [pod, settings].map(({ affinity }) => countJoined(requiredTerms(affinity)))
  const sentence = `${subject.metadata.name}: the required node affinity of the template has ${plural(template, 'term')} and the policy’s ${policy}, joined ${count}; at most ${MOST_TERMS} are allowed`
  return [finding('TooManyTerms', sentence, { subject, field: { path: 'spec.affinity' } })]
}

function clusterFindings({ cluster, subject }: SizingSettings, wanted: string | undefined): Finding[] {
  if (cluster === undefined || wanted === undefined || cluster === wanted) return []
  const field = { path: 'spec.cluster', currentValue: cluster, proposedValue: wanted }
  const sentence = `${subject.metadata.name} is for cluster ${cluster}, but the run is for cluster ${wanted}`
  return [finding('WrongCluster', sentence, { subject, field })]
}

function conflictFindings(pod: PodSpec, settings: SizingSettings): Finding[] {
  const { subject } = settings
  return selectorConflicts(pod, settings).map(({ key, template, policy }) => {
    const field = { path: `spec.nodeSelector.${key}`, currentValue: policy, proposedValue: template }
    const sentence = `nodeSelector ${key} is ${template} in the template and ${policy} in the policy`
    return finding('GroupLabelConflict', sentence, { subject, field })
  })
}

/** How a template or policy selects nodes by name, in words; undefined where neither does. */
export function choiceByName({ nodeName }: PodSpec, placement: Placement): string | undefined {
  if (nodeName) return `the template names the node ${nodeName}`
  return selectsByName(placement) ? 'required node affinity chooses nodes by name' : undefined
}

const countedIn = memoOf((shapes: readonly Shape[]) => shapes.filter(isCounted))

/** `NodesNotNamed` where `what` selects nodes by name and the inventory only counts nodes. */
export function notNamedFindings(fleet: Fleet, what: string | undefined, subject: Subject): Finding[] {
  const [first, ...others] = what === undefined ? [] : countedIn(fleet.shapes)
  if (first === undefined) return []
  const shapes = `${shapeText(first)}${others.length === 0 ? '' : ` and ${others.length} more`}`
  const sentence = `${subject.metadata.name}: ${what}, but the inventory of ${fleet.cluster} gives only the number of nodes of ${shapes}, not their names`
  return [finding('NodesNotNamed', sentence, { subject })]
}

/**
 * A label key that selects or groups nodes, and the field of the policy that names it; without a path the template
 * does.
 */
interface KeyInUse {
  readonly key: string
  readonly path?: string
}

/** The label keys that a policy groups and selects nodes by, its own fields first, then the template's. */
export function keysOfPolicy(placement: Placement, settings: SizingSettings): KeyInUse[] {
  const { groupLabels, groupLabelPath, explicitGroups } = settings
  return [
    ...groupLabels.map((key) => ({ key, path: groupLabelPath })),
    ...explicitGroups.flatMap(({ nodeSelector }, index) => keysAt(`spec.groups.${index}`, { nodeSelector })),
    ...keysAt('spec', settings),
    ...placementKeys(placement).map((key) => ({ key })),
  ]
}

/** The label keys of the nodeSelector and the required affinity at a path. */
export function keysAt(at: string, { nodeSelector, affinity }: Pick<PodSpec, 'nodeSelector' | 'affinity'>): KeyInUse[] {
  return [
    ...Object.keys(nodeSelector ?? {}).map((key) => ({ key, path: `${at}.nodeSelector` })),
    ...placementKeys({ nodeSelector: {}, affinity }).map((key) => ({ key, path: `${at}.affinity` })),
  ]
}

/** How many letters of a mistyped key may differ; more would take keys with a common prefix for each other. */
const MOST_TYPOS = 2

/** `LabelNotExported` for each key that no pattern of the inventory covers, with the key that was probably meant. */
export function notExportedFindings(fleet: Fleet, keys: readonly KeyInUse[], subject: Subject): Finding[] {
  const uses = new Map<string, string | undefined>()
  for (const { key, path } of keys) if (!fleet.knows(key) && !uses.has(key)) uses.set(key, path)
  if (uses.size === 0) return []
  const missing = [...uses].sort(([a], [b]) => (a < b ? -1 : 1))
  const labels = new Set(fleet.shapes.flatMap((shape) => Object.keys(shape.labels)))
  const known = [...labels].filter((key) => fleet.knows(key)).sort()
  return missing.map(([key, path]) => {
    const guess = nearest(key, known, MOST_TYPOS) ?? nearUsual(key)
    const hint = guess === undefined ? `nodefit inventory --label ${key}` : `did you mean ${guess}?`
    const sentence = `${subject.metadata.name} refers to the label ${key}, which the inventory of ${fleet.cluster} did not export (${hint})`
    const field = path === undefined ? undefined : { path, currentValue: key, proposedValue: guess }
    // a correct key may be within two letters of another one, which would group or place nodes differently
    const mend =
      guess === undefined
        ? undefined
        : `If ${key} is a typo, correct it in ${path ?? 'the template'}. If nodes have this label, write the inventory again with the --label options it had and --label ${key}.`
    return finding('LabelNotExported', sentence, { subject, field, mend })
  })
}

/** The well-known key that a mistyped key is near to; none if the key is well-known itself. */
function nearUsual(key: string): string | undefined {
  return USUAL_LABEL_KEYS.includes(key) ? undefined : nearest(key, USUAL_LABEL_KEYS, MOST_TYPOS)
}
