import { isMap, type Mapping, scalarText } from '../../krm/map.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'

const CONFIG_KEY = 'config.json'
const CONFIG_NAME = 'operator'
const SECTION = 'nodeAgentAutoscaler'
/** What the operator's configuration reader takes for true. */
const TRUE = new Set(['1', 't', 'true'])

/** The chart's other components keep a config.json, too: the operator's is known by its name, or by the section. */
export function isOperatorConfig(object: KubernetesObject): boolean {
  if (!isConfigMap(object)) return false
  const text = textOf(object)
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
  const config = parsed(textOf(object) ?? '')
  return config === undefined ? undefined : isTrue(memberInCase(memberInCase(config, SECTION), 'enabled'))
}

/** What the operator's configuration says of its autoscaler; undefined where it says nothing. */
export function autoscalerSection(object: KubernetesObject): Mapping | undefined {
  const section = memberInCase(parsed(textOf(object) ?? ''), SECTION)
  return isMap(section) ? section : undefined
}

/** Whether the node agent's own configuration switches malware detection on; undefined for every other object. */
export function isMalwareDetected(object: KubernetesObject): boolean | undefined {
  const detection = isConfigMap(object)
    ? memberInCase(parsed(textOf(object) ?? ''), 'malwareDetectionEnabled')
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

function textOf({ data }: KubernetesObject): string | undefined {
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
