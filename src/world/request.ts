import type { Codes, Finding } from '../finding/index.ts'
import { describe, identityOf } from '../krm/identity.ts'
import { newItem } from '../krm/index.ts'
import type { Item } from '../krm/types.ts'
import {
  DEFAULT_OPTIONS,
  isRenderConfig,
  OWN_KINDS,
  policyFromFlat,
  type RenderOptions,
  readRenderConfig,
} from '../policy/index.ts'
import { finding } from './codes.ts'
import { askedOf, slipOf } from './kinds.ts'

/** What the functionConfig asks for: every subject of the packages, or one; with which options. */
export interface Request {
  readonly subject?: Item
  readonly config?: Item
  readonly findings: readonly Finding[]
}

const KUSTOMIZE_FUNCTION = 'config.kubernetes.io/function'
const KUSTOMIZE_ID = 'kustomize.config.k8s.io/id'

/**
 * kustomize shows a generator nothing but a copy of its own configuration, as it does a transformer of no resources;
 * what stands among resources has an id there.
 */
function seesNothing({ object }: Item, items: readonly Item[]): boolean {
  const [first] = items
  if (first === undefined || items.length > 1 || object.metadata.annotations?.[KUSTOMIZE_FUNCTION] === undefined)
    return false
  return identityOf(first.object) === identityOf(object) && !first.object.metadata.annotations?.[KUSTOMIZE_ID]
}

/**
 * Reads the functionConfig: none or an empty ConfigMap is everything in scope, a RenderConfig is that with options,
 * what a planner claims or a ConfigMap of flat keys is that alone.
 */
export function readRequest(
  functionConfig: Item | undefined,
  items: readonly Item[],
  isClaimed: (item: Item) => boolean,
): Request {
  if (functionConfig === undefined) return { findings: [] }
  const subject = functionConfig.object
  if (seesNothing(functionConfig, items)) {
    const sentence = `${describe(subject)} runs as a generator or without resources, and sees nothing but itself`
    return { findings: [finding('UseTransformers', sentence, { subject })] }
  }
  if (isClaimed(functionConfig)) return { subject: functionConfig, findings: [] }
  if (isRenderConfig(subject)) return { config: functionConfig, findings: [] }
  if (subject.apiVersion === 'v1' && subject.kind === 'ConfigMap') {
    const data = (subject.data ?? {}) as Record<string, unknown>
    if (Object.keys(data).length === 0) return { findings: [] }
    const { policy, findings } = policyFromFlat(data, subject)
    if (policy === undefined) return { findings }
    const { annotations } = subject.metadata
    return { subject: newItem({ ...policy, metadata: { ...policy.metadata, annotations } }), findings }
  }
  const slip = slipOf(subject, OWN_KINDS)
  const guess = slip === undefined ? '' : askedOf(slip)
  const sentence = `the functionConfig ${subject.apiVersion} ${subject.kind} ${subject.metadata.name} is not supported${guess}`
  return { findings: [finding('UnknownFunctionConfig', sentence, { subject, field: slip })] }
}

/**
 * The options of a package: of the RenderConfig that is the functionConfig, else of the one it holds. Two are an error.
 * Only a functionConfig asks for a check: one in the package would keep the very render from it that mends what it
 * finds.
 */
export function optionsOf(
  items: readonly Item[],
  config: Item | undefined,
  codes: Codes,
): { options: RenderOptions; findings: readonly Finding[] } {
  const own = items.filter(({ object }) => isRenderConfig(object))
  const chosen = config ?? own[0]
  if (chosen === undefined) return { options: DEFAULT_OPTIONS, findings: [] }
  const { name } = chosen.object.metadata
  // the functionConfig may be a file of the package as well
  const other = own.find((item) => item !== chosen && (config === undefined || item.object.metadata.name !== name))
  const { options, findings } = readRenderConfig(chosen.object, codes)
  const read = { options: { ...options, check: options.check && config !== undefined }, findings }
  if (other === undefined) return read
  const sentence = `${describe(other.object)} is a second RenderConfig beside ${describe(chosen.object)}`
  const two = finding('TwoRenderConfigs', sentence, { subject: other.object })
  return config === undefined
    ? { options: DEFAULT_OPTIONS, findings: [two] }
    : { ...read, findings: [...read.findings, two] }
}
