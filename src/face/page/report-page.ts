import type {
  AgentJson,
  BeforeAfter,
  ChangesJson,
  CostJson,
  FindingJson,
  FleetJson,
  OverviewJson,
  PackageJson,
} from '../fleet-types.ts'
import { groupsTable, longGroupsTable } from './groups.ts'
import { type BarScale, barScale, barSvg, figure, type Html, html, NEWLINE, nameHtml, nounOf, Part } from './html.ts'
import { fullestHtml, nodesTable, ticketsTable } from './nodes.ts'
import { pageHtml } from './page.ts'

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

/** How many objects, and how many fields of one, a page lists. */
const [MOST_OBJECTS, MOST_FIELDS] = [30, 8]

const COUNTS = ['added', 'changed', 'removed', 'released', 'unchanged'] as const

/** Returns what becomes of the objects of an agent since the earlier output. */
function changesHtml(part: Part<ChangesJson>): Html {
  const counts = COUNTS.flatMap((key) => (part.value[key] === 0 ? [] : [html`<li>${figure(part.at(key))} ${key}`]))
  if (counts.length === 0) return html``
  const { objects } = part.value
  const shown = objects.slice(0, MOST_OBJECTS)
  const more = objects.length - shown.length
  const items = shown.map(({ object, change, fields }) => {
    const listed = fields.slice(0, MOST_FIELDS).join(', ')
    const rest = fields.length > MOST_FIELDS ? ` and ${fields.length - MOST_FIELDS} more` : ''
    return html`<li>${change}: ${nameHtml(object)}${fields.length === 0 ? undefined : html` <span class=n><bdi>${listed}</bdi>${rest}</span>`}`
  })
  return html`<h3>Objects since the earlier output</h3><ul class=key>${counts}</ul>${
    shown.length === 0
      ? undefined
      : html`<details><summary>Which</summary><ul>${items}${more === 0 ? undefined : html`<li>and ${more} more: nodefit diff shows all.`}</ul></details>`
  }`
}

/** How many findings of one code are open; others are behind a summary. */
const MOST_OPEN = 3
/** How many of one code a page holds. */
const MOST_SHOWN = 20

/** Returns the findings of a run with what to do about each, those of one code together. */
export function findingsHtml(findings: readonly FindingJson[]): Html {
  if (findings.length === 0) return html`<p>There are none.</p>`
  const byCode = new Map<string, FindingJson[]>()
  for (const one of findings) {
    const key = `${one.severity} ${one.code}`
    byCode.set(key, [...(byCode.get(key) ?? []), one])
  }
  return html`${[...byCode.values()].map(codeHtml)}`
}

function codeHtml(alike: readonly FindingJson[]): Html {
  const [open, folded] = [alike.slice(0, MOST_OPEN), alike.slice(MOST_OPEN, MOST_SHOWN)]
  const beyond = alike.length - open.length - folded.length
  const more =
    folded.length === 0
      ? undefined
      : html`<details><summary>${folded.length + beyond} more of ${alike[0]?.code}</summary>${folded.map(findingHtml)}${
          beyond === 0 ? undefined : html`<p>and ${beyond} more: nodefit vet lists all.</p>`
        }</details>`
  return html`${open.map(findingHtml)}${more}`
}

function findingHtml({ severity, code, subject, sentence, mend, lines }: FindingJson): Html {
  return html`<div class="f ${severity}"><b>${severity}: ${code}</b>${subject === undefined ? undefined : html` <span class=n><bdi>${subject}</bdi></span>`}<p dir=auto>${sentence}${
    mend === undefined ? undefined : html`<p dir=auto>${mend}`
  }${lines === undefined || lines.length === 0 ? undefined : html`<pre tabindex=0>${lines.flatMap((line) => [line, NEWLINE])}</pre>`}</div>
`
}

