import type { Read } from '../finding/index.ts'
import { describe } from '../krm/identity.ts'
import { memberOf } from '../krm/map.ts'
import { ownerName, ownerOf } from '../krm/remembered.ts'
import type { Item } from '../krm/types.ts'
import { isSizingPolicy, nearest, type SizingSettings, targetKindOf } from '../policy/index.ts'
import { finding } from './codes.ts'

/**
 * Finds the target of a policy by kind, name and namespace, among objects that nodefit did not render. `named` are the
 * items of that kind and name.
 */
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
  const missing = (words: string, proposed?: string, mend?: string): Read<Item> => {
    const proposal = proposed === undefined ? {} : { proposedValue: { ...target, name: proposed } }
    const sentence = `${subject.metadata.name}: ${words}`
    return { findings: [finding('TargetMissing', sentence, { subject, field: { ...field, ...proposal }, mend })] }
  }
  const none = `there is no ${target.kind} ${target.name}${where}`
  const [elsewhere, another] = foreign
  if (elsewhere !== undefined) {
    const words = `${none}; there is one in namespace ${elsewhere.object.metadata.namespace ?? '(none)'}`
    return missing(words, undefined, another === undefined ? ELSEWHERE_MEND : undefined)
  }
  const rendered = named.find(({ object }) => namespace === undefined || object.metadata.namespace === namespace)
  if (rendered !== undefined) {
    const template = templateOf(rendered, items, target)
    const mend =
      template === undefined ? undefined : `Take its template, ${target.kind} ${template}, in spec.targetRef.`
    const owner = ownerOf(rendered.object)
    const words = `${describe(rendered.object)} is rendered for ${owner} and cannot be a target`
    return missing(words, template, mend)
  }
  const guess = nearest(target.name, namesOf(items, target))
  return missing(guess === undefined ? none : `${none}; did you mean ${guess}?`, guess)
}

/** Functions that set namespaces skip local configuration, as policies are, and move a template that is none yet. */
const ELSEWHERE_MEND =
  'Set metadata.namespace of the policy and of its target alike, or remove it from the policy, which then takes the target in any namespace. If a function such as set-namespace moved the target, let it run behind nodefit-fn: docs/deliver/kpt.md#other-functions.'

/** Returns the name of the template from which a rendered object comes, if it is of the wanted kind. */
function templateOf(
  { object }: Item,
  items: readonly Item[],
  { kind, name: wrong }: Pick<SizingSettings['target'], 'kind' | 'name'>,
): string | undefined {
  const owner = items.find((item) => {
    const { metadata } = item.object
    const isNear = metadata.namespace === undefined || metadata.namespace === object.metadata.namespace
    return isSizingPolicy(item.object) && isNear && ownerName('SizingPolicy', metadata.name) === ownerOf(object)
  })
  if (owner === undefined || targetKindOf(owner.object) !== kind) return undefined
  const name = memberOf(memberOf(owner.object.spec, 'targetRef'), 'name')
  return typeof name === 'string' && name !== wrong ? name : undefined
}

function namesOf(items: readonly Item[], { kind, apiVersion }: SizingSettings['target']): string[] {
  return items
    .filter(({ object }) => object.kind === kind && object.apiVersion === apiVersion && ownerOf(object) === undefined)
    .map(({ object }) => object.metadata.name)
    .filter((name: unknown) => typeof name === 'string')
}
