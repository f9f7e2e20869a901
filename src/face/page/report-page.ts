import type { AgentJson, FleetJson, PackageJson } from '../fleet-types.ts'
import { changesHtml } from './changes.ts'
import { COST_RULE, changed, costHtml, monthHtml } from './cost.ts'
import { findingsHtml } from './findings.ts'
import { groupsTable } from './groups.ts'
import { figure, type Html, html, nameHtml, nounOf } from './html.ts'
import { longGroupsTable } from './long-groups.ts'
import { fullestHtml, nodesTable, ticketsTable } from './nodes.ts'
import { overviewSection } from './overview.ts'
import { pageHtml } from './page.ts'
import { Part } from './part.ts'
import { type BarScale, barScale, barSvg } from './scale.ts'

/**
 * Returns a page about a fleet. `path` is the JSON pointer of the fleet in the document that its figures are found in
 * by their paths.
 */
export function reportPage(fleet: FleetJson, path: string): string {
  const root = new Part(fleet, path)
  const packages = root.all('packages')
  const agents = packages.flatMap((one) => one.all('agents').map((agent) => ({ agent, path: one.value.path })))
  const tickets = packages.flatMap((one) => one.all('tickets'))
  const isSeveral =
    fleet.overview.some(({ errors }) => errors.length === 0) &&
    new Set(fleet.overview.map(({ path: of }) => of)).size > 1
  const isEmpty = packages.every(({ value }) => value.nodes.length === 0)
  const scale = barScale(agents.flatMap(({ agent }) => percentsOf(agent.value)))
  const names = fleet.clusters.map(({ name }) => name).filter((name) => name !== '')
  const sections = agents.map(({ agent, path: of }, index) => agentSection(agent, { index, of, scale }))
  return pageHtml({
    title: names.length === 0 ? 'nodefit report' : `nodefit report: ${names.join(', ')}`,
    lead: fleet.failed ? html`<p><b>This render has errors: nothing of it would be applied.</b></p>` : cardsHtml(root),
    command: 'nodefit explain --json',
    links: [
      ...(isSeveral ? [{ id: 'overview', text: 'Clusters and packages' }] : []),
      ...agents.map(({ agent }, index) => ({ id: `agent-${index}`, text: agent.value.name })),
      ...(isEmpty ? [] : [{ id: 'nodes', text: 'Nodes' }]),
      ...(tickets.length === 0 ? [] : [{ id: 'tickets', text: 'Tickets' }]),
      { id: 'findings', text: 'Findings' },
    ],
    sections: [
      ...(isSeveral ? [overviewSection(root)] : []),
      ...(agents.length === 0 ? [] : [keyHtml(scale)]),
      ...(fleet.cost === undefined ? [] : [COST_RULE]),
      ...sections,
      ...(isEmpty ? [] : [nodesSection(packages)]),
      ...(tickets.length === 0
        ? []
        : [
            html`<section id=tickets aria-labelledby=tickets-title><h2 id=tickets-title>Tickets per node</h2>${ticketsTable(tickets)}</section>`,
          ]),
      html`<section id=findings aria-labelledby=findings-title><h2 id=findings-title>Findings</h2>${findingsHtml(fleet.findings)}</section>`,
    ],
  })
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
  const clusters = root.all('clusters')
  const cost = root.at('cost')
  const fullest = root.all('packages').flatMap((one) => one.at('fullest') ?? [])
  const cards = [
    ...clusters.map(
      (cluster) =>
        html`<li><b>${figure(cluster.at('nodes'))}</b>${nounOf(cluster.value.nodes, 'node')}${
          cluster.value.name === '' ? undefined : html` of ${nameHtml(cluster.value.name)}`
        }${cluster.value.observedAt === undefined ? undefined : html`<div class=n>as of ${cluster.value.observedAt}</div>`}`,
    ),
    ...(totals === undefined
      ? []
      : [
          html`<li><b>${changed(totals, 'cores')}</b>cores that all agents request`,
          html`<li><b>${changed(totals, 'gib')}</b>GiB that all agents request`,
          html`<li><b>${changed(totals, 'pods')}</b>pods of agents`,
        ]),
    ...fullest.map((one) => html`<li><b>${figure(one.at('percent'))} %</b>requested on the fullest node`),
    ...(cost === undefined ? [] : [html`<li><b>${monthHtml(cost)}</b>a month, of the prices of the nodes`]),
  ]
  return cards.length === 0 ? html`<p>Nothing is rendered for nodes.</p>` : html`<ul class=cards>${cards}</ul>`
}

