import { newItem } from '../../krm/item.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import type { Plan } from '../../rules/plan.ts'
import { plan } from '../../rules/run.ts'
import type { FirstPolicy } from './first-policy.ts'

/** A policy, its target, and the ConfigMaps of Kubescape's chart beside it. */
export interface Agent extends FirstPolicy {
  readonly target: KubernetesObject
  readonly operator?: KubernetesObject
  readonly kept?: readonly KubernetesObject[]
  /** DaemonSets that the chart prints beside its template; they are no part of the package. */
  readonly printed?: readonly KubernetesObject[]
}

/** Returns the plan of the first render, of the package to be written and the given nodes. */
export function planFirst(made: readonly Agent[], nodes: readonly Item[]): Plan {
  const objects = made.flatMap(({ policy, target, kept = [], printed = [] }) => [policy, target, ...kept, ...printed])
  const items = [...objects.map((object) => newItem(object)), ...nodes]
  return plan({ apiVersion: 'config.kubernetes.io/v1', items, results: [] })
}
