/** Faults that a planner could make in one rendered DaemonSet or in all of them; each gives nothing where it does not apply. */
import type { KubernetesObject } from '../../src/krm/types.ts'
import type { NodeSelectorRequirement, NodeSelectorTerm, PodSpec, Toleration } from '../../src/kube/index.ts'

/** A fault: all objects of a policy with one of them changed, taken away or doubled. */
export type Seed = (objects: readonly KubernetesObject[]) => Array<readonly KubernetesObject[]>

type Pod = PodSpec & { nodeName?: string }

const podOf = (object: KubernetesObject): Pod =>
  (object.spec as { template?: { spec?: Pod } } | undefined)?.template?.spec ?? {}

/** The object with another pod; undefined where the change gives none. */
function withPod(object: KubernetesObject, change: (pod: Pod) => Pod | undefined): KubernetesObject | undefined {
  const changed = change(structuredClone(podOf(object)))
  if (changed === undefined) return undefined
  const spec = object.spec as { template: object }
  return { ...object, spec: { ...spec, template: { ...spec.template, spec: changed } } }
}

/** Each object in turn with another pod. */
function eachPod(change: (pod: Pod, object: KubernetesObject) => Pod | undefined): Seed {
  return (objects) =>
    objects.flatMap((object, index) => {
      const changed = withPod(object, (pod) => change(pod, object))
      return changed === undefined ? [] : [objects.with(index, changed)]
    })
}

const termsOf = ({ affinity }: Pod): NodeSelectorTerm[] =>
  affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? []

function withTerms(pod: Pod, nodeSelectorTerms: NodeSelectorTerm[]): Pod {
  const required = { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } }
  return { ...pod, affinity: { ...pod.affinity, nodeAffinity: { ...pod.affinity?.nodeAffinity, ...required } } }
}

/** Each object with its first fitting expression changed, or taken away. */
function expression(
  fits: (one: NodeSelectorRequirement) => boolean,
  change: (one: NodeSelectorRequirement) => NodeSelectorRequirement | undefined,
): Seed {
  return eachPod((pod) => {
    let isDone = false
    const terms = termsOf(pod).map((term) => ({
      ...term,
      matchExpressions: (term.matchExpressions ?? []).flatMap((one) => {
        if (isDone || !fits(one)) return [one]
        isDone = true
        return change(one) ?? []
      }),
    }))
    return isDone ? withTerms(pod, terms) : undefined
  })
}

const by = (operator: string) => (one: NodeSelectorRequirement) => one.operator === operator
const only =
  (kind: (object: KubernetesObject) => boolean): Seed =>
  (objects) => {
    const left = objects.filter((object) => !kind(object))
    return left.length > 0 && left.length < objects.length ? [left] : []
  }
const groupOf = ({ metadata }: KubernetesObject) => metadata.annotations?.['nodefit.dev/group'] ?? ''
const firstLabel = (pod: Pod) => Object.keys(pod.nodeSelector ?? {})[0]
const someTaint: Toleration = { key: 'example.com/seeded', operator: 'Exists' }

export const SEEDS: Record<string, Seed> = {
  'a value is dropped from a NotIn': expression(by('NotIn'), ({ values, ...one }) => ({
    ...one,
    values: values?.slice(1),
  })),
  'a NotIn is dropped': expression(by('NotIn'), () => undefined),
  'a NotIn has a value more': expression(by('NotIn'), (one) => ({ ...one, values: [...(one.values ?? []), 'seeded'] })),
  'a NotIn is an In': expression(by('NotIn'), (one) => ({ ...one, operator: 'In' })),
  'an In is a NotIn': expression(by('In'), (one) => ({ ...one, operator: 'NotIn' })),
  'a value is dropped from an In': expression(by('In'), ({ values, ...one }) => ({ ...one, values: values?.slice(1) })),
  'an Exists is a DoesNotExist': expression(by('Exists'), (one) => ({ ...one, operator: 'DoesNotExist' })),
  'an Exists is dropped': expression(by('Exists'), () => undefined),
  'a DoesNotExist is an Exists': expression(by('DoesNotExist'), (one) => ({ ...one, operator: 'Exists' })),
  'a DoesNotExist is dropped': expression(by('DoesNotExist'), () => undefined),
  'a bound is one further': expression(
    ({ operator }) => operator === 'Gt' || operator === 'Lt',
    (one) => ({ ...one, values: [String(BigInt(one.values?.[0] ?? 0) + 1n)] }),
  ),
  'a key is mistyped': expression(
    () => true,
    (one) => ({ ...one, key: `${one.key}x` }),
  ),
  'a selector loses a label': eachPod((pod) => {
    const [key, ...others] = Object.entries(pod.nodeSelector ?? {})
    return key === undefined ? undefined : { ...pod, nodeSelector: Object.fromEntries(others) }
  }),
  'a selector has another value': eachPod((pod) => {
    const key = firstLabel(pod)
    return key === undefined ? undefined : { ...pod, nodeSelector: { ...pod.nodeSelector, [key]: 'seeded' } }
  }),
  'a selector has a label more': eachPod((pod) => ({ ...pod, nodeSelector: { ...pod.nodeSelector, seeded: 'yes' } })),
  'an affinity is dropped': eachPod((pod) => (termsOf(pod).length > 0 ? { ...pod, affinity: undefined } : undefined)),
  'a term is dropped': eachPod((pod) => (termsOf(pod).length > 1 ? withTerms(pod, termsOf(pod).slice(1)) : undefined)),
  'a term is added': eachPod((pod) =>
    termsOf(pod).length === 0
      ? undefined
      : withTerms(pod, [...termsOf(pod), { matchExpressions: [{ key: 'seeded', operator: 'DoesNotExist' }] }]),
  ),
  'a pod is bound to one node': eachPod((pod) => ({ ...pod, nodeName: 'seeded-1' })),
  'a group is gone': (objects) => (objects.length > 1 ? objects.map((_, index) => objects.toSpliced(index, 1)) : []),
  'the default group is gone': only((object) => groupOf(object).startsWith('default')),
  'the remainder is gone': only((object) => groupOf(object).startsWith('remainder')),
  'a group is there twice': (objects) => {
    const [first] = objects
    return first === undefined ? [] : [[...objects, { ...first, metadata: { ...first.metadata, name: 'twin' } }]]
  },
  'two groups have each other’s terms': (objects) => {
    const [first, last] = [objects[0], objects.at(-1)]
    if (first === undefined || last === undefined || first === last) return []
    const swapped = [
      withPod(first, (pod) => withTerms(pod, termsOf(podOf(last)))),
      withPod(last, (pod) => withTerms(pod, termsOf(podOf(first)))),
    ]
    const [one, other] = swapped
    return one === undefined || other === undefined ? [] : [objects.with(0, one).with(-1, other)]
  },
  'a toleration is added': eachPod((pod) => ({ ...pod, tolerations: [...(pod.tolerations ?? []), someTaint] })),
  'a toleration is dropped': eachPod((pod) =>
    (pod.tolerations?.length ?? 0) > 0 ? { ...pod, tolerations: pod.tolerations?.slice(1) } : undefined,
  ),
}
