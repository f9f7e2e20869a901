import { findTemplate, firstContainer, type OperatorValues, type Template } from '../daemonset/index.ts'
import { UserError } from '../files/user-error.ts'
import type { Finding, Read } from '../finding/index.ts'
import { readFleet } from '../inventory/index.ts'
import { newItem } from '../krm/item.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { isDns1123Subdomain } from '../kube/index.ts'
import { NODEFIT, nearest, readSizingPolicy, SIZING_POLICY_DEFAULTS, type SizingSettings } from '../policy/index.ts'
import {
  chooseLabel,
  groupMembers,
  growingLabels,
  HOSTNAME,
  type Member,
  membersOf,
  placementKeys,
  placementOf,
  reportingMembers,
  type StartGroup,
  startFrom,
  startGroup,
  startHeap,
} from '../sizing/index.ts'

/** A first policy of a target, and what it was made by. */
export interface FirstPolicy {
  readonly policy: KubernetesObject
  /** The container that is sized; the template of Kubescape's chart says it itself. */
  readonly container?: string
  /** The nodes whose sizes it starts from, where it starts from those of the target. */
  readonly start?: StartGroup
  /** The label keys that it or the template chooses nodes by: the inventory must say which nodes have them. */
  readonly labelKeys: readonly string[]
}

/** What a first policy is told beside target and nodes. */
export interface Choices {
  readonly cluster?: string
  /** The label to group by, where the user has chosen one. */
  readonly label?: string
  /** What Kubescape's operator is told, where its template is the target. */
  readonly operator?: OperatorValues
}

/** How many times larger each class of nodes is than the last, where nodes are told apart by size alone. */
const RATIO = 2

/**
 * A policy that starts from what runs today: grouped by the label that is asked for, else by the best that there is, with the sizes of the target on
 * its commonest nodes. What belongs to Kubescape's operator has the operator's label and sizes. Throws `UserError` where there is no such policy.
 */
export function firstPolicy(target: KubernetesObject, nodes: readonly Item[], choices: Choices): FirstPolicy {
  checkName(target)
  const draft = readOrFail(settingsOf(draftOf(target, choices.cluster, {})))
  const items = [newItem(target)]
  const template = readOrFail(findTemplate(items, items, draft))
  const pod = template.daemonSet.spec.template.spec ?? {}
  const placement = placementOf(pod, draft)
  const fleet = readOrFail(
    readFleet(
      nodes.map(({ object }) => object),
      choices.cluster,
    ),
  )
  const { members } = membersOf(fleet.shapes, placement)
  if (members.every(({ declared }) => declared))
    throw new UserError(
      `none of the nodes is one that ${target.metadata.name} runs on: see its nodeSelector and affinity, or leave it out`,
    )
  const grouping =
    target.kind === 'ConfigMap' && choices.label === undefined
      ? { nodeGroupLabel: String(choices.operator?.nodeGroupLabel ?? SIZING_POLICY_DEFAULTS.nodeGroupLabel) }
      : groupingBy(members, choices.label)
  const labelKeys = [...placementKeys(placement), ...labelsOf(grouping)]
  if (target.kind === 'ConfigMap') {
    const spec = operatorSpec(grouping, choices.operator)
    return { policy: draftOf(target, choices.cluster, spec), labelKeys }
  }
  const container = containerOf(template, draft)
  const settings = readOrFail(settingsOf(draftOf(target, choices.cluster, grouping)))
  const start = startGroup(groupMembers(members, settings, { placement, earlier: [] }).groups)
  if (start === undefined)
    throw new UserError(`no node that ${target.metadata.name} runs on reports allocatable cpu and memory`)
  const { value: rule, findings } = startFrom(container.resources, start)
  if (rule === undefined)
    throw new UserError(`container ${container.name} of ${target.metadata.name}: ${say(findings)}`)
  const only = (pod.containers ?? []).length === 1
  const heap = startHeap(container, rule, start.basis.memory)
  const spec = {
    ...grouping,
    ...(only ? {} : { containers: [{ name: container.name, share: 100 }] }),
    ...rule,
    ...(heap === undefined ? {} : { goMemLimitPercentage: heap }),
  }
  return { policy: draftOf(target, choices.cluster, spec), container: container.name, start, labelKeys }
}

