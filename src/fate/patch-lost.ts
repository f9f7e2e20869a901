import { type Kustomization, memo, type Patch, type Planned, runsFunction, type World } from '../core/index.ts'
import { type Finding, listNames } from '../krm/finding.ts'
import { apiGroup, describe, locationOf, pathOf } from '../krm/identity.ts'
import { isMap, memberOf } from '../krm/map.ts'
import { Effort, type Matches, wholePattern } from '../krm/pattern.ts'
import { readAnyYaml } from '../krm/read-yaml.ts'
import type { KubernetesObject } from '../krm/types.ts'
import { matchesLabels, parseSelector } from '../kube/index.ts'
import { finding } from './codes.ts'
import { patternNotRead } from './references.ts'

/** An object as the layers of kustomize see it: with each name and namespace that it has had. */
interface Seen {
  readonly object: KubernetesObject
  readonly names: readonly string[]
  readonly namespaces: readonly string[]
}

/**
 * Reports patches and replacements that change the source of a plan after it has become a template, and not all that is
 * rendered from it. Where a kustomization runs nodefit as a transformer, the layers behind it do so; else all of them.
 */
export function lostPatches(planned: readonly Planned[], world: World): Finding[] {
  const { all, layers } = world.kustomizations
  const effort = new Effort()
  const matcherOf: MatcherOf = memo((pattern: string) => wholePattern(pattern, effort))
  return planned.flatMap(({ isEnabled, source, subject, objects }) => {
    const file = source && locationOf(source)
    if (!isEnabled || source === undefined || file === undefined || objects.length === 0) return []
    const chains = all.flatMap((one) => [layers(one).get(file) ?? []])
    const isRender = (layer: Kustomization) => runsFunction(layer, world.kustomizations)
    // a layer below the one that runs nodefit is not built by itself
    const rendering = chains.filter((chain) => chain.some(isRender))
    const found = new Map<Kustomization, Set<string>>()
    for (const chain of rendering.length > 0 ? rendering : chains) {
      const after = chain.findLastIndex(isRender) + 1
      let template = seenFirst(source.object)
      let rendered = objects.map(({ object }) => seenFirst(object))
      for (const [index, layer] of chain.entries()) {
        const lost =
          index < after ? [] : layer.patches.filter((patch) => isLost(patch, template, rendered, world, matcherOf))
        if (lost.length > 0) found.set(layer, new Set(lost.map(({ field }) => field)))
        template = seenAfter(layer, template)
        rendered = rendered.map((one) => seenAfter(layer, one))
      }
    }
    const unread = all.flatMap((layer) =>
      layer.patches.flatMap((patch) => {
        const pattern = targetsOf(patch, world).flatMap((target) => unreadIn(target, matcherOf))[0]
        return pattern === undefined ? [] : [patternNotRead(layer.item.object, patch.field, pattern, source.object)]
      }),
    )
    const lost = [...found].map(([{ item }, fields]) => {
      const where = `${pathOf(item)} changes ${describe(source.object)} in ${listNames([...fields])}`
      const path = [...fields][0] ?? 'patches'
      const sentence = `${where}, but that is a template now: what is rendered from it goes without the change`
      return finding('PatchLost', sentence, { subject: subject.object, field: { path } })
    })
    // once the effort is spent every other one is not read
    return [...lost, ...(effort.isSpent ? unread.slice(0, 1) : unread)]
  })
}

function seenFirst(object: KubernetesObject): Seen {
  const { name, namespace } = object.metadata
  return { object, names: [String(name)], namespaces: [namespace ?? 'default'] }
}

/** The object behind a layer. kustomize also finds it by what it was called before. */
function seenAfter({ item }: Kustomization, { object, names, namespaces }: Seen): Seen {
  const { namePrefix = '', nameSuffix = '', namespace } = item.object
  const latest = `${namePrefix}${names.at(-1)}${nameSuffix}`
  return {
    object,
    names: names.includes(latest) ? names : [...names, latest],
    namespaces: typeof namespace === 'string' ? [...namespaces, namespace] : namespaces,
  }
}

/** Returns what a pattern matches; undefined for one that is not read. */
type MatcherOf = (pattern: string) => Matches | undefined

function isLost(patch: Patch, template: Seen, rendered: readonly Seen[], world: World, matcherOf: MatcherOf): boolean {
  const targets = targetsOf(patch, world)
  const isChanged = (one: Seen) => targets.some((target) => selects(target, one, matcherOf))
  return isChanged(template) && !rendered.every(isChanged)
}

/** What a patch changes, as selectors; a patch that deletes its target changes nothing that is applied. */
function targetsOf({ target, file, text }: Patch, { kustomizations }: World): unknown[] {
  const read = text === undefined ? [] : readPatches(text)
  const objects = file === undefined ? read : kustomizations.itemsAt(file).map(({ object }) => object)
  if (objects.some((object) => memberOf(object, '$patch') === 'delete')) return []
  return isMap(target) ? [target] : objects.map(selectorOf)
}

function readPatches(text: string): unknown[] {
  try {
    return text.split(/^---$/m).map((document) => readAnyYaml(document, 'a patch'))
  } catch {
    // kustomize says what is wrong with it
    return []
  }
}

/** The target of a patch without one: the object that it is named like. */
function selectorOf(object: unknown): unknown {
  const [apiVersion, kind, metadata] = ['apiVersion', 'kind', 'metadata'].map((key) => memberOf(object, key))
  const { name, namespace = 'default' } = (isMap(metadata) ? metadata : {}) as Record<string, unknown>
  const quoted = [name, namespace].map((value) => String(value).replaceAll('.', '\\.'))
  return { group: apiGroup(String(apiVersion)), kind, name: quoted[0], namespace: quoted[1] }
}

/** Whether kustomize's selector of a patch fits an object: each field is an anchored pattern (`SelectorRegex`). */
function selects(target: unknown, { object, names, namespaces }: Seen, matcherOf: MatcherOf): boolean {
  const fits = (key: string, values: readonly string[]) => {
    const pattern = memberOf(target, key)
    return typeof pattern !== 'string' || pattern === '' || values.some(matcherOf(pattern) ?? (() => false))
  }
  const { labels, annotations } = object.metadata
  return (
    fits('group', [apiGroup(object.apiVersion)]) &&
    fits('version', [object.apiVersion.slice(object.apiVersion.indexOf('/') + 1)]) &&
    fits('kind', [object.kind]) &&
    fits('name', names) &&
    fits('namespace', namespaces) &&
    fitsLabels(memberOf(target, 'labelSelector'), labels) &&
    fitsLabels(memberOf(target, 'annotationSelector'), annotations)
  )
}

/** The patterns of a selector that nodefit does not read. */
function unreadIn(target: unknown, matcherOf: MatcherOf): string[] {
  return ['group', 'version', 'kind', 'name', 'namespace'].flatMap((key) => {
    const pattern = memberOf(target, key)
    return typeof pattern === 'string' && matcherOf(pattern) === undefined ? [pattern] : []
  })
}

function fitsLabels(selector: unknown, labels: Record<string, string> | undefined): boolean {
  if (typeof selector !== 'string' || selector === '') return true
  try {
    return matchesLabels(parseSelector(selector), labels ?? {})
  } catch {
    return false
  }
}
