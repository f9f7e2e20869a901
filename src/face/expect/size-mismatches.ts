import { isMap, listOf, memberOf } from '../../krm/map.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { readQuantity } from '../../kube/index.ts'
import { isGroupCalled, resourcesIn } from '../index.ts'
import { type Mismatch, NOTHING, WITHOUT } from './mismatch.ts'
import type { ExpectedSize } from './read-test.ts'
import type { TestedPolicy } from './tested-policy.ts'

/** Compares the amounts and variables of the pod of a node, or of a group. */
export function sizeMismatches(size: ExpectedSize, policy: TestedPolicy): Mismatch[] {
  const about = size.node === undefined ? `group ${size.group}` : `node ${size.node}`
  const { object, why } = objectOf(size, policy)
  if (object === undefined) return [{ what: about, expected: 'a pod of this size', got: why }]
  const all = resourcesIn(object) ?? new Map()
  const container = size.container ?? onlyOf(policy.sized) ?? onlyOf([...all.keys()])
  const own = container === undefined ? undefined : all.get(container)
  if (container === undefined || own === undefined)
    return [{ what: about, expected: `container ${container ?? 'named in the test'}`, got: [...all.keys()].join(', ') }]
  const place = size.container === undefined ? about : `${about}, ${container}`
  const amounts = (['requests', 'limits'] as const).flatMap((list) =>
    Object.entries(size[list] ?? {}).map(([resource, expected]) => ({ name: `${list}.${resource}`, expected })),
  )
  const env = envOf(object, container)
  return [
    ...amounts.flatMap(({ name, expected }) => mismatch(`${place}: ${name}`, expected, own[name], isSameAmount)),
    ...Object.entries(size.env ?? {}).flatMap(([name, expected]) =>
      mismatch(`${place}: ${name}`, expected, env.get(name), (a, b) => a === b),
    ),
  ]
}

/** Returns what is rendered for the node or group that is meant, else why there is nothing. */
function objectOf(
  { node, group = '' }: ExpectedSize,
  policy: TestedPolicy,
): { object?: KubernetesObject; why: string } {
  if (node === undefined) {
    const line = policy.groups.find((one) => isGroupCalled(one, group))
    return { object: line && policy.rendered(line.name), why: 'no such group' }
  }
  const left = policy.left.find(({ nodes }) => nodes.includes(node))
  const served = policy.servedBy(node)
  return {
    object: served === undefined ? undefined : policy.rendered(served),
    why: left === undefined ? 'no such node' : `${WITHOUT}: ${left.reason}`,
  }
}

function onlyOf(names: readonly string[]): string | undefined {
  return names.length === 1 ? names[0] : undefined
}

type Same = (expected: string, got: string) => boolean

function mismatch(what: string, expected: string | number | null, got: unknown, isSame: Same): Mismatch[] {
  const [wanted, found] = [sideText(expected), sideText(got)]
  const isEqual = wanted === undefined || found === undefined ? wanted === found : isSame(wanted, found)
  return isEqual ? [] : [{ what, expected: wanted ?? NOTHING, got: found ?? NOTHING }]
}

function sideText(value: unknown): string | undefined {
  return value === null || value === undefined ? undefined : String(value)
}

/** Compares amounts, not how they are written: 0.1 is 100m. */
function isSameAmount(expected: string, got: string): boolean {
  const [wanted, found] = [readQuantity(expected), readQuantity(got)]
  return wanted !== undefined && found !== undefined && wanted.compare(found) === 0
}

/** Returns the variables of a container that have a value. */
function envOf({ spec }: KubernetesObject, container: string): ReadonlyMap<string, unknown> {
  const pod = memberOf(memberOf(spec, 'template'), 'spec')
  const containers = ['containers', 'initContainers'].flatMap((list) => listOf(memberOf(pod, list))).filter(isMap)
  const own = containers.find(({ name }) => name === container)
  return new Map(
    listOf(memberOf(own, 'env'))
      .filter(isMap)
      .map(({ name, value, valueFrom }) => [String(name), value ?? (valueFrom === undefined ? '' : 'valueFrom')]),
  )
}
