import type { World } from '../../core/index.ts'
import { keepOptionOf } from '../../core/object/index.ts'
import { KUBENODESMITH, type NodeSmithPool } from '../../kinds/index.ts'
import type { Finding } from '../../krm/finding.ts'
import { isLocalConfig } from '../../krm/identity.ts'
import type { Item, KubernetesObject } from '../../krm/types.ts'
import { finding } from './codes.ts'
import type { Pool } from './pool.ts'

const [GROUP] = KUBENODESMITH.split('/')
const CLAIMS = 'nodesmithclaims'

/** Reports what else would write or remove the claims of a pool: KubeNodeSmith's own controller, and pruning. */
export function liveControllerFindings(pool: Pool, world: World): Finding[] {
  const { subject, name, pool: item } = pool.settings
  const isStopped = isFrozen(pool) || areRightsTaken(world)
  const metadata = item.object.metadata
  const isKept = isLocalConfig(metadata.annotations) || keepOptionOf(metadata) !== undefined || isConfirmed(metadata)
  return [
    ...(isStopped
      ? []
      : [
          finding(
            'PoolControllerLive',
            `${name}: nothing in the package stops KubeNodeSmith from opening and removing claims of the pool itself`,
            { subject: subject.object },
          ),
        ]),
    ...(isKept
      ? []
      : [
          finding('PoolNotProtected', `NodeSmithPool ${name} may be pruned, and all its machines with it`, {
            subject: item.object,
          }),
        ]),
  ]
}

/**
 * Whether KubeNodeSmith neither adds nor removes a machine of the pool: it removes none below minNodes, and adds none
 * beyond the ceilings. The policy has the limits then.
 */
function isFrozen({ settings: { pool, limits }, machines }: Pool): boolean {
  const own = (pool.object.spec as NodeSmithPool['spec']).limits
  const nodes = machines.filter(({ node }) => node !== undefined).length
  return (
    limits !== own &&
    own.minNodes === own.maxNodes &&
    own.minNodes >= Math.max(nodes, 1) &&
    own.cpuCores === 1 &&
    own.memoryMiB === 1
  )
}

/**
 * Whether the package, or a patch, has the role of KubeNodeSmith's manager, and it may neither create nor delete
 * claims. No role of users may write finalizers.
 */
function areRightsTaken({ items, kustomizations: { all, itemsAt } }: World): boolean {
  const patches = all.flatMap((one) => one.patches.flatMap(({ file }): readonly Item[] => (file ? itemsAt(file) : [])))
  const roles = [...items, ...patches]
    .map(({ object }) => rulesOf(object))
    .filter((rules) => may(rules, `${CLAIMS}/finalizers`, ['update']))
  return roles.length > 0 && !roles.some((rules) => may(rules, CLAIMS, ['create', 'delete', 'deletecollection']))
}

interface Rule {
  readonly apiGroups?: readonly unknown[]
  readonly resources?: readonly unknown[]
  readonly verbs?: readonly unknown[]
}

function rulesOf(object: KubernetesObject): readonly Rule[] {
  const rules: unknown = object.kind === 'ClusterRole' ? (object as { rules?: unknown }).rules : undefined
  return Array.isArray(rules) ? rules : []
}

/** Whether rules allow one of the verbs on a resource of KubeNodeSmith. */
function may(rules: readonly Rule[], resource: string, verbs: readonly string[]): boolean {
  const has = (list: unknown, wanted: readonly (string | undefined)[]) =>
    Array.isArray(list) && list.some((one) => one === '*' || wanted.includes(one))
  return rules.some(
    (rule) => has(rule?.apiGroups, [GROUP]) && has(rule.resources, [resource]) && has(rule.verbs, verbs),
  )
}

/** Whether Argo CD asks before it prunes. */
function isConfirmed({ annotations }: KubernetesObject['metadata']): boolean {
  const text: unknown = annotations?.['argocd.argoproj.io/sync-options']
  return typeof text === 'string' && text.split(',').some((one) => one.trim() === 'Prune=confirm')
}
