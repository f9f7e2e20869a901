import type { AgentJson, BeforeAfter, FleetJson, TotalJson } from '../view/fleet-types.ts'
import { findingsHtml } from './findings.ts'
import { groupsTable } from './groups.ts'
import { figure, type Html, html, nameHtml } from './html.ts'
import { pageHtml } from './page.ts'
import { Part } from './part.ts'
import { type BarScale, barScale, barSvg } from './scale.ts'

/**
 * Returns a page about a fleet. `path` is the JSON pointer of the fleet in the document that its figures are found in
 * by their paths.
 */
export function reportPage(fleet: FleetJson, path: string): string {
  const root = new Part(fleet, path)
  const agents = root.all('packages').flatMap((one) => one.all('agents'))
  const scale = barScale(agents.flatMap((agent) => percentsOf(agent.value)))
  const names = fleet.clusters.map(({ name }) => name).filter((name) => name !== '')
  const sections = agents.map((agent, index) => agentSection(agent, index, scale))
  return pageHtml({
    title: names.length === 0 ? 'nodefit report' : `nodefit report: ${names.join(', ')}`,
    lead: fleet.failed ? html`<p><b>This render has errors: nothing of it would be applied.</b></p>` : cardsHtml(root),
    links: [
      ...agents.map((agent, index) => ({ id: `agent-${index}`, text: agent.value.name })),
      { id: 'findings', text: 'Findings' },
    ],
    sections: [
      ...(agents.length === 0 ? [] : [keyHtml(scale)]),
      ...sections,
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
  const cards = [
    ...clusters.map(
      (cluster) =>
        html`<li><b>${figure(cluster.at('nodes'))}</b>node${cluster.value.nodes === 1 ? '' : 's'}${
          cluster.value.name === '' ? undefined : html` of ${nameHtml(cluster.value.name)}`
        }${cluster.value.observedAt === undefined ? undefined : html`<div class=n>as of ${cluster.value.observedAt}</div>`}`,
    ),
    ...(totals === undefined
      ? []
      : [
          html`<li><b>${changeHtml(totals, 'cores')}</b>cores that all agents request`,
          html`<li><b>${changeHtml(totals, 'gib')}</b>GiB that all agents request`,
          html`<li><b>${changeHtml(totals, 'pods')}</b>pods of agents`,
        ]),
  ]
  return cards.length === 0 ? html`<p>There are no nodes.</p>` : html`<ul class=cards>${cards}</ul>`
}

/** Formats a total, and what it was where it changes. */
function changeHtml(totals: Part<BeforeAfter<TotalJson>>, key: keyof TotalJson): Html {
  const [before, after] = [totals.at('before'), totals.at('after')]
  const now = figure(after?.at(key))
  if (before === undefined || before.value[key] === after?.value[key]) return now
  return html`${figure(before.at(key))} <span aria-hidden=true>→</span><span class=vh>to</span> ${now}`
}

function keyHtml({ most }: BarScale): Html {
  const whole = { most: 1, ticks: [], place: (percent: number) => percent }
  const sample = (bar: Parameters<typeof barSvg>[0]) => barSvg(bar, whole)
  return html`<p>A bar shows an amount as a share of what the smallest node of the group can give (its allocatable amount); all bars of the page have one scale, up to ${most} %.</p>
<ul class=key><li>${sample({ request: 70 })}request<li>${sample({ limit: 90 })}limit<li>${sample({ template: 50 })}the template’s own request<li>${sample({ used: 50 })}used, 95th percentile</ul>`
}

/** A browser draws a section with more groups only where it is looked at. */
const LONG = 60

function agentSection(agent: Part<AgentJson>, index: number, scale: BarScale): Html {
  const { kind, namespace, name, left, groups } = agent.value
  const totals = agent.at('totals')
  const id = `agent-${index}`
  const sums =
    totals === undefined
      ? undefined
      : html`<p>Its ${changeHtml(totals, 'pods')} pods request ${changeHtml(totals, 'cores')} cores and ${changeHtml(totals, 'gib')} GiB.</p>`
  return html`<section id=${id} class=${groups.length > LONG ? 'long' : 'short'} aria-labelledby=${id}-title><h2 id=${id}-title>${nameHtml(name)} <span class=n>${kind}${
    namespace === undefined ? undefined : html` in <bdi>${namespace}</bdi>`
  }</span></h2>${sums}${groupsTable(agent, scale)}${left.length === 0 ? undefined : leftHtml(agent)}</section>
`
}

/** How many names of nodes are open. */
const MOST_NAMES = 20

function leftHtml(agent: Part<AgentJson>): Html {
  const items = agent.all('left').map((one) => {
    const { words, reason, names } = one.value
    const count = html`${figure(one.at('nodes'))} node${one.value.nodes === 1 ? '' : 's'} ${words}: ${reason}`
    if (names.length === 0) return html`<li>${count}`
    if (names.length <= MOST_NAMES) return html`<li>${count}: <bdi>${names.join(', ')}</bdi>`
    return html`<li><details><summary>${count}</summary><bdi>${names.join(', ')}</bdi></details>`
  })
  return html`<h3>Nodes beside the groups</h3><ul>${items}</ul>`
}
