import { type Finding, finding } from '../finding/index.ts'
import { ownerOf } from '../krm/ownership.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import type { LabelSelector, PodTemplateSpec } from '../kube/index.ts'
import type { SizingSettings } from '../policy/index.ts'
import type { ContainerSize, GroupName, Naming } from '../sizing/index.ts'
import { readConfigMap } from './configmap-template.ts'
import { readDaemonSet } from './daemonset-template.ts'

/** A DaemonSet as far as it is read here. */
export interface DaemonSet extends KubernetesObject {
  spec: {
    selector: LabelSelector
    template: PodTemplateSpec
    [field: string]: unknown
  }
}

/** What DaemonSets are rendered from, wherever it stands. */
export interface Template {
  /** The object that holds it. */
  readonly item: Item
  /** The DaemonSet without what belongs to one group. */
  readonly daemonSet: DaemonSet
  readonly naming: Naming
  /** The container that the template itself wants to be sized. */
  readonly container?: string
  /** Puts into a group's DaemonSet what the template itself leaves open for a group. */
  complete(daemonSet: DaemonSet, values: GroupValues): { daemonSet: DaemonSet; findings: Finding[] }
}

/** What is known of a group when its DaemonSet is made. */
export interface GroupValues {
  readonly name: GroupName
  /** The label that the nodes are grouped by, where it is one. */
  readonly groupLabel?: string
  readonly sizes: readonly ContainerSize[]
  readonly seLinuxType?: string
}

/** Reads an object that may hold a template: the template, or what is wrong with it. */
export type TemplateReader = (item: Item, settings: SizingSettings) => { template?: Template; findings: Finding[] }

const READERS: Record<SizingSettings['target']['kind'], TemplateReader> = {
  DaemonSet: readDaemonSet,
  ConfigMap: readConfigMap,
}

/** Finds the target of a policy among the items of its scope: by kind, name and the policy's namespace; never our own output. */
export function findTemplate(
  items: readonly Item[],
  settings: SizingSettings,
): { template?: Template; findings: Finding[] } {
  const { target, subject } = settings
  const { namespace } = subject.metadata
  const named = items.filter(({ object }) => isTarget(object, target))
  const found = namespace === undefined ? named : named.filter(({ object }) => object.metadata.namespace === namespace)
  const where = namespace === undefined ? '' : ` in namespace ${namespace}`
  const [item, second] = found
  if (item !== undefined && second === undefined) return READERS[target.kind](item, settings)
  const place = { subject, field: { path: 'spec.targetRef', currentValue: target } }
  if (item !== undefined) {
    const sentence = `${subject.metadata.name}: there are ${found.length} objects ${target.kind} ${target.name}${where}`
    return { findings: [finding('TargetNotUnique', sentence, place)] }
  }
  const elsewhere =
    named.length > 0 ? `; there is one in namespace ${named[0]?.object.metadata.namespace ?? '(none)'}` : ''
  const sentence = `${subject.metadata.name}: there is no ${target.kind} ${target.name}${where}${elsewhere}`
  return { findings: [finding('TargetMissing', sentence, place)] }
}

function isTarget(object: KubernetesObject, target: SizingSettings['target']): boolean {
  const isNamed =
    object.kind === target.kind && object.apiVersion === target.apiVersion && object.metadata.name === target.name
  return isNamed && ownerOf(object) === undefined
}
