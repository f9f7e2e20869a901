import { memoOf } from '../../core/index.ts'
import { NODEFIT_GROUP, nearest } from '../../kinds/index.ts'
import type { Finding } from '../../krm/finding.ts'
import { isMap, memberOf } from '../../krm/map.ts'
import {
  isDns1123Label,
  isDns1123Subdomain,
  isLabelValue,
  isQualifiedName,
  KubeError,
  type Labels,
  parseSelector,
  type Taint,
  taintText,
} from '../../kube/index.ts'
import { finding } from './codes.ts'
import type { Memory } from './memory.ts'
import type { Action, ActionTarget, ActionType } from './read-action.ts'
import type { ActionSettings } from './settings.ts'

type Check = (value: unknown) => boolean

const isText: Check = (value) => typeof value === 'string' && value !== ''
const isFlag: Check = (value) => typeof value === 'boolean'
const isCount: Check = (value) => Number.isSafeInteger(value) && (value as number) >= 0
const isPositive: Check = (value) => isCount(value) && value !== 0
const isTexts: Check = (value) => isMap(value) && Object.values(value).every((one) => typeof one === 'string')
const isSelector: Check = (value) => {
  try {
    return isText(value) && parseSelector(String(value)) !== undefined
  } catch (error) {
    if (error instanceof KubeError) return false
    throw error
  }
}
const isNames: Check = (value) => Array.isArray(value) && value.every((one) => typeof one === 'string')

/** What each type acts on, and its parameters: the required ones with a check that fails on an absent value. */
const TYPES: Readonly<
  Record<
    ActionType,
    { kind: ActionTarget['kind']; parameters: Readonly<Record<string, Check>>; required: readonly string[] }
  >
> = {
  cordonNode: { kind: 'Node', parameters: {}, required: [] },
  uncordonNode: { kind: 'Node', parameters: {}, required: [] },
  labelNode: { kind: 'Node', parameters: { labels: isTexts, remove: isNames }, required: [] },
  taintNode: {
    kind: 'Node',
    parameters: { key: isText, value: (value) => typeof value === 'string', effect: isText },
    required: ['key', 'effect'],
  },
  untaintNode: { kind: 'Node', parameters: { key: isText, effect: isText }, required: ['key', 'effect'] },
  drainNode: {
    kind: 'Node',
    parameters: {
      timeoutSeconds: isPositive,
      deleteEmptyDirData: isFlag,
      force: isFlag,
      gracePeriodSeconds: isCount,
      podSelector: isSelector,
    },
    required: [],
  },
  evictPod: { kind: 'Pod', parameters: { gracePeriodSeconds: isCount }, required: [] },
  scaleDeployment: { kind: 'Deployment', parameters: { replicas: isCount }, required: ['replicas'] },
  setImage: { kind: 'Deployment', parameters: { container: isText, image: isText }, required: ['container', 'image'] },
  labelDeployment: { kind: 'Deployment', parameters: { labels: isTexts }, required: ['labels'] },
}

const EFFECTS = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']
/** The domains of labels that the kubelet, the cloud or an autoscaler sets, or that decide where pods belong. */
const PROTECTED = [
  ...['kubernetes.io', 'beta.kubernetes.io', 'failure-domain.beta.kubernetes.io'],
  ...['eks.amazonaws.com', 'cloud.google.com', 'kubernetes.azure.com', 'node.cluster.x-k8s.io'],
]
/** The same, with those below them. */
const PROTECTED_BELOW = [
  ...['topology.kubernetes.io', 'node.kubernetes.io', 'node-restriction.kubernetes.io'],
  ...['kubenodesmith.io', 'karpenter.sh', 'karpenter.k8s.aws'],
]
/** The labels by which a node is of the control plane. */
export const CONTROL_PLANE = ['node-role.kubernetes.io/control-plane', 'node-role.kubernetes.io/master']

/** Returns the labels that an action sets and those that it removes. */
export function labelsOf({ parameters }: Action): { readonly set: Labels; readonly remove: readonly string[] } {
  return { set: (parameters.labels ?? {}) as Labels, remove: (parameters.remove ?? []) as string[] }
}

/** Returns the taint of a taintNode, or that of an untaintNode. */
export function taintOf({ parameters }: Action): Taint {
  const { key, value, effect } = parameters as unknown as Taint
  return { key, ...(value === undefined || value === '' ? {} : { value }), effect }
}

/** Returns the keys of the labels that an action sets or removes. */
export function labelKeysOf(action: Action): string[] {
  const { set, remove } = labelsOf(action)
  return [...Object.keys(set), ...remove]
}

/** Checks target and parameters of a verified action against its type, and against the limits of the policy. */
export function parameterFindings(action: Action, settings: ActionSettings): Finding[] {
  const { type, target } = action
  const report = reportOf(action)
  const forbidden = typeFindings(action, settings)
  if (forbidden.length > 0) return forbidden
  return [...formFindings(action), ...(target.kind === TYPES[type].kind ? limitFindings(action, settings, report) : [])]
}

