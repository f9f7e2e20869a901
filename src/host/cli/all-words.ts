import { alignedLines, plain, totalsOf } from '../../face/index.ts'
import { listNames, plural } from '../../krm/finding.ts'
import { SIZE_LABEL } from '../../krm/remembered.ts'
import type { Item } from '../../krm/types.ts'
import type { Quantity } from '../../kube/index.ts'
import { podAmount } from '../../plan/sizing/index.ts'
import type { Plan } from '../../rules/plan.ts'
import type { Agent } from './first-agents.ts'
import type { AgentLook, FirstLook } from './first-look.ts'
import { classesOfLook } from './first-rows.ts'
import { changeText, groupTexts, withoutVerdict } from './look-words.ts'

/** An agent, and what the first look says of it. */
type Seen = Agent & { readonly look: AgentLook }

/** Cores and GiB. */
interface Cost {
  readonly cores: number
  readonly gib: number
}

const MOST_ROWS = 13
const COLUMNS = [
  { heading: 'AGENT' },
  { heading: 'VERDICT' },
  { heading: 'GROUPS', isCount: true },
  { heading: 'CORES', isCount: true },
  { heading: 'GIB', isCount: true },
  { heading: 'PODS', isCount: true },
  { heading: 'WHY' },
]

/**
 * The lines of `nodefit init --all`, twenty at most: what the package does, what is to be done by hand, the classes,
 * then a row for each agent, those first that change most.
 */
export function allWords(
  agents: readonly Agent[],
  made: readonly Agent[],
  first: Plan | undefined,
  look: FirstLook,
): string[] {
  const seen = agents.filter((agent): agent is Seen => agent.look !== undefined)
  const left = seen.filter(({ look: { proposal } }) => proposal.verdict === 'leave it')
  const rest = seen.filter((agent) => !left.includes(agent))
  const byHand = rest.filter((agent) => !made.includes(agent) && HAND.includes(agent.look.proposal.verdict))
  const rows = rest.toSorted((a, b) => changeOf(b) - changeOf(a) || (agentName(a) < agentName(b) ? -1 : 1))
  const shown = rows.slice(0, MOST_ROWS)
  const table = alignedLines(COLUMNS, shown.map(cellsOf), plain)
  const more = rows.length - shown.length
  const errors = first?.findings.filter(({ severity }) => severity === 'error') ?? []
  return [
    ...(first === undefined ? [] : [packageText(made, first)]),
    ...(byHand.length === 0 ? [] : [handText(byHand)]),
    classesText(look, rest[0]?.look),
    ...table,
    ...(more > 0 ? [`and ${more} more, which change less`] : []),
    ...(left.length === 0
      ? []
      : [`left alone: ${listNames(left.map(agentName))}: their nodes wait for them, or another sets their size`]),
    ...errors.map(({ code, message }) => `error: ${code}: ${message}`),
  ]
}

const HAND: readonly string[] = ['lower', 'raise', 'starved']

/** What the package does, as its first render says it. */
function packageText(made: readonly Agent[], { packages }: Plan): string {
  const planned = packages.flatMap((entry) => entry.planned)
  const totals = planned.flatMap((one) => totalsOf(one) ?? [])
  const sum = (of: 'before' | 'after'): Cost => ({
    cores: totals.reduce((all, one) => all + coresOf(one[of]?.cpu), 0),
    gib: totals.reduce((all, one) => all + gibOf(one[of]?.memory), 0),
  })
  const pods = totals.reduce((all, { after }) => all + after.pods, 0)
  const [one] = made
  const at = one?.look?.takenAt
  return `this package: ${fromTo(sum('before'), sum('after'))}; ${plural(made.length, 'agent')}, ${plural(pods, 'pod')} ${pods === 1 ? 'restarts' : 'restart'} once${at === undefined ? '' : `; ${lookText(at)}`}`
}

/** When a look was taken, with the day: agents sleep at weekends. */
export function lookText(at: string): string {
  const day = new Date(at).toLocaleDateString('en-GB', { weekday: 'long', timeZone: 'UTC' })
  return `from one look on ${day}, ${at.slice(0, 16).replace('T', ' ')} UTC`
}

function handText(agents: readonly Seen[]): string {
  const sum = (of: 'today' | 'after') =>
    agents.map(({ look }) => costOfAgent(look, of)).reduce((a, b) => ({ cores: a.cores + b.cores, gib: a.gib + b.gib }))
  return `by hand (lower, raise, starved): ${fromTo(sum('today'), sum('after'))}; ${plural(agents.length, 'agent')}`
}

