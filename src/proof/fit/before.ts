import { listNames } from '../../finding/index.ts'
import { Quantity, type ResourceQuantities } from '../../kube/index.ts'
import { memo, type Planned } from '../../world/index.ts'
import type { Agent } from './agents.ts'

/** The agents that have their room on a node before those of a subject, and what they request there together. */
export interface Before {
  /** The names of their subjects, in order of plan. */
  readonly names: readonly string[]
  /** How many of the names there were before this subject. */
  readonly count: number
  /** The first of them in order of the alphabet: as many as a message says. */
  readonly first: readonly string[]
  readonly requests: ReadonlyMap<string, Quantity>
}

const SAID = 3
const ONE = Quantity.of(1n, 'DecimalSI')
const NOBODY: Before = { names: [], count: 0, first: [], requests: new Map() }

/**
 * Looks up who has room before a subject among agents that run beside each other, in order of plan. One walk over a
 * list of agents answers for all of its subjects.
 */
export function beforeIn(): (all: readonly Agent[], planned: Planned) => Before {
  const walked = memo(walk)
  return (all, planned) => walked(all).get(planned) ?? NOBODY
}

function walk(all: readonly Agent[]): ReadonlyMap<Planned, Before> {
  const found = new Map<Planned, Before>()
  const names = new Set<string>()
  const listed: string[] = []
  const requests = new Map<string, Quantity>()
  let first: string[] = []
  for (const { planned, pod } of all) {
    const { name } = planned.subject.object.metadata
    if (!found.has(planned))
      found.set(planned, { names: listed, count: names.size, first, requests: new Map(requests) })
    if (!names.has(name)) {
      first = [...first, name].sort().slice(0, SAID)
      listed.push(name)
      names.add(name)
    }
    for (const [resource, amount] of [...Object.entries(pod.requests), ['pods', ONE] as const])
      requests.set(resource, requests.get(resource)?.plus(amount) ?? amount)
  }
  return found
}

/** What is requested before a subject, beside what is used already. */
export function usedBefore({ requests }: Before, used: ResourceQuantities = {}): ResourceQuantities {
  const sum = new Map(Object.entries(used).map(([name, text]) => [name, Quantity.parse(text)]))
  for (const [name, amount] of requests) sum.set(name, sum.get(name)?.plus(amount) ?? amount)
  return Object.fromEntries([...sum].map(([name, amount]) => [name, amount.toString()]))
}

/** The subjects that have their room before another on one or several nodes, for a message. */
export function subjectsText(found: readonly Before[]): string {
  const [only, another] = [...new Set(found)]
  if (only !== undefined && another === undefined) return listNames(only.first, SAID, only.count)
  const names = new Set(found.flatMap(({ names: all, count }) => all.slice(0, count)))
  return listNames([...names].sort(), SAID)
}
