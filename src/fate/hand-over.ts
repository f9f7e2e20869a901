import { indexBy, memo, once, type Planned, type Rendered, type World } from '../core/index.ts'
import { withAnnotations } from '../core/object/canonical.ts'
import { foreignOwners, hasSelfAntiAffinity, hostPortsOf, keepOptionOf, statePathsOf } from '../core/object/index.ts'
import { nodeCountOf } from '../facts/inventory/index.ts'
import { NODEFIT_GROUP } from '../kinds/index.ts'
import { annotate } from '../krm/edit.ts'
import { type Finding, listNames } from '../krm/finding.ts'
import { describe, identityOf, isLocalConfig, LOCAL_CONFIG } from '../krm/identity.ts'
import { memberOf } from '../krm/map.ts'
import {
  ALLOW_DELETE,
  GROUP,
  NAMESPACE,
  NODE,
  NOT_APPLIED,
  OPENED,
  OPENED_FOR,
  OWNED_BY,
  OWNER,
  ownerName,
  ownerOf,
  RELEASED_BY,
  REQUIREMENTS,
  rememberedAnnotations,
  renderedNamespace,
  TEMPLATE,
} from '../krm/remembered.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import type { PlannedChanges } from './change.ts'
import { finding } from './codes.ts'

/** The kinds of objects that only a policy renders from. */
const TEMPLATES = ['DaemonSet', 'ConfigMap']

/** What becomes of the items from which something is rendered. */
interface HandOver {
  /** Each item that changes, with its replacement. */
  readonly replaced: Map<Item, Item>
  /** The items that are kept back for the first time. */
  readonly retiring: readonly Item[]
  readonly findings: readonly Finding[]
}

/**
 * Marks what an enabled policy renders from, and hands back what no policy does any more: the target of a disabled
 * policy, and, with every policy in scope, any template whose policy is gone, unless a suspended policy may have been
 * rendered from it. Leaves a ConfigMap that a workload mounts: it does nothing by itself, and the workload needs it to
 * start. A run for one policy leaves a target from which another run's output in the package was rendered.
 */
export function handOver(
  planned: readonly Planned[],
  world: World,
  isRetiredBefore: (item: Item) => boolean,
): HandOver {
  const used = new Set(planned.filter(({ isEnabled }) => isEnabled).map(({ source }) => source))
  const left = new Set(
    planned.filter((one) => !one.isEnabled && !isUsedByOtherRun(one, planned, world)).map(({ source }) => source),
  )
  // subjects that are their own source, and were before
  const own = planned.filter(({ subject, source, earlier }) => subject === source && earlier.length > 0)
  const makesItself = new Set(own.map(({ subject }) => subject))
  const areOthersFree = world.plansAllSubjects && !planned.some(({ isSuspended }) => isSuspended)
  const replaced = new Map<Item, Item>()
  const retiring: Item[] = []
  const findings: Finding[] = []
  for (const item of world.items) {
    const subject = item.object
    if (used.has(item)) findings.push(...ownedElsewhereFindings(subject))
    if (used.has(item) && !isMounted(item, world.everything)) {
      const { item: marked, retired } = markTemplate(item, {
        wasOurs: makesItself.has(item),
        refuse: world.planners.isDoubled(subject),
      })
      replaced.set(item, marked)
      if (retired && !isRetiredBefore(item)) retiring.push(item)
    } else if (left.has(item) || used.has(item) || (areOthersFree && ownerOf(subject) === undefined)) {
      const { item: free, released } = releaseTemplate(item, makesItself.has(item))
      if (free !== item) replaced.set(item, free)
      if (released) findings.push(...releaseFindings(subject))
    }
  }
  return { replaced, retiring, findings }
}

/** Whether the package holds output that another run rendered from the same source. */
function isUsedByOtherRun({ looksLikeOutput }: Planned, planned: readonly Planned[], world: World): boolean {
  if (world.plansAllSubjects || looksLikeOutput === undefined) return false
  const claimed = new Set(planned.flatMap(({ earlier }) => earlier))
  return world.items.some(
    (item) => ownerOf(item.object) !== undefined && !claimed.has(item) && looksLikeOutput(item.object),
  )
}

/**
 * Reports an object that is kept back for the first time. Of a DaemonSet it says on how many nodes its pods are
 * replaced, all at once: the controller creates the pods of new DaemonSets and deletes those of a removed one without
 * regard to update strategies.
 */
export function retirementFindings(
  subject: KubernetesObject,
  world: World,
  planned: readonly PlannedChanges[] = [],
): Finding[] {
  const retired = world.planners.retirement(subject, world) ?? retiredFinding(subject, planned)
  return [retired, ...stayingFindings(subject), ...heldNodeFindings(subject)]
}

