import type { Finding } from '../../../krm/finding/index.ts'
import { plainName, sanitize } from '../../sizing/index.ts'
import type { PolicyPlan } from '../plan-policy.ts'
import { finding } from './codes.ts'
import { namespaceOf } from './left-behind.ts'

/**
 * Reports a new default group under the name by which the operator runs the nodes with an empty label value (research:
 * kubescape N4): its DaemonSet cannot be updated to the default group's selector. Where another value has that name
 * too, the operator adds hashes, and NameCollision is reported.
 */
export function emptyValueFindings({ settings, template, groups }: PolicyPlan): Finding[] {
  if (template === undefined || settings.target.kind !== 'ConfigMap') return []
  const empty = groups.find(
    ({ group: { kind, value, members } }) => kind === 'value' && value === '' && members.length > 0,
  )
  const operators = plainName(template.naming, sanitize(''))
  const met = groups.find(({ group, name }) => group.kind === 'default' && name.name === operators)
  if (empty === undefined || met === undefined || met.before !== undefined) return []
  const { subject, groupLabels, defaultNodeGroup } = settings
  const namespace = namespaceOf({ settings, template }) ?? 'kubescape'
  const sentence = `${subject.metadata.name}: nodes have an empty ${groupLabels.join(', ')}: the operator runs them as ${operators} of ${namespace}, and the default group has that name`
  const field = { path: 'spec.defaultNodeGroup', currentValue: defaultNodeGroup, proposedValue: 'unlabelled' }
  return [finding('OperatorNameTaken', sentence, { subject, field })]
}
