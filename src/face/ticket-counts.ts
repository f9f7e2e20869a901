import type { PlannedChanges } from '../fate/index.ts'
import type { TicketsJson } from './fleet-types.ts'

/** Returns how many Tickets nodes have, nodes with as many together, the most first. */
export function ticketCounts(planned: readonly PlannedChanges[]): TicketsJson[] {
  const counts = new Map<string, number>()
  for (const { objects } of planned)
    for (const { object, node } of objects)
      if (object.kind === 'Ticket' && node !== undefined) counts.set(node, (counts.get(node) ?? 0) + 1)
  const byCount = new Map<number, string[]>()
  for (const [node, tickets] of counts) {
    const known = byCount.get(tickets)
    if (known === undefined) byCount.set(tickets, [node])
    else known.push(node)
  }
  return [...byCount]
    .sort(([a], [b]) => b - a)
    .map(([tickets, names]) => ({ tickets, nodes: names.length, names: names.sort() }))
}
