import { type UsageRow, usageKey } from '../../facts/inventory/index.ts'
import { newItem } from '../../krm/item.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import type { Plan } from '../../rules/plan.ts'
import { snapshotOf } from '../files/snapshot-of.ts'
import { labelledNodes } from './all-words.ts'
import { type Agent, type AgentSources, agentsFrom, planFirst, type Source } from './first-agents.ts'
import type { FirstLook } from './first-look.ts'
import type { Choices } from './first-policy.ts'
import { inventoryOf } from './inventory.ts'

/** What a first package is planned from. */
interface FirstInput {
  readonly nodes: readonly Item[]
  readonly sources: readonly Source[]
  readonly kind: AgentSources['kind']
  readonly choices: Choices
  /** The DaemonSets of the cluster. */
  readonly present?: readonly KubernetesObject[]
  /** Undefined where nothing is measured. */
  readonly look?: FirstLook | undefined
  /** Whether agents that would be left out are written, too. */
  readonly isAnyway?: boolean
  /** Whether all DaemonSets of the cluster are taken, which names none of them. */
  readonly isAll?: boolean
}

/** A package that is to be written, and its first render. */
export interface FirstPlan {
  /** All agents, and those that are written. */
  readonly agents: readonly Agent[]
  readonly made: readonly Agent[]
  /** Those of which no policy can be made, and why. */
  readonly failures: ReadonlyArray<{ readonly from: string; readonly why: string }>
  readonly inventory: Record<string, unknown>
  /** The rows of usage; undefined without any. */
  readonly snapshot?: Record<string, unknown>
  /** Renders the package, once the nodes have the labels that it needs. */
  render(): Plan
}

/** Makes the policies of a first package. Throws `UserError` as `agentsFrom`. */
export function firstPlan(input: FirstInput): FirstPlan {
  const { nodes, sources, kind, choices, present = [], look, isAnyway, isAll } = input
  const inventoryOn = (items: readonly Item[], labels: readonly string[]) =>
    inventoryOf(items, choices.cluster ?? 'cluster', { label: labels })
  inventoryOn(nodes, [])
  const failures: Array<{ from: string; why: string }> = []
  // nobody has named the agents of a whole cluster: one that fits no node is no reason to stop
  const onFailure = isAll === true ? (from: string, why: string) => failures.push({ from, why }) : undefined
  const agents = agentsFrom(sources, kind, nodes, choices, { look, present, onFailure })
  const made = agents.filter(
    (agent) => agent.leave === undefined || (isAnyway === true && !(isAll === true && isOfOthers(agent))),
  )
  const labels = made.flatMap(({ labelKeys }) => labelKeys)
  const inventory = inventoryOn(nodes, labels)
  const usage = rowsOf(made, inventory)
  const snapshot = usage.length === 0 ? undefined : snapshotOf({ usage }, nodes, inventory)
  return {
    ...{ agents, made, failures, inventory },
    ...(snapshot !== undefined && { snapshot }),
    render: () => {
      const labelled = look?.carrier.isYours ? inventoryOn(labelledNodes(nodes, look), labels) : inventory
      return planFirst(made, [itemOf(labelled), ...(snapshot === undefined ? [] : [itemOf(snapshot)])])
    },
  }
}

/** Whether its node depends on it, or another sets its size: nobody means it who takes all. */
function isOfOthers({ look }: Agent): boolean {
  return look?.proposal.verdict === 'leave it'
}

/** The rows of all policies, with the time of the look or, where no sample says it, that of the inventory. */
function rowsOf(made: readonly Agent[], { spec }: Record<string, unknown>): UsageRow[] {
  const { observedAt } = spec as { observedAt?: string }
  const all = made.flatMap(({ rows, look }) => {
    const at = look?.takenAt ?? observedAt
    return rows?.(at === undefined ? new Date() : new Date(at)) ?? []
  })
  return all.toSorted((a, b) => (usageKey(a) < usageKey(b) ? -1 : 1))
}

function itemOf(object: Record<string, unknown>): Item {
  return newItem(object as unknown as KubernetesObject)
}
