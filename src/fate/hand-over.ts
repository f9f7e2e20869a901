import { indexBy, type Planned, type World } from '../core/index.ts'
import { foreignOwners, hasSelfAntiAffinity, hostPortsOf, keepOptionOf, statePathsOf } from '../core/object/index.ts'
import { nodeCountOf } from '../facts/inventory/index.ts'
import { isLocalConfig } from '../krm/annotation.ts'
import { type Finding, listNames } from '../krm/finding/index.ts'
import { describe, identityOf } from '../krm/identity.ts'
import { memberOf } from '../krm/map.ts'
import { OWNED_BY, ownerName, ownerOf } from '../krm/remembered.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import type { PlannedChanges } from './change.ts'
import { finding } from './codes.ts'
import { markTemplate, releaseTemplate } from './marks.ts'

/** The kinds of objects that only a policy renders from. */
const TEMPLATES = ['DaemonSet', 'ConfigMap']

/** What becomes of the items from which something is rendered. */
export interface HandOver {
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
export function ownedElsewhereFindings(subject: KubernetesObject): Finding[] {
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
export function isMounted({ object }: Item, items: readonly Item[]): boolean {
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
