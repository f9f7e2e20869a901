import { memo, once, type Planned } from '../../core/index.ts'
import { mergeNodes, type Nodes, namedNodes, nodeCountOf, nodesText } from '../../facts/inventory/index.ts'
import { codesAbout, type Finding, findingOf, listNames, plural } from '../../krm/finding.ts'
import { amountTexts, Quantity, type ResourceQuantities, type ResourceShortage } from '../../kube/index.ts'
import type { Examples } from '../rule.ts'
import type { Agent, Pod } from './agents.ts'
import {
  type Before,
  type beforeIn,
  type Lot,
  type Neighbours,
  type Room,
  subjectsText,
  usedBefore,
} from './other-pods.ts'
import { lacking, reports } from './shortages.ts'

export const ROOM_CODES = codesAbout('Fit', {
  DoesNotFit: {
    severity: 'error',
    allowable: true,
    meaning:
      'A rendered pod requests more than a node’s allocatable: pending at any priority. A warning if it fits on some nodes, if the template’s would not fit either, or if only what other pods leave is too small.',
    mend: 'Lower the sizes of these groups (resourcePercentages, maxResources, overrides; hysteresisPercent if they keep the size of larger nodes), those of another policy’s agents there, or the requests of the template’s other containers.',
  },
})
const finding = findingOf(ROOM_CODES)

export const EXAMPLES: Examples<typeof ROOM_CODES> = {
  DoesNotFit: `
kind: SizingPolicy
spec:
  minResources: { memory: 20Gi }
  maxResources: { memory: 30Gi }
`,
}

/** What else takes room on nodes. */
interface Others {
  readonly room: Room
  readonly neighbours: Neighbours
  /** Looks up which neighbours take their room before a subject. */
  readonly before: ReturnType<typeof beforeIn>
}

/** Nodes for which a pod is too large, with the first resource that they lack. */
interface TooSmall extends Nodes {
  readonly lack: ResourceShortage
  /** Whether the template's own pod would have fitted there. */
  readonly fittedTemplate: boolean
}

/** Nodes that are too small together with other pods: those that a snapshot shows, and the agents of other subjects. */
interface Crowded extends TooSmall {
  readonly isLive: boolean
  readonly before: Before
}

/** What is reported about one DaemonSet. */
interface Said {
  readonly name: string
  readonly severity: 'error' | 'warning'
  readonly sentence: string
  /** The entry of spec.overrides that mends it. */
  readonly override?: string
}

/**
 * Reports DaemonSets of a subject whose pods do not fit. It is an error where a DaemonSet fits on none of its nodes and
 * the template's pod would have; a warning where it does not fit on some, or where the template's pod would not fit
 * either. Room that other pods take only warns: they come and go, and those of lower priority are preempted. So does
 * room that agents of other subjects take. Combines findings that are the same for several DaemonSets.
 */
export function tooLargeFindings(
  agents: readonly Agent[],
  template: Pod | undefined,
  lotsOf: (agent: Agent) => readonly Lot[],
  others: Others,
): Finding[] {
  const said = agents.map((agent) => {
    const all = lotsOf(agent)
    const lots = all.filter(({ shape }) => reports(shape))
    const bare = lots.flatMap((lot) => withoutOthers(lot, agent.pod, template))
    const crowded = lots.flatMap((lot) => besideOthers(lot, agent, template, others))
    return { bare: bareSaid(agent, bare, lots, lots.length < all.length), crowded: crowdedSaid(agent, crowded, lots) }
  })
  const bare = said.flatMap((one) => one.bare ?? [])
  const crowded = said.flatMap((one) => one.crowded ?? [])
  const [first] = agents
  if (first === undefined) return []
  const errors = bare.filter(({ severity }) => severity === 'error')
  const warnings = bare.filter(({ severity }) => severity === 'warning')
  return [errors, warnings, crowded].flatMap((alike) => foldedFinding(first.planned, alike) ?? [])
}

