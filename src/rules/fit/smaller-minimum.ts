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
  const steps = line?.kind === 'group' ? line.steps.filter((one) => one.name === STEPS[resource]) : []
  const printed = steps.filter(({ decidedBy }) => decidedBy === 'minimum').flatMap((one) => one.printed.split(' + '))
  if (printed.length === 0) return undefined
  // of several containers each prints its part
  const minimum = printed.map((text) => Quantity.parse(text)).reduce((sum, part) => sum.plus(part))
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
