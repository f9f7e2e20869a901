import { newItem } from '../../src/krm/index.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import type { Plan, PlanOptions } from '../../src/rules/plan.ts'
import { plan } from '../../src/rules/run.ts'

type Change = (object: KubernetesObject) => KubernetesObject | readonly KubernetesObject[] | undefined

/** Plans what a plan gave once more, each object as the change makes it: another, several, or none. */
export function rerender(first: Plan, change: Change, options?: PlanOptions): Plan {
  const items = first.items.flatMap(({ object }) => {
    const changed = change(structuredClone(object))
    return changed === undefined ? [] : [changed].flat().map((one) => newItem(one))
  })
  return plan({ apiVersion: 'config.kubernetes.io/v1', items, results: [] }, options)
}

/** The object with some fields of its spec changed. */
export function withSpec(object: KubernetesObject, spec: object): KubernetesObject {
  return { ...object, spec: { ...(object.spec as object), ...spec } }
}

/** The sentences of a code. */
export function said({ findings }: Pick<Plan, 'findings'>, code: string): string[] {
  return findings.filter((one) => one.code === code).map(({ message }) => message)
}
