import { findTarget } from '../../core/object/index.ts'
import type { SizingSettings } from '../../kinds/index.ts'
import { type Finding, isError, type Read } from '../../krm/finding.ts'
import { describe } from '../../krm/identity.ts'
import { scalarText } from '../../krm/map.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import type { Container, EnvVar } from '../../kube/index.ts'
import { GO_MEMORY_LIMIT } from '../sizing/index.ts'
import { checkTemplate } from './check-template.ts'
import { finding } from './codes.ts'
import { readConfigMap } from './kubescape/configmap-template.ts'
import { withoutOperatorMark } from './kubescape/operator-config.ts'
import type { DaemonSet, Template, TemplateReader, Variable } from './template.ts'

/** Reads a static DaemonSet as a template without placeholders; findings say why it cannot be one. */
const readDaemonSet: TemplateReader = (item, { baseName }) => {
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

/** A template in which each container lists every variable once. */
interface Single {
  readonly daemonSet: DaemonSet
  /** The variables whose other entries were removed, without those that give way. */
  readonly repeated: readonly Variable[]
  readonly findings: readonly Finding[]
}

/**
 * Leaves one entry of each variable that a container lists more than once: the kubelet uses the last entry, and
 * server-side apply rejects the list. An entry that `givesWay` is removed if there is another, wherever it is in the
 * list. If another variable refers to an entry that would be removed, the template is refused.
 */
function singleVariables(
  daemonSet: DaemonSet,
  subject: KubernetesObject,
  givesWay: (variable: EnvVar) => boolean = () => false,
): Single {
  const repeated: Variable[] = []
  const findings: Finding[] = []
  const single = (container: Container): Container => {
    const env = container.env ?? []
    const kept = [...keptOf(env, givesWay).entries()].filter(([name]) => countOf(env, name) > 1)
    if (kept.length === 0) return container
    for (const [name, index] of kept) {
      if (!givesWay(env[index] as EnvVar)) repeated.push({ container: container.name, name })
      findings.push(repetitionFinding(name, env, index, container, subject))
    }
    const keeps = new Map(kept)
    return { ...container, env: env.filter(({ name }, index) => (keeps.get(name) ?? index) === index) }
  }
  const { template } = daemonSet.spec
  const pod = template.spec ?? {}
  const containers = pod.containers?.map(single)
  const initContainers = pod.initContainers?.map(single)
  if (findings.length === 0) return { daemonSet, repeated, findings }
  const spec = { ...pod, containers, ...(pod.initContainers ? { initContainers } : {}) }
  return {
    daemonSet: { ...daemonSet, spec: { ...daemonSet.spec, template: { ...template, spec } } },
    repeated,
    findings,
  }
}

/** Returns the index of the entry to keep for each name: the last one that does not give way, else the last. */
function keptOf(env: readonly EnvVar[], givesWay: (variable: EnvVar) => boolean): Map<string, number> {
  const kept = new Map<string, number>()
  for (const [index, variable] of env.entries()) {
    const before = env[kept.get(variable.name) ?? index] as EnvVar
    if (!givesWay(variable) || givesWay(before)) kept.set(variable.name, index)
  }
  return kept
}

function countOf(env: readonly EnvVar[], name: string): number {
  return env.filter((variable) => variable.name === name).length
}

function repetitionFinding(
  name: string,
  env: readonly EnvVar[],
  index: number,
  container: Container,
  subject: KubernetesObject,
): Finding {
  const words = `${describe(subject)}: container ${container.name} lists ${name} ${countOf(env, name)} times`
  const first = env.findIndex((variable) => variable.name === name)
  const reader = env.slice(first + 1, index + 1).find(({ value }) => scalarText(value).includes(`$(${name})`))
  const isLast = env.findLastIndex((variable) => variable.name === name) === index
  const place = { subject, field: { path: `env of container ${container.name}` } }
  return reader === undefined
    ? finding('VariableTwice', `${words}; ${isLast ? 'the last entry' : 'your entry'} is kept`, place)
    : finding('TemplateInvalid', `${words}, and ${reader.name} refers to an entry that would be removed`, place)
}
