import type { FleetJson, OverviewJson } from '../fleet-types.ts'
import { changed } from './cost.ts'
import { figure, type Html, html, nameHtml } from './html.ts'
import type { Part } from './part.ts'

/** A table of what a run does in each package of several. */
export function overviewSection(root: Part<FleetJson>): Html {
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
