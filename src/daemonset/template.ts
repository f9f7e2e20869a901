import type { Finding, Read } from '../finding/index.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import type { EnvVar, LabelSelector, PodTemplateSpec } from '../kube/index.ts'
import type { SizingSettings } from '../policy/index.ts'
import type { ContainerSize, GroupName, Naming } from '../sizing/index.ts'

/** A DaemonSet as far as it is read here. */
export interface DaemonSet extends KubernetesObject {
  spec: {
    selector: LabelSelector
    template: PodTemplateSpec
    [field: string]: unknown
  }
}

/** A variable of a container. */
export interface Variable {
  readonly container: string
  readonly name: string
}

/** What DaemonSets are rendered from, read from a DaemonSet or a ConfigMap. */
export interface Template {
  /** The object that holds it. */
  readonly item: Item
  /** The DaemonSet without what belongs to one group. */
  readonly daemonSet: DaemonSet
  readonly naming: Naming
  /** The container that the template itself wants to be sized. */
  readonly container?: string
  /** Whether a variable is left open by the template itself, and gives way to one of its name that a user has added. */
  readonly givesWay?: (variable: EnvVar) => boolean
  /** Variables that a user has added to those of the template, whose values stay. */
  readonly ownVariables?: readonly Variable[]
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
export type TemplateReader = (item: Item, settings: SizingSettings) => Read<Template>
