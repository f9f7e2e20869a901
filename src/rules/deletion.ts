import type { World } from '../core/index.ts'
import {
  clusterShapes,
  countServedNodes,
  isReadablePodSpec,
  podSpecOf,
  rememberedCluster,
  rememberedNodes,
} from '../core/object/index.ts'
import type { Fleet } from '../facts/inventory/index.ts'
import type { Change } from '../fate/index.ts'
import { codesAbout, type Finding, findingOf, plural } from '../krm/finding.ts'
import { describe, isLocalConfig } from '../krm/identity.ts'
import { listOf, memberOf } from '../krm/map.ts'
import { ALLOW_DELETE, GROUP, GUARDED, OWNER } from '../krm/remembered.ts'
import type { Item, KubernetesObject } from '../krm/types.ts'
import type { Examples, Rule } from './rule.ts'

const CODES = codesAbout('Changes and guards', {
  RemovesServingGroup: {
    severity: 'warning',
    meaning:
      'The cluster’s deletion guard refuses to remove a DaemonSet that still serves nodes: pruning fails until the deletion is allowed.',
    mend: 'Apply the other changes first. When the pods that take over are ready, run the command in the message, then prune again.',
  },
  DependentNotGuarded: {
    severity: 'warning',
    meaning: 'The deletion guard does not protect an object that agents need: a prune of the wrong folder removes it.',
    mend: 'Annotate it nodefit.dev/guarded: "true", which deploy/guard then protects (docs/deliver/guard.md).',
  },
})
const finding = findingOf(CODES)

export const deletion = {
  codes: CODES,
  check: ({ changes, items, world, fleets }) => [
    ...deletionFindings(changes, world, fleets),
    ...unguardedFindings(items, world),
  ],
} satisfies Rule

export const EXAMPLES: Examples<typeof CODES> = {
  RemovesServingGroup: { why: 'it takes the output of an earlier run' },
  DependentNotGuarded: `
kind: DaemonSet
spec:
  template:
    spec:
      containers: [{ name: agent, image: agent:1 }]
      serviceAccountName: agent
---
apiVersion: nodefit.dev/v1alpha1
kind: RenderConfig
metadata: { name: config }
spec: { guards: { deletion: true } }
---
apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRoleBinding
metadata: { name: agent }
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: ClusterRole
  name: agent
subjects: [{ kind: ServiceAccount, name: agent, namespace: logging }]
`,
}

/** Allows the deletion where the cluster has the guard of `deploy/guard`; a rendered DaemonSet carries "false". */
const ALLOWING = `${ALLOW_DELETE}=true --overwrite`

/**
 * Reports DaemonSets that are removed while they serve existing nodes, where the cluster refuses such deletions: with
 * the command that allows each. A DaemonSet without nodes can be deleted freely.
 */
export function deletionFindings(changes: readonly Change[], { options }: World, fleets: readonly Fleet[]): Finding[] {
  if (!options.guards.deletion) return []
  return changes.flatMap(({ kind, before }) => {
    if (kind !== 'removed' || before === undefined) return []
    const { object } = before
    const { annotations, name, namespace } = object.metadata
    const isOurs = annotations?.[OWNER] !== undefined && annotations[GROUP] !== undefined
    if (object.kind !== 'DaemonSet' || !isOurs || isLocalConfig(annotations)) return []
    const pod = podSpecOf(object)
    // the nodes of a disabled policy are not read
    const isCounted = fleets.length > 0 && isReadablePodSpec(pod)
    const nodes = isCounted
      ? countServedNodes(pod, clusterShapes(fleets, rememberedCluster(object)))
      : (rememberedNodes(object) ?? 0)
    if (nodes === 0) return []
    const where = namespace === undefined ? '' : ` -n ${namespace}`
    const command = `kubectl${where} annotate daemonset ${name} ${ALLOWING}`
    const sentence = `${describe(object)} is removed but still serves ${plural(nodes, 'node')}; to allow its deletion: ${command}`
    return [finding('RemovesServingGroup', sentence, { subject: object })]
  })
}

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
