import type { KubernetesObject } from '../krm/types.ts'
import { NODEFIT_GROUP } from '../policy/index.ts'

/** On a template whose marks of another owner were taken off: who it was. It is never copied. */
export const OWNED_BY = `${NODEFIT_GROUP}owned-by`

const HELM_RELEASE = 'meta.helm.sh/release-name'
const HELM_NAMESPACE = 'meta.helm.sh/release-namespace'
const ARGO_CD = 'argocd.argoproj.io/tracking-id'

/** Who else keeps an object in the cluster, as the annotations say that are never copied; undefined where none does. */
export function ownedBy({ metadata }: KubernetesObject): string | undefined {
  const own: Record<string, string | undefined> = metadata.annotations ?? {}
  const { [HELM_RELEASE]: release, [HELM_NAMESPACE]: namespace, [ARGO_CD]: tracked } = own
  const owners = [
    ...(release ? [`Helm release ${release}${namespace ? ` in ${namespace}` : ''}`] : []),
    ...(tracked ? [`Argo CD application ${tracked.split(':')[0]}`] : []),
  ]
  return owners.length > 0 ? owners.join(', ') : undefined
}
