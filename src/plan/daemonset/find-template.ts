import { findTarget } from '../../core/object/index.ts'
import type { SizingSettings } from '../../kinds/index.ts'
import { isError, type Read } from '../../krm/finding/index.ts'
import type { Item } from '../../krm/types.ts'
import { GO_MEMORY_LIMIT } from '../sizing/index.ts'
import { checkTemplate } from './check-template.ts'
import { readConfigMap } from './kubescape/configmap-template.ts'
import { withoutOperatorMark } from './kubescape/operator-config.ts'
import type { DaemonSet, Template, TemplateReader, Variable } from './template.ts'
import { singleVariables } from './variables.ts'

/** Reads a static DaemonSet as a template without placeholders; findings say why it cannot be one. */
export const readDaemonSet: TemplateReader = (item, { baseName }) => {
  const problems = checkTemplate(item.object, item.object)
  if (problems.length > 0) return { findings: problems }
  return {
    value: {
      item,
      daemonSet: item.object as DaemonSet,
      naming: { target: baseName, suffix: '' },
      complete: (daemonSet) => ({ daemonSet, findings: [] }),
    },
    findings: [],
  }
}

const READERS: Record<string, TemplateReader> = { DaemonSet: readDaemonSet, ConfigMap: readConfigMap }

/**
 * Finds and reads the template of a policy; findings say why there is none. `named` are the items with the kind and
 * name of the target. Throws `KrmError` if the template contains YAML that is refused.
 */
export function findTemplate(named: readonly Item[], items: readonly Item[], settings: SizingSettings): Read<Template> {
  const { value: item, findings } = findTarget(named, items, settings)
  const read = READERS[settings.target.kind]
  if (item === undefined || read === undefined) return { findings }
  if (item.opaque !== undefined) throw item.opaque
  const { value, findings: readFindings } = read(item, settings)
  if (value === undefined) return { findings: readFindings }
  const { givesWay } = value
  const single = singleVariables(value.daemonSet, item.object, givesWay)
  const all = [...readFindings, ...single.findings]
  if (all.some(isError)) return { findings: all }
  const ownVariables =
    givesWay === undefined ? [] : ownMemoryLimits(value.daemonSet, settings, givesWay, single.repeated)
  return { value: { ...value, daemonSet: withoutOperatorMark(single.daemonSet), ownVariables }, findings: all }
}

/**
 * Returns the GOMEMLIMIT variables that keep what the template says: a user's beside that of the chart; and those of
 * all containers in a template without the chart's placeholder, as that of 1.30.7, unless the policy states a
 * fraction.
 */
function ownMemoryLimits(
  { spec }: DaemonSet,
  { isGoMemLimitStated }: SizingSettings,
  givesWay: NonNullable<Template['givesWay']>,
  repeated: readonly Variable[],
): Variable[] {
  const { containers, initContainers } = spec.template.spec ?? {}
  const all = [...(containers ?? []), ...(initContainers ?? [])]
  const isOpen = all.some(({ env }) => env?.some((variable) => variable.name === GO_MEMORY_LIMIT && givesWay(variable)))
  return isGoMemLimitStated || isOpen
    ? repeated.filter(({ name }) => name === GO_MEMORY_LIMIT)
    : all.map(({ name }) => ({ container: name, name: GO_MEMORY_LIMIT }))
}
