import type { Read } from '../finding/index.ts'
import type { Item } from '../krm/types.ts'
import { findTarget } from '../object/index.ts'
import type { SizingSettings } from '../policy/index.ts'
import { readDaemonSet } from './daemonset-template.ts'
import { readConfigMap } from './kubescape/configmap-template.ts'
import { withoutOperatorMark } from './kubescape/operator-mark.ts'
import type { Template, TemplateReader } from './template.ts'

const READERS: Record<string, TemplateReader> = { DaemonSet: readDaemonSet, ConfigMap: readConfigMap }

/** Finds and reads the template of a policy; `named` are the items of the target's kind and name. */
export function findTemplate(named: readonly Item[], items: readonly Item[], settings: SizingSettings): Read<Template> {
  const { value: item, findings } = findTarget(named, items, settings)
  const read = READERS[settings.target.kind]
  if (item === undefined || read === undefined) return { findings }
  const { value, findings: readFindings } = read(item, settings)
  if (value === undefined) return { findings: readFindings }
  return { value: { ...value, daemonSet: withoutOperatorMark(value.daemonSet) }, findings: readFindings }
}
