import type { SizingSettings } from '../../../kinds/index.ts'
import type { Finding } from '../../../krm/finding/index.ts'
import { describe } from '../../../krm/identity.ts'
import type { KubernetesObject } from '../../../krm/types.ts'
import type { DaemonSet } from '../template.ts'
import { finding } from './codes.ts'
import { groupKeys, placeholdersInText } from './placeholder.ts'

/**
 * Reports what is valid in a template of the chart, but probably not intended: a different group label, and
 * placeholders within longer texts.
 */
export function templateAdvice(
  object: DaemonSet,
  subject: KubernetesObject,
  settings: SizingSettings,
  at: string,
): Finding[] {
  const { nodeSelector } = object.spec.template.spec ?? {}
  const other = groupKeys(nodeSelector).find((key) => !key.includes('{{') && !settings.groupLabels.includes(key))
  const place = { subject, field: { path: at } }
  const differs =
    other === undefined
      ? []
      : [
          finding(
            'GroupLabelDiffers',
            `${describe(subject)} groups by ${other}, the policy by ${settings.groupLabels.join(', ')}`,
            place,
          ),
        ]
  const { name: _, ...metadata } = object.metadata
  const inText = placeholdersInText({ ...object, metadata })
  return [
    ...differs,
    ...inText.map(({ path, field }) =>
      finding(
        'PlaceholderInText',
        `${describe(subject)}: ${at}: ${path} has {{ .${field} }} within a longer text`,
        place,
      ),
    ),
  ]
}
