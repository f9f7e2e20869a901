import { finding, formerNames, indexBy, memoOf, type Planned, type World } from '../core/index.ts'
import type { Finding } from '../krm/finding.ts'
import { describe, identityOf } from '../krm/identity.ts'
import { ownerName, ownerOf, renderedNamespace } from '../krm/remembered.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import type { PlanReview, Rule } from './rule.ts'

/** Its codes are those of the package as a whole. */
export const outputConflicts = {
  codes: {},
  check: ({ planned, world }) => outputConflictFindings(planned, world),
} satisfies Rule<PlanReview>

/**
 * Reports subjects that claim the same output by name or former name, now or in the next run: one would remove the
 * other's.
 */
export function outputConflictFindings(planned: readonly Planned[], world: World): Finding[] {
  const taken = new Map<Item, Planned>()
  for (const one of planned)
    for (const item of one.earlier) {
      const other = taken.get(item) ?? one
      if (other !== one) return [rivalry(one.subject.object, other.subject.object, describe(item.object))]
      taken.set(item, one)
    }
  return [...namesakes(planned), ...(world.plansAllSubjects ? [] : planned.flatMap((one) => rivalsInFiles(one, world)))]
}

/**
 * Reports two planned subjects that render to the same owner and namespace: they have one name, or one had the name of
 * the other, and one of them has no namespace. A disabled subject counts, since it renders there once it is enabled.
 */
function namesakes(planned: readonly Planned[]): Finding[] {
  const keysOf = memoOf(ownerKeys)
  const owners = indexBy(
    planned.flatMap((one) => keysOf(one).map((key) => ({ key, subject: one.subject.object }))),
    ({ key }) => key,
  )
  return planned.flatMap((one) => {
    const subject = one.subject.object
    const rivals = [...keysOf(one), ...formerKeys(one)].flatMap((key) => owners.get(key)?.[0]?.subject ?? [])
    const rival = rivals.find(({ metadata }) => metadata.namespace !== subject.metadata.namespace)
    return rival === undefined ? [] : [rivalry(subject, rival, 'the same objects')]
  })
}

/** Returns the owner and namespace that a subject renders to, or would if it were enabled. */
function ownerKeys({ subject: { object: subject }, source, objects }: Planned): string[] {
  if (objects.length === 0) return [`${ownerName(subject.kind, subject.metadata.name)} ${homeOf(subject, source)}`]
  return [
    ...new Set(
      objects.map(({ object }) => `${ownerOf(object)} ${renderedNamespace(object) ?? object.metadata.namespace ?? ''}`),
    ),
  ]
}

/** Returns the same keys for the subject's former names. */
function formerKeys({ subject: { object: subject }, source }: Planned): string[] {
  return formerNames(subject).map((name) => `${ownerName(subject.kind, name)} ${homeOf(subject, source)}`)
}

function homeOf({ metadata }: KubernetesObject, source: Item | undefined): string {
  return metadata.namespace ?? source?.object.metadata.namespace ?? ''
}

/**
 * Reports another item of the package that has a former name of the subject, or its name with another target, in the
 * namespace that the subject renders to.
 */
function rivalsInFiles({ subject: { object: subject }, source, objects }: Planned, { items }: World): Finding[] {
  const { name, namespace } = subject.metadata
  const rendersTo = namespace ?? source?.object.metadata.namespace ?? objects[0]?.object.metadata.namespace
  const former = formerNames(subject)
  const rival = items.find(({ object }) => {
    if (object.apiVersion !== subject.apiVersion || object.kind !== subject.kind) return false
    const other = object.metadata
    if (identityOf(object) === identityOf(subject)) return false
    if (other.namespace !== rendersTo && (other.namespace !== undefined || namespace !== undefined)) return false
    return other.name === name ? targetOf(object) !== targetOf(subject) : former.includes(other.name)
  })
  return rival === undefined ? [] : [rivalry(subject, rival.object, 'the same objects')]
}

function targetOf({ spec }: KubernetesObject): unknown {
  return (spec as { targetRef?: { name?: unknown } | null } | null | undefined)?.targetRef?.name
}

function rivalry(subject: KubernetesObject, other: KubernetesObject, what: string): Finding {
  const sentence = `${describe(other)} and ${describe(subject)} both claim ${what} as their output`
  return finding('DuplicatePolicy', sentence, { subject })
}
