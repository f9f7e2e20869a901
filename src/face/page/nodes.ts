import type { FullestJson, NodeRowJson, PackageJson, RequestedJson, TicketsJson } from '../fleet-types.ts'
import { figure, type Html, html, NEWLINE, nameHtml, nounOf, type Part } from './html.ts'

/** Returns the nodes of a package with the agents on each, those of one type with the same agents in one row. */
export function nodesTable(one: Part<PackageJson>): Html {
  const rows = one.all('nodes')
  if (rows.length === 0) return html`<p>There are no nodes.</p>`
  const agents = one.value.agents.flatMap(({ name, totals }, index) => (totals === undefined ? [] : [{ name, index }]))
  const title = `Table of nodes and agents${one.value.path === '' ? '' : ` of ${one.value.path}`}`
  const heads = agents.map(({ name }) => html`<th scope=col>${nameHtml(name)}`)
  return html`<div class=scroll tabindex=0 role=region aria-label="${title}"><table><thead><tr><th scope=col>Nodes<th scope=col>All agents of a node${heads}</thead><tbody>
${rows.flatMap((row) => [rowHtml(row, agents), NEWLINE])}</table></div>`
}

function rowHtml(row: Part<NodeRowJson>, agents: ReadonlyArray<{ readonly index: number }>): Html {
  const base = row.path
  const room = row.at('allocatable')
  const served = row.all('agents')
  const cells = agents.map(({ index }) => {
    const own = served.filter(({ value }) => value.agent === index)
    if (own.length === 0) return html`<td><span class=n>none</span>`
    return html`<td>${own.map((one, at) => html`${at === 0 ? '' : '; '}${figure(one.at('cpu'), base)}, ${figure(one.at('memory'), base)}`)}`
  })
  return html`<tr data-base=${base}><th scope=row><b>${nameHtml(row.value.type ?? 'without a type')}</b>${namesHtml(row, base)}${
    room === undefined
      ? undefined
      : html`<div class=n>of ${figure(room.at('cpu'), base)} CPU, ${figure(room.at('memory'), base)}</div>`
  }<td>${requestedHtml(row.at('requested'), base)}${cells}`
}

/** The names of nodes, behind their number. */
export function namesHtml(part: Part<Pick<NodeRowJson, 'nodes' | 'names'>>, base?: string): Html {
  const { nodes, names } = part.value
  const count = html`${figure(part.at('nodes'), base)} ${nounOf(nodes, 'node')}`
  if (names.length === 0) return html`<div class=n>${count}</div>`
  return html`<details class=n><summary>${count}</summary><bdi>${names.join(', ')}</bdi></details>`
}

function requestedHtml(part: Part<RequestedJson> | undefined, base?: string): Html {
  const percent = (key: 'cpuPercent' | 'memoryPercent') => {
    const share = part?.at(key)
    return share === undefined ? undefined : html` <span class=s>${figure(share, base)} %</span>`
  }
  return html`<div>${figure(part?.at('cpu'), base)}${percent('cpuPercent')}</div><div>${figure(part?.at('memory'), base)}${percent('memoryPercent')}</div>`
}

/** Says how much room the fullest node has. */
export function fullestHtml(part: Part<FullestJson>): Html {
  const { name, type, countsOthers } = part.value
  const free = part.at('free')
  const who = countsOthers ? 'agents and other pods' : 'agents'
  const beside = countsOthers
    ? undefined
    : html` Other pods are not counted: a WorkloadSnapshot of the cluster shows them.`
  return html`<p>The fullest node${name === undefined ? undefined : html`, ${nameHtml(name)}`}${
    type === undefined ? undefined : html` (${nameHtml(type)})`
  }: ${figure(part.at('percent'))} % of its cpu or memory, whichever is more, is requested by ${who}; ${figure(free?.at('cpu'))} CPU and ${figure(free?.at('memory'))} are left.${beside}</p>`
}

/** Returns how many Tickets nodes have. */
export function ticketsTable(rows: ReadonlyArray<Part<TicketsJson>>): Html {
  const lines = rows.map((row) => html`<tr><td>${figure(row.at('tickets'))}<td>${namesHtml(row)}`)
  return html`<table class=few><thead><tr><th scope=col>Tickets on a node<th scope=col>Nodes</thead><tbody>${lines}</table>`
}
