import { Quantity, type ResourceShortage } from '../../kube/index.ts'
import type { Agent } from './agents.ts'

/** The kinds of group that an override names by what follows. */
const NAMED_GROUP = /^(?:value|group):(.+)$/s
const STEPS = { cpu: 'requestCPU', memory: 'requestMemory' } as const
const MEBIBYTE = 1024n * 1024n

/**
 * Returns the entry of spec.overrides under which the pods of a group fit on its nodes, where the policy's minimum made
 * them too large; undefined otherwise. The minimum that it states takes all that the nodes have left: any smaller one
 * fits too.
 */
export function smallerMinimum({ planned, rendered }: Agent, lacks: readonly ResourceShortage[]): string | undefined {
  const [, group] = NAMED_GROUP.exec(rendered.group?.id ?? '') ?? []
  const [lack] = lacks
  const resource = lack?.resource
  if (group === undefined || lack === undefined || (resource !== 'cpu' && resource !== 'memory')) return undefined
  const name = rendered.object.metadata.name
  const line = planned.account.find((one) => one.kind === 'group' && one.name === name)
  const step = line?.kind === 'group' ? line.steps.find((one) => one.name === STEPS[resource]) : undefined
  if (step?.decidedBy !== 'minimum') return undefined
  const minimum = Quantity.parse(step.printed)
  const missing = lacks
    .filter((one) => one.resource === resource)
    .map(({ requested, free }) => requested - free)
    .reduce((most, next) => (next > most ? next : most))
  const least = (resource === 'cpu' ? minimum.milliValue() : minimum.value()) - missing
  const amount = resource === 'cpu' ? Quantity.ofMilli(least) : Quantity.of((least / MEBIBYTE) * MEBIBYTE, 'BinarySI')
  if (least <= 0n || amount.value() <= 0n) return undefined
  const word = /^[A-Za-z][\w.-]*$/.test(group) ? group : JSON.stringify(group)
  return `- { groups: [${word}], minResources: { ${resource}: ${amount} } }`
}