function classesText({ carrier, day }: FirstLook, one: AgentLook | undefined): string {
  if (one === undefined) return 'no agent is measured'
  if (day.cuts.length === 0) return `one class: no groups by ${carrier.label} pay`
  const classes = classesOfLook(one).map(({ name, from, to }) => {
    const count = carrier.axis.steps.filter((step) => step !== undefined && step >= from && step < to).length
    return `${name} (${plural(count, 'node')})`
  })
  return `classes by ${carrier.label}: ${classes.join(', ')}`
}

function cellsOf(agent: Seen) {
  const { proposal, nodeCount } = agent.look
  const groups = proposal.parts.filter(({ nodes }) => nodes > 0).length
  const [before, after] = [costOfAgent(agent.look, 'today'), costOfAgent(agent.look, 'after')]
  const isKnown = proposal.verdict !== 'not measured' && proposal.verdict !== 'unset'
  const change = (of: keyof Cost) => {
    const [was, is] = [decimal(before[of]), decimal(after[of])]
    return isKnown && was !== is ? `${was} -> ${is}` : was
  }
  const texts = [agentName(agent), proposal.verdict, isKnown ? String(groups) : '-', change('cores'), change('gib')]
  return [...texts, String(nodeCount), whyOf(agent)].map((text) => ({ text }))
}

function whyOf({ look, leave }: Seen): string {
  const { verdict, isWritten } = look.proposal
  const sizes = isWritten ? groupTexts(look) : changeText(look)
  if (verdict === 'starved') return `${look.starved}; ${sizes === 'nothing' ? 'its sizes do not change' : sizes}`
  return isWritten || HAND.includes(verdict) ? sizes : withoutVerdict(leave?.why ?? '')
}

/** What all pods of an agent request. */
function costOfAgent({ agent, proposal, nodeCount }: AgentLook, of: 'today' | 'after'): Cost {
  const total = (resource: 'cpu' | 'memory') =>
    of === 'today'
      ? nodeCount * podAmount(agent, resource, () => undefined)
      : proposal.parts.reduce((all, { nodes, sizes }) => all + nodes * podAmount(agent, resource, (at) => sizes[at]), 0)
  return { cores: total('cpu') / 1000, gib: total('memory') / 1024 }
}

function changeOf({ look: { proposal } }: Seen): number {
  return Math.abs(proposal.today - proposal.after)
}

function agentName({ target: { metadata } }: Agent): string {
  return `${metadata.namespace ?? 'default'}/${metadata.name}`
}

function fromTo(before: Cost, after: Cost): string {
  return `${decimal(before.cores)} -> ${decimal(after.cores)} cores, ${decimal(before.gib)} -> ${decimal(after.gib)} GiB`
}

function decimal(amount: number): string {
  const tenths = Math.round(amount * 10)
  return tenths >= 1000 || tenths % 10 === 0 ? String(Math.round(amount)) : (tenths / 10).toFixed(1)
}

function coresOf(cpu: Quantity | undefined): number {
  return cpu === undefined ? 0 : Number(cpu.milliValue()) / 1000
}

function gibOf(memory: Quantity | undefined): number {
  return memory === undefined ? 0 : Number(memory.value()) / 2 ** 30
}

/** The nodes with the label that the classes need, as they are once a person has set it. */
export function labelledNodes(nodes: readonly Item[], look: FirstLook): Item[] {
  const names = classNames(nodes, look)
  return nodes.map((item, at) => {
    const { metadata } = item.object
    const labels = { ...metadata.labels, [SIZE_LABEL]: names[at] ?? '' }
    return { ...item, object: { ...item.object, metadata: { ...metadata, labels } } }
  })
}

function classNames(nodes: readonly Item[], { carrier, day, indexOf }: FirstLook): string[] {
  const classes = classesOfLook({ cuts: day.cuts, carrier })
  return nodes.map(({ object }) => {
    const step = carrier.axis.steps[indexOf.get(object.metadata.name) ?? -1] ?? 0
    return classes.find(({ from, to }) => step >= from && step < to)?.name ?? ''
  })
}

/** What to do on the nodes before the first render: a command for each class, and the flag for later nodes. */
export function labelWords(nodes: readonly Item[], look: FirstLook): string[] {
  const names = classNames(nodes, look)
  const commands = classesOfLook({ cuts: look.day.cuts, carrier: look.carrier }).flatMap(({ name }) => {
    const own = nodes.filter((_, at) => names[at] === name).map(({ object }) => object.metadata.name)
    return own.length === 0 ? [] : [`before: kubectl label nodes ${own.join(' ')} ${SIZE_LABEL}=${name}`]
  })
  return [
    ...commands,
    `for each later node: --node-labels=${SIZE_LABEL}=NAME of its kubelet, and nodefit inventory again`,
  ]
}
