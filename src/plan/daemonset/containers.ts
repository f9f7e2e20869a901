import type { ContainersLine } from '../../core/index.ts'
import { hasSizes, sizedResources } from '../../core/object/index.ts'
import type { SizingSettings } from '../../kinds/index.ts'
import { type Finding, listNames } from '../../krm/finding.ts'
import { isMap, listOf, type Mapping, memberOf } from '../../krm/map.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import { type Container, type EnvVar, type PodSpec, Quantity, unlessMalformed } from '../../kube/index.ts'
import {
  type ContainerSize,
  type DerivedEnv,
  GO_MEMORY_LIMIT,
  type Group,
  nameOfGroup,
  type Share,
} from '../sizing/index.ts'
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
function sizable(pod: PodSpec): Container[] {
  const sidecars = (pod.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always')
  // a user may have written a name that is not a string
  return [...(pod.containers ?? []), ...sidecars].filter(({ name }) => typeof name === 'string')
}

/** Returns the name of the only container, or of the one with the given name; undefined if there is neither. */
function ownContainer(pod: PodSpec, name: string): string | undefined {
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

/** Returns the template's container with its sizes, derived variables and SELinux type set; nothing else changes. */
export function sizeContainer(
  container: Container,
  size: ContainerSize,
  env: readonly DerivedEnv[],
  seLinux: SeLinux | undefined,
): Container {
  const variables = env.filter((variable) => variable.container === container.name)
  const sized: Container = { ...container, resources: sizedResources(container.resources, size.printed) }
  if (variables.length > 0) sized.env = variables.reduce(setVariable, container.env ?? [])
  const { securityContext } = container
  const present = (securityContext?.seLinuxOptions as { type?: unknown } | null | undefined)?.type
  if (seLinux !== undefined && (seLinux.on === 'all' || (present ?? undefined) !== undefined)) {
    const { type } = seLinux
    sized.securityContext = { ...securityContext, seLinuxOptions: { ...securityContext?.seLinuxOptions, type } }
  }
  return sized
}

/** Replaces the variable of that name in place, or appends it. */
function setVariable(env: EnvVar[], { name, value }: DerivedEnv): EnvVar[] {
  const variable = { name, value }
  return env.some((entry) => entry.name === name)
    ? env.map((entry) => (entry.name === name ? variable : entry))
    : [...env, variable]
}

const BOTTLEROCKET_TYPE = 'super_t'

/** The SELinux type of a group: set on all sized containers, or only on those whose template sets a type. */
interface SeLinux {
  readonly type: string
  readonly on: 'all' | 'present'
}

/**
 * Returns the SELinux type to `set` in a group, and the one to `fill` into placeholders of the template: `super_t` if a
 * node runs Bottlerocket and the policy enables detection, else the type of the policy (research: kubescape section
 * 1.12). A container without a type gets one only if the policy states it.
 */
export function seLinuxOf(
  group: Group,
  settings: SizingSettings,
  before: KubernetesObject | undefined,
  containers: readonly Container[],
): { set?: SeLinux; fill?: string; findings: Finding[] } {
  const { seLinuxType, isSeLinuxTypeStated, isBottlerocketStated, subject } = settings
  const stated =
    seLinuxType !== undefined && isSeLinuxTypeStated ? { type: seLinuxType, on: 'all' as const } : undefined
  const kinds = (group.sizedLike ?? group).members.map(({ shape }) =>
    shape.osImage.toLowerCase().includes('bottlerocket'),
  )
  // a group that is kept without any node is what it was
  const isSeen = kinds.length > 0 ? kinds.includes(true) : before !== undefined && runsOnBottlerocket(before)
  const isDetected =
    settings.bottlerocketAutoDetect && isSeen && !(group.sizedLike !== undefined && kinds.includes(false))
  const dropped = isSeen ? droppedFindings(group, settings, containers) : []
  if (!isDetected) return { set: stated, fill: seLinuxType, findings: stated === undefined ? [] : dropped }
  const mixed = kinds.includes(false)
    ? [finding('MixedOperatingSystems', `${nameOfGroup(group)} has Bottlerocket and other nodes`, { subject })]
    : []
  const findings = [...mixed, ...dropped]
  const on = stated !== undefined || isBottlerocketStated ? 'all' : 'present'
  return { set: { type: BOTTLEROCKET_TYPE, on }, fill: BOTTLEROCKET_TYPE, findings }
}

/** Reports privileged containers, of which containerd drops the SELinux type: on Bottlerocket they run as control_t. */
function droppedFindings(group: Group, { subject }: SizingSettings, containers: readonly Container[]): Finding[] {
  const names = containers.filter((one) => memberOf(one.securityContext, 'privileged') === true).map(({ name }) => name)
  if (names.length === 0) return []
  const sentence = `${nameOfGroup(group)}: ${names.length === 1 ? 'container' : 'containers'} ${listNames(names)} ${names.length === 1 ? 'is' : 'are'} privileged, so Bottlerocket runs ${names.length === 1 ? 'it' : 'them'} as control_t, whatever SELinux type is written`
  return [finding('SELinuxTypeDropped', sentence, { subject })]
}

/** Whether a container of an earlier DaemonSet, which a user may have edited, has the type for Bottlerocket. */
function runsOnBottlerocket({ spec }: KubernetesObject): boolean {
  const pod = memberOf(memberOf(spec, 'template'), 'spec')
  return listOf(memberOf(pod, 'containers')).some((one) => {
    const options = memberOf(memberOf(one, 'securityContext'), 'seLinuxOptions')
    return memberOf(options, 'type') === BOTTLEROCKET_TYPE
  })
}

/**
 * Whether an earlier DaemonSet, which a user may have edited, has these sizes and the variables derived from them;
 * fields of another type count as missing.
 */
export function showsSizes(
  { spec }: KubernetesObject,
  sizes: readonly ContainerSize[],
  env: readonly DerivedEnv[],
): boolean {
  const { template } = (spec ?? {}) as { template?: unknown }
  const pod = isMap(template) && isMap(template.spec) ? template.spec : {}
  const containers = [...mapsIn(pod.containers), ...mapsIn(pod.initContainers)]
  return sizes.every(({ container, printed }) => {
    const found = containers.find(({ name }) => name === container)
    const variables = new Map(mapsIn(found?.env).map(({ name, value }) => [name, value]))
    const derived = env.filter((one) => one.container === container)
    return (
      found !== undefined &&
      hasSizes(found.resources, printed) &&
      derived.every(({ name, value }) => variables.get(name) === value)
    )
  })
}

function mapsIn(list: unknown): Mapping[] {
  return Array.isArray(list) ? list.filter(isMap) : []
}
