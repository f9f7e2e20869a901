/** The entry `nodefit`: what a render decides, and its output (docs/reference/library.md). */

import type { PlannedChanges } from './fate/change.ts'
import type { Finding as AnyFinding } from './krm/finding.ts'
import type { ResourceList } from './krm/types.ts'
import type { Code } from './rules/all-codes.ts'
import type { PackagePlan as AnyPackagePlan, Plan as AnyPlan, PlanOptions } from './rules/plan.ts'
import { plan as planWithAnyCode } from './rules/run.ts'

/** A sentence about the input or the output, with its code, its severity, and the object and field that it is about. */
export type Finding = AnyFinding<Code>
/** Everything that a run decided. */
export type Plan = AnyPlan<Code>
/** What a run decided in one package. */
export type PackagePlan = AnyPackagePlan<Code>
/** What one policy or Order comes to, with what becomes of each of its objects. */
export type Planned = PlannedChanges<Code>

/**
 * Reads the list, plans and proves each package in it, and compares that with what was rendered before. Throws nothing
 * for user errors.
 */
// each room makes findings of its own codes alone, and CODES holds the codes of all rooms
export const plan = planWithAnyCode as (list: ResourceList, options?: PlanOptions) => Plan

export type {
  ContainerStep,
  ContainersLine,
  CountLine,
  DecidedBy,
  GroupKind,
  GroupLine,
  LargestStep,
  Line,
  NodesLine,
  NoteLine,
  PercentageStep,
  RowLine,
  StateLine,
  Step,
  UsageLine,
  UsedStep,
  UsedTexts,
  VariableStep,
} from './core/account.ts'
export type {
  ActionState,
  Answer,
  Answers,
  Constraints,
  Demand,
  Facts,
  Hole,
  PlannedAction,
  Rendered,
  Share,
} from './core/planned.ts'
export type { Key, Keyring, Trust } from './core/trust.ts'
export type { FlatKeys } from './core/world.ts'
export { render } from './face/render.ts'
export type { Fleet, Nodes, Shape } from './facts/inventory/fleet.ts'
export type { AgentStop, Change, ChangeKind, PodBefore, PodChange } from './fate/change.ts'
export type { Expected } from './kinds/render-options.ts'
export type { FieldChange } from './krm/difference.ts'
export type { KrmError, KrmErrorCode } from './krm/error.ts'
export type { CodeDefinition, CodeRole, Place, Read, Subject } from './krm/finding.ts'
export type { Item, KubernetesObject, ObjectMeta, ResourceList, Result, Severity } from './krm/types.ts'
export type { Int64Range, Int64Ranges, Quantity, QuantityFormat } from './kube/quantity.ts'
export type { Region } from './kube/region.ts'
export type { NodeIdentity, RequirementKey, Requirements } from './kube/requirements.ts'
export type {
  Affinity,
  Container,
  EnvVar,
  Labels,
  NodeSelector,
  NodeSelectorRequirement,
  NodeSelectorTerm,
  PodSpec,
  ResourceQuantities,
  ResourceRequirements,
  Taint,
  Toleration,
} from './kube/types.ts'
export type { ValueDomain, ValueSet, ValueWitness } from './kube/value-set.ts'
export { CODES, type Code } from './rules/all-codes.ts'
export type { PlanOptions } from './rules/plan.ts'
