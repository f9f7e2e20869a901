import { once, type Planned, type World } from '../core/index.ts'
import { isNodeSource } from '../facts/inventory/index.ts'
import { NODEFIT } from '../kinds/index.ts'
import { type Finding, listNames } from '../krm/finding.ts'
import { apiGroup, describe, isLocalConfig, locationOf } from '../krm/identity.ts'
import { isMap, listOf, memberOf } from '../krm/map.ts'
import { Effort, globPattern, wholePattern } from '../krm/pattern.ts'
import { readAnyYaml } from '../krm/read-yaml.ts'
import { ownerOf } from '../krm/remembered.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { type LabelSelector, matchesLabels, unlessMalformed } from '../kube/index.ts'
import { finding } from './codes.ts'

/** A reference to a DaemonSet, or a selector of its pods. */
interface Reference {
  readonly path: string
  /** The namespace in which it is meant; undefined for any. */
  readonly namespace?: string
  /** A pattern that it names by, where nodefit does not read it: then it is about none. */
  readonly unread?: string
  /** Whether it is about an object of this name, whose pods have these labels. */
  isAbout(name: string, podLabels: Record<string, string>): boolean
}

/** The fields that select pods by their labels. */
const SELECTORS = /(?:^|\.)(?:podSelector|endpointSelector|spec\.selector)$/
const SELECTING = ['Service', 'PodMonitor', 'PodDisruptionBudget']

