import { type Finding, finding } from '../finding/index.ts'
import { ownerOf } from '../krm/ownership.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import type { SizingSettings } from '../policy/index.ts'

/** Finds the target of a policy among the items of its scope: by kind, name and the policy's namespace; never our own output. */
export function findTarget(
  items: readonly Item[],
  { target, subject }: Pick<SizingSettings, 'target' | 'subject'>,
): { item?: Item; findings: Finding[] } {
  const { namespace } = subject.metadata
  const named = items.filter(({ object }) => isTarget(object, target))
  const found = namespace === undefined ? named : named.filter(({ object }) => object.metadata.namespace === namespace)
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`
  const [item, second] = found
  if (item !== undefined && second === undefined) return { item, findings: [] }
  const place = { subject, field: { path: 'spec.targetRef', currentValue: target } }
  if (item !== undefined) {
    const sentence = `${subject.metadata.name}: there are ${found.length} objects ${target.kind} ${target.name}${where}`
    return { findings: [finding('TargetNotUnique', sentence, place)] }
  }
  const elsewhere =
    named.length > 0 ? `; there is one in namespace ${named[0]?.object.metadata.namespace ?? '(none)'}` : ''
  const sentence = `${subject.metadata.name}: there is no ${target.kind} ${target.name}${where}${elsewhere}`
  return { findings: [finding('TargetMissing', sentence, place)] }
}

function isTarget(object: KubernetesObject, target: SizingSettings['target']): boolean {
  const isNamed =
    object.kind === target.kind && object.apiVersion === target.apiVersion && object.metadata.name === target.name
  return isNamed && ownerOf(object) === undefined
}
