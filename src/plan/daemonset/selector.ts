import { withAnnotations } from '../../core/object/canonical.ts'
import type { Finding } from '../../krm/finding.ts'
import { describe } from '../../krm/identity.ts'
import { isDeepEqual, isMap, member, memberOf } from '../../krm/map.ts'
import { SELECTOR } from '../../krm/remembered.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { KubeError, type LabelSelector, type Labels, matchesLabels } from '../../kube/index.ts'
import { finding } from './codes.ts'
import { annotationOf } from './rollout-pace.ts'
import type { DaemonSet } from './template.ts'

/**
 * Keeps the selector of an earlier DaemonSet, since it cannot change, if it contains the group label and selects the
 * new pods with the labels that later functions add to them; otherwise returns SelectorChanged.
 */
export function keepSelector(
  wanted: DaemonSet,
  earlier: DaemonSet,
  groupKey: string,
  groupLabel: string,
): { daemonSet: DaemonSet; findings: Finding[] } {
  const selector = earlier.spec?.selector
  if (isDeepEqual(selector, wanted.spec.selector)) return { daemonSet: wanted, findings: [] }
  const labels = { ...addedLabels(earlier), ...wanted.spec.template.metadata?.labels }
  const problem = groupProblem(selector, groupKey, groupLabel) ?? selectorProblem(selector, labels)
  if (problem === undefined)
    return {
      daemonSet: { ...wanted, spec: { ...wanted.spec, selector: selector ?? wanted.spec.selector } },
      findings: [],
    }
  const field = { path: 'spec.selector', currentValue: selector, proposedValue: wanted.spec.selector }
  const sentence = `${describe(wanted)}: spec.selector ${problem}`
  return { daemonSet: wanted, findings: [finding('SelectorChanged', sentence, { subject: wanted, field })] }
}

/** The path to the labels of an object's pods. */
const POD_LABELS = ['spec', 'template', 'metadata', 'labels']

/**
 * Returns the labels that a later function of the pipeline, such as set-labels, added to the selector and to the pods
 * of an earlier DaemonSet; none where nothing records what it was rendered with.
 */
export function addedLabels(earlier: KubernetesObject): Labels {
  const rendered = annotationOf(earlier, SELECTOR)
  if (rendered === undefined) return {}
  const known = new Set(rendered.split(',').map((pair) => pair.split('=')[0]))
  const selected = ['spec', 'selector', 'matchLabels'].reduce<unknown>(memberOf, earlier)
  const onPods = POD_LABELS.reduce<unknown>(memberOf, earlier)
  const added = Object.entries(isMap(selected) ? selected : {}).filter(
    ([key, value]) => !known.has(key) && typeof value === 'string' && memberOf(onPods, key) === value,
  )
  return Object.fromEntries(added) as Labels
}

/** Records the labels of a selector, without those that a later function added. */
export function withSelectorMark(daemonSet: DaemonSet, added: Labels): DaemonSet {
  const labels = Object.entries(daemonSet.spec.selector.matchLabels ?? {}).filter(([key]) => !Object.hasOwn(added, key))
  const text = labels.map(([key, value]) => `${key}=${value}`).sort()
  return withAnnotations(daemonSet, { [SELECTOR]: text.join(',') }) as DaemonSet
}

/**
 * Returns an object with labels that a later function adds: on its pods, which its selector has to select, and on
 * itself where the earlier object has them. The template's own labels stay.
 */
export function withAddedLabels<Object extends KubernetesObject>(
  object: Object,
  added: Labels,
  earlier: KubernetesObject,
): Object {
  if (Object.keys(added).length === 0) return object
  const own = Object.entries(added).filter(([key, value]) => memberOf(earlier.metadata.labels, key) === value)
  const { metadata, spec } = object as unknown as DaemonSet
  const pod = spec.template.metadata
  return {
    ...object,
    metadata: { ...metadata, labels: sorted({ ...Object.fromEntries(own), ...metadata.labels }) },
    spec: {
      ...spec,
      template: { ...spec.template, metadata: { ...pod, labels: sorted({ ...added, ...pod?.labels }) } },
    },
  }
}

function sorted(labels: Labels): Labels {
  return Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)))
}

/**
 * Returns why an earlier selector is not the one that was rendered; undefined if it contains the group label. The key
 * may differ, since the policy may have had another one; an emptied or truncated selector was edited, because that in
 * the cluster cannot change.
 */
function groupProblem(
  selector: LabelSelector | null | undefined,
  groupKey: string,
  groupLabel: string,
): string | undefined {
  const matchLabels = isMap(selector?.matchLabels) ? selector.matchLabels : {}
  const holds = Object.values(matchLabels).includes(groupLabel)
  return holds ? undefined : `does not have ${groupKey}=${groupLabel}, with which it was rendered`
}

/**
 * Whether an object's selector contains all labels of a template's selector, as in every DaemonSet rendered from it.
 */
export function carriesSelector({ spec }: KubernetesObject, template: DaemonSet): boolean {
  const { selector } = (spec ?? {}) as { selector?: { matchLabels?: unknown } | null }
  const matchLabels = isMap(selector?.matchLabels) ? selector.matchLabels : {}
  const wanted = Object.entries(template.spec.selector.matchLabels ?? {})
  return wanted.length > 0 && wanted.every(([key, value]) => member(matchLabels, key) === value)
}

/** Returns why a selector does not select the labels; undefined if it does. A user may have edited the selector. */
function selectorProblem(
  selector: LabelSelector | null | undefined,
  labels: Record<string, string>,
): string | undefined {
  try {
    return matchesLabels(selector, labels) ? undefined : 'no longer matches the pod labels'
  } catch (error) {
    if (error instanceof KubeError) return `cannot be read: ${error.message}`
    throw error
  }
}
