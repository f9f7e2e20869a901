/** ResourceLists that hold, between them, every kind of object and nearly every field that is read. */
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { render } from '../../src/face/render.ts'
import { readObjects } from '../../src/host/files/read-objects.ts'
import { newItem } from '../../src/krm/index.ts'
import type { Item, KubernetesObject } from '../../src/krm/types.ts'
import { config, countedShape, daemonSet, inventory, listOf, node, OS, policy, shape, TYPE } from './objects.ts'
import { NOON, nodes, nodesAt, order, recurring, snapshot } from './orders.ts'
import { kubescapePolicy, operatorConfig, templateMap } from './template.ts'

export interface NamedList {
  readonly name: string
  readonly items: readonly Item[]
  /** What the input was, where the items are what came out of it. */
  readonly before?: readonly Item[]
}

const TESTDATA = fileURLToPath(new URL('../../testdata', import.meta.url))
const KORDER = 'core.korder.dev/v1alpha1'

/** The golden packages, each also with what was rendered from it. */
export function goldenLists(): NamedList[] {
  return ['golden', 'kubescape', 'reservation'].flatMap((area) =>
    readdirSync(join(TESTDATA, area))
      .sort()
      .flatMap((name) => {
        const folder = join(TESTDATA, area, name)
        const { package: source = 'package' } = JSON.parse(readFileSync(join(folder, 'case.json'), 'utf8'))
        const items = readObjects([join(folder, source)])
        const after = join(folder, 'expected-1')
        const input = { name: `${area}/${name}`, items }
        return existsSync(after)
          ? [input, { name: `${input.name} rendered`, items: readObjects([after]), before: items }]
          : [input]
      }),
  )
}

/** Lists made here, each also with what was rendered from it. */
export function ownLists(): NamedList[] {
  return Object.entries(OWN).flatMap(([name, objects]) => {
    const { items } = listOf(objects)
    const after = render({ apiVersion: 'config.kubernetes.io/v1', items, results: [] })
    const error = after.results.find(({ severity }) => severity === 'error')
    if (error !== undefined) throw new Error(`${name}: ${error.message}`)
    const off = [disabled, paused].map((change) => after.items.map(({ object }) => newItem(change(object))))
    return [
      { name, items },
      { name: `${name} rendered`, items: after.items, before: items },
      ...off.map((own, index) => ({
        name: `${name} ${index === 0 ? 'disabled' : 'paused'}`,
        items: own,
        before: items,
      })),
    ]
  })
}

function disabled(object: KubernetesObject): KubernetesObject {
  return object.kind === 'SizingPolicy' ? { ...object, spec: { ...(object.spec as object), enabled: false } } : object
}

function paused(object: KubernetesObject): KubernetesObject {
  return object.kind === 'Order' ? { ...object, spec: { ...(object.spec as object), paused: true } } : object
}

const required = (...nodeSelectorTerms: object[]) => ({
  nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } },
})
const linux = { key: OS, operator: 'In', values: ['linux'] }
const notNode = { key: 'metadata.name', operator: 'NotIn', values: ['other'] }
const podRule = { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'x' } } }

const richPod = {
  nodeSelector: { [OS]: 'linux' },
  affinity: {
    nodeAffinity: {
      ...required({ matchExpressions: [linux], matchFields: [notNode] }).nodeAffinity,
      preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, preference: { matchExpressions: [linux] } }],
    },
    podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [podRule] },
    podAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 1, podAffinityTerm: podRule }] },
  },
  tolerations: [{ key: 'a', operator: 'Equal', value: 'b', effect: 'NoSchedule' }, { operator: 'Exists' }],
  volumes: [{ name: 'data' }, { name: 'cache', emptyDir: { sizeLimit: '1024Mi' } }],
  runtimeClassName: 'kata',
  overhead: { cpu: '10m' },
  containers: [
    {
      name: 'agent',
      image: 'agent:1',
      ports: [{ hostPort: 80, containerPort: 80 }],
      env: [
        { name: 'A', value: 'b' },
        { name: 'B', valueFrom: { resourceFieldRef: { divisor: '1' } } },
      ],
      resources: { requests: { cpu: '100m', memory: '100Mi' }, limits: { memory: '1Gi', 'nvidia.com/gpu': 1 } },
      securityContext: { seLinuxOptions: { type: 'spc_t' } },
    },
    { name: 'log', image: 'log:1' },
  ],
  initContainers: [{ name: 'side', restartPolicy: 'Always', ports: [{ containerPort: 1 }], env: [{ name: 'C' }] }],
}
const marks = {
  labels: { 'app.kubernetes.io/managed-by': 'Helm', 'app.kubernetes.io/instance': 'r' },
  annotations: {
    'argocd.argoproj.io/sync-options': 'Prune=false,Replace=true',
    'kustomize.toolkit.fluxcd.io/prune': 'disabled',
    'meta.helm.sh/release-name': 'r',
  },
}
const taints = [{ key: 'a', value: 'b', effect: 'NoSchedule' }]
const fleet = (type: string, name: string, more: object = {}) =>
  shape({ [TYPE]: type, [OS]: 'linux' }, [name], '4', '16Gi', more)
