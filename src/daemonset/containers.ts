import type { Finding } from '../finding/index.ts'
import { type Container, KubeError, type PodSpec, Quantity } from '../kube/index.ts'
import type { SizingSettings } from '../policy/index.ts'
import { GO_MEMORY_LIMIT, type Share } from '../sizing/index.ts'
import type { ContainersLine } from '../world/index.ts'
import { finding } from './codes.ts'
import type { Template } from './template.ts'

/**
 * Which containers are sized, with their shares: those the policy names, else the one the template itself leaves open,
 * else the only one, else the one named like the target. Sidecars (init containers that keep running) may be named too.
 */
export function chooseContainers(
  { daemonSet, container }: Template,
  settings: SizingSettings,
): { shares: Share[]; findings: Finding[] } {
  const { subject, baseName } = settings
  const pod = daemonSet.spec.template.spec ?? {}
  const names = sizable(pod).map(({ name }) => name)
  const refuse = (sentence: string, proposed?: string) => {
    const hint = proposed === undefined ? '' : `; nodefit init would size ${proposed}`
    const all = `${subject.metadata.name}: ${sentence}; the template has ${names.join(', ')}${hint}`
    const field = { path: 'spec.containers', proposedValue: proposed && [{ name: proposed }] }
    return { shares: [], findings: [finding('ContainerNotChosen', all, { subject, field })] }
  }
  if (settings.containers === undefined) {
    const chosen = container ?? ownContainer(pod, baseName)
    return chosen === undefined
      ? refuse('spec.containers is not set, and no container has the name of the target', firstContainer(pod, baseName))
      : { shares: [{ container: chosen, percent: 100 }], findings: [] }
  }
  const shares = settings.containers.map(({ name, share = 100 }) => ({ container: name, percent: share }))
  const missing = shares.find(({ container }) => !names.includes(container))
  if (missing !== undefined) return refuse(`spec.containers names ${missing.container}, which is not in the template`)
  if (new Set(shares.map(({ container }) => container)).size < shares.length)
    return refuse('spec.containers names a container twice')
  const sum = shares.reduce((total, { percent }) => total + percent, 0)
  return Math.abs(sum - 100) > 1e-9
    ? refuse(`the shares in spec.containers add up to ${sum}, not 100`)
    : { shares, findings: [] }
}

/**
 * Which containers of the pods are sized and which are not, and what is computed from sizes; an init container that
 * ends takes nothing beside them.
 */
export function containersLine(
  pod: PodSpec,
  shares: readonly Share[],
  { goMemLimit, env }: SizingSettings,
): ContainersLine {
  const sized = shares.map(({ container }) => container)
  const names = sizable(pod).map(({ name }) => name)
  const variables = [...(goMemLimit === undefined ? [] : [GO_MEMORY_LIMIT]), ...env.map(({ name }) => name)]
  return { kind: 'containers', sized, notSized: names.filter((name) => !sized.includes(name)), variables }
}

/** The containers that may have a size of their own. */
export function sizable(pod: PodSpec): Container[] {
  const sidecars = (pod.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always')
  // what a user wrote for a name may be anything
  return [...(pod.containers ?? []), ...sidecars].filter(({ name }) => typeof name === 'string')
}

/** The container that a pod is about beyond doubt: the only one, or the one with the name. */
export function ownContainer(pod: PodSpec, name: string): string | undefined {
  const [only, ...others] = pod.containers ?? []
  if (only !== undefined && others.length === 0) return only.name
  return sizable(pod).find((container) => container.name === name)?.name
}

/**
 * The container to size where nobody has chosen one: that one, else the one that requests the most memory, of several
 * the first.
 */
export function firstContainer(pod: PodSpec, name: string): string | undefined {
  const [first, ...others] = sizable(pod)
  const largest = others.reduce(
    (best, one) => (best === undefined || memoryRequest(one).compare(memoryRequest(best)) > 0 ? one : best),
    first,
  )
  return ownContainer(pod, name) ?? largest?.name
}

/** What Kubernetes takes for the request: the limit where none is written. What is no quantity counts for nothing. */
function memoryRequest({ resources }: Container): Quantity {
  try {
    return Quantity.parse(resources?.requests?.memory ?? resources?.limits?.memory ?? 0)
  } catch (error) {
    if (error instanceof KubeError) return Quantity.of(0n, 'BinarySI')
    throw error
  }
}
