import type { Finding } from '../finding/index.ts'
import { isLocalConfig } from '../krm/annotation.ts'
import type { KubernetesObject } from '../krm/types.ts'
import { hasInstanceLabel, instanceLabelFindings } from '../object/index.ts'
import { isTicket } from '../policy/index.ts'
import type { Rendered } from '../world/index.ts'

/**
 * The instance label of an Order, said once, where something that is applied carries it: a Ticket has the labels of the
 * Order's template, a group's Order those of the Order itself. An Order that stays local configuration is applied by
 * nobody.
 */
export function carriedLabelFindings(order: KubernetesObject, rendered: readonly Rendered[]): Finding[] {
  const carrier = rendered.find(({ object }) => hasInstanceLabel(object) && !isLocalConfig(object.metadata.annotations))
  if (carrier === undefined) return []
  const { object } = carrier
  const path = isTicket(object) ? 'spec.template.metadata.labels' : 'metadata.labels'
  return instanceLabelFindings(object.metadata.labels, { name: order.metadata.name, subject: order, path })
}