function retiredFinding(subject: KubernetesObject, planned: readonly PlannedChanges[]): Finding {
  const sentence = `${describe(subject)} is now a template and is no longer applied`
  const own = planned.filter(({ source }) => source?.object === subject)
  const moves = own.flatMap(({ stops }) => stops.filter(({ cause }) => cause === 'adoption'))
  const nodeCount = nodeCountOf(moves.filter(({ isShown, length }) => isShown && length !== 'forGood'))
  if (subject.kind !== 'DaemonSet' || nodeCount === 0) return finding('StaticTemplateRetired', sentence, { subject })
  const between = holdsNode(subject)
    ? 'no new pod starts on a node before the old one is gone'
    : `whether a node has two pods in between, or none, depends on the tool that applies it${undeclaredPortsText(subject)}`
  return finding(
    'StaticTemplateRetired',
    `${sentence}: every pod of it is replaced, on ${nodeCount === 1 ? '1 node' : `all ${nodeCount} nodes at once`}; ${between}`,
    { subject, mend: 'Read docs/daemonset/moving-over.md before you apply this to a cluster in use.' },
  )
}

/**
 * Says of an agent in the network of its node that the ports it listens on are not known: it declares none, so that the
 * scheduler lets a second pod start, whose own program may fail to bind them.
 */
function undeclaredPortsText({ spec }: KubernetesObject): string {
  const pod = memberOf(memberOf(spec, 'template'), 'spec')
  if (memberOf(pod, 'hostNetwork') !== true) return ''
  return ', and with hostNetwork and no declared ports nothing shows which ports of the node it listens on: a second pod starts, and fails if it needs the same'
}

/** Whether a pod holds something of its node, so that no second pod of the agent starts there. */
function holdsNode(subject: KubernetesObject): boolean {
  return hostPortsOf(subject).length > 0 || hasSelfAntiAffinity(subject)
}

function releaseFindings(subject: KubernetesObject): Finding[] {
  const why = TEMPLATES.includes(subject.kind)
    ? 'no policy needs it as a local template'
    : 'nothing is rendered from it any more'
  const sentence = `${describe(subject)} is applied again: ${why}`
  return [finding('TemplateReleased', sentence, { subject }), ...heldNodeFindings(subject)]
}

function stayingFindings(subject: KubernetesObject): Finding[] {
  const option = keepOptionOf(subject.metadata)
  if (option === undefined || subject.kind === 'ConfigMap') return []
  const sentence = `${describe(subject)} has ${option}, so it is not deleted when it is no longer applied: it keeps running beside what is rendered from it`
  return [finding('StaticTemplateStays', sentence, { subject })]
}

/**
 * Reports where old and new pods of an agent cannot share a node: each holds a resource of the node until it stops.
 * What they would write to both matters only where they can.
 */
function heldNodeFindings(subject: KubernetesObject): Finding[] {
  if (subject.kind !== 'DaemonSet') return []
  const until = 'a new pod stays pending until the old one is deleted'
  const ports = hostPortsOf(subject)
  const held = `${ports.length === 1 ? 'port' : 'ports'} ${ports.join(', ')}`
  const who = describe(subject)
  const paths = holdsNode(subject) ? [] : statePathsOf(subject)
  const findings: ReadonlyArray<false | Finding> = [
    ports.length > 0 && finding('HostPortHeld', `${who} uses host ${held}: ${until}`, { subject }),
    hasSelfAntiAffinity(subject) &&
      finding('AntiAffinityHeld', `${who} has required pod anti-affinity against its own pods: ${until}`, { subject }),
    paths.length > 0 &&
      finding('StatePathShared', `${who} writes to ${listNames(paths)} of the node: an old and a new pod both would`, {
        subject,
      }),
  ]
  return findings.filter((one) => one !== false)
}

/**
 * Reports a template that carries marks of other tools that apply it: they would restore it next to what is rendered
 * from it. A ConfigMap may be restored, since it does nothing by itself; for it only recorded changes are reported.
 */
function ownedElsewhereFindings(subject: KubernetesObject): Finding[] {
  if (subject.kind === 'ConfigMap' && subject.metadata.annotations?.[OWNED_BY] === undefined) return []
  const owners = foreignOwners(subject)
  if (owners.length === 0) return []
  const texts = owners.map(({ text, off }) => `${text} (can be switched off ${off})`)
  const sentence = `${describe(subject)} is also applied by ${listNames(texts, texts.length)}, which ${owners.length === 1 ? 'brings' : 'bring'} it back beside what is rendered from it`
  return [finding('OwnedElsewhere', sentence, { subject })]
}

/**
 * Returns whether an item was kept back before, as earlier output that was given separately shows. A stream does not
 * hold a source with its mark: it holds what was rendered from the object, and the object itself is not applied.
 */
