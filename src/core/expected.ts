import { type Expected, isOrder, isSizingPolicy } from '../kinds/index.ts'
import { type Finding, listNames } from '../krm/finding/index.ts'
import { describe, identityOf } from '../krm/identity.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
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
  const missing = names?.filter((name) => !policies.some((policy) => writtenAs(policy, 'Names') === name)) ?? []
  const more = policies.filter((policy) => names?.includes(writtenAs(policy, 'Names')) === false)
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

const PREVIOUS = 'internal.config.kubernetes.io/previous'

/** Whether an item is what layers of kustomize made of an object: they record the name and namespace of its file. */
export function isCopyOf({ object }: Item, { metadata, kind }: KubernetesObject): boolean {
  const { name, namespace = 'default' } = metadata
  if (object.kind !== kind || object.metadata.annotations?.[`${PREVIOUS}Names`] === undefined) return false
  return writtenAs(object, 'Names') === name && writtenAs(object, 'Namespaces') === namespace
}

/**
 * Returns the name or namespace of an object in its file: the first that kustomize lists, without any the present one.
 */
function writtenAs({ metadata }: KubernetesObject, what: 'Names' | 'Namespaces'): string {
  const known: unknown = metadata.annotations?.[`${PREVIOUS}${what}`]
  if (typeof known === 'string') return known.split(',')[0] ?? ''
  return what === 'Names' ? metadata.name : (metadata.namespace ?? 'default')
}

function namesOf(objects: readonly KubernetesObject[]): string {
  return allOf(objects.map((object) => String(writtenAs(object, 'Names'))).sort())
}

function allOf(names: readonly string[]): string {
  return listNames(names, names.length)
}
