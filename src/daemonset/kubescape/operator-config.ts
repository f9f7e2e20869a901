import { textOf as scalarText } from '../../krm/map.ts'
import type { KubernetesObject } from '../../krm/types.ts'

const CONFIG_KEY = 'config.json'
const CONFIG_NAME = 'operator'
const SECTION = 'nodeAgentAutoscaler'
/** What the operator's configuration reader takes for true. */
const TRUE = new Set(['1', 't', 'true'])

/** The chart's other components keep a config.json, too: the operator's is known by its name, or by the section. */
export function isOperatorConfig(object: KubernetesObject): boolean {
  if (object.apiVersion !== 'v1' || object.kind !== 'ConfigMap') return false
  const text = textOf(object)
  return text !== undefined && (object.metadata.name === CONFIG_NAME || member(parsed(text), SECTION) !== undefined)
}

/** Undefined where the text is not JSON. A configuration without the section has the operator's default, which is off. */
export function isAutoscalerOn(object: KubernetesObject): boolean | undefined {
  const config = parsed(textOf(object) ?? '')
  if (config === undefined) return undefined
  const enabled = member(member(config, SECTION), 'enabled')
  return typeof enabled === 'number' ? enabled !== 0 : TRUE.has(scalarText(enabled).toLowerCase())
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

/** A member by name; like the operator's reader it does not mind the case. */
function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.entries(value).find(([key]) => key.toLowerCase() === name.toLowerCase())?.[1]
}
