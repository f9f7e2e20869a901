import type { AgentJson, AmountJson, ContainerJson, GroupJson, ResourceJson } from '../fleet-types.ts'
import { axisHtml, type BarScale, barSvg, figure, Html, html, NEWLINE, nameHtml, nounOf, type Part } from './html.ts'

/** Returns the node groups of an agent as a table: what each requests, against what its nodes can give. */
export function groupsTable(agent: Part<AgentJson>, scale: BarScale): Html {
  const groups = agent.all('groups')
  if (groups.length === 0) return html`<p>It has no node group.</p>`
  const isSeveral = groups.some(({ value }) => value.containers.length > 1)
  const rows = groups.flatMap((group) => {
    const containers = group.all('containers')
    if (containers.length === 0) return [html`<tr data-base=${group.path}><th scope=row>${groupCell(group)}<td><td>`]
    return containers.map((container, index) =>
      rowHtml({ group, container, isFirst: index === 0, isNamed: isSeveral, scale }),
    )
  })
  return html`<table class=groups><thead><tr><th scope=col>Group<th scope=col>CPU ${axisHtml(scale)}<th scope=col>Memory ${axisHtml(scale)}</thead><tbody>
${rows.flatMap((row) => [row, NEWLINE])}</table>`
}

interface Row {
  readonly group: Part<GroupJson>
  readonly container: Part<ContainerJson>
  readonly isFirst: boolean
  readonly isNamed: boolean
  readonly scale: BarScale
}

function rowHtml({ group, container, isFirst, isNamed, scale }: Row): Html {
  const base = group.path
  const head = isFirst ? groupCell(group) : html`<span class=vh>${group.value.name}</span>`
  const name = isNamed ? html`<div class=n>container ${nameHtml(container.value.name)}</div>` : undefined
  const cells = (['cpu', 'memory'] as const).map(
    (resource) => html`<td>${resourceCell(container.at(resource), base, scale)}`,
  )
  return html`<tr data-base=${base}><th scope=row>${head}${name}${cells}`
}

/** The name of a group, what becomes of it, its nodes and what they can give. */
function groupCell(group: Part<GroupJson>): Html {
  const { name, allocatable } = group.value
  const base = group.path
  const room = group.at('allocatable')
  const largest = group.at('largest')
  const amount = (resource: 'cpu' | 'memory') => {
    const most = largest?.at(resource)
    return html`${figure(room?.at(resource), base)}${most === undefined ? undefined : html` to ${figure(most, base)}`}`
  }
  return html`<b>${nameHtml(name)}</b><div class=n>${changeHtml(group)}</div>${nodesHtml(group)}${
    allocatable === undefined ? undefined : html`<div class=n>of ${amount('cpu')} CPU, ${amount('memory')}</div>`
  }`
}

function nodesHtml(group: Part<GroupJson>): Html {
  const { names, nodes } = group.value
  if (nodes === undefined) return new Html('')
  const count = html`${figure(group.at('nodes'), group.path)} ${nounOf(nodes, 'node')}`
  if (names.length === 0) return html`<div class=n>${count}</div>`
  const more = nodes > names.length ? ` and ${nodes - names.length} more` : ''
  return html`<details class=n><summary>${count}</summary><bdi>${names.join(', ')}</bdi>${more}</details>`
}

function resourceCell(part: Part<ResourceJson> | undefined, base: string, scale: BarScale): Html {
  const request = part?.at('request')
  const limit = part?.at('limit')
  if (part === undefined || request === undefined || limit === undefined) return new Html('')
  const used = part.at('used')
  const bar = {
    request: request.value.percent,
    limit: limit.value.percent,
    template: request.value.templatePercent,
    used: part.value.usedPercent,
  }
  return html`<b>${amountHtml(request, base)}</b>${share(request.at('percent'), base)}<div class=n>limit ${amountHtml(limit, base)}${share(limit.at('percent'), base)}</div>${
    request.value.template === undefined
      ? undefined
      : html`<div class=n>template ${figure(request.at('template'), base)}${share(request.at('templatePercent'), base)}</div>`
  }${
    used === undefined
      ? undefined
      : html`<div class=n>used ${figure(used, base)}${share(part.at('usedPercent'), base)}</div>`
  }${barSvg(bar, scale)}`
}

