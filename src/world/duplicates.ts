import type { Finding } from '../finding/index.ts'
import { describe, identityOf } from '../krm/identity.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { finding } from './codes.ts'
import { indexBy } from './memo.ts'

/** Output is owned by kind and name, so a name must say which subject is meant, and a former name must not be taken. */
export function duplicateFindings(subjects: readonly Item[]): Finding[] {
  const all = indexBy(subjects, ({ object }) => identityOf(object))
  return subjects.flatMap((item) => {
    const { object: subject } = item
    const [first] = all.get(identityOf(subject)) ?? []
    if (first !== item) return [finding('DuplicatePolicy', `${describe(subject)} is in the package twice`, { subject })]
    const names = formerNames(subject)
    const isTaken = (name: string) => all.has(identityOf({ ...subject, metadata: { ...subject.metadata, name } }))
    const taken = names.find((name) => name !== subject.metadata.name && isTaken(name))
    if (taken === undefined) return []
    const sentence = `${subject.metadata.name} lists ${taken} as a former name, but that policy is there`
    const field = { path: 'spec.formerNames', currentValue: names }
    return [finding('DuplicatePolicy', sentence, { subject, field })]
  })
}

/** Names that a policy had before; whatever else stands there is for its schema to refuse. */
export function formerNames({ spec }: KubernetesObject): string[] {
  const { formerNames: names } = (spec ?? {}) as { formerNames?: unknown }
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : []
}
