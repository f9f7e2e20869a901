/** What is checked before nodes are grouped; each check gives findings and decides nothing. */
import type { Finding, Subject } from '../finding/index.ts'
import { type Fleet, isCounted, type Shape, shapeText, USUAL_LABEL_KEYS } from '../inventory/index.ts'
import { KubeError, matchesNodeSelector, type PodSpec } from '../kube/index.ts'
import { nearest, type SizingSettings } from '../policy/index.ts'
import { memoOf } from '../world/index.ts'
import { finding } from './codes.ts'
import { choosesByName, countTerms, type Placement, placementKeys, selectorConflicts } from './placement.ts'
import { countJoined, MOST_TERMS, requiredTerms } from './terms.ts'

/** Whether the pods of a template can be placed as the policy says: on a cluster that is meant, by rules that do not contradict each other. */
export function placementFindings(
  pod: PodSpec,
  placement: Placement,
  settings: SizingSettings,
  cluster: string | undefined,
): Finding[] {
  return [
    ...disagreement(settings, cluster),
    ...conflictFindings(pod, settings),
    ...tooManyTerms(pod, settings),
    ...malformed(placement, settings),
  ]
}

/** A requirement that Kubernetes could not evaluate must not pass for one that matches nothing. */
function malformed(placement: Placement, { subject }: SizingSettings): Finding[] {
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

/** What is joined multiplies: a thousand terms of each would be a million in every rendered object. */
function tooManyTerms(pod: PodSpec, settings: SizingSettings): Finding[] {
  const { subject } = settings
  const count = countTerms(pod, settings)
  if (count <= MOST_TERMS) return []
  const [template, policy] = [pod, settings].map(({ affinity }) => countJoined(requiredTerms(affinity)))
  const sentence = `${subject.metadata.name}: the required node affinity of the template has ${template} terms and the policy’s ${policy}, joined ${count}; at most ${MOST_TERMS} are allowed`
  return [finding('TooManyTerms', sentence, { subject, field: { path: 'spec.affinity' } })]
}

function disagreement({ cluster, subject }: SizingSettings, wanted: string | undefined): Finding[] {
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

/** How the pods of a template choose nodes by name, in words; undefined where they do not. */
export function choiceByName({ nodeName }: PodSpec, placement: Placement): string | undefined {
  if (nodeName) return `the template names the node ${nodeName}`
  return choosesByName(placement) ? 'required node affinity chooses nodes by name' : undefined
}

const countedIn = memoOf((shapes: readonly Shape[]) => shapes.filter(isCounted))

/** What goes by the names of nodes, if anything does, needs an inventory that gives them. */
export function notNamedFindings(fleet: Fleet, what: string | undefined, subject: Subject): Finding[] {
  const [first, ...others] = what === undefined ? [] : countedIn(fleet.shapes)
  if (first === undefined) return []
  const shapes = `${shapeText(first)}${others.length === 0 ? '' : ` and ${others.length} more`}`
  const sentence = `${subject.metadata.name}: ${what}, but the inventory of ${fleet.cluster} gives only the number of nodes of ${shapes}, not their names`
  return [finding('NodesNotNamed', sentence, { subject })]
}

/** A label key that decides about nodes, and the field that names it; the template of a policy has it where there is none. */
export interface KeyInUse {
  readonly key: string
  readonly path?: string
}

/** The label keys by which a policy chooses and groups nodes, those of its own fields first. */
export function keysOfPolicy(placement: Placement, settings: SizingSettings): KeyInUse[] {
  const { groupLabels, groupLabelPath, explicitGroups } = settings
  return [
    ...groupLabels.map((key) => ({ key, path: groupLabelPath })),
    ...explicitGroups.flatMap(({ nodeSelector }, index) => keysAt(`spec.groups.${index}`, { nodeSelector })),
    ...keysAt('spec', settings),
    ...placementKeys(placement).map((key) => ({ key })),
  ]
}

/** The label keys of a nodeSelector and of required affinity that stand at a path. */
export function keysAt(at: string, { nodeSelector, affinity }: Pick<PodSpec, 'nodeSelector' | 'affinity'>): KeyInUse[] {
  return [
    ...Object.keys(nodeSelector ?? {}).map((key) => ({ key, path: `${at}.nodeSelector` })),
    ...placementKeys({ nodeSelector: {}, affinity }).map((key) => ({ key, path: `${at}.affinity` })),
  ]
}

/** How many letters of a key may be wrong: keys that begin alike are near to each other and different. */
const SLIPS = 2

/** Keys that the inventory does not speak of: absent and unknown cannot be told apart. One that is nearly another is a slip of the pen. */
export function notExportedFindings(fleet: Fleet, keys: readonly KeyInUse[], subject: Subject): Finding[] {
  const uses = new Map<string, string | undefined>()
  for (const { key, path } of keys) if (!fleet.knows(key) && !uses.has(key)) uses.set(key, path)
  if (uses.size === 0) return []
  const missing = [...uses].sort(([a], [b]) => (a < b ? -1 : 1))
  const labels = new Set(fleet.shapes.flatMap((shape) => Object.keys(shape.labels)))
  const known = [...labels].filter((key) => fleet.knows(key)).sort()
  return missing.map(([key, path]) => {
    const guess = nearest(key, known, SLIPS) ?? nearUsual(key)
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

/** What nodes usually have and this inventory need not; a key that is itself one of these is no slip. */
function nearUsual(key: string): string | undefined {
  return USUAL_LABEL_KEYS.includes(key) ? undefined : nearest(key, USUAL_LABEL_KEYS, SLIPS)
}
