import { listOf, memberOf } from '../krm/map.ts'
import type { Container, PodSpec } from '../kube/index.ts'
import { containersOf } from './beside-amounts.ts'

/** A field in which a pod reads a request or limit of its own container. */
export interface ReadBack {
  /** The container whose amount is read. */
  readonly container: string
  /** The resource as `resourceFieldRef` writes it: `limits.memory`. */
  readonly resource: string
  /** What reads it: a variable of a container, or a file of a volume. */
  readonly reader: string
}

/**
 * Returns every `resourceFieldRef` of a pod: in variables, where it reads the container itself unless it names another,
 * and in downward API volumes.
 */
export function readBacksOf(pod: PodSpec): ReadBack[] {
  const variables = containersOf(pod).flatMap((container) => variablesOf(container))
  const files = listOf(pod.volumes).flatMap((volume) => [
    ...listOf(memberOf(memberOf(volume, 'downwardAPI'), 'items')),
    ...listOf(memberOf(memberOf(volume, 'projected'), 'sources')).flatMap((source) =>
      listOf(memberOf(memberOf(source, 'downwardAPI'), 'items')),
    ),
  ])
  return [...variables, ...files.flatMap((file) => readBack(file, `file ${text(memberOf(file, 'path'))}`, undefined))]
}

function variablesOf(container: Container): ReadBack[] {
  return listOf(container.env).flatMap((variable) =>
    readBack(
      memberOf(variable, 'valueFrom'),
      `${text(memberOf(variable, 'name'))} of ${container.name}`,
      container.name,
    ),
  )
}

function readBack(from: unknown, reader: string, own: string | undefined): ReadBack[] {
  const ref = memberOf(from, 'resourceFieldRef')
  const resource = memberOf(ref, 'resource')
  const container = memberOf(ref, 'containerName') ?? own
  return typeof resource === 'string' && typeof container === 'string' ? [{ container, resource, reader }] : []
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : ''
}
