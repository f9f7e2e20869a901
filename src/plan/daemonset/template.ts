import type { SizingSettings } from '../../kinds/index.ts'
import type { Finding, Read } from '../../krm/finding.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import type { EnvVar, LabelSelector, PodTemplateSpec } from '../../kube/index.ts'
import type { ContainerSize, GroupName, Naming } from '../sizing/index.ts'

/** The fields of a DaemonSet that are read here. */
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

/** A template for DaemonSets, read from a DaemonSet or a ConfigMap. */
export interface Template {
  /** The object that contains the template. */
  readonly item: Item
  /** The DaemonSet without the fields that each group sets. */
  readonly daemonSet: DaemonSet
  readonly naming: Naming
  /** The container that the template leaves open for sizes. */
  readonly container?: string
  /**
   * Whether a variable is a placeholder of the template, which is replaced by a variable of the same name that a user
   * added.
   */
  readonly givesWay?: (variable: EnvVar) => boolean
  /** Variables that a user added to those of the template; their values are kept. */
  readonly ownVariables?: readonly Variable[]
  /** Fills the placeholders of the template in a group's DaemonSet. */
  complete(daemonSet: DaemonSet, values: GroupValues): { daemonSet: DaemonSet; findings: Finding[] }
}

/** The values of a group for the placeholders of a template. */
export interface GroupValues {
  readonly name: GroupName
  /** The label that groups the nodes; undefined if several do. */
  readonly groupLabel?: string
  readonly sizes: readonly ContainerSize[]
  readonly seLinuxType?: string
}

/** Reads an object as a template; findings say why it is not one. */
export type TemplateReader = (item: Item, settings: SizingSettings) => Read<Template>
