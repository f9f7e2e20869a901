/** What the shared suite needs of each planner: a smallest package in which it renders something. */

import type { AnyPlanner } from '../../src/core/index.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { PLANNERS } from '../../src/rules/run.ts'
import { actionPolicy, snapshot } from '../support/action-package.ts'
import { keyringItem, signedAction } from '../support/actions.ts'
import { daemonSet, inventory, OS, policy, shape, TYPE } from '../support/objects.ts'
import { kubescapePolicy, operatorConfig, templateMap } from '../support/template.ts'
import { claimPlanner } from './claims/planner.ts'
import { nodeMarkPlanner } from './node-mark/planner.ts'
import { quotaPlanner } from './quota/planner.ts'
import { replicasPlanner } from './replicas/planner.ts'

/** One kind of subject with what it needs beside it; `name` keeps two of a kind apart. */
export interface Sample {
  readonly name: string
  readonly planners: readonly AnyPlanner[]
  /** Whether a package has at most one of its subjects. */
  readonly isSingle?: true
  /** What becomes of what it rendered once its subject is disabled or gone. */
  readonly leaves: 'removed' | 'released'
  /** What takes one of its objects away while it stays enabled; that object is removed or released. */
  readonly shrunk?: {
    readonly of: (subject: KubernetesObject) => KubernetesObject
    readonly leaves: 'removed' | 'released'
  }
  /** The subject first, then what it renders from; `type` is the label value of its nodes. */
  objects(name: string, type: string): KubernetesObject[]
  /** Whether it chooses names that nothing has, so that none of its names can be taken. */
  readonly avoidsNames?: true
  disabled?(subject: KubernetesObject): KubernetesObject
  broken(subject: KubernetesObject): KubernetesObject
}

/** Two nodes of each type. */
export function nodesOf(prefix: string, ...types: string[]): KubernetesObject {
  return inventory(
    types.map((type) => {
      const nodes = [`${prefix}-${type}-1`, `${prefix}-${type}-2`]
      const uids = Object.fromEntries(nodes.map((node) => [node, `uid-of-${node}`]))
      return shape({ [TYPE]: type, [OS]: 'linux', pool: type }, nodes, '4', '16Gi', { uids })
    }),
  )
}

const withSpec = (object: KubernetesObject, spec: object): KubernetesObject => ({
  ...object,
  spec: { ...(object.spec as object), ...spec },
})
const disabled = (object: KubernetesObject) => withSpec(object, { enabled: false })
const targeting = (name: string, kind: string, type: string) =>
  policy({ targetRef: { kind, name }, nodeSelector: { pool: type } }, name)
const own =
  (kind: string, spec: object) =>
  (name: string): KubernetesObject => ({
    apiVersion: 'nodefit.dev/v1alpha1',
    kind,
    metadata: { name },
    spec,
  })
const order = (name: string, type: string): KubernetesObject => ({
  apiVersion: 'core.korder.dev/v1alpha1',
  kind: 'Order',
  metadata: { name },
  spec: { daemonSet: true, template: { spec: { duration: '24h', nodeSelector: { pool: type } } } },
})
const agent = (name: string) => {
  const made = daemonSet({}, { name })
  const labels = { app: name }
  const template = { metadata: { labels }, spec: { containers: [{ name, image: 'agent:1' }] } }
  return { ...made, spec: { selector: { matchLabels: labels }, template } }
}

/** A pool of the nodes of a type, which is one machine short of its least number. */
const pool = (name: string, type: string): KubernetesObject[] => {
  const [API, namespace] = ['kubenodesmith.parawell.cloud/v1alpha1', name]
  const limits = { minNodes: 3, maxNodes: 9, cpuCores: 0, memoryMiB: 0 }
  const machines = [{ cpuCores: 4, memoryMiB: 8192 }]
  const parts = { nodes: [], pending: [], claims: [], pools: [] }
  const spec = { providerRef: 'p', poolLabelKey: 'pool', limits, machineTemplate: {}, scaleDown: {} }
  return [
    {
      ...own('PoolPolicy', { poolRef: type, machines, output: { namePrefix: name } })(name),
      metadata: { name, namespace },
    },
    { apiVersion: API, kind: 'NodeSmithPool', metadata: { name: type, namespace }, spec },
    { apiVersion: API, kind: 'NodeSmithProvider', metadata: { name: 'p', namespace }, spec: { type: 'proxmox' } },
    {
      ...own('WorkloadSnapshot', { cluster: 'prod', observedAt: '2026-01-15T10:00:00Z', ...parts })(`${name}-live`),
    },
  ]
}

