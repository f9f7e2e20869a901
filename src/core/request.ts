import {
  DEFAULT_OPTIONS,
  isRenderConfig,
  NODEFIT,
  nearest,
  OWN_KINDS,
  policyFromFlat,
  type RenderOptions,
  readRenderConfig,
  TEST_KIND,
  versionsOf,
} from '../kinds/index.ts'
import type { Codes, Finding } from '../krm/finding.ts'
import { apiGroup, describe, identityOf, SELECTED } from '../krm/identity.ts'
import { newItem } from '../krm/index.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { finding } from './codes.ts'
import { KUSTOMIZE_FUNCTION } from './kustomizations.ts'
import type { Schema } from './planner.ts'

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

/** The kinds of nodefit that need no planner. */
export const UNPLANNED_KINDS = ['NodeInventory', 'RenderConfig', 'WorkloadSnapshot', TEST_KIND]
const OTHERS_MEND = 'Correct the apiVersion, or move an object that is not for nodefit to another package.'

/** Reports what the kinds of items alone show: unknown kinds of nodefit, and lists of which a part is missing. */
export function kindFindings(items: readonly Item[], schemas: readonly Schema[]): Finding[] {
  const isOwn = ({ apiVersion }: Schema) => apiGroup(apiVersion) === OWN_GROUP
  const known = [...UNPLANNED_KINDS, ...schemas.filter(isOwn).map(schemaKind)]
  const others = schemas.filter((schema) => !isOwn(schema))
  return items.flatMap(({ object: subject }) => {
    const { apiVersion, kind, metadata } = subject
    if (apiVersion === 'v1' && isPage(kind, metadata))
      return [finding('PartialList', `${kind} is one page of a longer list`, { subject })]
    const ownSlip = slipOf(subject, known)
    const field = ownSlip ?? slipOfOthers(subject, others)
    if (field === undefined) return []
    const sentence = `${apiVersion} ${describe(subject)} is unknown${askedOf(field)}`
    return [finding('UnknownKind', sentence, { subject, field, mend: ownSlip === undefined ? OTHERS_MEND : undefined })]
  })
}

/** Reports a selection: a host that numbers the selected items shows only a part of the package. */
export function selectionFindings(items: readonly Item[]): Finding[] {
  const selected = items.find(({ object }) => SELECTED.some((key) => object.metadata.annotations?.[key] !== undefined))
  if (selected === undefined) return []
  return [
    finding('SelectorsInUse', 'the function receives only a selection of the package', { subject: selected.object }),
  ]
}

function isPage(kind: string, { continue: token, remainingItemCount }: Record<string, unknown>): boolean {
  return kind.endsWith('List') && Boolean(token || remainingItemCount)
}

function schemaKind({ kind }: Schema): string {
  return kind
}

/** The API group of nodefit's resources. */
const OWN_GROUP = apiGroup(NODEFIT)
const [OWN_LABEL = ''] = OWN_GROUP.split('.')
const VERSION = /^v[0-9]+((alpha|beta)[0-9]+)?$/

/** How many letters of a group may be wrong; few, since other groups may have kinds of these names. */
const SLIPS = 2

/** A misspelt apiVersion or kind, and the proposed one, where it can be guessed. */
interface Slip {
  readonly path: 'apiVersion' | 'kind'
  readonly currentValue: string
  readonly proposedValue?: string
}

/**
 * Returns what is wrong with the apiVersion or kind of an object that is meant for nodefit; undefined for valid ones,
 * and for objects of other groups.
 */
function slipOf(
  { apiVersion, kind }: Pick<KubernetesObject, 'apiVersion' | 'kind'>,
  kinds: readonly string[],
): Slip | undefined {
  const isKnown = kinds.includes(kind)
  if (apiGroup(apiVersion) !== OWN_GROUP && !(isKnown && isNearlyOurs(apiVersion))) return undefined
  if (isKnown) {
    const isRead = versionsOf(kind).includes(apiVersion)
    return isRead ? undefined : { path: 'apiVersion', currentValue: apiVersion, proposedValue: NODEFIT }
  }
  return { path: 'kind', currentValue: kind, proposedValue: nearest(kind, kinds) }
}

/**
 * Returns what is wrong with the apiVersion of an object whose kind a planner reads from another API; undefined for a
 * valid apiVersion, and for one that is not almost right.
 */
function slipOfOthers(
  { apiVersion, kind }: Pick<KubernetesObject, 'apiVersion' | 'kind'>,
  schemas: readonly Schema[],
): Slip | undefined {
  const own = schemas.filter((schema) => schema.kind === kind)
  if (own.some((schema) => schema.apiVersion === apiVersion)) return undefined
  const meant = own.find((schema) => isNearlyIn(apiVersion, apiGroup(schema.apiVersion)))
  return meant && { path: 'apiVersion', currentValue: apiVersion, proposedValue: meant.apiVersion }
}

/**
 * Whether an apiVersion is almost of a group: in another version, with few letters wrong, or without the group's first
 * part.
 */
function isNearlyIn(apiVersion: string, right: string): boolean {
  const [group = ''] = apiVersion.split('/')
  const isTail = group.includes('.') && right.endsWith(`.${group}`)
  return apiVersion === '' || VERSION.test(apiVersion) || isTail || nearest(group, [right], SLIPS) !== undefined
}

/** Formats the proposed value as a question at the end of a message; empty where there is none. */
function askedOf({ proposedValue }: Pick<Slip, 'proposedValue'>): string {
  return proposedValue === undefined ? '' : `: did you mean ${proposedValue}?`
}

/**
 * Whether an apiVersion is almost one of nodefit: a version without any group, which only Kubernetes' own kinds have,
 * or a group that is misspelt, with another domain, with none, or without its version.
 */
function isNearlyOurs(apiVersion: string): boolean {
  if (apiVersion === '' || VERSION.test(apiVersion)) return true
  const [group = ''] = apiVersion.split('/')
  const [first = '', ...domain] = group.split('.')
  const isNear = (name: string, own: string) => nearest(name, [own], SLIPS) !== undefined
  return isNear(group, OWN_GROUP) || (domain.length <= 1 && isNear(first, OWN_LABEL))
}