/** Reports an action of a type that a policy or a trust does not have; one without types has all. */
export function typeFindings(action: Action, { types }: { readonly types?: readonly string[] }): Finding[] {
  const { type } = action
  if (types === undefined || types.includes(type)) return []
  const words = `is ${type}, but only these may be rendered: ${types.join(', ') || 'none'}`
  return [reportOf(action)('ActionTypeForbidden', 'spec.type', words, type)]
}

/** Checks target and parameters of an action against its type, whatever the policy. */
export function formFindings(action: Action): Finding[] {
  const report = reportOf(action)
  const fields = fieldFindings(action, report)
  return [
    ...targetFindings(action, report),
    ...fields,
    ...(fields.length > 0 ? [] : [...taintFindings(action, report), ...labelFindings(action, report)]),
  ]
}

function reportOf({ subject }: Action): Report {
  return (code, path, sentence, currentValue) =>
    finding(code, `${subject.metadata.name}: ${path} ${sentence}`, { subject, field: { path, currentValue } })
}

type Report = (code: Parameters<typeof finding>[0], path: string, sentence: string, currentValue?: unknown) => Finding

function targetFindings({ type, target }: Action, report: Report): Finding[] {
  const { kind } = TYPES[type]
  if (target.kind !== kind)
    return [report('InvalidField', 'spec.target.kind', `is ${target.kind}, but ${type} acts on a ${kind}`, target.kind)]
  const isNode = kind === 'Node'
  return [
    ...(isDns1123Subdomain(target.name)
      ? []
      : [report('InvalidField', 'spec.target.name', `is "${target.name}", not a valid name`, target.name)]),
    ...(isNode && target.namespace !== undefined
      ? [report('InvalidField', 'spec.target.namespace', 'is set, but a Node has none', target.namespace)]
      : []),
    ...(!isNode && !isDns1123Label(target.namespace ?? '')
      ? [
          report(
            'InvalidField',
            'spec.target.namespace',
            `is "${target.namespace ?? ''}", not a namespace`,
            target.namespace,
          ),
        ]
      : []),
    ...(kind === 'Pod' && !target.uid
      ? [report('InvalidField', 'spec.target.uid', 'is missing: another pod of this name would be evicted')]
      : []),
  ]
}

function fieldFindings({ type, parameters }: Action, report: Report): Finding[] {
  const { parameters: known, required } = TYPES[type]
  const names = Object.keys(known)
  const missing = required.filter((name) => parameters[name] === undefined)
  const wrong = Object.entries(parameters).flatMap(([name, value]) => {
    const path = `spec.parameters.${name}`
    if (!Object.hasOwn(known, name)) {
      const guess = nearest(name, names)
      const hint = guess === undefined ? `(known here: ${names.join(', ') || 'none'})` : `(did you mean ${guess}?)`
      return [report('UnknownField', path, `is not a parameter of ${type} ${hint}`, value)]
    }
    return known[name]?.(value) === true
      ? []
      : [report('InvalidField', path, `is ${JSON.stringify(value)}, which ${type} does not take`, value)]
  })
  return [...missing.map((name) => report('InvalidField', `spec.parameters.${name}`, 'is missing')), ...wrong]
}

function taintFindings(action: Action, report: Report): Finding[] {
  if (action.type !== 'taintNode' && action.type !== 'untaintNode') return []
  const { key, value = '', effect } = taintOf(action)
  if (!isQualifiedName(key) || !isLabelValue(value))
    return [report('InvalidLabel', 'spec.parameters.key', `is not a valid taint: ${key}=${value}`, key)]
  return EFFECTS.includes(effect)
    ? []
    : [report('InvalidField', 'spec.parameters.effect', `is ${effect}, not ${EFFECTS.join(', ')}`, effect)]
}

function labelFindings(action: Action, report: Report): Finding[] {
  if (action.type !== 'labelNode' && action.type !== 'labelDeployment') return []
  const { set, remove } = labelsOf(action)
  const keys = labelKeysOf(action)
  if (keys.length === 0) return [report('InvalidField', 'spec.parameters.labels', 'names no label')]
  return keys.flatMap((key) => {
    const path = labelPath(action, key)
    if (!isQualifiedName(key)) return [report('InvalidLabel', path, 'is not a label key')]
    const value = memberOf(set, key) ?? ''
    if (!isLabelValue(String(value)))
      return [report('InvalidLabel', path, `has "${value}", which is not a label value`, value)]
    return Object.hasOwn(set, key) && remove.includes(key) ? [report('InvalidField', path, 'is set and removed')] : []
  })
}

/** Returns the path of the parameter that sets or removes a label. */
export function labelPath(action: Action, key: string): string {
  return `spec.parameters.${Object.hasOwn(labelsOf(action).set, key) ? 'labels' : 'remove'}.${key}`
}

