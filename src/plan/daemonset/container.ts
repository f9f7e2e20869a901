import { hasSizes, sizedResources } from '../../core/object/index.ts'
import type { SizingSettings } from '../../kinds/index.ts'
import { type Finding, listNames } from '../../krm/finding/index.ts'
import { isMap, listOf, type Mapping, memberOf } from '../../krm/map.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import type { Container, EnvVar } from '../../kube/index.ts'
import { type ContainerSize, type DerivedEnv, type Group, nameOfGroup } from '../sizing/index.ts'
import { finding } from './codes.ts'

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
export interface SeLinux {
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
