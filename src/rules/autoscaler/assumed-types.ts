import type { Agent } from './agent.ts'
import { type InstanceType, UNSEEN, unique, type Values } from './instance-type.ts'
import { INSTANCE_TYPE, isFixed, isLackedBySome, isOpen } from './label-keys.ts'
import { givenBy, isAllowed, listedIn } from './launch.ts'
import type { Pool } from './node-pool.ts'
import type { Wanted } from './wanted.ts'

/** An instance type that no node shows, as it may be: one entry for each combination of labels that it may have. */
export interface AssumedType {
  /** Empty for a type that the NodePool does not name. */
  readonly name: string
  readonly candidates: readonly InstanceType[]
  /** The labels of which the NodePool leaves several values, and by which agents select. */
  readonly openKeys: readonly string[]
}

/** The most combinations that are compared; of more, only that they are not known. */
const MOST_CANDIDATES = 256

/**
 * Returns what a NodePool may create of a type that no node has. Requirements of the NodePool decide its labels; for
 * one by which agents select, every value that they tell apart is a candidate. Without candidates there are too many.
 */
export function assumedType(
  name: string,
  pool: Pool,
  agents: readonly Agent[],
  { keys, known }: { readonly keys: readonly string[]; readonly known: readonly InstanceType[] },
): AssumedType {
  const selecting = new Set(agents.flatMap(({ terms }) => terms.flatMap((wants) => [...wants.keys()])))
  const fixed = keys.filter(isFixed).flatMap((key): Array<[string, Values]> => {
    const wanted = pool.wants.get(key)
    if (key === INSTANCE_TYPE) return [[key, [name === '' ? UNSEEN : name]]]
    if (selecting.has(key)) return [[key, candidatesFor(key, wanted, agents, known)]]
    return wanted === undefined ? [] : [[key, givenBy(wanted).slice(0, 1)]]
  })
  const open = keys.filter(isOpen).map((key): [string, Values] => {
    return [key, known[0]?.values.get(key) ?? listedIn(pool.wants.get(key))]
  })
  let all: ReadonlyArray<ReadonlyMap<string, Values>> = [new Map(open)]
  for (const [key, values] of fixed) {
    if (all.length * values.length > MOST_CANDIDATES) return { name, candidates: [], openKeys: selectingOf(fixed) }
    all = all.flatMap((one) => values.map((value) => new Map([...one, [key, [value]]])))
  }
  return { name, candidates: all.map((values) => ({ name, values, capacity: {} })), openKeys: selectingOf(fixed) }
}

function selectingOf(fixed: ReadonlyArray<readonly [string, Values]>): string[] {
  return fixed.flatMap(([key, values]) => (values.length > 1 ? [key] : []))
}

/**
 * Returns the values of a label that agents tell apart and the NodePool allows: those that it lists; else those that
 * agents or nodes have, another, the integers around each bound, and none where types may lack the label.
 */
function candidatesFor(
  key: string,
  wanted: Wanted | undefined,
  agents: readonly Agent[],
  known: readonly InstanceType[],
): Values {
  const listed = listedIn(wanted)
  if (listed.length > 0) return listed
  const asked = agents.flatMap(({ terms }) => terms.flatMap((wants) => wants.get(key) ?? []))
  const bounds = [...asked, ...(wanted === undefined ? [] : [wanted])].flatMap(({ least, most }) => [
    ...(least === undefined ? [] : [least - 1n, least]),
    ...(most === undefined ? [] : [most, most + 1n]),
  ])
  const values: Array<string | undefined> = [
    ...asked.flatMap((one) => [...one.values]),
    ...known.flatMap((one) => one.values.get(key) ?? []),
    ...bounds.filter((bound) => bound >= 0n).map(String),
    // a label with bounds has integers
    ...(bounds.length === 0 ? [UNSEEN] : []),
    ...(isLackedBySome(key) ? [undefined] : []),
  ]
  return unique(values).filter(
    (value) => (value === undefined ? isLackedBySome(key) : true) && isAllowed(value, wanted),
  )
}
