import { isSizingPolicy, nearest, type SizingSettings, targetKindOf } from '../../kinds/index.ts'
import type { Read } from '../../krm/finding.ts'
import { describe } from '../../krm/identity.ts'
import { memberOf } from '../../krm/map.ts'
import { ownerName, ownerOf } from '../../krm/remembered.ts'
import type { Item } from '../../krm/types.ts'
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
  const { apiVersion: needed } = target
  const ofOtherApi = items.find(
    ({ object }) => object.kind === target.kind && object.metadata.name === target.name && object.apiVersion !== needed,
  )
  if (ofOtherApi !== undefined) {
    const words = `${target.kind} ${target.name} is of apiVersion ${ofOtherApi.object.apiVersion}; ${needed} is needed`
    return missing(words, undefined, otherApiMend(ofOtherApi.object.apiVersion))
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

/** Says what to do about a DaemonSet of another API. */
export function otherApiMend(apiVersion: string): string {
  return apiVersion === 'extensions/v1beta1' || /^apps\/v1beta/.test(apiVersion)
    ? 'No API server since Kubernetes 1.16 serves it: write apiVersion: apps/v1, with a selector, and updateStrategy as you want it (its default was OnDelete).'
    : 'It is a kind of another project, whose controller nodefit does not model: write a DaemonSet of apps/v1, or leave it as it is.'
}

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
