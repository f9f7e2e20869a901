import { containerDefaults, type LimitRange, withLimitRange } from './limit-range.ts'
import { limitRangeProblems } from './limit-range-problems.ts'
import { withDefaultRequests } from './pod-defaults.ts'
import type { Quantity } from './quantity.ts'
import { resourceProblems } from './resource-problems.ts'
import { overheadProblem, type RuntimeClass, withRuntimeClass } from './runtime-class.ts'
import type { PodSpec } from './types.ts'

/** What of a namespace and a cluster decides about the resources of a pod that is made there. */
export interface AdmissionInput {
  /** In the order in which they are asked; the API server's own is not defined. */
  readonly limitRanges: readonly LimitRange[]
  /** The class that the pod names; `unknown` where it names one that nobody has. */
  readonly runtimeClass?: RuntimeClass | 'unknown'
}

/** Why a pod is refused, in words, and by what. */
export interface Refusal {
  readonly by: 'resources' | 'runtimeClass' | 'limitRange'
  readonly limitRange?: string
  readonly words: string
}

/** A pod as it would be stored, or why it would not. */
export interface AdmittedPod {
  readonly spec: PodSpec
  readonly refusals: readonly Refusal[]
}

/**
 * A pod as the API server makes it of a template: defaults of the API, of each LimitRange in turn, overhead of the RuntimeClass;
 * then the API's own rules, and each LimitRange. Quota comes after this. Throws `KubeError` on a malformed quantity.
 */
export function admitPod(template: PodSpec, { limitRanges, runtimeClass }: AdmissionInput): AdmittedPod {
  const limited = limitRanges.reduce(withLimitRange, withDefaultRequests(template))
  const known = runtimeClass === 'unknown' ? undefined : runtimeClass
  const overhead = runtimeClass === 'unknown' ? undefined : overheadProblem(limited, known)
  const spec = withRuntimeClass(limited, known)
  return {
    spec,
    refusals: [
      ...resourceProblems(spec).map((words) => ({ by: 'resources' as const, words })),
      ...(overhead === undefined ? [] : [{ by: 'runtimeClass' as const, words: `the pod ${overhead}` }]),
      ...limitRanges.flatMap((one) =>
        limitRangeProblems(spec, one).map((words) => ({ by: 'limitRange' as const, limitRange: one.name, words })),
      ),
    ],
  }
}

/** What several LimitRanges give a container that lacks it, each something else: whichever the API server asks first decides. */
export interface AmbiguousDefault {
  readonly container: string
  /** As `requests.memory`. */
  readonly resource: string
  readonly limitRanges: readonly string[]
}

/** The defaults of a pod that depend on the order of the LimitRanges. Throws `KubeError` on a malformed quantity. */
export function ambiguousDefaults(template: PodSpec, limitRanges: readonly LimitRange[]): AmbiguousDefault[] {
  if (limitRanges.length < 2) return []
  const all = limitRanges.map((one) => ({ name: one.name, defaults: containerDefaults(one) }))
  const { containers = [], initContainers = [] } = withDefaultRequests(template)
  return [...containers, ...initContainers].flatMap(({ name, resources }) =>
    (['requests', 'limits'] as const).flatMap((side) => {
      const given = [...new Set(all.flatMap(({ defaults }) => [...defaults[side].keys()]))]
      const missing = given.filter((resource) => !Object.hasOwn(resources?.[side] ?? {}, resource))
      return missing.flatMap((resource) => {
        const sources = all.filter(({ defaults }) => defaults[side].has(resource))
        const amounts = sources.map(({ defaults }) => defaults[side].get(resource) as Quantity)
        if (amounts.every((amount) => amount.compare(amounts[0] as Quantity) === 0)) return []
        const names = sources.map((source) => source.name)
        return [{ container: name, resource: `${side}.${resource}`, limitRanges: names }]
      })
    }),
  )
}
