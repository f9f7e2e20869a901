/** What is checked before nodes are grouped; each check gives findings and decides nothing. */
import type { Finding, Subject } from '../finding/index.ts'
import { type Fleet, isCounted, shapeText } from '../inventory/index.ts'
import { KubeError, matchesNodeSelector, type PodSpec } from '../kube/index.ts'
import { nearest, type SizingSettings } from '../policy/index.ts'
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
  const sentence = `${subject.metadata.name}: the required node affinity of the template has ${template} terms and the policy’s ${policy}, which makes ${count} of at most ${MOST_TERMS}`
  return [finding('TooManyTerms', sentence, { subject, field: { path: 'spec.affinity' } })]
}

function disagreement({ cluster, subject }: SizingSettings, wanted: string | undefined): Finding[] {
  if (cluster === undefined || wanted === undefined || cluster === wanted) return []
  const field = { path: 'spec.cluster', currentValue: cluster, proposedValue: wanted }
  const sentence = `${subject.metadata.name} is for cluster ${cluster}, the run is for ${wanted}`
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

/** What goes by the names of nodes, if anything does, needs an inventory that gives them. */
export function notNamedFindings(fleet: Fleet, what: string | undefined, subject: Subject): Finding[] {
  const [first, ...others] = what === undefined ? [] : fleet.shapes.filter(isCounted)
  if (first === undefined) return []
  const shapes = `${shapeText(first)}${others.length === 0 ? '' : ` and ${others.length} more`}`
  const sentence = `${subject.metadata.name}: ${what}, and the inventory of ${fleet.cluster} only counts the nodes of ${shapes}`
  return [finding('NodesNotNamed', sentence, { subject })]
}

/** The label keys by which a policy chooses and groups nodes. */
export function keysOfPolicy(placement: Placement, { groupLabels, explicitGroups }: SizingSettings): string[] {
  const explicit = explicitGroups.flatMap(({ nodeSelector }) => Object.keys(nodeSelector))
  return [...groupLabels, ...explicit, ...placementKeys(placement)]
}

/** Keys that the inventory does not speak of: absent and unknown cannot be told apart. One that is nearly another is a slip of the pen. */
export function notExportedFindings(fleet: Fleet, keys: readonly string[], subject: Subject): Finding[] {
  const missing = [...new Set(keys)].filter((key) => !fleet.knows(key)).sort()
  if (missing.length === 0) return []
  const known = [...new Set(fleet.shapes.flatMap(({ labels }) => Object.keys(labels)))].sort()
  return missing.map((key) => {
    const guess = nearest(key, known)
    const hint = guess === undefined ? `nodefit inventory --label ${key}` : `did you mean ${guess}?`
    const sentence = `${subject.metadata.name} refers to the label ${key}, which the inventory of ${fleet.cluster} did not export (${hint})`
    const field = guess === undefined ? {} : { field: { path: 'spec', currentValue: key, proposedValue: guess } }
    return finding('LabelNotExported', sentence, { subject, ...field })
  })
}