/** Returns what an object says about DaemonSets and their pods; reads any shape. `effort` is what patterns may cost. */
function* referencesIn(object: KubernetesObject, effort: Effort): Generator<Reference> {
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

/** An object with the names that it has in the layers of kustomize. */
interface Known {
  readonly names: readonly string[]
  readonly podLabels: Record<string, string>
}

/**
 * Reports objects of the package that are about a DaemonSet which is a template now, and not about all that is rendered
 * from it: what names it (a scaler, a policy, a patch of Flux, a Role, a query), and what selects its pods by labels
 * that the groups' pods do not have. Not reported: patches of a kustomization, which are `PatchLost`.
 */
export function namedElsewhere(planned: readonly Planned[], world: World, retiring: readonly Item[]): Finding[] {
  const { all, isPatch } = world.kustomizations
  const files = new Set(all.map(({ item }) => item))
  const effort = new Effort()
  const others = once(() => {
    const items = world.items.filter((item) => !files.has(item) && !isPatch(item) && isOther(item.object))
    return items.flatMap(({ object }) => {
      const references = [...referencesIn(object, effort)]
      return references.length === 0 ? [] : [{ object, references }]
    })
  })
  const sources = new Map(planned.flatMap((one) => (one.isEnabled && one.source ? [[one.source, one] as const] : [])))
  const named = [...sources.keys()].flatMap((source) => {
    const rendered = planned.flatMap((one) => (one.source === source ? one.objects.map(({ object }) => object) : []))
    if (source.object.kind !== 'DaemonSet' || rendered.length === 0) return []
    const layers = layersOf(source, world)
    const template = knownAs(source.object, layers)
    const groups = rendered.map((object) => knownAs(object, layers))
    const found = others().flatMap(({ object, references }) => {
      const own = references.filter(
        (one) => isIn(source.object, one) && concerns(one, template) && !groups.every((group) => concerns(one, group)),
      )
      const unread = references.filter((one) => one.unread !== undefined && isIn(source.object, one))
      return [
        ...(own.length === 0 ? [] : [namedFinding(object, own, source.object)]),
        ...unread
          .slice(0, 1)
          .map(({ path, unread: pattern = '' }) => patternNotRead(object, path, pattern, source.object)),
      ]
    })
    return [...found, ...(retiring.includes(source) ? prefixFindings(source.object, layers, rendered) : [])]
  })
  const [first] = planned
  return effort.isSpent && first !== undefined ? [...named, tooManyPatterns(first.subject.object)] : named
}

/** Reports that the patterns of a package are more than a look at it may cost. */
function tooManyPatterns(subject: KubernetesObject): Finding {
  const sentence = `${subject.metadata.name}: the patterns of queries and policies in the package are too many to be matched with all names: which of them name what it replaces is not known`
  return finding('PatternNotRead', sentence, { subject })
}

/** Whether an object may be about others: not nodefit's own, no output, no input, no node. */
function isOther(object: KubernetesObject): boolean {
  return (
    apiGroup(object.apiVersion) !== apiGroup(NODEFIT) &&
    ownerOf(object) === undefined &&
    !isLocalConfig(object.metadata.annotations) &&
    !isNodeSource(object) &&
    !['DaemonSet', 'CustomResourceDefinition'].includes(object.kind)
  )
}

function concerns({ isAbout }: Reference, { names, podLabels }: Known): boolean {
  return names.some((name) => isAbout(name, podLabels))
}

function isIn({ metadata }: KubernetesObject, { namespace }: Reference): boolean {
  return namespace === undefined || metadata.namespace === undefined || metadata.namespace === namespace
}

/** What a kustomization puts around a name. */
type Layer = { readonly prefix: string; readonly suffix: string; readonly subject: KubernetesObject }
/** Layers that change the name of one object, the innermost first; each overlay of a base has its own. */
type Layers = readonly Layer[]

function layersOf(source: Item, { kustomizations: { all, layers } }: World): Layers[] {
  const file = locationOf(source)
  return all.map((one) =>
    (file === undefined ? [] : (layers(one).get(file) ?? [])).flatMap(({ item: { object } }) => {
      const textOf = (value: unknown) => (typeof value === 'string' ? value : '')
      const [prefix, suffix] = [textOf(object.namePrefix), textOf(object.nameSuffix)]
      return prefix || suffix ? [{ prefix, suffix, subject: object }] : []
    }),
  )
}

/** The names of an object behind each layer. */
function layeredNames(name: string, layers: Layers): string[] {
  const names = [name]
  for (const { prefix, suffix } of layers) names.push(`${prefix}${names.at(-1)}${suffix}`)
  return names.slice(1)
}

function knownAs({ metadata, spec }: KubernetesObject, chains: readonly Layers[]): Known {
  const labels = memberOf(memberOf(memberOf(spec, 'template'), 'metadata'), 'labels')
  const name = String(metadata.name)
  const names = new Set([name, ...chains.flatMap((layers) => layeredNames(name, layers))])
  return { names: [...names], podLabels: isMap(labels) ? (labels as Record<string, string>) : {} }
}

/** Reports the names in the cluster, once for each kustomization that changes them. */
function prefixFindings(
  source: KubernetesObject,
  chains: readonly Layers[],
  rendered: readonly KubernetesObject[],
): Finding[] {
  const found = chains.flatMap((layers) =>
    layers.map(({ prefix, subject }, index): readonly [KubernetesObject, Finding] => {
      const path = prefix === '' ? 'nameSuffix' : 'namePrefix'
      const inCluster = ({ metadata }: KubernetesObject) => layeredNames(metadata.name, layers)[index] ?? ''
      const groups = listNames(rendered.map(inCluster))
      const sentence = `a kustomization names ${describe(source)} ${inCluster(source)} by ${path}, and what is rendered from it ${groups}`
      const mend =
        'Use these names in queries, policies and commands: docs/daemonset/moving-over.md#references-by-name-must-change.'
      const one = finding('NamedElsewhere', sentence, { subject, field: { path }, mend })
      return [subject, { ...one, severity: 'info' as const }]
    }),
  )
  return [...new Map(found).values()]
}

function namedFinding(subject: KubernetesObject, references: readonly Reference[], source: KubernetesObject): Finding {
  const paths = [...new Set(references.map(({ path }) => path))]
  const sentence = `${describe(subject)} is about ${describe(source)} in ${listNames(paths)}, and not about what is rendered from it, which replaces it`
  const mend = mendOf(subject, paths, source.metadata.name)
  return finding('NamedElsewhere', sentence, {
    subject,
    field: { path: paths[0] ?? '' },
    mend: mend && `${mend}: docs/daemonset/moving-over.md#references-by-name-must-change.`,
  })
}

/** Reports a pattern of which nodefit does not know whether it names the source of what is rendered. */
export function patternNotRead(
  subject: KubernetesObject,
  path: string,
  pattern: string,
  source: KubernetesObject,
): Finding {
  const shown = pattern.length > MOST_SHOWN ? `${pattern.slice(0, MOST_SHOWN)}...` : pattern
  const sentence = `${describe(subject)}: ${path} is the pattern "${shown}", which nodefit does not read: whether it is about ${describe(source)}, and not about what is rendered from it, is not known`
  return finding('PatternNotRead', sentence, { subject, field: { path, currentValue: shown } })
}

/** How much of a pattern a message shows. */
const MOST_SHOWN = 80
const SCALERS = ['HorizontalPodAutoscaler', 'ScaledObject']

function mendOf({ apiVersion, kind }: KubernetesObject, paths: readonly string[], name: string): string | undefined {
  if (kind === 'VerticalPodAutoscaler')
    return 'Delete it, since nodefit sizes the pods; one for each group with updateMode: "Off" still recommends'
  if (SCALERS.includes(kind)) return 'Delete it: nothing scales a DaemonSet'
  if (paths.some((path) => SELECTORS.test(path))) return 'Select labels that the pods of every group have'
  if (kind === 'Role' || kind === 'ClusterRole') return 'List the names of the groups'
  if (apiGroup(apiVersion) === 'kustomize.toolkit.fluxcd.io')
    return `Let the name match the groups, as "${name}-.*" does; in healthChecks, list them`
  if (paths.some((path) => /(?:^|\.)(?:expr|query)$/.test(path)))
    return `Match the groups: =~"${name}-.+", or !~"${name}-.+" where the query leaves the agent out`
  return undefined
}
