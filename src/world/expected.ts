import { type Finding, listNames } from '../finding/index.ts'
import { describe, identityOf } from '../krm/identity.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { type Expected, isOrder, isSizingPolicy } from '../policy/index.ts'
import { finding } from './codes.ts'

/**
 * Reports policies and Orders that are expected and missing, or there and not expected. A file that is commented out,
 * renamed, emptied or hidden takes its policy away without a trace, and a host without earlier output then prunes what
 * was rendered for it. `config` is the RenderConfig that expects them; without one the caller of the run does.
 */
export function expectedFindings(subjects: readonly Item[], expected: Expected, config?: KubernetesObject): Finding[] {
  const found = [...new Map(subjects.map(({ object }) => [identityOf(object), object])).values()]
  const policies = found.filter(isSizingPolicy)
  const who = config === undefined ? 'this run expects' : `${describe(config)} expects`
  const at = (field: keyof Expected) =>
    config === undefined
      ? {}
      : { subject: config, field: { path: `spec.expect.${field}`, currentValue: expected[field] } }
  const countFindings = (field: 'policies' | 'orders', noun: string, objects: readonly KubernetesObject[]) => {
    const wanted = expected[field]
    const count = objects.length
    if (wanted === undefined || wanted === count) return []
    const held = count === 0 ? 'none' : `${count}: ${namesOf(objects)}`
    const sentence = `${who} ${noun} to number ${wanted}, but there ${count === 1 ? 'is' : 'are'} ${held}`
    return [finding(count < wanted ? 'PolicyMissing' : 'PolicyNotExpected', sentence, at(field))]
  }
  const names = expected.policyNames
  const missing = names?.filter((name) => !policies.some(({ metadata }) => metadata.name === name)) ?? []
  const more = policies.filter(({ metadata }) => names?.includes(metadata.name) === false)
  const held = policies.length === 0 ? 'none' : namesOf(policies)
  return [
    ...(missing.length === 0
      ? []
      : [finding('PolicyMissing', `${who} SizingPolicy ${allOf(missing)}, but there is ${held}`, at('policyNames'))]),
    ...(more.length === 0
      ? []
      : [
          finding(
            'PolicyNotExpected',
            `${who} SizingPolicy ${allOf(names ?? [])}, but not ${namesOf(more)}`,
            at('policyNames'),
          ),
        ]),
    ...countFindings('policies', 'SizingPolicies', policies),
    ...countFindings('orders', 'Orders in DaemonSet mode', found.filter(isOrder)),
  ]
}

function namesOf(objects: readonly KubernetesObject[]): string {
  return allOf(objects.map(({ metadata }) => String(metadata.name)).sort())
}

function allOf(names: readonly string[]): string {
  return listNames(names, names.length)
}