export function retiredBefore(planned: readonly Planned[], world: World): (item: Item) => boolean {
  if (world.earlierOutput.length === 0) return () => false
  const bySource = indexBy(planned, ({ source }) => source)
  const isApplied = ({ object }: Item) => ownerOf(object) === undefined && !isLocalConfig(object.metadata.annotations)
  const applied = new Set(world.earlierOutput.filter(isApplied).map(({ object }) => identityOf(object)))
  const isApart = (items: readonly Item[]) => items.some((item) => !world.holds(item))
  return (item) => {
    const { kind, metadata } = item.object
    if (applied.has(identityOf(item.object))) return false
    const users = bySource.get(item) ?? []
    return (
      users.some(({ earlier }) => isApart(earlier)) ||
      // without objects it left no trace in earlier runs either: it is said with its first one
      (users.length > 0 && users.every(isAppliedInNoForm)) ||
      // a run for another subject may have rendered from it as well
      isApart(world.earlier([ownerName(kind, metadata.name)], metadata.namespace).items)
    )
  }
}

/** Whether a source that is not applied itself, nor are its copies, leads to no object that is. */
function isAppliedInNoForm({ subject, source, objects }: Planned): boolean {
  const isOfItself = subject === source || objects.length > 0
  return isOfItself && objects.every(({ object }) => isLocalConfig(object.metadata.annotations))
}

/** Kinds that mount nothing: they describe other objects, or are mounted themselves. */
const MOUNTS_NOTHING = ['CustomResourceDefinition', 'ConfigMap']

interface Volume {
  configMap?: { name?: unknown } | null
  projected?: { sources?: Array<{ configMap?: { name?: unknown } | null } | null> | null } | null
}

/**
 * Whether a workload mounts a ConfigMap, so that its pods would not start without it; a workload without a namespace
 * may be in any.
 */
function isMounted({ object }: Item, items: readonly Item[]): boolean {
  if (object.kind !== 'ConfigMap' || object.apiVersion !== 'v1') return false
  const { name, namespace } = object.metadata
  return items.some(
    ({ object: workload, opaque }) =>
      isSameNamespace(workload.metadata.namespace, namespace) &&
      // a workload that cannot be read may mount it
      ((opaque !== undefined && !MOUNTS_NOTHING.includes(workload.kind)) ||
        volumesOf(workload).some((volume) => mounts(volume, name))),
  )
}

function isSameNamespace(one: string | undefined, other: string | undefined): boolean {
  return one === undefined || other === undefined || one === other
}

function mounts({ configMap, projected }: Volume, name: string): boolean {
  const sources = Array.isArray(projected?.sources) ? projected.sources : []
  return configMap?.name === name || sources.some((source) => source?.configMap?.name === name)
}

/** Returns the volumes of a Pod, of any workload with a pod template, or of a CronJob. */
function volumesOf({ spec }: KubernetesObject): Volume[] {
  const places = [['volumes'], ['template', 'spec', 'volumes'], ['jobTemplate', 'spec', 'template', 'spec', 'volumes']]
  const lists = places.map((path) => path.reduce<unknown>(memberOf, spec)).filter(Array.isArray)
  return lists.flat().filter((volume) => typeof volume === 'object' && volume !== null)
}

/** Marks an input as local configuration, so that no host applies it. */
export function markInput(item: Item): Item {
  return isLocalConfig(item.object.metadata.annotations) ? item : annotate(item, { [LOCAL_CONFIG]: 'true' })
}

/**
 * Marks a template as no longer applied itself, and records whether its user had done so already. `wasOurs` is for a
 * template without nodefit's mark that an earlier run kept back nevertheless. `refuse` is for one that the API server
 * is to refuse, whoever applies it.
 */
export function markTemplate(
  item: Item,
  { wasOurs = false, refuse = false }: { wasOurs?: boolean; refuse?: boolean } = {},
): { item: Item; retired: boolean } {
  const { annotations } = item.object.metadata
  const isLocal = isLocalConfig(annotations)
  const refused: Record<string, string> =
    refuse && annotations?.[NOT_APPLIED] === undefined ? { [NOT_APPLIED]: 'true' } : {}
  if (annotations?.[TEMPLATE] !== undefined && isLocal)
    return { item: Object.keys(refused).length === 0 ? item : annotate(item, refused), retired: false }
  const mark = isLocal && !wasOurs ? 'existing' : 'true'
  return { item: annotate(item, { [LOCAL_CONFIG]: 'true', ...refused, [TEMPLATE]: mark }), retired: !isLocal }
}

