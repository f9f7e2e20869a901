import { withAnnotations, withoutSecrets } from '../../../core/object/index.ts'
import { type SizingSettings, unquotedNumber } from '../../../kinds/index.ts'
import { isMap, type Mapping, scalarText } from '../../../krm/map.ts'
import { CONFIG_DIGEST } from '../../../krm/remembered.ts'
import type { Item, KubernetesObject } from '../../../krm/types.ts'
import { digestOf } from '../../sizing/index.ts'
import type { DaemonSet } from '../template.ts'

const CONFIG_KEY = 'config.json'
const CONFIG_NAME = 'operator'
const SECTION = 'nodeAgentAutoscaler'
const MALWARE = 'malwareDetectionEnabled'
const READ = new Set([SECTION, MALWARE].map((key) => key.toLowerCase()))
/** The hex digits of a digest. */
const DIGEST_LENGTH = 32
/** The texts that the operator's configuration reader accepts as true. */
const TRUE = new Set(['1', 't', 'true'])

/**
 * Whether an object is the configuration of the operator, recognized by its name or the autoscaler section: other
 * components of the chart have a config.json too.
 */
export function isOperatorConfig(object: KubernetesObject): boolean {
  if (!isConfigMap(object)) return false
  const text = configText(object)
  return (
    text !== undefined && (object.metadata.name === CONFIG_NAME || memberInCase(parsed(text), SECTION) !== undefined)
  )
}

/**
 * Whether an item of which only the identity was read may be a configuration of the chart. Its text is searched for the
 * key, which may also occur elsewhere in it.
 */
export function mayBeConfig(item: Item): boolean {
  const { object, opaque } = item
  if (opaque === undefined || !isConfigMap(object)) return false
  return object.metadata.name === CONFIG_NAME || item.text?.includes(CONFIG_KEY) === true
}

/**
 * Whether the operator's autoscaler is enabled; undefined if the text is not JSON. Without the section it is disabled,
 * the operator's default.
 */
export function isAutoscalerOn(object: KubernetesObject): boolean | undefined {
  const config = parsed(configText(object) ?? '')
  return config === undefined ? undefined : isTrue(memberInCase(memberInCase(config, SECTION), 'enabled'))
}

/** Returns the autoscaler section of the operator's configuration; undefined if there is none. */
export function autoscalerSection(object: KubernetesObject): Mapping | undefined {
  const section = memberInCase(parsed(configText(object) ?? ''), SECTION)
  return isMap(section) ? section : undefined
}

/** Whether the node agent's configuration enables malware detection; undefined for an object without that setting. */
export function isMalwareDetected(object: KubernetesObject): boolean | undefined {
  const detection = isConfigMap(object) ? memberInCase(parsed(configText(object) ?? ''), MALWARE) : undefined
  return detection === undefined ? undefined : isTrue(detection)
}

/**
 * Returns the digest of a configuration's settings, whatever their order; undefined for a text that is no JSON.
 * Credentials count as empty: the digest stands in Git, and could be tried against guesses.
 */
export function configDigest(object: KubernetesObject): string | undefined {
  const config = parsed(configText(object) ?? '')
  return config === undefined ? undefined : digestOf(JSON.stringify(withoutSecrets(config)), DIGEST_LENGTH)
}

/**
 * Returns a configuration of the chart with the settings that nodefit reads, and no others: they may hold passwords of
 * proxies, back ends and alert managers, which do not belong in Git. Text that is not JSON stays out. The agent's has
 * the digest of all its settings.
 */
export function withReadSettings(object: KubernetesObject): KubernetesObject {
  const config = parsed(configText(object) ?? '')
  const read = Object.entries(isMap(config) ? config : {}).filter(([key]) => READ.has(key.toLowerCase()))
  const kept = { ...object, data: { [CONFIG_KEY]: JSON.stringify(Object.fromEntries(read)) } }
  const digest = isMalwareDetected(object) === undefined ? undefined : configDigest(object)
  return digest === undefined ? kept : withAnnotations(kept, { [CONFIG_DIGEST]: digest })
}

/** Returns a member by its name, ignoring case as the operator's reader does; undefined if there is none. */
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

/** The keys of the operator's section that a policy has under the same names. */
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

const NUMBERS = new Set<string>(['goMemLimitPercentage', ...BLOCKS.resourcePercentages])

/**
 * The settings of the operator's autoscaler, named as the fields of a policy; a setting that its configuration omits is
 * absent.
 */
export type OperatorValues = Partial<Record<(typeof KEYS)[number], unknown>> & {
  [block in keyof typeof BLOCKS]?: Readonly<Partial<Record<(typeof BLOCKS)[block][number], unknown>>>
}

/**
 * Returns the settings of the operator's autoscaler in its ConfigMap; undefined if it has no autoscaler section. The
 * values are unchecked JSON: a caller that copies them into a policy has to validate them.
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
  const given = found.filter(([, value]) => value !== undefined && value !== null)
  return Object.fromEntries(given.map(([name, value]) => [name, NUMBERS.has(name) ? unquotedNumber(value) : value]))
}

/** The label by which Kubescape's operator recognizes the DaemonSets that its loop created. */
export const OPERATOR_MARK = { key: 'kubescape.io/managed-by', value: 'operator-autoscaler' }

/** Whether an object has the operator's label, so that the operator treats it as its own. */
export function isMadeByOperator({ metadata }: KubernetesObject): boolean {
  return metadata.labels?.[OPERATOR_MARK.key] === OPERATOR_MARK.value
}

/** Whether a policy renders objects with the operator's label, so that the operator would treat them as its own. */
export function carriesOperatorMark({ managedBy }: SizingSettings): boolean {
  return managedBy.key === OPERATOR_MARK.key && managedBy.value === OPERATOR_MARK.value
}

/** Returns a template without the operator's label, which rendered objects get only if the policy sets it. */
export function withoutOperatorMark(daemonSet: DaemonSet): DaemonSet {
  if (!isMadeByOperator(daemonSet)) return daemonSet
  const { [OPERATOR_MARK.key]: _, ...labels } = daemonSet.metadata.labels ?? {}
  return { ...daemonSet, metadata: { ...daemonSet.metadata, labels } }
}
