import { isMap, type Mapping, scalarText } from '../../krm/map.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import type { SizingSettings } from '../../policy/index.ts'
import type { DaemonSet } from '../template.ts'

const CONFIG_KEY = 'config.json'
const CONFIG_NAME = 'operator'
const SECTION = 'nodeAgentAutoscaler'
/** What the operator's configuration reader takes for true. */
const TRUE = new Set(['1', 't', 'true'])

/** The chart's other components keep a config.json, too: the operator's is known by its name, or by the section. */
export function isOperatorConfig(object: KubernetesObject): boolean {
  if (!isConfigMap(object)) return false
  const text = configText(object)
  return (
    text !== undefined && (object.metadata.name === CONFIG_NAME || memberInCase(parsed(text), SECTION) !== undefined)
  )
}

/**
 * Whether an item that was read by its identity alone may be one of the chart's configurations. Their key is looked for
 * in the text: it may stand in another place there, but not be missing.
 */
export function mayBeConfig(item: Item): boolean {
  const { object, opaque } = item
  if (opaque === undefined || !isConfigMap(object)) return false
  return object.metadata.name === CONFIG_NAME || item.text?.includes(CONFIG_KEY) === true
}

/**
 * Undefined where the text is not JSON. A configuration without the section has the operator's default, which is off.
 */
export function isAutoscalerOn(object: KubernetesObject): boolean | undefined {
  const config = parsed(configText(object) ?? '')
  return config === undefined ? undefined : isTrue(memberInCase(memberInCase(config, SECTION), 'enabled'))
}

/** What the operator's configuration says of its autoscaler; undefined where it says nothing. */
export function autoscalerSection(object: KubernetesObject): Mapping | undefined {
  const section = memberInCase(parsed(configText(object) ?? ''), SECTION)
  return isMap(section) ? section : undefined
}

/** Whether the node agent's own configuration switches malware detection on; undefined for every other object. */
export function isMalwareDetected(object: KubernetesObject): boolean | undefined {
  const detection = isConfigMap(object)
    ? memberInCase(parsed(configText(object) ?? ''), 'malwareDetectionEnabled')
    : undefined
  return detection === undefined ? undefined : isTrue(detection)
}

/** A member by name; like the operator's reader it does not mind the case. */
export function memberInCase(value: unknown, name: string): unknown {
  if (!isMap(value)) return undefined
  return Object.entries(value).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1]
}

function isTrue(value: unknown): boolean {
  return typeof value === 'number' ? value !== 0 : TRUE.has(scalarText(value).toLowerCase())
}

function isConfigMap({ apiVersion, kind }: KubernetesObject): boolean {
  return apiVersion === 'v1' && kind === 'ConfigMap'
}

function configText({ data }: KubernetesObject): string | undefined {
  const text = (data as Record<string, unknown> | null | undefined)?.[CONFIG_KEY]
  return typeof text === 'string' ? text : undefined
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) ?? undefined
  } catch {
    return undefined
  }
}

/** The keys of the operator's section that a policy has, too, under the same names. */
const KEYS = [
  'nodeGroupLabel',
  'defaultNodeGroup',
  'reconcileInterval',
  'goMemLimitPercentage',
  'seLinuxType',
  'bottlerocketAutoDetect',
] as const
const BLOCKS = {
  resourcePercentages: ['requestCPU', 'requestMemory', 'limitCPU', 'limitMemory'],
  minResources: ['cpu', 'memory'],
  maxResources: ['cpu', 'memory'],
} as const

/**
 * What the operator's autoscaler is told, as the fields of a policy; what its configuration does not say is not there.
 */
export type OperatorValues = Partial<Record<(typeof KEYS)[number], unknown>> & {
  [block in keyof typeof BLOCKS]?: Readonly<Partial<Record<(typeof BLOCKS)[block][number], unknown>>>
}

/**
 * The values of the operator's autoscaler in its ConfigMap; undefined where it has no section of it. They are as the
 * JSON has them, whatever that is: who takes them into a policy has them checked there.
 */
export function operatorValues(object: KubernetesObject): OperatorValues | undefined {
  const section = autoscalerSection(object)
  if (section === undefined) return undefined
  const blocks = Object.entries(BLOCKS).map(
    ([block, names]) => [block, picked(memberInCase(section, block), names)] as const,
  )
  return {
    ...picked(section, KEYS),
    ...Object.fromEntries(blocks.filter(([, values]) => Object.keys(values).length > 0)),
  }
}

function picked(map: unknown, names: readonly string[]): Mapping {
  const found = names.map((name) => [name, memberInCase(map, name)] as const)
  return Object.fromEntries(found.filter(([, value]) => value !== undefined && value !== null))
}

/** The label by which Kubescape's operator knows the DaemonSets of its own loop. */
export const OPERATOR_MARK = { key: 'kubescape.io/managed-by', value: 'operator-autoscaler' }

/** Whether the operator takes an object for its own. */
export function isMadeByOperator({ metadata }: KubernetesObject): boolean {
  return metadata.labels?.[OPERATOR_MARK.key] === OPERATOR_MARK.value
}

/** Whether the operator would take for its own what a policy renders. */
export function carriesOperatorMark({ managedBy }: SizingSettings): boolean {
  return managedBy.key === OPERATOR_MARK.key && managedBy.value === OPERATOR_MARK.value
}

/**
 * A template without the operator's mark: what is made of one that the operator made carries it only if the policy says
 * so.
 */
export function withoutOperatorMark(daemonSet: DaemonSet): DaemonSet {
  if (!isMadeByOperator(daemonSet)) return daemonSet
  const { [OPERATOR_MARK.key]: _, ...labels } = daemonSet.metadata.labels ?? {}
  return { ...daemonSet, metadata: { ...daemonSet.metadata, labels } }
}