/**
 * The operator's own values, and its defaults where it is told nothing. Its label stays where no node has it, so that every node is in the
 * default group, under the name that the operator gives it.
 */
function operatorSpec(grouping: Grouping, operator: OperatorValues = {}): object {
  const { resourcePercentages, minResources, maxResources } = SIZING_POLICY_DEFAULTS
  const {
    nodeGroupLabel: _,
    resourcePercentages: percentages,
    minResources: min,
    maxResources: max,
    ...others
  } = operator
  return {
    ...grouping,
    resourcePercentages: { ...resourcePercentages, ...percentages },
    minResources: { ...minResources, ...min },
    maxResources: { ...maxResources, ...max },
    ...others,
  }
}

/** Files are called like the target, and a file may hold anything. */
function checkName({ kind, metadata }: KubernetesObject): void {
  const name: unknown = metadata.name
  if (typeof name !== 'string') throw new UserError(`a ${kind} has no name`)
  if (!isDns1123Subdomain(name)) throw new UserError(`"${name}" cannot be the name of a ${kind}`)
}

function draftOf({ apiVersion, kind, metadata }: KubernetesObject, cluster: string | undefined, spec: object) {
  const { name, namespace } = metadata
  return {
    apiVersion: NODEFIT,
    kind: 'SizingPolicy',
    metadata: {
      name: kind === 'ConfigMap' ? 'node-agent' : name,
      ...(namespace === undefined ? {} : { namespace }),
      annotations: { 'config.kubernetes.io/local-config': 'true' },
    },
    spec: { ...(cluster === undefined ? {} : { cluster }), targetRef: { apiVersion, kind, name }, ...spec },
  }
}

function settingsOf(policy: KubernetesObject): Read<SizingSettings> {
  const { settings, findings } = readSizingPolicy(policy)
  return { value: settings, findings }
}

function containerOf({ daemonSet }: Template, { baseName }: SizingSettings) {
  const { containers = [], initContainers } = daemonSet.spec.template.spec ?? {}
  const name = firstContainer(daemonSet.spec.template.spec ?? {}, baseName)
  const found = [...containers, ...(initContainers ?? [])].find((container) => container.name === name)
  if (found === undefined) throw new Error('a template has containers')
  return found
}

type Grouping =
  | { nodeGroupLabel: string; classes?: { ratio: number } }
  | { nodeGroupRanges: { label: string; bounds: readonly number[] } }

/**
 * Groups by a label: host names by their size, integers that grow with the nodes by ranges, any other by its values. Nodes without the
 * label are the default group either way, as those that Karpenter did not make are.
 */
function groupingBy(members: readonly Member[], asked: string | undefined): Grouping {
  const known = [...new Set(members.flatMap(({ shape }) => Object.keys(shape.labels)))].sort()
  if (asked === undefined) {
    const nodeGroupLabel = chooseLabel(members)
    if (nodeGroupLabel !== undefined) return { nodeGroupLabel }
    throw new UserError(
      `no label of the nodes is known to tell their types apart: choose one with --label KEY; they have ${known.join(', ') || 'none'}`,
    )
  }
  if (!known.includes(asked)) {
    const guess = nearest(asked, known)
    const hint = guess === undefined ? `; they have ${known.join(', ') || 'none'}` : `; did you mean ${guess}?`
    throw new UserError(`--label ${asked}: no node that it runs on has this label${hint}`)
  }
  if (asked === HOSTNAME) return { nodeGroupLabel: HOSTNAME, classes: { ratio: RATIO } }
  const labelled = reportingMembers({
    id: '',
    members: members.filter(({ shape }) => Object.hasOwn(shape.labels, asked)),
  })
  const growing = growingLabels(labelled).find(({ label }) => label === asked)
  return growing === undefined ? { nodeGroupLabel: asked } : { nodeGroupRanges: growing }
}

function labelsOf(grouping: Grouping): string[] {
  return ['nodeGroupRanges' in grouping ? grouping.nodeGroupRanges.label : grouping.nodeGroupLabel]
}

function readOrFail<Value>({ value, findings }: Read<Value>): Value {
  const problem = findings.find(({ severity }) => severity === 'error')
  if (value === undefined || problem !== undefined) throw new UserError(problem?.message ?? 'it cannot be read')
  return value
}

function say(findings: readonly Finding[]): string {
  return findings.map(({ sentence }) => sentence).join('; ')
}