function keyHtml({ most }: BarScale): Html {
  const whole = { most: 1, ticks: [], place: (percent: number) => percent }
  const sample = (bar: Parameters<typeof barSvg>[0]) => barSvg(bar, whole)
  return html`<p>A bar shows an amount as a share of what the smallest node of the group can give (its allocatable amount); all bars of the page have one scale, up to ${most} %.</p>
<ul class=key><li>${sample({ request: 70 })}request<li>${sample({ limit: 90 })}limit<li>${sample({ template: 50 })}the template’s own request<li>${sample({ used: 50 })}used, 95th percentile</ul>`
}

/** More groups are a line each, and a browser draws them only where they are looked at. */
const LONG = 60

function agentSection(
  agent: Part<AgentJson>,
  { index, of, scale }: { readonly index: number; readonly of: string; readonly scale: BarScale },
): Html {
  const { kind, namespace, name, left, groups } = agent.value
  const totals = agent.at('totals')
  const cost = agent.at('cost')
  const changes = agent.at('changes')
  const id = `agent-${index}`
  const sums =
    totals === undefined
      ? undefined
      : html`<p>Its ${changed(totals, 'pods')} ${nounOf(totals.value.after.pods, 'pod')} ${totals.value.after.pods === 1 ? 'requests' : 'request'} ${changed(totals, 'cores')} cores and ${changed(totals, 'gib')} GiB.</p>`
  return html`<section id=${id} class=${groups.length > LONG ? 'long' : 'short'}><h2>${nameHtml(name)} <span class=n>${kind}${
    namespace === undefined ? undefined : html` in <bdi>${namespace}</bdi>`
  }${of === '' ? undefined : html`, package <bdi>${of}</bdi>`}</span></h2>${sums}${cost === undefined ? undefined : costHtml(cost)}${groups.length > LONG ? longGroupsTable(agent, scale) : groupsTable(agent, scale)}${left.length === 0 ? undefined : leftHtml(agent)}${changes === undefined ? undefined : changesHtml(changes)}</section>
`
}

function nodesSection(packages: ReadonlyArray<Part<PackageJson>>): Html {
  const tables = packages.filter(({ value }) => value.nodes.length > 0)
  const parts = tables.flatMap((one) => {
    const fullest = one.at('fullest')
    return [...(fullest === undefined ? [] : [fullestHtml(fullest)]), nodesTable(one)]
  })
  return html`<section id=nodes class=long aria-labelledby=nodes-title><h2 id=nodes-title>Nodes and agents</h2><p>What the pod of each agent requests, cpu and memory, on nodes of each type.</p>${parts}</section>
`
}

/** How many names of nodes are open. */
const MOST_NAMES = 20

function leftHtml(agent: Part<AgentJson>): Html {
  const items = agent.all('left').map((one) => {
    const { words, reason, names } = one.value
    const count = html`${figure(one.at('nodes'))} ${nounOf(one.value.nodes, 'node')} ${words}: ${reason}`
    if (names.length === 0) return html`<li>${count}`
    if (names.length <= MOST_NAMES) return html`<li>${count}: <bdi>${names.join(', ')}</bdi>`
    return html`<li><details><summary>${count}</summary><bdi>${names.join(', ')}</bdi></details>`
  })
  return html`<h3>Nodes beside the groups</h3><ul>${items}</ul>`
}