function foldedFinding(
  { subject: { object: subject } }: Planned,
  [first, ...others]: readonly Said[],
): Finding | undefined {
  if (first === undefined) return undefined
  const more =
    others.length === 0 ? '' : `; the pods of ${listNames(others.map(({ name }) => name))} do not fit everywhere either`
  const sentence = `${subject.metadata.name}: ${first.sentence}${more}`
  const overrides = [first, ...others].flatMap(({ override }) => (override === undefined ? [] : [`    ${override}`]))
  const lines = overrides.length === 0 ? undefined : ['  overrides:', ...overrides]
  return { ...finding('DoesNotFit', sentence, { subject, lines }), severity: first.severity }
}

function withoutOthers({ shape, nodes, nodeCount }: Lot, pod: Pod, template: Pod | undefined): TooSmall[] {
  const [lack] = lacking(pod, shape.allocatable)
  if (lack === undefined) return []
  const fittedTemplate = template !== undefined && lacking(template, shape.allocatable).length === 0
  return [{ nodes, nodeCount, lack, fittedTemplate }]
}

/** Returns nodes where a pod fits alone but not together with others; nodes without names are all the same. */
function besideOthers(
  { shape, nodes, nodeCount }: Lot,
  { planned, pod }: Agent,
  template: Pod | undefined,
  { room, neighbours, before: beforeOf }: Others,
): Crowded[] {
  const fitsAlone = once(() => lacking(pod, shape.allocatable).length === 0)
  const held = (all: readonly Agent[], live?: ResourceQuantities): Omit<Crowded, keyof Nodes> | undefined => {
    const before = beforeOf(all, planned)
    if ((live === undefined && before.count === 0) || !fitsAlone()) return undefined
    const used = usedBefore(before, live)
    const [lack] = lacking(pod, shape.allocatable, used)
    if (lack === undefined) return undefined
    const fittedTemplate = template !== undefined && lacking(template, shape.allocatable, used).length === 0
    return { lack, fittedTemplate, isLive: live !== undefined, before }
  }
  const heldAlike = memo((all: readonly Agent[]) => held(all))
  return (nodes.length === 0 ? [undefined] : nodes).flatMap((node) => {
    const live = node === undefined ? undefined : room(node)
    const all = neighbours(shape, node)
    const found = live === undefined ? heldAlike(all) : held(all, live)
    const own = node === undefined ? { nodes, nodeCount } : namedNodes([node])
    return found === undefined ? [] : [{ ...own, ...found }]
  })
}

/**
 * Formats what is reported about a DaemonSet by itself. `isOpen`: whether other nodes do not report their amounts yet
 * and may have enough.
 */
function bareSaid(agent: Agent, found: readonly TooSmall[], lots: readonly Lot[], isOpen: boolean): Said | undefined {
  if (found.length === 0) return undefined
  const { name } = agent.rendered.object.metadata
  const isNowhere = found.length === lots.length && !isOpen
  const isOurs = found.some(({ fittedTemplate }) => fittedTemplate)
  const template = isOurs ? 'the template’s own pod would fit' : 'the template’s own pod would not fit either'
  const sentence = `the pods of ${name} ${whereText(found, lots)}: ${lackText(found)}; ${template}`
  const override = smallerMinimum(
    agent,
    found.map(({ lack }) => lack),
  )
  return { name, severity: isNowhere && isOurs ? 'error' : 'warning', sentence, override }
}

function crowdedSaid(agent: Agent, found: readonly Crowded[], lots: readonly Lot[]): Said | undefined {
  if (found.length === 0) return undefined
  const { name } = agent.rendered.object.metadata
  const template = found.some(({ fittedTemplate }) => fittedTemplate)
    ? ''
    : '; the template’s own pod would not fit either'
  const where = whereText(found, lots)
  const sentence = `beside ${othersText(found)}, the pods of ${name} ${where}: ${lackText(found)}${template}`
  return { name, severity: 'warning', sentence }
}

function othersText(found: readonly Crowded[]): string {
  const names = subjectsText(found.map(({ before }) => before))
  const live = found.some(({ isLive }) => isLive) ? ['the pods that run now'] : []
  const agents = names === '' ? [] : [`the agents of ${names}`]
  return [...live, ...agents].join(' and ')
}

