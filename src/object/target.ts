import type { Read } from '../finding/index.ts'
import { describe } from '../krm/identity.ts'
import { ownerOf } from '../krm/ownership.ts'
import type { Item } from '../krm/types.ts'
import { nearest, type SizingSettings } from '../policy/index.ts'
import { finding } from './codes.ts'

/** The target of a policy: by kind, name and the policy's namespace; never our own output. `named` are the items of that kind and name. */
export function findTarget(
  named: readonly Item[],
  items: readonly Item[],
  { target, subject }: Pick<SizingSettings, 'target' | 'subject'>,
): Read<Item> {
  const { namespace } = subject.metadata
  const foreign = named.filter(({ object }) => ownerOf(object) === undefined)
  const found = foreign.filter(({ object }) => namespace === undefined || object.metadata.namespace === namespace)
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`
  const [item, second] = found
  if (item !== undefined && second === undefined) return { value: item, findings: [] }
  const field = { path: 'spec.targetRef', currentValue: target }
  if (item !== undefined) {
    const sentence = `${subject.metadata.name}: there are ${found.length} objects ${target.kind} ${target.name}${where}`
    return { findings: [finding('TargetNotUnique', sentence, { subject, field })] }
  }
  const guess = nearest(target.name, namesOf(items, target))
  const hint = hintOf(foreign[0], named[0], guess)
  const sentence = `${subject.metadata.name}: there is no ${target.kind} ${target.name}${where}${hint}`
  const proposal = hint.includes('mean') && guess !== undefined ? { proposedValue: { ...target, name: guess } } : {}
  return { findings: [finding('TargetMissing', sentence, { subject, field: { ...field, ...proposal } })] }
}

/** What is so instead, the likeliest first. */
function hintOf(elsewhere: Item | undefined, rendered: Item | undefined, guess: string | undefined): string {
  if (elsewhere !== undefined) return `; there is one in namespace ${elsewhere.object.metadata.namespace ?? '(none)'}`
  if (rendered !== undefined)
    return `; ${describe(rendered.object)} is itself rendered for ${ownerOf(rendered.object)} and cannot be rendered from`
  return guess === undefined ? '' : `; did you mean ${guess}?`
}

function namesOf(items: readonly Item[], { kind, apiVersion }: SizingSettings['target']): string[] {
  return items
    .filter(({ object }) => object.kind === kind && object.apiVersion === apiVersion && ownerOf(object) === undefined)
    .map(({ object }) => object.metadata.name)
    .filter((name: unknown) => typeof name === 'string')
}
