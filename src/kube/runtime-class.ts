import { amountsOf } from './amounts.ts'
import type { PodSpec, ResourceQuantities } from './types.ts'

/** A RuntimeClass as far as it adds to what a pod needs. */
export interface RuntimeClass {
  readonly name: string
  /** `overhead.podFixed`; undefined where the class has no overhead. */
  readonly overhead?: ResourceQuantities
}

/**
 * Why the admission of RuntimeClasses refuses a pod for its overhead, in words; undefined where it does not (`validateOverhead`).
 * `runtimeClass` is that of the pod, undefined where the pod names none. Throws `KubeError` on a malformed quantity.
 */
export function overheadProblem(spec: PodSpec, runtimeClass: RuntimeClass | undefined): string | undefined {
  const own = amountsOf(spec.overhead)
  if (runtimeClass?.overhead === undefined)
    return isMissing(spec.overhead) ? undefined : 'has an overhead, and its RuntimeClass has none'
  const fixed = amountsOf(runtimeClass.overhead)
  if (own.size === 0) return undefined
  const isSame = own.size === fixed.size && [...own].every(([name, amount]) => fixed.get(name)?.compare(amount) === 0)
  return isSame ? undefined : `has another overhead than RuntimeClass ${runtimeClass.name}`
}

/** The pod with the overhead of its RuntimeClass (`setOverhead`). */
export function withRuntimeClass(spec: PodSpec, runtimeClass: RuntimeClass | undefined): PodSpec {
  return runtimeClass?.overhead === undefined ? spec : { ...spec, overhead: runtimeClass.overhead }
}

function isMissing(overhead: unknown): boolean {
  return overhead === undefined || overhead === null
}
