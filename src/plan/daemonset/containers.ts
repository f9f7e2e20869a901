import type { ContainersLine } from '../../core/index.ts'
import type { SizingSettings } from '../../kinds/index.ts'
import type { Finding } from '../../krm/finding/index.ts'
import { type Container, type PodSpec, Quantity, unlessMalformed } from '../../kube/index.ts'
import { GO_MEMORY_LIMIT, type Share } from '../sizing/index.ts'
import { finding } from './codes.ts'
import type { Template } from './template.ts'

/**
 * Returns the containers to size, with their shares: those that the policy names; else the one that the template leaves
 * open; else the only one; else the one named like the target. Sidecars (init containers with restartPolicy Always) may
 * be named too. ContainerNotChosen says why there are none.
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
 * Returns the account line that lists the containers that are sized, those that are not, and the variables computed
 * from sizes. It omits init containers that end, since they request nothing at the same time as the others.
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

/** Returns the containers that can have a size: all containers and the sidecars. */
export function sizable(pod: PodSpec): Container[] {
  const sidecars = (pod.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always')
  // a user may have written a name that is not a string
  return [...(pod.containers ?? []), ...sidecars].filter(({ name }) => typeof name === 'string')
}

/** Returns the name of the only container, or of the one with the given name; undefined if there is neither. */
export function ownContainer(pod: PodSpec, name: string): string | undefined {
  const [only, ...others] = pod.containers ?? []
  if (only !== undefined && others.length === 0) return only.name
  return sizable(pod).find((container) => container.name === name)?.name
}

/**
 * Returns the container that nodefit init proposes: that of `ownContainer`, else the one that requests the most memory,
 * of several the one that may use the most, the first if these are equal too; undefined for a pod without containers.
 */
export function firstContainer(pod: PodSpec, name: string): string | undefined {
  const [first, ...others] = sizable(pod)
  const largest = others.reduce((best, one) => (best === undefined || isLarger(one, best) ? one : best), first)
  return ownContainer(pod, name) ?? largest?.name
}

function isLarger(one: Container, other: Container): boolean {
  const byRequest = memoryRequest(one).compare(memoryRequest(other))
  if (byRequest !== 0) return byRequest > 0
  // equal requests may be those of a probe beside the agent; a container without a limit may use all of the node
  const [limit, most] = [one, other].map(({ resources }) => resources?.limits?.memory)
  if (limit === undefined || most === undefined) return limit === undefined && most !== undefined
  return memoryOf(limit).compare(memoryOf(most)) > 0
}

function memoryOf(text: unknown): Quantity {
  return unlessMalformed(() => Quantity.parse(text as string)) ?? Quantity.of(0n, 'BinarySI')
}

/**
 * Returns the memory request of a container, or its limit if it has no request, as the API server defaults it. A
 * malformed quantity counts as zero.
 */
function memoryRequest({ resources }: Container): Quantity {
  return memoryOf(resources?.requests?.memory ?? resources?.limits?.memory ?? 0)
}