function share(percent: Part<number> | undefined, base: string): Html {
  return percent === undefined ? new Html('') : html` <span class=s>${figure(percent, base)} %</span>`
}

/** Formats an amount, and what it was where it changes. */
function amountHtml(amount: Part<AmountJson>, base: string): Html {
  const { value } = amount
  const after = value.after === null ? html`none` : figure(amount.at('after'), base)
  if (value.before === undefined) return after
  const before = value.before === null ? html`none` : figure(amount.at('before'), base)
  return html`${before} <span aria-hidden=true>→</span><span class=vh>to</span> ${after}`
}

const COUNTS = [
  ['podsRestarted', 'restarted'],
  ['nodesMoved', 'moved here'],
  ['nodesWithoutAgent', 'without an agent for a while'],
] as const

function changeHtml(group: Part<GroupJson>): Html {
  const counts = COUNTS.flatMap(([key, words]) => {
    const count = group.at(key)
    return count === undefined || count.value === 0 ? [] : [html`, ${figure(count, group.path)} ${words}`]
  })
  return html`${group.value.change}${counts}`
}

/** A column of figures: its heading, and their path from a container. */
interface Column {
  readonly heading: string
  readonly path: string
  readonly value: (group: GroupJson, container: ContainerJson) => string | number | null | undefined
}

const RESOURCES = [
  ['cpu', 'CPU'],
  ['memory', 'Memory'],
] as const

const COLUMNS: readonly Column[] = [{ heading: 'Nodes', path: '../../nodes', value: ({ nodes }) => nodes }]

const FIGURES = [
  ['before', 'request/before'],
  ['request', 'request/after'],
  ['%', 'request/percent'],
  ['limit', 'limit/after'],
  ['%', 'limit/percent'],
] as const

function columnsOf(resource: 'cpu' | 'memory', heading: string): Column[] {
  return FIGURES.map(([words, path]) => {
    const [amount, key] = path.split('/') as ['request' | 'limit', 'before' | 'after' | 'percent']
    return {
      heading: `${heading} ${words}`,
      path: `${resource}/${path}`,
      value: (_group, container) => container[resource][amount][key],
    }
  })
}

/**
 * Returns the node groups of an agent with many of them: a line each. The path of a figure is that of its table, its
 * row and its column.
 */
export function longGroupsTable(agent: Part<AgentJson>, scale: BarScale): Html {
  const parts = RESOURCES.map(([resource, heading]) => ({ resource, heading, columns: columnsOf(resource, heading) }))
  const head = (column: Column) => html`<th scope=col data-column=${column.path}>${column.heading}`
  const heads = parts.flatMap(({ heading, columns }) => [...columns.map(head), html`<th scope=col>${heading} share`])
  const rows = agent.value.groups.flatMap((group, at) =>
    group.containers.flatMap((container, index) => {
      const cell = ({ value }: Column) => html`<td>${value(group, container) ?? undefined}`
      const cells = parts.flatMap(({ resource, columns }) => [
        ...columns.map(cell),
        html`<td>${barOf(container[resource], scale)}`,
      ])
      const name = group.containers.length > 1 ? `${group.name} ${container.name}` : group.name
      return [html`<tr data-row=${`${at}/containers/${index}`}><th>${name}${COLUMNS.map(cell)}${cells}`, NEWLINE]
    }),
  )
  return html`<div class=scroll tabindex=0 role=region aria-label="Groups of ${agent.value.name}, table ${agent.path}"><table class=many data-rows=${agent.path}/groups><thead><tr><th scope=col>Group${COLUMNS.map(head)}${heads}</thead><tbody>
${rows}</table></div>`
}

function barOf({ request, limit }: ContainerJson['cpu'], scale: BarScale): Html {
  return barSvg({ request: request.percent, limit: limit.percent, template: request.templatePercent }, scale)
}