/** A table of what a run does in each package of several. */
function overviewSection(root: Part<FleetJson>): Html {
  const rows = root.all('overview')
  return html`<section id=overview aria-labelledby=overview-title><h2 id=overview-title>Clusters and packages</h2>
<div class=scroll tabindex=0 role=region aria-label="Table of clusters and packages"><table><thead><tr><th scope=col>Cluster<th scope=col>Package<th scope=col>Policy<th scope=col>Groups<th scope=col>That change<th scope=col>Nodes<th scope=col>CPU request<th scope=col>Memory request<th scope=col>Pods that restart<th scope=col>Nodes that move<th scope=col>Nodes that lose their agent<th scope=col>Cores<th scope=col>GiB</thead><tbody>
${rows.map(rowHtml)}</tbody></table></div></section>
`
}

function rowHtml(row: Part<OverviewJson>): Html {
  const { cluster, path, subject, errors } = row.value
  const head = html`<tr><th scope=row>${cluster === undefined ? undefined : nameHtml(cluster)}<td>${nameHtml(path)}`
  if (errors.length > 0) return html`${head}<td colspan=11><b>${errors.join(', ')}</b>`
  const count = (key: 'groups' | 'changed' | 'nodes' | 'podsRestarted' | 'nodesMoved' | 'nodesWithoutAgent'): Html =>
    html`<td>${figure(row.at(key))}`
  const totals = row.at('totals')
  return html`${head}<td>${subject === undefined ? undefined : nameHtml(subject)}${count('groups')}${count('changed')}${count('nodes')}<td>${rangeHtml(row.at('cpu'))}<td>${rangeHtml(row.at('memory'))}${count('podsRestarted')}${count('nodesMoved')}${count('nodesWithoutAgent')}<td>${changed(totals, 'cores')}<td>${changed(totals, 'gib')}`
}

function rangeHtml(range: Part<{ readonly before?: string; readonly after: string }> | undefined): Html | undefined {
  if (range === undefined) return undefined
  const { before, after } = range.value
  const now = figure(range.at('after'))
  if (before === undefined || before === after) return now
  return html`${figure(range.at('before'))} <span aria-hidden=true>→</span><span class=vh>to</span> ${now}`
}

/** Formats a figure, and what it was where it changes. */
function changed<Key extends string, One extends Readonly<Partial<Record<Key, string | number>>>>(
  pair: Part<BeforeAfter<One>> | undefined,
  key: Key,
): Html {
  const [before, after] = [pair?.at('before'), pair?.at('after')] as ReadonlyArray<Part<One> | undefined>
  const now = figure(after?.at(key) as Part<string | number> | undefined)
  if (before === undefined || before.value[key] === after?.value[key]) return now
  return html`${figure(before.at(key) as Part<string | number> | undefined)} <span aria-hidden=true>→</span><span class=vh>to</span> ${now}`
}

/** The same of a text that has no members. */
function changedText(pair: Part<BeforeAfter<string>> | undefined): Html {
  const [before, after] = [pair?.at('before'), pair?.at('after')]
  if (before === undefined || before.value === after?.value) return figure(after)
  return html`${figure(before)} <span aria-hidden=true>→</span><span class=vh>to</span> ${figure(after)}`
}

/** A cost for a month, for a card. */
function monthHtml(cost: Part<CostJson>): Html {
  return changedText(cost.at('month'))
}

/** Says what agents cost, and on which nodes that is known. */
function costHtml(cost: Part<CostJson>): Html {
  return html`<p>They cost ${changedText(cost.at('hour'))} an hour, ${changedText(cost.at('month'))} a month, on the nodes with a price, ${figure(cost.at('pricedNodes'))} of ${figure(cost.at('nodes'))}.</p>`
}

/** The rule by which agents are charged. */
const COST_RULE: Html = html`<p>Prices are those of the list that was given, in its currency; a month has 730 hours. Of the price of its node a pod is charged half for its share of the allocatable cpu, and half for its share of the allocatable memory, by what it requests.</p>`
