import type { Subject } from '../krm/finding/index.ts'
import { isMap, type Mapping, memberOf } from '../krm/map.ts'

/** The numbers of a spec that Kubescape's chart prints as they are written, with quotes or without. */
const NUMBERS = ['goMemLimitPercentage', 'gomemlimitPercentage']
const NUMBERS_BLOCK = 'resourcePercentages'

/** Returns text as a number where it is one, as the operator's reader does: `"2"` is 2; any other value as it is. */
export function unquotedNumber(value: unknown): unknown {
  return typeof value === 'string' && /^\d+(?:\.\d+)?$/.test(value.trim()) ? Number(value) : value
}

/** Reads quoted numbers in a policy for a ConfigMap as the chart takes them, whose values can be pasted in. */
export function withoutQuotes(policy: Subject & { spec?: unknown }): Subject {
  const { spec } = policy
  if (!isMap(spec) || memberOf(spec.targetRef, 'kind') !== 'ConfigMap') return policy
  const block = spec[NUMBERS_BLOCK]
  const read = {
    ...numbersIn(spec, NUMBERS),
    ...(isMap(block) ? { [NUMBERS_BLOCK]: { ...block, ...numbersIn(block, Object.keys(block)) } } : {}),
  }
  return { ...policy, spec: { ...spec, ...read } } as Subject
}

function numbersIn(map: Mapping, names: readonly string[]): Mapping {
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(map, name)).map((name) => [name, unquotedNumber(map[name])]),
  )
}
