import { isNodeSource } from '../../src/facts/inventory/index.ts'
import { firstPolicy } from '../../src/host/cli/first-policy.ts'
import { UserError } from '../../src/host/files/user-error.ts'
import { isSizingPolicy } from '../../src/kinds/index.ts'
import type { Item, KubernetesObject } from '../../src/krm/types.ts'
import { writeYaml } from '../../src/krm/write-yaml.ts'
import { isMap } from '../../src/kube/unknown-value.ts'

const TEMPLATE_KEY = 'daemonset-template.yaml'

/** Whether an object may be the target of a policy: a DaemonSet, or the template of Kubescape's chart. */
export function isTarget({ apiVersion, kind, data }: KubernetesObject): boolean {
  if (kind === 'DaemonSet') return apiVersion === 'apps/v1'
  return kind === 'ConfigMap' && apiVersion === 'v1' && isMap(data) && Object.hasOwn(data, TEMPLATE_KEY)
}

/** Whether policies are about the targets that are there: one that is not there was the target of earlier input. */
export function isForTargets(policies: readonly Item[], targets: readonly KubernetesObject[]): boolean {
  const names = targets.map(({ metadata }) => metadata.name)
  return policies
    .map(({ object }) => object)
    .filter(isSizingPolicy)
    .every(({ spec }) => !isMap(spec) || !isMap(spec.targetRef) || names.includes(String(spec.targetRef.name)))
}

/**
 * Returns the policies that `nodefit init` would write: today's sizes on the nodes of the largest group, and more on
 * larger ones. Throws `UserError` where the target, its nodes or the label do not allow one.
 */
export function proposedPolicies(items: readonly Item[], groupBy?: string): string {
  const targets = items.filter(({ object }) => isTarget(object))
  const nodes = items.filter(({ object }) => isNodeSource(object))
  const taken = new Map<string, Set<string>>()
  const policies = targets.map(({ object, opaque }) => {
    if (opaque !== undefined) throw opaque
    const home = object.metadata.namespace ?? ''
    const { policy, names } = firstPolicyOf(object, nodes, { groupBy, taken: taken.get(home) })
    taken.set(home, new Set([...(taken.get(home) ?? []), ...names]))
    return writeYaml(policy)
  })
  if (policies.length === 0) throw new UserError('there is no DaemonSet to size')
  return policies.join('---\n')
}

/** As `firstPolicy`, whose advice names an option of the command. */
function firstPolicyOf(...args: Parameters<typeof firstPolicy>): ReturnType<typeof firstPolicy> {
  try {
    return firstPolicy(...args)
  } catch (error) {
    if (!(error instanceof UserError)) throw error
    throw new UserError(error.message.replace('choose one with --group-by KEY', 'choose one'))
  }
}