function whereText(found: readonly TooSmall[], lots: readonly Lot[]): string {
  const small = mergeNodes(found)
  const all = nodeCountOf(lots)
  if (all === 0)
    return found.length === lots.length ? 'fit on no declared node type' : 'do not fit on some declared node types'
  const who = small.nodes.length === 0 ? '' : ` (${nodesText({ ...small, nodes: [...small.nodes].sort() })})`
  const isNowhere = small.nodeCount === all
  return isNowhere
    ? `fit on none of ${plural(all, 'node')}${who}`
    : `do not fit on ${small.nodeCount} of ${plural(all, 'node')}${who}`
}

/** Formats the largest shortage. */
function lackText(found: readonly TooSmall[]): string {
  const [worst] = found.map(({ lack }) => lack).sort((a, b) => (a.free - a.requested < b.free - b.requested ? -1 : 1))
  if (worst === undefined) return ''
  const { resource, requested, free, allocatable } = worst
  const [wanted, all, rest] = amountTexts(
    resource,
    [requested, allocatable, free < 0n ? -free : free].map((amount) => quantityOf(resource, amount)),
  )
  if (free < 0n) return `${resource} ${wanted} is requested, and the others request ${rest} more than its ${all}`
  return `${resource} ${wanted} is requested, ${rest} is ${free === allocatable ? 'allocatable' : `left of ${all}`}`
}

function quantityOf(resource: string, amount: bigint): Quantity {
  if (resource === 'cpu') return Quantity.ofMilli(amount)
  const isBytes = resource === 'memory' || resource === 'ephemeral-storage' || resource.startsWith('hugepages-')
  return Quantity.of(amount, isBytes ? 'BinarySI' : 'DecimalSI')
}

/** The kinds of group that an override names by what follows. */
const NAMED_GROUP = /^(?:value|group):(.+)$/s
const STEPS = { cpu: 'requestCPU', memory: 'requestMemory' } as const
const MEBIBYTE = 1024n * 1024n
/** So much of what a node has left is proposed. */
const SHARE_OF_NODE = { of: 3n, in: 4n }

/**
 * Returns the entry of spec.overrides under which the pods of a group fit on its nodes, where the policy's minimum made
 * them too large; undefined otherwise. The minimum that it states is three quarters of what the nodes have left:
 * whoever takes all of a node stays pending beside any other pod.
 */
function smallerMinimum({ planned, rendered }: Agent, lacks: readonly ResourceShortage[]): string | undefined {
  const [, group] = NAMED_GROUP.exec(rendered.group?.id ?? '') ?? []
  const [lack] = lacks
  const resource = lack?.resource
  if (group === undefined || lack === undefined || (resource !== 'cpu' && resource !== 'memory')) return undefined
  const name = rendered.object.metadata.name
  const line = planned.account.find((one) => one.kind === 'group' && one.name === name)
  const steps = line?.kind === 'group' ? line.steps.filter((one) => one.name === STEPS[resource]) : []
  const printed = steps.filter(({ decidedBy }) => decidedBy === 'minimum').flatMap((one) => one.printed.split(' + '))
  if (printed.length === 0) return undefined
  // of several containers each prints its part
  const minimum = printed.map((text) => Quantity.parse(text)).reduce((sum, part) => sum.plus(part))
  const own = lacks.filter((one) => one.resource === resource)
  const missing = own
    .map(({ requested, free }) => requested - (free * SHARE_OF_NODE.of) / SHARE_OF_NODE.in)
    .reduce((most, next) => (next > most ? next : most))
  const least = (resource === 'cpu' ? minimum.milliValue() : minimum.value()) - missing
  const amount = resource === 'cpu' ? Quantity.ofMilli(least) : Quantity.of((least / MEBIBYTE) * MEBIBYTE, 'BinarySI')
  if (least <= 0n || amount.value() <= 0n) return undefined
  const word = /^[A-Za-z][\w.-]*$/.test(group) ? group : JSON.stringify(group)
  return `- { groups: [${word}], minResources: { ${resource}: ${amount} } }`
}
