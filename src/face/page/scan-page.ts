import type { ScanJson } from '../scan/scan-lines.ts'
import { amountText, readUnits } from '../scan/types.ts'
import {
  axisHtml,
  type BarScale,
  barScale,
  barSvg,
  figure,
  type Html,
  html,
  NEWLINE,
  nameHtml,
  nounOf,
  Part,
} from './html.ts'
import { pageHtml } from './page.ts'

type Row = ScanJson['daemonSets'][number]

/**
 * Returns a page about the DaemonSets of a cluster. Its figures are those of `nodefit scan --output json`, found there
 * by their paths. `summary` is the sentence about all of them.
 */
export function scanPage(scan: ScanJson, summary: string): string {
  const rows = new Part(scan, '').all('daemonSets')
  const scale = barScale(scan.daemonSets.flatMap((row) => shares(row)))
  const verdicts = ['starved', 'raise', 'uneven', 'lower', 'unset', 'not measured', 'fine', 'leave it'] as const
  const cards = verdicts.flatMap((verdict) => {
    const count = rows.filter(({ value }) => value.verdict === verdict).length
    return count === 0 ? [] : [html`<li><b>${count}</b>${verdict}`]
  })
  return pageHtml({
    title: 'nodefit scan',
    lead:
      rows.length === 0 ? html`<p>There are no DaemonSets.</p>` : html`<ul class=cards>${cards}</ul><p>${summary}.</p>`,
    links: [],
    sections: rows.length === 0 ? [] : [tableHtml(rows, scale)],
    command: 'nodefit scan --output json',
  })
}

function shares({ smallestNode, largestNode }: Row): number[] {
  return [smallestNode, largestNode].flatMap((node) =>
    node === undefined ? [] : [node.percent.cpu, node.percent.memory],
  )
}

function tableHtml(rows: ReadonlyArray<Part<Row>>, scale: BarScale): Html {
  return html`<section class=short aria-labelledby=daemonsets><h2 id=daemonsets>DaemonSets</h2><p>A bar shows what a pod requests as a share of what the smallest and the largest of its nodes can give, up to ${scale.most} %.</p>
<table class=groups><thead><tr><th scope=col>DaemonSet<th scope=col>CPU ${axisHtml(scale)}<th scope=col>Memory ${axisHtml(scale)}</thead><tbody>
${rows.flatMap((row) => [rowHtml(row, scale), NEWLINE])}</table></section>`
}

function rowHtml(row: Part<Row>, scale: BarScale): Html {
  const base = row.path
  const { namespace, name, owner, nodes, verdict, why } = row.value
  const cells = (['cpu', 'memory'] as const).map((resource) => html`<td>${resourceHtml(row, resource, scale)}`)
  return html`<tr data-base=${base}><th scope=row><b>${nameHtml(name)}</b> <span class=n>in ${nameHtml(namespace)}</span><div>${verdict}</div><div class=n>${why}</div><div class=n>${figure(row.at('nodes'), base)} ${nounOf(nodes, 'node')}${
    owner === undefined ? undefined : html`; ${nameHtml(owner)}`
  }</div>${cells}`
}

/** Memory in bare bytes, as of a request of 150M, is shown as in the terminal. */
function shownAmount(resource: 'cpu' | 'memory', value: string | number): string | number {
  const amount = resource === 'memory' && /^[1-9][0-9]*$/.test(String(value)) ? readUnits(resource, value) : undefined
  return amount === undefined ? value : amountText(resource, amount)
}

function resourceHtml(row: Part<Row>, resource: 'cpu' | 'memory', scale: BarScale): Html {
  const base = row.path
  const amount = (key: 'request' | 'total' | 'used' | 'unused' | 'first') => {
    const part = row.at(key)
    return part === undefined ? undefined : figure(part.at(resource), base, (value) => shownAmount(resource, value))
  }
  const line = (words: string, key: 'total' | 'used' | 'unused' | 'first') => {
    const text = amount(key)
    return text === undefined ? undefined : html`<div class=n>${words} ${text}</div>`
  }
  const share = (key: 'smallestNode' | 'largestNode', words: string) => {
    const percent = row.at(key)?.at('percent')?.at(resource)
    return percent === undefined
      ? undefined
      : html`<div class=n>${figure(percent, base)} % of the ${words} node</div>${barSvg({ request: percent.value }, scale)}`
  }
  return html`<b>${amount('request')}</b>${line('all pods', 'total')}${line('used now, p95', 'used')}${line('not used now', 'unused')}${line('by the first policy of nodefit init', 'first')}${share('smallestNode', 'smallest')}${share('largestNode', 'largest')}`
}