/** Removes exactly what `markTemplate` added; `wasOurs` has the same meaning. */
export function releaseTemplate(item: Item, wasOurs = false): { item: Item; released: boolean } {
  const { annotations } = item.object.metadata
  const mark = annotations?.[TEMPLATE] ?? (wasOurs && isLocalConfig(annotations) ? 'true' : undefined)
  if (mark === undefined) return { item, released: false }
  const ours = { [TEMPLATE]: null, ...(annotations?.[NOT_APPLIED] === undefined ? {} : { [NOT_APPLIED]: null }) }
  if (mark !== 'true') return { item: annotate(item, ours), released: false }
  return { item: annotate(item, { ...ours, [LOCAL_CONFIG]: null }), released: true }
}

/** What an object of a machine cannot say in another way: its size, when it was opened, and for which pods. */
const STAYING = [REQUIREMENTS, OPENED, OPENED_FOR]

/**
 * Releases an object: removes nodefit's annotations, except for the owner that may adopt it again, and what that owner
 * must know then: a pod for which a machine came gets no second one.
 */
export function releaseOutput(item: Item): Item {
  const keys = Object.keys(item.object.metadata.annotations ?? {})
  const ours = keys.filter((key) => key.startsWith(NODEFIT_GROUP) && !STAYING.includes(key))
  const owner = ownerOf(item.object)
  return annotate(item, {
    ...Object.fromEntries(ours.map((key) => [key, null])),
    ...(owner === undefined ? {} : { [RELEASED_BY]: owner }),
  })
}

/**
 * Returns a plan with nodefit's annotations on its objects: the owner; for an object of one node that node; for any
 * other its group, cluster with its uid, and node count, which the guards of the next run use. What a later function
 * moved to another namespace is rendered there. Kept objects keep their annotations. Where the cluster has the deletion
 * guard, DaemonSets say that they may not be deleted: what a person allowed in the cluster is taken back by the next
 * sync of what is still rendered.
 */
export function withOutputMarks(
  planned: Planned,
  { isSeen, options, clusterUid: uidOf }: Pick<World, 'isSeen' | 'options' | 'clusterUid'>,
): Planned {
  const { subject, earlier, cluster } = planned
  const { kind, metadata } = subject.object
  const clusterUid = cluster === undefined ? undefined : uidOf(cluster)
  const owner = planned.owner ?? ownerName(kind, metadata.name)
  const before = once(() => indexBy(earlier, ({ object }) => `${object.kind} ${object.metadata.name}`))
  // one look for each namespace: there are as many Tickets as nodes
  const movedFrom = memo((home: string) => movedItem(earlier, home))
  const marked = (rendered: Rendered): Rendered => {
    const { group, node, isKept } = rendered
    if (isKept === true) return rendered
    const object = planned.staysInNamespace === true ? rendered.object : inPlaceOf(movedFrom, rendered.object)
    if (node !== undefined) return { ...rendered, object: withAnnotations(object, { [OWNER]: owner, [NODE]: node }) }
    const home = isSeen ? { [NAMESPACE]: rendered.object.metadata.namespace ?? '' } : {}
    const [known] = before().get(`${object.kind} ${object.metadata.name}`) ?? []
    // no later run sees the object, so there is nothing to record on it
    const remembered = isSeen
      ? rememberedAnnotations({ nodes: countOf(rendered), cluster, clusterUid }, known?.object)
      : {}
    const groupMark = group === undefined ? {} : { [GROUP]: group.id }
    const isGuarded = options.guards.deletion && object.kind === 'DaemonSet'
    const guardMark = isGuarded ? { [ALLOW_DELETE]: 'false' } : {}
    return {
      ...rendered,
      object: withAnnotations(object, { [OWNER]: owner, ...home, ...groupMark, ...remembered, ...guardMark }),
    }
  }
  return { ...planned, objects: planned.objects.map(marked) }
}

/** Returns the first applied earlier object that is in another namespace. */
function movedItem(earlier: readonly Item[], home: string): Item | undefined {
  return earlier.find(({ object: { metadata } }) => {
    return (metadata.namespace ?? '') !== home && !isLocalConfig(metadata.annotations)
  })
}

/** Returns an object in the namespace to which a later function moved the earlier objects of the same subject. */
function inPlaceOf(movedFrom: (home: string) => Item | undefined, object: KubernetesObject): KubernetesObject {
  const { namespace: home = '' } = object.metadata
  if (isLocalConfig(object.metadata.annotations)) return object
  const moved = movedFrom(home)
  if (moved === undefined || renderedNamespace(moved.object) !== home) return object
  return { ...object, metadata: { ...object.metadata, namespace: moved.object.metadata.namespace } }
}

/**
 * Returns how many nodes an object serves; undefined for one that is never applied, or that has neither group nor
 * nodes.
 */
function countOf({ object, group, nodeCount }: Rendered): number | undefined {
  if (isLocalConfig(object.metadata.annotations)) return undefined
  return group !== undefined || nodeCount > 0 ? nodeCount : undefined
}
