import {
  DEFAULT_OPTIONS,
  isRenderConfig,
  OWN_KINDS,
  policyFromFlat,
  type RenderOptions,
  readRenderConfig,
} from '../kinds/index.ts'
import type { Codes, Finding } from '../krm/finding/index.ts'
import { describe, identityOf } from '../krm/identity.ts'
import { newItem } from '../krm/index.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { finding } from './codes.ts'
import { askedOf, slipOf } from './kinds.ts'
import { KUSTOMIZE_FUNCTION } from './kustomizations.ts'

/** What the functionConfig requests: every subject of the packages, or one; with its options. */
export interface Request {
  readonly subject?: Item
  readonly config?: Item
  readonly findings: readonly Finding[]
}

const KUSTOMIZE_ID = 'kustomize.config.k8s.io/id'

/**
 * Whether kustomize passes nothing but the functionConfig: a generator, or a transformer of no resources, gets only a
 * copy of its own configuration. Among resources such an item would have an id.
 */
function seesNothing({ object }: Item, items: readonly Item[]): boolean {
  const [first] = items
  if (first === undefined || items.length > 1 || object.metadata.annotations?.[KUSTOMIZE_FUNCTION] === undefined)
    return false
  return identityOf(first.object) === identityOf(object) && !first.object.metadata.annotations?.[KUSTOMIZE_ID]
}

/**
 * Reads the functionConfig: none or an empty ConfigMap requests everything in scope, a RenderConfig the same with
 * options; a subject that a planner claims, or a ConfigMap of flat keys, requests only that subject.
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
 * Returns the options of a package: of the RenderConfig that is the functionConfig, else of the one in the package; two
 * are an error. Only a functionConfig can request a check: a RenderConfig in the package would also stop the render
 * that fixes what the check finds. `cluster` is the one that the caller of the run is for, which a RenderConfig may
 * only repeat.
 */
export function optionsOf(
  items: readonly Item[],
  config: Item | undefined,
  codes: Codes,
  cluster?: string,
): { options: RenderOptions; config?: KubernetesObject; findings: readonly Finding[] } {
  const configs = items.filter(({ object }) => isRenderConfig(object))
  const chosen = config ?? configs[0]
  if (chosen === undefined) return { options: withCluster(DEFAULT_OPTIONS, cluster), findings: [] }
  const { name } = chosen.object.metadata
  // the functionConfig may be a file of the package as well
  const other = configs.find((item) => item !== chosen && (config === undefined || item.object.metadata.name !== name))
  const { options, findings } = readRenderConfig(chosen.object, codes)
  const read = {
    config: chosen.object,
    options: withCluster({ ...options, check: options.check && config !== undefined }, cluster),
    findings: [...findings, ...clusterFindings(chosen.object, options, cluster)],
  }
  if (other === undefined) return read
  const sentence = `${describe(other.object)} is a second RenderConfig beside ${describe(chosen.object)}`
  const two = finding('TwoRenderConfigs', sentence, { subject: other.object })
  return config === undefined
    ? { options: DEFAULT_OPTIONS, findings: [two] }
    : { ...read, findings: [...read.findings, two] }
}

function withCluster(options: RenderOptions, cluster: string | undefined): RenderOptions {
  return cluster === undefined ? options : { ...options, cluster }
}

function clusterFindings(subject: KubernetesObject, { cluster }: RenderOptions, wanted: string | undefined): Finding[] {
  if (cluster === undefined || wanted === undefined || cluster === wanted) return []
  const field = { path: 'spec.cluster', currentValue: cluster, proposedValue: wanted }
  const sentence = `${describe(subject)} is for cluster ${cluster}, but the run is for cluster ${wanted}`
  return [finding('WrongCluster', sentence, { subject, field })]
}
