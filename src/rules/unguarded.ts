import type { World } from '../core/index.ts'
import { podSpecOf } from '../core/object/index.ts'
import { isLocalConfig } from '../krm/annotation.ts'
import type { Finding } from '../krm/finding/index.ts'
import { describe } from '../krm/identity.ts'
import { listOf, memberOf } from '../krm/map.ts'
import { GROUP, GUARDED, OWNER } from '../krm/remembered.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import { finding } from './codes.ts'

/** What an agent cannot start without and the deletion guard cannot see by itself. */
interface Needs {
  readonly accounts: ReadonlyArray<{ readonly namespace?: string; readonly name: string }>
  readonly priorityClasses: ReadonlySet<unknown>
  readonly runtimeClasses: ReadonlySet<unknown>
}

/**
 * Reports what rendered DaemonSets need, the cluster's deletion guard lets anybody delete, and nobody marked: admission
 * sees the DaemonSets of the object's own namespace alone, so roles, bindings from elsewhere and classes need the mark
 * (deploy/guard). With RenderConfig spec.guards.deletion; for objects of the package.
 */
export function unguardedFindings(items: readonly Item[], { options }: World): Finding[] {
  if (!options.guards.deletion) return []
  const objects = items
    .map(({ object }) => object)
    .filter(({ metadata }) => !isLocalConfig(metadata.annotations) && metadata.annotations?.[GUARDED] !== 'true')
  const needs = needsOf(items)
  const bindings = items.map(({ object }) => object).filter((object) => bindsAccount(object, needs))
  return objects.flatMap((object) => {
    const purpose = purposeOf(object, needs, bindings)
    if (purpose === undefined) return []
    const sentence = `${describe(object)} ${purpose}, and the deletion guard does not protect it: a prune removes it while the agents stay`
    const field = { path: 'metadata.annotations', proposedValue: { [GUARDED]: 'true' } }
    return [finding('DependentNotGuarded', sentence, { subject: object, field })]
  })
}

/** Says what rendered agents need an object for; undefined for an object that is guarded by itself or not needed. */
function purposeOf(object: KubernetesObject, needs: Needs, bindings: readonly KubernetesObject[]): string | undefined {
  const { kind, metadata } = object
  if (bindsAccount(object, needs) && !isGuardedBinding(object, needs)) return 'binds the ServiceAccount of the agents'
  if (bindings.some((binding) => refersTo(binding, object))) return 'is bound to the ServiceAccount of the agents'
  if (kind === 'PriorityClass' && needs.priorityClasses.has(metadata.name)) return 'is the PriorityClass of the agents'
  if (kind === 'RuntimeClass' && needs.runtimeClasses.has(metadata.name)) return 'is the RuntimeClass of the agents'
  return undefined
}

function needsOf(items: readonly Item[]): Needs {
  const agents = items
    .map(({ object }) => object)
    .filter(({ kind, metadata: { annotations } }) => kind === 'DaemonSet' && annotations?.[OWNER] && annotations[GROUP])
  const accounts = agents.map((object) => {
    const name = memberOf(podSpecOf(object), 'serviceAccountName')
    return { namespace: object.metadata.namespace, name: typeof name === 'string' ? name : 'default' }
  })
  const named = (field: string) => new Set(agents.flatMap((object) => memberOf(podSpecOf(object), field) ?? []))
  return {
    accounts,
    priorityClasses: named('priorityClassName'),
    runtimeClasses: named('runtimeClassName'),
  }
}

/** Whether a RoleBinding or ClusterRoleBinding names a ServiceAccount of the agents. */
function bindsAccount(object: KubernetesObject, { accounts }: Needs): boolean {
  return object.kind === 'RoleBinding' || object.kind === 'ClusterRoleBinding' ? binds(object, accounts) : false
}

function binds({ subjects }: KubernetesObject, accounts: Needs['accounts']): boolean {
  return listOf(subjects).some((subject) => {
    if (memberOf(subject, 'kind') !== 'ServiceAccount') return false
    const namespace = memberOf(subject, 'namespace')
    const isSame = (other: string | undefined) => other === undefined || namespace === undefined || other === namespace
    return accounts.some((account) => account.name === memberOf(subject, 'name') && isSame(account.namespace))
  })
}

/** Whether deploy/guard protects a binding by itself: a RoleBinding for agents of its own namespace. */
function isGuardedBinding(object: KubernetesObject, { accounts }: Needs): boolean {
  const own = accounts.filter(({ namespace }) => namespace === object.metadata.namespace)
  return object.kind === 'RoleBinding' && binds(object, own)
}

function refersTo(binding: KubernetesObject, { kind, metadata }: KubernetesObject): boolean {
  if (memberOf(binding.roleRef, 'kind') !== kind || memberOf(binding.roleRef, 'name') !== metadata.name) return false
  return kind === 'ClusterRole' || (kind === 'Role' && binding.metadata.namespace === metadata.namespace)
}