export const SAMPLES: readonly Sample[] = [
  {
    name: 'a policy that sizes a DaemonSet',
    planners: PLANNERS,
    leaves: 'removed',
    objects: (name, type) => [targeting(name, 'DaemonSet', type), agent(name)],
    disabled,
    broken: (subject) => withSpec(subject, { remainder: 'perhaps' }),
  },
  {
    name: 'a policy that is sized by usage',
    planners: PLANNERS,
    leaves: 'removed',
    objects: (name, type) => {
      const size = { cpu: '50m', memory: '100Mi', limitMemory: '300Mi', at: '2026-01-13T09:00:00Z', why: 'Regular' }
      const row = { policy: name, container: name, group: `value:${type}`, node: { cpu: '4', memory: '16Gi' } }
      const usage = [{ ...row, days: 14, pods: 2, settled: size }]
      return [
        withSpec(targeting(name, 'DaemonSet', type), { usage: { updateMode: 'Auto' } }),
        agent(name),
        own('WorkloadSnapshot', { cluster: 'prod', observedAt: '2026-01-15T10:00:00Z', usage })(`${name}-usage`),
      ]
    },
    disabled,
    broken: (subject) => withSpec(subject, { usage: { updateMode: 'Sometimes' } }),
  },
  {
    name: 'a policy that sizes the template of Kubescape’s chart',
    planners: PLANNERS,
    leaves: 'removed',
    objects: (name, type) => [
      {
        ...kubescapePolicy({ nodeSelector: { pool: type }, names: { [type]: name, remainder: `${name}-rest` } }),
        metadata: { name, namespace: name },
      },
      { ...templateMap(), metadata: { name: 'node-agent-daemonset-template', namespace: name } },
      { ...operatorConfig(false), metadata: { name: 'operator', namespace: name } },
    ],
    disabled,
    broken: (subject) => withSpec(subject, { remainder: 'perhaps' }),
  },
  {
    name: 'an Order in DaemonSet mode',
    planners: PLANNERS,
    leaves: 'removed',
    objects: (name, type) => [order(name, type)],
    broken: (subject) => withSpec(subject, { strategy: { type: 'Sometimes' } }),
  },
  {
    name: 'a policy that sizes an Order',
    planners: PLANNERS,
    leaves: 'removed',
    objects: (name, type) => [targeting(name, 'Order', type), { ...order(name, type), metadata: { name } }],
    disabled,
    broken: (subject) => withSpec(subject, { remainder: 'perhaps' }),
  },
  {
    name: 'a policy of a node pool',
    planners: PLANNERS,
    leaves: 'released',
    objects: pool,
    avoidsNames: true,
    disabled,
    broken: (subject) => withSpec(subject, { machines: [] }),
  },
  {
    name: 'an ActionPolicy with a signed eviction',
    planners: PLANNERS,
    isSingle: true,
    leaves: 'removed',
    objects: (name, type) => [
      { ...actionPolicy(), metadata: { name } },
      keyringItem(),
      snapshot({ cluster: 'prod' }),
      signedAction({
        ...{ id: name, cluster: 'prod', type: 'evictPod' },
        target: { kind: 'Pod', namespace: 'shop', name: `web-${type}`, uid: `uid-of-web-${type}` },
      }),
    ],
    broken: (subject) => withSpec(subject, { types: ['perhaps'] }),
  },
  {
    name: 'a toy that renders a ResourceQuota for each value of a label',
    planners: [...PLANNERS, quotaPlanner],
    leaves: 'released',
    objects: (name) => [own('QuotaSet', { label: TYPE })(name)],
    disabled,
    shrunk: { of: (object) => withSpec(object, { label: 'pool-of-nobody' }), leaves: 'released' },
    broken: (subject) => ({ ...subject, spec: {} }),
  },
  {
    name: 'a toy that renders claims, beside a DaemonSet and an Order',
    planners: [...PLANNERS, claimPlanner],
    leaves: 'released',
    objects: (name, type) => [
      own('ClaimSet', { count: 3, cores: 2, labels: { pool: type, [TYPE]: type } })(name),
      targeting(`${name}-agent`, 'DaemonSet', type),
      agent(`${name}-agent`),
      order(`${name}-order`, type),
    ],
    disabled,
    shrunk: { of: (object) => withSpec(object, { count: 1 }), leaves: 'removed' },
    broken: (subject) => withSpec(subject, { cuont: 1 }),
  },
  {
    name: 'a toy whose output is of a kind that is also an input',
    planners: [...PLANNERS, nodeMarkPlanner],
    leaves: 'removed',
    objects: (name, type) => [
      own('NodeMark', { type })(name),
      targeting(`${name}-agent`, 'DaemonSet', type),
      agent(`${name}-agent`),
    ],
    disabled,
    broken: (subject) => ({ ...subject, apiVersion: 'nodefit.dev/v2' }),
  },
]

/** The toys whose subjects write fields of objects that are not theirs. */
export const SHARING = [...PLANNERS, replicasPlanner]
