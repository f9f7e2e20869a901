import type {
  AgentJson,
  AmountJson,
  BeforeAfter,
  ContainerJson,
  FleetJson,
  GroupJson,
  TotalJson,
} from '../../src/face/fleet-types.ts'
import {
  axisHtml,
  type BarScale,
  barScale,
  barSvg,
  figure,
  type Html,
  html,
  nameHtml,
  Part,
} from '../../src/face/page/html.ts'
import { findingsHtml } from '../../src/face/page/report-page.ts'

/** What the page shows of a fleet, each as HTML. */
export interface Views {
  readonly cards: string
  /** Each agent with its node groups as bars; empty where nothing is rendered. */
  readonly groups: string
  readonly findings: string
}

export const NO_VIEWS: Views = { cards: '', groups: '', findings: '' }

/** More groups than these are folded. */
const MOST_GROUPS = 200

/** Returns the views of a fleet; figures name their paths in what `nodefit explain --json` prints of it. */
export function viewsOf(fleet: FleetJson): Views {
  const root = new Part(fleet, '')
  const agents = root.all('packages').flatMap((one) => one.all('agents'))
  const scale = barScale(agents.flatMap(({ value }) => percentsOf(value)))
  return {
    cards: cardsHtml(root).text,
    groups: html`${agents.map((agent) => agentHtml(agent, scale))}`.text,
    findings: findingsHtml(fleet.findings).text,
  }
}

function percentsOf({ groups }: AgentJson): number[] {
  return groups.flatMap(({ containers }) =>
    containers.flatMap(({ cpu, memory }) =>
      [cpu, memory].flatMap(({ request, limit, usedPercent }) =>
        [request.percent, request.templatePercent, limit.percent, usedPercent].flatMap((one) => one ?? []),
      ),
    ),
  )
}

function cardsHtml(root: Part<FleetJson>): Html {
  const totals = root.at('totals')
  const agents = root.all('packages').flatMap((one) => one.all('agents'))
  const groups = agents.reduce((sum, { value }) => sum + value.groups.length, 0)
  const nodes = root.value.clusters.reduce((sum, cluster) => sum + cluster.nodes, 0)
  const fullest = root.all('packages').flatMap((one) => one.at('fullest') ?? [])
  const cards = [
    html`<li><b>${nodes}</b>node${nodes === 1 ? '' : 's'}`,
    html`<li><b>${groups}</b>node group${groups === 1 ? '' : 's'}`,
    ...(totals === undefined
      ? []
      : [
          html`<li><b>${changed(totals, 'cores')}</b>cores requested`,
          html`<li><b>${changed(totals, 'gib')}</b>GiB requested`,
        ]),
    ...fullest.map((one) => html`<li><b>${figure(one.at('percent'))} %</b>of the fullest node`),
  ]
  return html`<ul class=cards>${cards}</ul>`
}

const ARROW = html` <span aria-hidden=true>→</span><span class=vh>to</span> `

function changed(totals: Part<BeforeAfter<TotalJson>>, key: 'cores' | 'gib'): Html {
  const [before, after] = [totals.at('before')?.at(key), totals.at('after')?.at(key)]
  return before === undefined || before.value === after?.value
    ? figure(after)
    : html`${figure(before)}${ARROW}${figure(after)}`
}

function agentHtml(agent: Part<AgentJson>, scale: BarScale): Html {
  const { kind, namespace, name, left } = agent.value
  const groups = agent.all('groups')
  const more = groups.length - MOST_GROUPS
  const rows = groups.slice(0, MOST_GROUPS).flatMap((group) => rowsHtml(group, scale))
  const head = html`<thead><tr><th scope=col>DaemonSet<th scope=col>CPU request ${axisHtml(scale)}<th scope=col>Memory request ${axisHtml(scale)}</thead>`
  return html`<section><h3>${nameHtml(name)} <span class=n>${kind}${namespace === undefined ? undefined : html` in ${nameHtml(namespace)}`}</span></h3>${
    groups.length === 0 ? html`<p>It has no node group.` : html`<table class=groups>${head}<tbody>${rows}</table>`
  }${more > 0 ? html`<p>and ${more} more: the YAML has all.` : undefined}${
    left.length === 0
      ? undefined
      : html`<ul class=left>${left.map((one) => html`<li>${one.nodes} node${one.nodes === 1 ? '' : 's'} ${one.words}: ${one.reason}${one.names.length === 0 ? undefined : html`: ${nameHtml(one.names.slice(0, 5).join(', '))}`}`)}</ul>`
  }</section>`
}

function rowsHtml(group: Part<GroupJson>, scale: BarScale): Html[] {
  const containers = group.all('containers')
  if (containers.length === 0) return [html`<tr><th scope=row>${groupCell(group)}<td><td>`]
  return containers.map((container, index) => {
    const name =
      containers.length > 1 ? html`<div class=n>container ${nameHtml(container.value.name)}</div>` : undefined
    const head = index === 0 ? groupCell(group) : html`<span class=vh>${group.value.name}</span>`
    return html`<tr><th scope=row>${head}${name}<td>${resourceCell(container, 'cpu', scale)}<td>${resourceCell(container, 'memory', scale)}`
  })
}

function groupCell(group: Part<GroupJson>): Html {
  const { name, nodes = 0, names, allocatable } = group.value
  const count = html`${figure(group.at('nodes'))} node${nodes === 1 ? '' : 's'}`
  const room =
    allocatable === undefined
      ? undefined
      : html` of ${[allocatable.cpu, allocatable.memory].flatMap((one) => one ?? []).join(', ')}`
  const words = nodes === 0 ? html`<span class=n>for nodes that may come</span>` : undefined
  const listed = html`<details class=n><summary>${count}${room}</summary>${nameHtml(names.join(', '))}${
    nodes > names.length ? ` and ${nodes - names.length} more` : ''
  }</details>`
  return html`<b>${nameHtml(name)}</b><div>${words ?? (names.length === 0 ? html`<span class=n>${count}${room}</span>` : listed)}</div>`
}

function resourceCell(container: Part<ContainerJson>, resource: 'cpu' | 'memory', scale: BarScale): Html {
  const { request, limit, usedPercent, used } = container.value[resource]
  const bar = { request: request.percent, limit: limit.percent, template: request.templatePercent, used: usedPercent }
  const percent = request.percent === undefined ? undefined : html` <span class=s>${request.percent} %</span>`
  const more = [
    limit.after === null ? 'no limit' : `limit ${limit.after}`,
    ...(used === undefined ? [] : [`used ${used}`]),
  ].join(', ')
  return html`<div class=amount><span><b>${amountHtml(request)}</b>${percent}</span><span class=n>${more}</span></div>${barSvg(bar, scale)}`
}

/** A request, and what the template asks for or what was rendered before where that differs. */
function amountHtml({ after, before, template }: AmountJson): Html {
  const was = before === undefined ? template : before
  const now = after ?? 'none'
  return was === undefined || was === null || was === now ? html`${now}` : html`${was}${ARROW}${now}`
}
