import { apiGroup } from '../krm/identity.ts'
import type { KubernetesObject } from '../krm/types.ts'
import { KORDER, KUBENODESMITH, NODEFIT, NODEFIT_GROUP } from '../policy/api-versions.ts'

const GROUPS = new Set([
  ...[NODEFIT, KORDER, KUBENODESMITH].map(apiGroup),
  'cluster.x-k8s.io',
  'karpenter.sh',
  'node.k8s.io',
])
const KINDS = new Set(['Node', 'LimitRange', 'ResourceQuota'])

/**
 * Whether nodefit looks at more of an object than apiVersion, kind and metadata. What it looks at it reads strictly, or
 * not at all; YAML that it refuses is no reason to fail where it stands in any other object. ConfigMaps are anybody's: a few are
 * looked at, as the template of a policy is, and whoever does throws what `opaque` of such an item says.
 */
export function isLookedAt({ apiVersion, kind, metadata }: KubernetesObject): boolean {
  const group = apiGroup(apiVersion)
  if (GROUPS.has(group) || kind.endsWith('List')) return true
  if ((group === '' && KINDS.has(kind)) || (group === 'apps' && kind === 'DaemonSet')) return true
  return [metadata.annotations, metadata.labels].some((map) =>
    Object.keys(map ?? {}).some((key) => key.startsWith(NODEFIT_GROUP)),
  )
}
