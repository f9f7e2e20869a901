import type { KubernetesObject } from '../krm/types.ts'

interface Container {
  restartPolicy?: string
  ports?: unknown
}

interface Port {
  hostPort?: number
  containerPort?: number
}

/**
 * The ports of the node that a DaemonSet's pods hold as long as they run, in ascending order: only one pod of a node can have
 * each. With `hostNetwork` every port is one (the API server's defaulting of `hostPort`); of the init containers only sidecars
 * go on running.
 */
export function hostPortsOf({ spec }: KubernetesObject): number[] {
  const pod = (spec as { template?: { spec?: Record<string, unknown> | null } | null } | null | undefined)?.template
    ?.spec
  const sidecars = listOf<Container>(pod?.initContainers).filter(({ restartPolicy }) => restartPolicy === 'Always')
  const ports = [...listOf<Container>(pod?.containers), ...sidecars].flatMap((container) =>
    listOf<Port>(container.ports),
  )
  const held = ports.map(({ hostPort, containerPort }) => hostPort || (pod?.hostNetwork ? containerPort : undefined))
  return [...new Set(held.filter((port) => typeof port === 'number'))].sort((left, right) => left - right)
}

/** The maps of a list; a template that nothing was rendered from may be malformed. */
function listOf<T>(value: unknown): T[] {
  return Array.isArray(value) ? value.filter((member) => typeof member === 'object' && member !== null) : []
}