const big = fleet('m5.xlarge', 'n1', {
  taints,
  uids: { n1: 'u1' },
  capacity: { cpu: '4', memory: '16Gi' },
  osImage: 'Bottlerocket',
})

const richPolicy = {
  cluster: 'prod',
  nodeGroupLabels: [TYPE, OS],
  groups: [{ name: 'special', nodeSelector: { [TYPE]: 'c5.large' }, resourcePercentages: { requestCPU: 3 } }],
  resourcePercentages: { requestCPU: 2, requestMemory: 2, limitCPU: 5, limitMemory: 5 },
  minResources: { cpu: '100m', memory: '50Mi', limitCPU: '200m' },
  maxResources: { cpu: '2', memory: '4Gi', limitMemory: '5G' },
  basis: 'median',
  step: { cpu: '10m', memory: '16Mi' },
  hysteresisPercent: 5,
  nodeSelector: { [OS]: 'linux' },
  affinity: required({ matchExpressions: [{ key: OS, operator: 'Exists' }] }),
  tolerations: [{ key: 'x', operator: 'Exists' }],
  containers: [
    { name: 'agent', share: 60 },
    { name: 'side', share: 40 },
  ],
  env: [{ container: 'agent', name: 'THREADS', from: 'limits.cpu', fraction: 0.5, unit: 'cores' }],
  overrides: [{ groups: ['m5.xlarge-linux'], resourcePercentages: { limitCPU: 6 }, maxResources: { cpu: '3' } }],
  names: { special: 'agent-special' },
  labels: { managedBy: 'example.com/by=nodefit', nodeGroup: 'example.com/group' },
  goMemLimitPercentage: 0.8,
  seLinuxType: 'spc_t',
  bottlerocketAutoDetect: true,
  formerNames: ['old'],
}

const ticket = (name: string, spec: object): KubernetesObject => ({
  apiVersion: KORDER,
  kind: 'Ticket',
  metadata: { name, namespace: 'ns' },
  spec: { duration: '1h', resources: { requests: { cpu: '1' }, limits: { memory: '1Gi' } }, ...spec },
})
const quota = (name: string, scope: object): KubernetesObject => ({
  apiVersion: KORDER,
  kind: 'Quota',
  metadata: { name },
  spec: {
    scope,
    hard: { tickets: 100, orders: 10, 'max-duration': '90000', 'reserved.cpu': '100' },
    allocation: [{ namespace: 'ns', limits: { tickets: '50' } }],
    timeWindows: [{ start: '08:00' }],
  },
})
const live = {
  namespace: 'ns',
  name: 'infra-n1',
  order: 'infra',
  node: 'n1',
  phase: 'Claimed',
  claimedAt: NOON,
  expiresAt: NOON,
}
const orderPod = {
  nodeSelector: richPod.nodeSelector,
  affinity: richPod.affinity,
  tolerations: richPod.tolerations,
  resources: { requests: { cpu: '100m' }, limits: { memory: '1Gi' } },
  lifecycle: { cleanupPolicy: 'Delete', ttlSecondsAfterFinished: 60 },
  topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'a', whenUnsatisfiable: 'DoNotSchedule' }],
  priorityClassName: 'high',
}

/** A DaemonSet whose selector has an expression as well. */
function withExpression(object: KubernetesObject): KubernetesObject {
  const matchExpressions = [{ key: 'app', operator: 'In', values: ['agent', 'other'] }]
  return {
    ...object,
    spec: { ...(object.spec as object), selector: { matchLabels: { app: 'agent' }, matchExpressions } },
  }
}

