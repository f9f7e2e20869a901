import type { Finding } from '../../krm/finding/index.ts'
import { describe } from '../../krm/identity.ts'
import { scalarText } from '../../krm/map.ts'
import type { KubernetesObject } from '../../krm/types.ts'
import type { Container, EnvVar } from '../../kube/index.ts'
import { finding } from './codes.ts'
import type { DaemonSet, Variable } from './template.ts'

/** A template in which each container lists every variable once. */
export interface Single {
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
export function singleVariables(
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
