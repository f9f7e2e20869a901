import { isMap, listOf, memberOf } from '../krm/map.ts'
import { type Effort, globPattern, wholePattern } from '../krm/pattern.ts'
import { readAnyYaml } from '../krm/read-yaml.ts'
import type { KubernetesObject } from '../krm/types.ts'
import { type LabelSelector, matchesLabels, unlessMalformed } from '../kube/index.ts'

/** A reference to a DaemonSet, or a selector of its pods. */
export interface Reference {
  readonly path: string
  /** The namespace in which it is meant; undefined for any. */
  readonly namespace?: string
  /** A pattern that it names by, where nodefit does not read it: then it is about none. */
  readonly unread?: string
  /** Whether it is about an object of this name, whose pods have these labels. */
  isAbout(name: string, podLabels: Record<string, string>): boolean
}

/** The fields that select pods by their labels. */
export const SELECTORS = /(?:^|\.)(?:podSelector|endpointSelector|spec\.selector)$/
const SELECTING = ['Service', 'PodMonitor', 'PodDisruptionBudget']

/** Returns what an object says about DaemonSets and their pods; reads any shape. `effort` is what patterns may cost. */
export function* referencesIn(object: KubernetesObject, effort: Effort): Generator<Reference> {
  const { namespace } = object.metadata
  for (const [path, value] of valuesIn(object, '')) {
    if (typeof value === 'string') yield* queriesIn(value, path, effort)
    else if (SELECTORS.test(path)) {
      const isPlain = object.kind === 'Service'
      if (!path.endsWith('spec.selector') || SELECTING.includes(object.kind))
        yield { path, namespace, isAbout: (_, labels) => isSelected(isPlain ? { matchLabels: value } : value, labels) }
    } else yield* namesIn(value, path, namespace, effort)
  }
}

/** Every map and text in a value, with its path. */
function* valuesIn(value: unknown, path: string): Generator<readonly [path: string, value: string | object]> {
  if (typeof value === 'string') yield [path, value]
  if (typeof value !== 'object' || value === null) return
  if (!Array.isArray(value)) yield [path, value]
  for (const [key, inner] of Object.entries(value)) {
    if (path === '' && key === 'metadata') continue
    yield* valuesIn(inner, path === '' ? key : `${path}.${key}`)
  }
}

function isSelected(selector: unknown, labels: Record<string, string>): boolean {
  if (!isMap(selector) || Object.values(selector).every((part) => part === undefined || part === null)) return false
  return unlessMalformed(() => matchesLabels(selector as LabelSelector, labels)) ?? false
}

/** What a map names: one DaemonSet by kind and name, or several by lists of kinds or resources and of names. */
function* namesIn(map: object, path: string, own: string | undefined, effort: Effort): Generator<Reference> {
  const [kind, name, namespace] = ['kind', 'name', 'namespace'].map((key) => memberOf(map, key))
  if (kind === 'DaemonSet' && typeof name === 'string') {
    const isPattern = /(?:^|\.)patches\.\d+\.target$/.test(path)
    const local = /Ref$/.test(path) ? own : undefined
    yield {
      path,
      namespace: typeof namespace === 'string' ? namespace : local,
      ...(isPattern ? anchored(name, effort) : { isAbout: is(name) }),
    }
  }
  const patch = memberOf(map, 'patch')
  if (typeof patch === 'string' && !isMap(memberOf(map, 'target')))
    for (const text of namesInPatch(patch)) yield { path, isAbout: is(text) }
  const lists = (key: string) => listOf(memberOf(map, key)).filter((one) => typeof one === 'string')
  const isOfKind = lists('kinds').some((one) => one === '*' || one === 'DaemonSet' || one.endsWith('/DaemonSet'))
  const isOfResource = lists('resources').some((one) => one === '*' || one.split('/')[0] === 'daemonsets')
  for (const [key, isMeant] of [
    ['names', isOfKind],
    ['resourceNames', isOfResource],
  ] as const) {
    const all = isMeant ? lists(key).map((one) => (key === 'names' ? globPattern(one, effort) : is(one))) : []
    // one reference: a list that names the groups beside the template is about both
    if (all.length > 0)
      yield { path: `${path}.${key}`, isAbout: (...known) => all.some((isAbout) => isAbout(...known)) }
  }
}

/** The DaemonSets that a patch without a target is named like. */
function namesInPatch(patch: string): string[] {
  try {
    const documents = patch.split(/^---$/m).map((document) => readAnyYaml(document, 'a patch'))
    const daemonSets = documents.filter((document) => memberOf(document, 'kind') === 'DaemonSet')
    return daemonSets.map((document) => String(memberOf(memberOf(document, 'metadata'), 'name')))
  } catch {
    // Flux says what is wrong with it
    return []
  }
}

/** The labels by which metrics of kube-state-metrics name a DaemonSet. */
const MATCHER = /\b(?:daemonset|owner_name|created_by_name)\s*(=~|!~|!=|=)\s*\\*"([^"\\]*)\\*"/g
const NAMESPACE = /\bnamespace\s*=\s*\\*"([^"\\]*)\\*"/

/** What queries of Prometheus name, in a rule or within any other text, as a dashboard has them. */
function* queriesIn(text: string, path: string, effort: Effort): Generator<Reference> {
  if (!/daemonset|owner_name|created_by_name/.test(text)) return
  for (const [block] of text.matchAll(/\{[^{}]*\}/g))
    for (const [, operator = '', value = ''] of block.matchAll(MATCHER)) {
      const about = operator.endsWith('~') ? anchored(value, effort) : { isAbout: is(value) }
      yield { path, namespace: NAMESPACE.exec(block)?.[1], ...about }
    }
}

function is(name: string): Reference['isAbout'] {
  return (one) => one === name
}

function anchored(pattern: string, effort: Effort): Pick<Reference, 'isAbout' | 'unread'> {
  const matches = wholePattern(pattern, effort)
  if (matches !== undefined) return { isAbout: matches }
  // what is left once the effort is spent is said once, and not of each
  return { isAbout: () => false, ...(effort.isSpent ? {} : { unread: pattern }) }
}