const OWN: Record<string, KubernetesObject[]> = {
  'a rich policy': [
    policy(richPolicy),
    daemonSet(richPod, marks),
    inventory([big, fleet('c5.large', 'n2'), shape({ [TYPE]: 'm6.large', [OS]: 'linux' }, [])], { observedAt: NOON }),
    config({
      cluster: 'prod',
      now: NOON,
      allow: ['OrphanedOutput'],
      severity: [{ code: 'InstanceLabelCopied', as: 'off', reason: 'no' }],
      failOn: 'error',
      guards: { maxGroupsRemoved: '50%', maxPodsRestarted: 100, maxShrinkPercent: 50 },
    }),
    { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'web' }, spec: { template: { spec: richPod } } },
  ],
  'Nodes and two policies of one target': [
    node('n1', { [TYPE]: 'a', zone: 'x' }, '4', '16Gi', {
      metadata: { name: 'n1', uid: 'u1', labels: { [TYPE]: 'a', zone: 'x' } },
      spec: { taints, unschedulable: false },
      status: {
        allocatable: { cpu: '4', memory: '16Gi' },
        capacity: { cpu: '4' },
        conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: NOON }],
        nodeInfo: { osImage: 'Bottlerocket OS' },
      },
    }),
    node('n2', { [TYPE]: 'b', zone: 'y' }),
    policy({ nodeSelector: { zone: 'x' }, remainder: false, defaultNodeGroup: '' }, 'one'),
    policy({ affinity: required({ matchExpressions: [{ key: 'zone', operator: 'In', values: ['y'] }] }) }, 'two'),
    withExpression(daemonSet({ tolerations: [{ operator: 'Exists' }] })),
  ],
  'a template of Kubescape': [
    kubescapePolicy({ bottlerocketAutoDetect: true }),
    templateMap(),
    operatorConfig(false),
    inventory([big, fleet('c5.large', 'n2')]),
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { name: 'operator', namespace: 'kubescape' },
      spec: {
        template: {
          spec: {
            volumes: [
              { name: 'a', configMap: { name: 'b' } },
              { projected: { sources: [{ configMap: { name: 'c' } }] } },
            ],
          },
        },
      },
    },
  ],
  'an inventory that only counts': [
    policy({ nodeSelector: { [OS]: 'linux' } }),
    daemonSet(),
    policy({ targetRef: { kind: 'Order', name: 'infra' } }, 'size', { namespace: 'ns' }),
    order({ daemonSet: undefined }),
    inventory([
      countedShape({ [TYPE]: 'm5.xlarge', [OS]: 'linux' }, 12, { taints }),
      countedShape({ [TYPE]: 'c5.large', [OS]: 'linux' }, 0),
      countedShape({ [TYPE]: 'm5.xlarge', [OS]: 'windows' }, 3),
      fleet('m6.large', 'n1'),
    ]),
  ],
  'Orders with Quotas and Tickets by hand': [
    order({ ...recurring('0 6 * * *', 'OnClaim'), replicas: 1 }, orderPod, marks),
    order({ strategy: { type: 'Scheduled', schedule: '0 6 * * *' } }, { duration: '24h' }, { name: 'cron' }),
    nodesAt(NOON, nodes('n1', 'n2'), shape({ [OS]: 'linux' }, ['n3'], '4', '16Gi', { taints })),
    snapshot(live),
    ticket('hand', { nodeName: 'n1' }),
    ticket('hand-2', {
      affinity: required({ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n2'] }] }),
    }),
    ticket('hand-3', { nodeSelector: { 'kubernetes.io/hostname': 'n3' }, window: { duration: '1h' } }),
    quota('all', { type: 'Cluster' }),
    quota('list', { type: 'NamespaceList', namespaces: ['ns'] }),
    quota('objects', { type: 'ObjectSelector', objectSelector: { matchLabels: { a: 'b' } } }),
    quota('namespaces', {
      type: 'NamespaceSelector',
      namespaceSelector: { matchExpressions: [{ key: 'team', operator: 'In', values: ['a'] }] },
    }),
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ns', labels: { team: 'a' } } },
    config({ now: NOON, korder: { pin: 'affinity', keep: false, orderLabel: true, nodeIdentity: 'name' } }),
  ],
  'an Order that is sized': [
    policy({ targetRef: { kind: 'Order', name: 'infra' } }, 'size', { namespace: 'ns' }),
    order(
      {},
      { window: { duration: '24h', timeZone: 'UTC' }, duration: undefined, resources: { requests: { cpu: '1' } } },
    ),
    inventory([big, fleet('c5.large', 'n2')], { observedAt: NOON }),
  ],
}
