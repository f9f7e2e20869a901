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

/** A first policy of a target, and how it was made. */
export interface FirstPolicy {
  readonly policy: KubernetesObject
  /** The sized container; undefined for the template of Kubescape's chart, which defines it. */
  readonly container?: string
  /** The group whose nodes it starts from; undefined for Kubescape's template. */
  readonly start?: StartGroup
  /** The label keys that policy and template select nodes by: the inventory must export them. */
  readonly labelKeys: readonly string[]
}

/** What a first policy depends on besides target and nodes. */
export interface Choices {
  readonly cluster?: string
  /** The label to group by, with --label. */
  readonly label?: string
  /** The values of Kubescape's operator, for its template. */
  readonly operator?: OperatorValues
}

/** `classes.ratio` of a policy that groups by host name. */
const RATIO = 2

/**
 * A policy that keeps today's sizes: grouped by --label or the best label of the nodes, with the sizes of the target on
 * the nodes of its largest group. For the template of Kubescape's chart it has the label and sizes of the operator.
 * Throws `UserError` where the target, its nodes or the label do not allow one.
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
      `${target.metadata.name} runs on none of the nodes: correct its nodeSelector and affinity, or leave it out`,
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
  const container = sizedContainer(template, draft)
  const settings = readOrFail(settingsOf(draftOf(target, choices.cluster, grouping)))
  const start = startGroup(groupMembers(members, settings, { placement, earlier: [] }).groups)
  if (start === undefined)
    throw new UserError(`no node that ${target.metadata.name} runs on reports allocatable cpu and memory`)
  const { value: rule, findings } = startFrom(container.resources, start)
  if (rule === undefined)
    throw new UserError(`container ${container.name} of ${target.metadata.name}: ${sentencesOf(findings)}`)
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
 * The values of the operator, with its defaults. Its label is kept where no node has it: all nodes are then in the
 * default group, which has the name that the operator gives it.
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

/** Throws for an invalid name: files are named after the target. */
function checkName({ kind, metadata }: KubernetesObject): void {
  const name: unknown = metadata.name
  if (typeof name !== 'string') throw new UserError(`a ${kind} has no name`)
  if (!isDns1123Subdomain(name)) throw new UserError(`"${name}" is not a valid name of a ${kind}`)
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

function sizedContainer({ daemonSet }: Template, { baseName }: SizingSettings) {
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
 * How to group by a label: host names by classes, integers that grow with node size by ranges, other labels by value.
 * Nodes without the label, as those that Karpenter did not create, are in the default group.
 */
function groupingBy(members: readonly Member[], asked: string | undefined): Grouping {
  const known = [...new Set(members.flatMap(({ shape }) => Object.keys(shape.labels)))].sort()
  if (asked === undefined) {
    const nodeGroupLabel = chooseLabel(members)
    if (nodeGroupLabel !== undefined) return { nodeGroupLabel }
    throw new UserError(
      `nodefit knows no label of the nodes that tells their types apart: choose one with --label KEY; the nodes have ${known.join(', ') || 'none'}`,
    )
  }
  if (!known.includes(asked)) {
    const guess = nearest(asked, known)
    const hint = guess === undefined ? `; the nodes have ${known.join(', ') || 'none'}` : `; did you mean ${guess}?`
    throw new UserError(`--label ${asked}: no node that the agent runs on has this label${hint}`)
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
  if (value === undefined || problem !== undefined) throw new UserError(problem?.message ?? 'the input cannot be read')
  return value
}

function sentencesOf(findings: readonly Finding[]): string {
  return findings.map(({ sentence }) => sentence).join('; ')
}
