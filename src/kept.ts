import { type Finding, finding, type Subject } from './finding/index.ts'
import { packageOf } from './krm/identity.ts'
import type { Item } from './krm/types.ts'
import type { Rendered } from './rendering.ts'
import { NODE } from './reservation/index.ts'
import { type Scope, withoutWire } from './scope/index.ts'

/** What was rendered before, as far as it is of this package: of several packages each has its own. */
export function pastOf(past: readonly Item[], { packagePath, everything }: Scope): readonly Item[] {
  const packages = new Set(everything.map(packageOf))
  return packages.size < 2 ? past : past.filter((item) => packageOf(item) === packagePath)
}

/** What stands in the package says more than what was rendered at some time before. */
export function newestOf(here: readonly Item[], past: readonly Item[]): Item[] {
  return [...(here.length > 0 ? here : past)]
}

/** A paused Order keeps what was rendered before, whatever the nodes do; without that there is nothing to keep. */
export function keep(
  earlier: readonly Item[],
  name: string,
  subject: Subject,
): { objects: Rendered[]; findings: Finding[] } {
  const objects = [...new Map(earlier.map(({ object }) => [`${object.kind} ${object.metadata.name}`, object])).values()]
  if (!objects.some(({ kind }) => kind === 'Ticket')) {
    const field = { path: 'spec.paused', currentValue: true }
    const sentence = `${name} is paused, and none of its Tickets is in the input`
    return { objects: [], findings: [finding('NeedsEarlierOutput', sentence, { subject, field })] }
  }
  const kept = objects.map((object) => {
    const own = String(object.metadata.name)
    const file = object.kind === 'Ticket' ? `tickets-${name}-${own.slice(-10, -9)}.yaml` : `${name}-groups.yaml`
    return { object: withoutWire(object), file, about: object.metadata.annotations?.[NODE] ?? own }
  })
  return { objects: kept, findings: [] }
}
