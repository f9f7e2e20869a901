import { indexBy } from '../core/index.ts'
import { mergeNodes, nodeCountOf } from '../facts/inventory/index.ts'
import { listNames, plural } from '../krm/finding/index.ts'
import type { AgentStop } from './change.ts'
import { isLost, mayLose } from './restarts.ts'

/** How long nodes are without an agent in words, for one node and for several, the longest first. */
const LENGTHS = {
  forGood: ['for good', 'for good'],
  untilReady: ['until it is ready', 'until they are ready'],
  laterWave: ['until a later sync wave', 'until a later sync wave'],
  oneStart: ['for one pod start at most', 'for one pod start each at most'],
} as const

/**
 * Returns how many nodes lose their agent and for how long, such as `3 nodes lose their agent: 2 for good, 1 until it
 * is ready`, and apart those where nothing shows one; undefined where none loses it for longer than one pod start.
 */
export function lostAgentsText(stops: readonly AgentStop[]): string | undefined {
  return lossesText(stops, (some) =>
    byLength(some)
      .map(([length, own]) => countText(length, own))
      .join(', '),
  )
}

/**
 * Returns the same in full: a part for each reason, with what stops the pods and the first names of the nodes;
 * undefined where none loses it for longer than one pod start.
 */
export function lostAgentsSentence(stops: readonly AgentStop[]): string | undefined {
  return lossesText(stops, (some) => byLength(some).flatMap(reasonTexts).join('; '))
}

/** Returns the stops that these texts are about: none where no node loses its agent for longer than one pod start. */
export function lossesIn(stops: readonly AgentStop[]): readonly AgentStop[] {
  const shown = stops.filter(({ isShown, length }) => isShown && length in LENGTHS)
  return [...(shown.some(isLost) ? shown : []), ...stops.filter(mayLose)]
}

function reasonTexts([length, all]: readonly [Length, readonly AgentStop[]]): string[] {
  return [...indexBy(all, ({ reason = '' }) => reason)]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([reason, alike]) => {
      const { nodes, nodeCount } = mergeNodes(alike)
      const leftOut = [...new Set(alike.flatMap((stop) => stop.leftOut ?? []))]
      const others = leftOut.length === 0 ? '' : ` in this run, which leaves out ${listNames(leftOut)}`
      const why = [...(reason === '' ? [] : [`, where ${reason}${others}`]), ...causesText(alike)].join('')
      const names = nodes.length === 0 ? '' : `: ${listNames([...nodes].sort(), MOST_NAMES, nodeCount)}`
      return `${countText(length, alike)}${why}${names}`
    })
}

const MOST_NAMES = 3

function lossesText(
  stops: readonly AgentStop[],
  partsText: (stops: readonly AgentStop[]) => string,
): string | undefined {
  const losses = lossesIn(stops)
  const [shown, others] = [true, false].map((is) => losses.filter(({ isShown }) => isShown === is))
  const lose = (all: readonly AgentStop[]) =>
    `${plural(nodeCountOf(all), 'node')} ${nodeCountOf(all) === 1 ? 'loses its' : 'lose their'} agent`
  if (shown === undefined || others === undefined || losses.length === 0) return undefined
  if (shown.length === 0) return `${lose(others)} if one runs there: ${partsText(others)}`
  const more = others.length === 0 ? '' : `; ${nodeCountOf(others)} more if one runs there: ${partsText(others)}`
  return `${lose(shown)}: ${partsText(shown)}${more}`
}

type Length = keyof typeof LENGTHS

function byLength(stops: readonly AgentStop[]): Array<[Length, readonly AgentStop[]]> {
  const known = indexBy(stops, ({ length }) => length)
  return (Object.keys(LENGTHS) as Length[]).flatMap((length) => {
    const own = known.get(length)
    return own === undefined ? [] : [[length, own] as [Length, readonly AgentStop[]]]
  })
}

function countText(length: Length, stops: readonly AgentStop[]): string {
  const count = nodeCountOf(stops)
  return `${count} ${LENGTHS[length][count === 1 ? 0 : 1]}`
}

const CAUSES: Partial<Record<AgentStop['cause'], string>> = {
  adoption: 'by adoption',
  move: 'by a move',
  restart: 'by a restart',
}

/** Formats what stops the pods; nothing for a removal, whose reason says it. */
function causesText(stops: readonly AgentStop[]): string[] {
  const counts = Object.entries(CAUSES).flatMap(([cause, words]) => {
    const count = nodeCountOf(stops.filter((stop) => stop.cause === cause))
    return count === 0 ? [] : [`${count} ${words}`]
  })
  return counts.length === 0 ? [] : [` (${counts.join(', ')})`]
}
