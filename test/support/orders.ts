import type { Item, KubernetesObject, ResourceList } from '../../src/krm/types.ts'
import type { Plan } from '../../src/rules/plan.ts'
import { plan } from '../../src/rules/run.ts'
import { config, inventory, listOf, shape } from './objects.ts'

export const NOON = '2025-01-01T12:00:00Z'

/** An Order in DaemonSet mode. */
export function order(
  spec: Record<string, unknown> = {},
  template: Record<string, unknown> = {},
  metadata: object = {},
): KubernetesObject {
  return {
    apiVersion: 'core.korder.dev/v1alpha1',
    kind: 'Order',
    metadata: { name: 'infra', namespace: 'ns', ...metadata },
    spec: {
      daemonSet: true,
      strategy: { type: 'OneTime' },
      template: { spec: { duration: '24h', ...template } },
      ...spec,
    },
  }
}

export function recurring(schedule: string, refreshPolicy?: string): Record<string, unknown> {
  return { strategy: { type: 'Recurring', schedule, ...(refreshPolicy === undefined ? {} : { refreshPolicy }) } }
}

/** Linux nodes at a time. */
export function nodesAt(observedAt: string | undefined, ...shapes: object[]): KubernetesObject {
  return inventory(shapes, observedAt === undefined ? {} : { observedAt })
}

export function nodes(...names: string[]): object {
  return shape({ 'kubernetes.io/os': 'linux' }, names)
}

export function snapshot(...tickets: object[]): KubernetesObject {
  return {
    apiVersion: 'nodefit.dev/v1alpha1',
    kind: 'WorkloadSnapshot',
    metadata: { name: 'live' },
    spec: { cluster: 'prod', tickets },
  }
}

export function korder(options: object): KubernetesObject {
  return config({ korder: options })
}

export function runOrders(...objects: KubernetesObject[]): Plan {
  return plan(listOf(objects))
}

/** What a plan gave, with other objects in the place of those of the same kind. */
export function rerun(first: Plan, ...objects: KubernetesObject[]): Plan {
  const kinds = new Set(objects.map(({ kind }) => kind))
  const kept = first.items.map(({ object }) => object).filter(({ kind }) => !kinds.has(kind))
  return plan(listOf([...objects, ...kept]))
}

export function ticketsIn({ items }: Pick<Plan | ResourceList, 'items'>): KubernetesObject[] {
  return items.map(({ object }: Item) => object).filter(({ kind }) => kind === 'Ticket')
}

/** Names of the Tickets by node. */
export function namesOf(result: Plan): Record<string, string> {
  return Object.fromEntries(
    ticketsIn(result)
      .map(({ metadata }) => [metadata.annotations?.['nodefit.dev/node'] ?? '', metadata.name])
      .sort(),
  )
}

/** What the Tickets remember under a key of ours, by node; undefined where one has nothing. */
export function marksOf(result: Pick<Plan, 'items'>, key: string): Record<string, string | undefined> {
  return Object.fromEntries(
    ticketsIn(result).map(({ metadata: { annotations } }) => [
      annotations?.['nodefit.dev/node'] ?? '',
      annotations?.[`nodefit.dev/${key}`],
    ]),
  )
}

/** The nodes whose Ticket has another name. */
export function replacedNodes(before: Plan, now: Plan): string[] {
  const [was, is] = [namesOf(before), namesOf(now)]
  return Object.keys(is).filter((node) => is[node] !== was[node])
}

export function errorsOf({ findings }: Plan): string[] {
  return findings.filter(({ severity }) => severity === 'error').map(({ code }) => code)
}
