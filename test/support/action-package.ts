/** The package of the specification's rows about actions: a cluster with one node, its snapshot, and a policy. */
import { withoutWireAnnotations } from '../../src/krm/identity.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import type { Plan, PlanOptions } from '../../src/rules/plan.ts'
import { plan } from '../../src/rules/run.ts'
import { KEYRING, T } from './actions.ts'
import { inventory, listOf, shape } from './objects.ts'

export const IMAGE = `registry.example/kubectl:1.34@sha256:${'a'.repeat(64)}`
export const OWN_IMAGE = `registry.example/nodefit:0.1.0@sha256:${'b'.repeat(64)}`
export const UID = '11111111-1111-4222-8333-000000000002'

const EVERY_TYPE = [
  'cordonNode',
  'uncordonNode',
  'labelNode',
  'taintNode',
  'untaintNode',
  'drainNode',
  'evictPod',
  'scaleDeployment',
  'setImage',
  'labelDeployment',
]

export const actionPolicy = (spec: object = {}, name = 'main'): KubernetesObject => ({
  apiVersion: 'nodefit.dev/v1alpha1',
  kind: 'ActionPolicy',
  metadata: { name },
  spec: { types: EVERY_TYPE, job: { image: IMAGE, evictImage: OWN_IMAGE }, ...spec },
})

/** Nodes small-000002 and small-000003 at a time; `labels` are those of the first. */
export const nodesAt = (observedAt = T, labels: Record<string, string> = {}, cluster = 'prod-eu1'): KubernetesObject =>
  inventory(
    [
      shape({ pool: 'small', ...labels }, ['small-000002'], '4', '8Gi', { uids: { 'small-000002': UID } }),
      shape({ pool: 'small', other: 'yes' }, ['small-000003'], '4', '8Gi', {
        uids: { 'small-000003': UID.replace(/2$/, '3') },
      }),
    ],
    { cluster, observedAt },
  )

export const snapshot = (spec: object, observedAt = T): KubernetesObject => ({
  apiVersion: 'nodefit.dev/v1alpha1',
  kind: 'WorkloadSnapshot',
  metadata: { name: 'prod' },
  spec: { cluster: 'prod-eu1', observedAt, ...spec },
})

export const deployment = (spec: object = {}, name = 'web'): KubernetesObject => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name, namespace: 'shop' },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name, image: `${name}:1` }] } },
    ...spec,
  },
})

/** Plans actions in a package with the nodes and a policy, with the keyring of the vectors. */
export function planned(objects: readonly KubernetesObject[], options: PlanOptions = {}): Plan {
  const has = (kind: string) => objects.some((object) => object.kind === kind)
  const all = [
    ...(has('NodeInventory') ? [] : [nodesAt()]),
    ...(has('ActionPolicy') ? [] : [actionPolicy()]),
    ...objects,
  ]
  return plan(listOf(all), { keyring: KEYRING, ...options })
}

/** The objects of a plan, as the next run sees them, with some replaced: by kind and name, or dropped. */
export function after(
  plan: Plan,
  change: (object: KubernetesObject) => KubernetesObject | undefined = (object) => object,
): KubernetesObject[] {
  return plan.items.flatMap(({ object }) => change(object) ?? [])
}

export const codes = ({ findings }: Plan): string[] => findings.map(({ code }) => code)
export const errors = ({ findings }: Plan): string[] =>
  findings.filter(({ severity }) => severity === 'error').map(({ code }) => code)

/** The rendered objects of a kind, without what hosts write. */
export const rendered = ({ items }: Plan, kind: string): KubernetesObject[] =>
  items.map(({ object }) => withoutWireAnnotations(object)).filter((object) => object.kind === kind)

/** The partial document of a node. */
export const nodeOf = (plan: Plan, name = 'small-000002'): KubernetesObject | undefined =>
  rendered(plan, 'Node').find(({ metadata }) => metadata.name === name)
