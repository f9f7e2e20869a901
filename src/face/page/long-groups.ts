import type { AgentJson, ContainerJson, GroupJson } from '../fleet-types.ts'
import { type Html, html, NEWLINE } from './html.ts'
import type { Part } from './part.ts'
import { type BarScale, barSvg } from './scale.ts'

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