function limitFindings(action: Action, settings: ActionSettings, report: Report): Finding[] {
  const { maxReplicas, allowLabels, allowControlPlane } = settings
  const { type, parameters } = action
  if (type === 'scaleDeployment' && isCount(parameters.replicas) && (parameters.replicas as number) > maxReplicas)
    return [
      report(
        'OverLimit',
        'spec.parameters.replicas',
        `is ${parameters.replicas}, above maxReplicas ${maxReplicas} of the ActionPolicy`,
        parameters.replicas,
      ),
    ]
  const isTaint = type === 'taintNode' || type === 'untaintNode'
  if (isTaint && CONTROL_PLANE.includes(String(parameters.key)) && !allowControlPlane)
    return [report('ForbiddenLabel', 'spec.parameters.key', 'is a taint of the control plane', parameters.key)]
  if (type !== 'labelNode') return []
  if (parameters.labels !== undefined && !isTexts(parameters.labels)) return []
  if (parameters.remove !== undefined && !isNames(parameters.remove)) return []
  const isForbidden = (key: string) =>
    !allowLabels.includes(key) && (isProtected(key) || (CONTROL_PLANE.includes(key) && !allowControlPlane))
  return labelKeysOf(action).flatMap((key) =>
    isForbidden(key)
      ? [report('ForbiddenLabel', labelPath(action, key), 'is a protected label, which allowLabels does not have')]
      : [],
  )
}

function isProtected(key: string): boolean {
  const [domain = '', name] = key.split('/')
  if (name === undefined) return false
  return (
    key.startsWith(NODEFIT_GROUP) ||
    PROTECTED.includes(domain) ||
    PROTECTED_BELOW.some((one) => `.${domain}`.endsWith(`.${one}`))
  )
}

/** The fields of its target that an action decides. */
interface DecidedFields {
  /** Without one of these the action has nothing to do. */
  readonly main: readonly string[]
  /** What it decides besides: an uncordon also ends earlier drains of the node. */
  readonly more: readonly string[]
}

/** Returns the fields that an action decides, by names that records keep: `Node/small-000002/unschedulable`. */
export const fieldsOf = memoOf((action: Action): DecidedFields => {
  const { type, target, parameters } = action
  const at = (field: string) =>
    [target.kind, ...(target.namespace === undefined ? [] : [target.namespace]), target.name, field].join('/')
  const labels = () => {
    const { set, remove } = labelsOf(action)
    return [...Object.keys(set), ...remove].map((key) => at(`labels/${key}`)).sort()
  }
  switch (type) {
    case 'cordonNode':
      return { main: [at('unschedulable')], more: [] }
    case 'uncordonNode':
      return { main: [at('unschedulable')], more: [at('drain')] }
    case 'drainNode':
      return { main: [at('drain')], more: [at('unschedulable')] }
    case 'labelNode':
    case 'labelDeployment':
      return { main: labels(), more: [] }
    case 'taintNode':
    case 'untaintNode': {
      const { key, effect } = taintOf(action)
      return { main: [at(`taints/${taintText({ key, effect })}`)], more: [] }
    }
    case 'evictPod':
      return { main: [at('evict')], more: [] }
    case 'scaleDeployment':
      return { main: [at('replicas')], more: [] }
    case 'setImage':
      return { main: [at(`image/${String(parameters.container)}`)], more: [] }
  }
})

/** Which actions apply to which fields: of several on one field the one with the highest sequence. */
export interface Decided {
  /** The fields on which an action is the latest. */
  applies(action: Action, field: string): boolean
  /** Whether none of an action's main fields is left to it. */
  isSuperseded(action: Action): boolean
  /** By field the highest sequence, earlier runs included. */
  readonly sequences: ReadonlyMap<string, number>
  readonly findings: readonly Finding[]
}

/**
 * Decides between valid actions, and those of earlier runs; reports two actions of one sequence on one field. A drain
 * that is waiting leaves the node as the actions before it say.
 */
export function decide(
  actions: readonly Action[],
  { sequences: earlier }: Pick<Memory, 'sequences'>,
  waiting: ReadonlySet<Action> = new Set(),
): Decided {
  const sequences = new Map(earlier)
  const holders = new Map<string, Action>()
  const findings: Finding[] = []
  for (const action of actions) {
    const { main, more } = fieldsOf(action)
    for (const field of waiting.has(action) ? main : [...main, ...more]) {
      const other = holders.get(field)
      if (other?.sequence === action.sequence) {
        const { subject } = action
        const sentence = `${subject.metadata.name} and ${other.subject.metadata.name} decide ${field} with the same sequence ${action.sequence}`
        findings.push(finding('DuplicateSequence', sentence, { subject, field: { path: 'spec.sequence' } }))
      }
      if (other === undefined || other.sequence < action.sequence) holders.set(field, action)
      sequences.set(field, Math.max(action.sequence, sequences.get(field) ?? 0))
    }
  }
  const applies = ({ sequence }: Action, field: string) => sequence >= (sequences.get(field) ?? 0)
  const isSuperseded = (action: Action) => fieldsOf(action).main.every((field) => !applies(action, field))
  return { applies, isSuperseded, sequences, findings }
}
