/** The smallest input that brings each code about. */

import { withoutWireAnnotations } from '../../src/krm/identity.ts'
import { newItem } from '../../src/krm/index.ts'
import type { KubernetesObject, ResourceList } from '../../src/krm/types.ts'
import type { Code } from '../../src/rules/all-codes.ts'
import type { PlanOptions } from '../../src/rules/plan.ts'
import { plan } from '../../src/rules/run.ts'
import { actionPolicy, deployment, IMAGE, nodesAt, snapshot } from './action-package.ts'
import { keyringItem, signedAction, T, trustOf, vectorAction } from './actions.ts'
import { packageWith, RULE_EXAMPLES } from './examples.ts'
import { usage } from './fit.ts'
import { config, countedShape, daemonSet, inventory, listOf, node, OS, policy, shape, TYPE } from './objects.ts'
import { POOL_CASES } from './pool-cases.ts'
import { agentConfig, chartText, kubescapePolicy, operatorConfig, templateMap } from './template.ts'
import { USAGE_CASES } from './usage.ts'

const FUNCTION = {
  ...policy(),
  metadata: { name: 'agent', annotations: { 'config.kubernetes.io/function': 'exec: {path: x}' } },
}
const NODES = inventory([shape({ [TYPE]: 'm5.large' }, ['a'])])
const P = policy()
const D = daemonSet()
const withPolicy = (spec: object) => [NODES, policy(spec as Record<string, unknown>), D]
const withNodes = (...nodes: KubernetesObject[]) => [...nodes, P, D]
const withDaemonSet = (...args: Parameters<typeof daemonSet>) => [NODES, P, daemonSet(...args)]
const shapes = (...all: object[]) => withNodes(inventory(all))
const named = (object: KubernetesObject, name: string, spec: object = {}): KubernetesObject => ({
  ...object,
  metadata: { ...object.metadata, name },
  spec: { ...(object.spec as object), ...spec },
})
const order = (spec: object = {}, template: object = {}, name = 'o', metadata: object = {}): KubernetesObject => ({
  apiVersion: 'core.korder.dev/v1alpha1',
  kind: 'Order',
  metadata: { name, ...metadata },
  spec: { daemonSet: true, template: { spec: { duration: '24h', ...template } }, ...spec },
})
const NOW = config({ now: '2026-11-20T12:00:00Z' })
const recurring = (schedule: string, more: object = {}) => ({ strategy: { type: 'Recurring', schedule, ...more } })
const ready = (...names: string[]) => inventory([shape({}, names)])
const withOrder = (...args: Parameters<typeof order>) => [ready('a'), order(...args), NOW]
const ticket = (name: string, node: string, metadata: object = {}, more: object = {}): KubernetesObject => ({
  apiVersion: 'core.korder.dev/v1alpha1',
  kind: 'Ticket',
  metadata: { name, ...metadata },
  spec: { nodeName: node },
  ...more,
})
const earlierTicket = (node: string) =>
  ticket(`o-${node}-0123456789`, node, {
    annotations: { 'nodefit.dev/owner': 'Order/o', 'nodefit.dev/node': node },
  })
const withLive = (live: object) => [ready('a'), order(), NOW, earlierTicket('a'), usage([], [], { tickets: [live] })]
const withMoreReplicas = () => {
  const sizes = policy({ targetRef: { kind: 'Order', name: 'o' }, nodeGroupLabel: 'kubernetes.io/os' })
  const fleet = inventory([shape({ 'kubernetes.io/os': 'linux' }, ['a'])])
  const { items } = plan(listOf([fleet, order({ daemonSet: false }), sizes]))
  return items.map(({ object }) =>
    object.kind === 'Order' && object.metadata.name !== 'o'
      ? { ...object, spec: { ...(object.spec as object), replicas: 9 } }
      : object,
  )
}
const quota = (spec: object): KubernetesObject => ({
  apiVersion: 'core.korder.dev/v1alpha1',
  kind: 'Quota',
  metadata: { name: 'q' },
  spec,
})
const withSelector = (object: KubernetesObject): KubernetesObject => {
  const { template } = object.spec as { template: { metadata: object; spec: object } }
  const labels = { app: 'agent', 'nodefit.dev/node-group': 'm5.large', ...object.metadata.labels }
  return named(object, object.metadata.name, {
    selector: { matchLabels: labels },
    template: { ...template, metadata: { labels } },
  })
}
const ownedWith = (pod: Record<string, unknown>) =>
  withSelector(
    daemonSet(pod, {
      name: 'agent-m5-large',
      annotations: { 'nodefit.dev/owner': 'SizingPolicy/agent', 'nodefit.dev/group': 'value:m5.large' },
      labels: { 'nodefit.dev/node-group': 'm5.large' },
    }),
  )
const owned = ownedWith({})
const unreadable = (name: string, owner: string) =>
  daemonSet(
    {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'a', operator: 'Foo' }] }],
          },
        },
      },
    },
    { name, annotations: { 'nodefit.dev/owner': owner } },
  )
export const LINUX = inventory([shape({ [TYPE]: 'm5.large', [OS]: 'linux' }, ['a'])])
/** A template whose container has resources of its own, under a policy. */
const sizedTemplate = (resources: object, spec = {}, container = {}) => [
  NODES,
  policy(spec),
  daemonSet({ containers: [{ name: 'agent', image: 'agent:1', resources, ...container }] }),
]
const kubescape = (...more: KubernetesObject[]) => [LINUX, templateMap(), kubescapePolicy(), ...more]
const OLD = { 'nodefit.dev/owner': 'SizingPolicy/agent', 'nodefit.dev/group': 'value:old' }
const gone = daemonSet({}, { name: 'gone', annotations: { 'nodefit.dev/owner': 'SizingPolicy/gone' } })
const tainted = (effect: string) =>
  shape({ [TYPE]: 'm5.large' }, ['a'], '4', '16Gi', { taints: [{ key: 'x', effect }] })

const allTainted = (fleet: KubernetesObject): KubernetesObject => {
  const spec = fleet.spec as { shapes: object[] }
  const taints = [{ key: 'x', effect: 'NoSchedule' }]
  return { ...fleet, spec: { ...spec, shapes: spec.shapes.map((one) => ({ ...one, taints })) } }
}

/** What a policy rendered, and then a fleet without its nodes. */
const emptied = (): KubernetesObject[] =>
  plan(listOf(withPolicy({ nodeSelector: { [TYPE]: 'm5.large' } }))).items.map(({ object }) =>
    object.kind === 'NodeInventory' ? inventory([shape({ [TYPE]: 'c5.large' }, ['c'])]) : object,
  )
const KARPENTER = config({ autoscaler: { kind: 'karpenter' } })

/** What only a planner at fault brings about: test/rules/coverage.test.ts puts such faults in. */
export const SEEDED = ['Uncovered', 'CoveredTwice', 'RunsElsewhere', 'CoverageNotProved'] as const
/** What no planner of today brings about: test/planners has toys that do. */
export const OF_TOYS = ['FieldConflict', 'FieldTargetMissing', 'GroupReleased'] as const

const NOON = '2026-11-20T12:00:00Z'
const TYPES = ['a', 'b'].map((type) => shape({ [TYPE]: type }, [`${type}-1`, `${type}-2`]))
/** What a policy with a rollout renders, and then a change of something in the package. */
const rolledOut = (
  change: (object: KubernetesObject) => KubernetesObject,
  rollout?: object,
  template = daemonSet(),
): [KubernetesObject[]] => {
  const objects = [inventory(TYPES, { observedAt: NOON }), policy(rollout ? { rollout } : {}), template]
  return [plan(listOf(objects)).items.map(({ object }) => change(structuredClone(object)))]
}
const withImage = (object: KubernetesObject): KubernetesObject =>
  object.kind === 'DaemonSet' && object.metadata.name === 'agent'
    ? { ...daemonSet({ containers: [{ name: 'agent', image: 'agent:2' }] }), metadata: object.metadata }
    : object
const withMoreTypes = (object: KubernetesObject): KubernetesObject =>
  object.kind === 'NodeInventory'
    ? inventory([...TYPES, shape({ [TYPE]: 'c' }, ['c-1', 'c-2'])], { observedAt: NOON })
    : object
const withGroup = (object: KubernetesObject): KubernetesObject =>
  object.kind === 'SizingPolicy'
    ? named(object, 'agent', { groups: [{ name: 'own', nodeSelector: { [TYPE]: 'a' } }] })
    : object

/** A kustomization of the package: `listOf` puts the template into file-2.yaml. */
const kustomized = (fields: object): KubernetesObject => ({
  apiVersion: 'kustomize.config.k8s.io/v1beta1',
  kind: 'Kustomization',
  metadata: { name: '', annotations: { 'internal.config.kubernetes.io/path': 'kustomization.yaml' } },
  resources: ['file-2.yaml'],
  ...fields,
})

/** What only the objects of a cluster bring about: test/plan/daemonset/kubescape/drift.test.ts has more. */
export const LIVE_CASES: Record<Exclude<Extract<Code, `Live${string}`>, `LiveTicket${string}`>, KubernetesObject[]> = {
  LiveLoopOn: [operatorConfig(true)],
  LiveVersionDiffers: [operatorConfig(false, { labels: { 'helm.sh/chart': 'kubescape-operator-2' } })],
  LiveTemplateDiffers: [operatorConfig(false), templateMap(chartText().replace('info', 'debug'))],
  LiveValueDiffers: [operatorConfig('{"nodeAgentAutoscaler": {"seLinuxType": "a_t"}}')],
  LiveGroupDiffers: [operatorConfig(false), daemonSet({}, { name: 'x', namespace: 'kubescape' })],
  LiveAgentBeside: [
    operatorConfig(false),
    daemonSet({}, { name: 'x', labels: { 'kubescape.io/managed-by': 'operator-autoscaler' } }),
  ],
  LiveNotShown: [],
}
/** A package with actions, which an Ed25519 key in it verifies. */
const withActions = (...objects: KubernetesObject[]) => {
  const has = (kind: string) => objects.some((object) => object.kind === kind)
  return [
    ...(has('NodeInventory') ? [] : [nodesAt()]),
    ...(has('ActionPolicy') ? [] : [actionPolicy()]),
    ...(has('ActionKeyring') ? [] : [keyringItem()]),
    ...objects,
  ]
}
const action = (type: string, more: Record<string, unknown> = {}) => signedAction({ id: `a-${type}`, type, ...more })
const onDeployment = (type: string, parameters: object, more: object = {}) =>
  action(type, { target: { kind: 'Deployment', namespace: 'shop', name: 'web' }, parameters, ...more })
const exporting = (...labelKeys: string[]): KubernetesObject => {
  const nodes = nodesAt()
  return { ...nodes, spec: { ...(nodes.spec as object), labelKeys } }
}
const cordon = action('cordonNode')
const evict = action('evictPod', { target: { kind: 'Pod', namespace: 'shop', name: 'web-0', uid: 'u' } })
const autoscaled = {
  apiVersion: 'autoscaling/v2',
  kind: 'HorizontalPodAutoscaler',
  metadata: { name: 'web', namespace: 'shop' },
  spec: { scaleTargetRef: { kind: 'Deployment', name: 'web' } },
}
const record = (spec: object): KubernetesObject => ({
  apiVersion: 'nodefit.dev/v1alpha1',
  kind: 'ActionRecord',
  metadata: { name: 'main', annotations: { 'nodefit.dev/owner': 'ActionPolicy/main' } },
  spec,
})
const badly = (signature: object) => ({ ...cordon, signature: { ...(cordon.signature as object), ...signature } })
const inOtherPackage = (object: KubernetesObject): KubernetesObject => ({
  ...object,
  metadata: {
    ...object.metadata,
    annotations: { ...object.metadata.annotations, 'internal.config.kubernetes.io/package-path': 'other' },
  },
})

/** The objects, and a functionConfig where one is needed, of each code whose rule has no example. */
const CASES: Partial<Record<Code, [objects: KubernetesObject[], functionConfig?: KubernetesObject]>> = {
  ...POOL_CASES,
  ...USAGE_CASES,
  SizesMissing: [withPolicy({ resourcePercentages: null })],
  SizesDerived: [
    [NODES, D],
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'set' }, data: { target: 'agent' } },
  ],
  UnknownFunctionConfig: [[NODES, P, D], { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' } }],
  UseTransformers: [[FUNCTION], FUNCTION],
  PolicyMissing: [[NODES, P, D, config({ expect: { policies: 2 } })]],
  PolicyNotExpected: [[NODES, P, D, config({ expect: { policyNames: [] } })]],
  OutputStale: [[NODES, P, D], config({ check: true })],
  UnknownKind: [[NODES, P, D, { ...P, kind: 'SizngPolicy' }]],
  NotBuilt: [withActions(actionPolicy({ drain: { as: 'NodeMaintenance' } }), cordon)],
  AutoscalerSlow: [
    [inventory(Array.from({ length: 100 }, (_, index) => shape({ [TYPE]: `t${index}` }, [`n${index}`]))), P, D],
    KARPENTER,
  ],
  UnknownField: [withPolicy({ nodeGroupLable: 'x' })],
  FieldWithoutEffect: [withPolicy({ templatePath: '/etc/templates/daemonset-template.yaml' })],
  InvalidField: [withPolicy({ remainder: 'yes' })],
  TwoRenderConfigs: [[NODES, P, D, config({}), { ...config({}), metadata: { name: 'second' } }]],
  DuplicatePolicy: [[NODES, P, P, D]],
  SelectorsInUse: [
    [NODES, { ...P, metadata: { name: 'agent', annotations: { 'internal.config.k8s.io/kpt-resource-id': '1' } } }, D],
  ],
  NoPolicy: [[NODES, D]],
  NoNodes: [[P, D]],
  TwoSources: [withNodes(NODES, node('b', {}))],
  SeveralClusters: [withNodes(NODES, named(NODES, 'other', { cluster: 'other', shapes: [shape({}, ['b'])] }))],
  WrongCluster: [withPolicy({ cluster: 'elsewhere' })],
  InventoryCut: [withNodes(named(NODES, 'cut', { nodeCount: 2 }))],
  InventoryInvalid: [withNodes(named(NODES, 'bad', { shapes: 'none' }))],
  InventoryFieldUnknown: [withNodes(named(NODES, 'newer', { zones: [] }))],
  DuplicateNode: [shapes(shape({ [TYPE]: 'x' }, ['a']), shape({ [TYPE]: 'y' }, ['a']))],
  NodesNotNamed: [[inventory([countedShape({}, 3)]), order()]],
  PartialList: [
    [NODES, P, D, { apiVersion: 'v1', kind: 'NodeList', metadata: { name: '', continue: 'x' }, items: [] }],
  ],
  LabelNotExported: [withNodes(named(NODES, 'few', { labelKeys: ['kubernetes.io/os'] }))],
  PolicySummary: [[NODES, P, D]],
  TotalGrows: [sizedTemplate({ requests: { cpu: '10m' } })],
  GroupSized: [[NODES, P, D]],
  PercentageOutOfRange: [withPolicy({ resourcePercentages: { requestCPU: 101 } })],
  RequestAboveLimit: [withPolicy({ resourcePercentages: { requestCPU: 6 } })],
  MinAboveMax: [withPolicy({ minResources: { cpu: 3 } })],
  MemoryInThousandths: [withPolicy({ minResources: { memory: '180m' } })],
  BoundInvalid: [withPolicy({ minResources: { cpu: '1 core' } })],
  StepInvalid: [withPolicy({ step: { cpu: '500u' } })],
  FractionOutOfRange: [withPolicy({ goMemLimitPercentage: 80 })],
  NoHeadroom: [withPolicy({ goMemLimitPercentage: 1 })],
  LabelOnNoNode: [withPolicy({ nodeGroupLabel: 'example.com/typo' })],
  NoGroups: [withPolicy({ nodeSelector: { a: 'b' } })],
  GroupsKept: [emptied()],
  EmptyGroup: [withPolicy({ groups: [{ name: 'gpu', nodeSelector: { gpu: 'yes' } }] })],
  TooManyTerms: [
    withPolicy({
      groups: Array.from({ length: 9 }, (_, index) => ({
        name: `g${index}`,
        nodeSelector: { [`a${index}`]: 'x', [`b${index}`]: 'y' },
      })),
    }),
  ],
  GroupTainted: [shapes(tainted('NoSchedule'))],
  // nodes that come and go: no host name is proposed
  GroupSpread: [
    shapes(
      ...[['a'], ['b', '16', '64Gi']].map(([name = '', ...size]) =>
        shape({ [TYPE]: 'x', 'karpenter.sh/nodepool': 'p' }, [name], ...size),
      ),
    ),
  ],
  RangeNotInteger: [
    [inventory([shape({ mem: 'many' }, ['a'])]), policy({ nodeGroupRanges: { label: 'mem', bounds: [8] } }), D],
  ],
  ClassChanged: [
    [
      inventory([shape({ [TYPE]: 'm5.large' }, ['a']), shape({ [TYPE]: 'm6.large' }, ['b'])]),
      policy({ classes: { ratio: 2 } }),
      D,
      withSelector(
        daemonSet(
          {
            affinity: {
              nodeAffinity: {
                requiredDuringSchedulingIgnoredDuringExecution: {
                  nodeSelectorTerms: [{ matchExpressions: [{ key: TYPE, operator: 'In', values: ['m5.large'] }] }],
                },
              },
            },
          },
          {
            name: 'agent-4cpu-16gi',
            annotations: { 'nodefit.dev/owner': 'SizingPolicy/agent', 'nodefit.dev/group': 'class:4cpu-16gi' },
            labels: { 'nodefit.dev/node-group': '4cpu-16gi' },
          },
        ),
      ),
    ],
  ],
  NoAllocatable: [withNodes(node('a', { [TYPE]: 'x' }, '0', '0'))],
  NodesNotSized: [shapes(shape({ [TYPE]: 'x' }, ['a']), shape({ [TYPE]: 'x' }, ['b'], '0', '0'))],
  NodesWithoutAgent: [shapes(shape({ [TYPE]: 'x' }, ['a']), tainted('NoExecute'))].map((objects) =>
    objects.map((object) =>
      object.kind === 'NodeInventory' ? inventory([shape({ [TYPE]: 'x' }, ['b']), tainted('NoExecute')]) : object,
    ),
  ) as [KubernetesObject[]],
  NoNewPods: [shapes(tainted('NoSchedule'))],
  GroupAbsent: rolledOut((object) =>
    object.kind === 'NodeInventory' ? inventory(TYPES.slice(0, 1), { observedAt: NOON }) : object,
  ),
  SELinuxTypeDropped: [
    [
      inventory([shape({ [TYPE]: 'x' }, ['a'], '4', '16Gi', { osImage: 'Bottlerocket OS 1.20' })]),
      policy({ bottlerocketAutoDetect: true }),
      daemonSet({ containers: [{ name: 'agent', image: 'agent:1', securityContext: { privileged: true } }] }),
    ],
  ],
  GroupImpossible: [withDaemonSet({ nodeSelector: { [TYPE]: 'm5.large' } })],
  OverrideUnused: [withPolicy({ overrides: [{ groups: ['m9'], minResources: { cpu: '1' } }] })],
  LimitRaised: [
    [
      inventory([shape({ [TYPE]: 'm5.large' }, ['a'], '4050m', '16Gi')]),
      policy({
        minResources: { cpu: '1m' },
        resourcePercentages: { requestCPU: 27.775, limitCPU: 27.8 },
        containers: [
          { name: 'agent', share: 45 },
          { name: 'b', share: 45 },
          { name: 'c', share: 10 },
        ],
      }),
      daemonSet({ containers: [{ name: 'agent' }, { name: 'b' }, { name: 'c' }] }),
    ],
  ],
  SizeZero: [withPolicy({ minResources: { cpu: 0 }, resourcePercentages: { requestCPU: 0.001 } })],
  DerivedTooSmall: [withPolicy({ env: [{ name: 'X', from: 'limits.memory', unit: 'GiB' }] })],
  DerivedWithoutSize: [
    withPolicy({ env: [{ name: 'X', from: 'limits.cpu' }], resourcePercentages: { limitCPU: null } }),
  ],
  NameCollision: [shapes(shape({ [TYPE]: 'a.b' }, ['a']), shape({ [TYPE]: 'a_b' }, ['b']))],
  NameInvalid: [withPolicy({ names: { 'm5.large': 'Agent!' } })],
  OutputUnreadable: [
    [NODES, D, unreadable('agent-x', 'SizingPolicy/second')],
    policy({}, 'agent', { namespace: undefined }),
  ],
  TargetMissing: [[NODES, P]],
  TargetNotUnique: [[NODES, P, D, daemonSet({}, { namespace: 'other' })]],
  TemplateInvalid: [[NODES, P, { ...D, spec: {} }]],
  UnknownPlaceholder: [
    [
      NODES,
      templateMap(chartText({ annotations: '        a: "{{ .B }}"\n' })),
      kubescapePolicy(),
      operatorConfig(false),
    ],
  ],
  ScannerMissing: [
    [
      LINUX,
      templateMap(
        chartText().replace('        env:\n', '        volumeMounts:\n        - mountPath: /clamav\n        env:\n'),
      ),
      kubescapePolicy(),
      operatorConfig(false),
      agentConfig({ malwareDetectionEnabled: true }),
    ],
  ],
  VariableTwice: [
    sizedTemplate(
      {},
      {},
      {
        env: [
          { name: 'A', value: 'x' },
          { name: 'A', value: 'y' },
        ],
      },
    ),
  ],
  OperatorConfigDiffers: [
    kubescape(
      operatorConfig(JSON.stringify({ nodeAgentAutoscaler: { enabled: false, minResources: { memory: '600Mi' } } })),
    ),
  ],
  PlaceholderInText: [
    [
      LINUX,
      templateMap(chartText({ annotations: '        a: x {{ .Name }}\n' })),
      kubescapePolicy(),
      operatorConfig(false),
    ],
  ],
  GroupLabelDiffers: [
    [
      LINUX,
      templateMap(chartText({ conditions: '      nodeSelector:\n        zone: "{{ .NodeGroupLabel }}"\n' })),
      kubescapePolicy(),
      operatorConfig(false),
    ],
  ],
  OperatorBeside: [[LINUX, templateMap(), kubescapePolicy({ labels: { managedBy: 'a=b' } }), operatorConfig(true)]],
  OperatorAutoscalerLive: [kubescape(operatorConfig(true))],
  OperatorNotSeen: [kubescape()],
  OperatorNameTaken: [
    [
      inventory([shape({ [TYPE]: '', [OS]: 'linux' }, ['a']), shape({ [OS]: 'linux' }, ['b'])]),
      templateMap(),
      kubescapePolicy({ defaultNodeGroup: 'default' }),
    ],
  ],
  OperatorLeftover: [
    kubescape(
      operatorConfig(false),
      daemonSet(
        {},
        { name: 'x', namespace: 'kubescape', labels: { 'kubescape.io/managed-by': 'operator-autoscaler' } },
      ),
    ),
  ],
  GroupAdded: [[NODES, P, D]],
  GroupChanged: [[NODES, P, D, owned]],
  PodsRestart: [[NODES, P, D, owned]],
  GroupRemoved: [
    [NODES, P, D, owned, { ...owned, metadata: { ...owned.metadata, name: 'agent-old', annotations: OLD } }],
  ],
  PodLevelResources: [withDaemonSet({ resources: { limits: { cpu: '1' } } })],
  ContainerNotChosen: [withDaemonSet({ containers: [{ name: 'x' }, { name: 'y' }] })],
  GroupLabelConflict: [
    [NODES, policy({ nodeSelector: { os: 'linux' } }), daemonSet({ nodeSelector: { os: 'windows' } })],
  ],
  InstanceLabelCopied: [withDaemonSet({}, { labels: { 'app.kubernetes.io/instance': 'release' } })],
  MixedOperatingSystems: [
    [
      inventory([
        shape({ [TYPE]: 'x' }, ['a'], '4', '16Gi', { osImage: 'Bottlerocket OS' }),
        shape({ [TYPE]: 'x' }, ['b']),
      ]),
      policy({ bottlerocketAutoDetect: true }),
      D,
    ],
  ],
  FileListed: [[NODES, P, D, kustomized({})]],
  FileNotListed: [[NODES, P, D, kustomized({})], config({ check: true })],
  PatternNotRead: [
    [NODES, P, D, kustomized({ patches: [{ patch: '[]', target: { kind: 'DaemonSet', name: '(?=agent).*' } }] })],
  ],
  PatchLost: [[NODES, P, D, kustomized({ patches: [{ patch: '[]', target: { kind: 'DaemonSet', name: 'agent' } }] })]],
  StaticTemplateRetired: [[NODES, P, D]],
  HostPortHeld: [
    [NODES, P, daemonSet({ containers: [{ name: 'agent', ports: [{ containerPort: 80, hostPort: 80 }] }] })],
  ],
  AntiAffinityHeld: [
    withDaemonSet({
      affinity: {
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [
            { labelSelector: { matchLabels: { app: 'agent' } }, topologyKey: 'kubernetes.io/hostname' },
          ],
        },
      },
    }),
  ],
  StatePathShared: [
    withDaemonSet({
      containers: [{ name: 'agent', volumeMounts: [{ name: 'data', mountPath: '/data' }] }],
      volumes: [{ name: 'data', hostPath: { path: '/var/lib/agent' } }],
    }),
  ],
  NamedElsewhere: [
    [
      NODES,
      P,
      D,
      {
        apiVersion: 'kyverno.io/v1',
        kind: 'ClusterPolicy',
        metadata: { name: 'v' },
        spec: { rules: [{ match: { resources: { kinds: ['DaemonSet'], names: ['agent'] } } }] },
      },
    ],
  ],
  OwnedElsewhere: [withDaemonSet({}, { annotations: { 'meta.helm.sh/release-name': 'r' } })],
  StaticTemplateStays: [
    [NODES, P, daemonSet({}, { annotations: { 'kustomize.toolkit.fluxcd.io/prune': 'disabled' } })],
  ],
  TemplateReleased: [
    [
      NODES,
      policy({ enabled: false }),
      daemonSet({}, { annotations: { 'nodefit.dev/template': 'true', 'config.kubernetes.io/local-config': 'true' } }),
    ],
  ],
  SnapshotCut: [[NODES, P, D, usage([{ name: 'a' }], [], { collected: { nodes: 2 } })]],
  SnapshotDuplicate: [[NODES, P, D, usage([{ name: 'a' }, { name: 'a' }])]],
  SnapshotStale: [
    [
      inventory([shape({}, ['a'])], { observedAt: '2026-11-20T12:00:00Z' }),
      order(),
      usage([], [], { observedAt: '2026-11-18T12:00:00Z' }),
    ],
  ],
  OrderSummary: [withOrder()],
  OrderInvalid: [withOrder({}, { duration: '1d' })],
  OrderLabelLeftOff: [[ready('a'), NOW], order()],
  OrderKeepsTickets: [withMoreReplicas()],
  OrderNameTooLong: [withOrder({}, {}, 'o'.repeat(70))],
  DialectMixed: [[...withOrder(), order({}, { duration: undefined, window: { duration: '24h' } }, 'p')]],
  NodesNotEligible: [[inventory([shape({}, ['a']), shape({}, ['b'], '4', '16Gi', { ready: 'False' })]), order()]],
  NoEligibleNodes: [withOrder({}, { nodeSelector: { gpu: 'yes' } })],
  NodeNameInvalid: [[ready('Node_A'), order()]],
  NodeUidMissing: [[ready('a'), order(), config({ korder: { nodeIdentity: 'uid' } })]],
  NoTime: [[ready('a'), order(recurring('0 * * * *'))]],
  ScheduleNeverFires: [withOrder(recurring('0 0 31 2 *'))],
  ScheduleDiffers: [withOrder(recurring('0 0 */2 * *'), { duration: '900h' })],
  DurationBelowPeriod: [withOrder(recurring('0 0 * * 0'))],
  WindowClosed: [withOrder({ strategy: { type: 'Scheduled', schedule: '0 2 * * *' } }, { duration: '1h' })],
  OrderRetired: [withOrder()],
  OrderGivenBack: [[...withOrder({ daemonSet: false }), earlierTicket('a'), earlierTicket('b')]],
  ReservationEnds: [withOrder({ strategy: { type: 'OneTime', refreshPolicy: 'Never' } })],
  ReservationLapses: [withOrder()],
  ReservationEnded: [
    [
      ready('a'),
      config({ now: '2026-11-22T12:00:00Z' }),
      ...plan(listOf(withOrder()))
        .items.map(({ object }) => object)
        .filter(({ kind }) => ['Order', 'Ticket'].includes(kind)),
    ],
  ],
  TicketsHeldBack: [
    [
      config({ now: '2026-11-22T12:00:00Z', korder: { rollout: { maxNodes: 1, every: '10m' } } }),
      ...plan(listOf([ready('a', 'b'), order(), NOW]))
        .items.map(({ object }) => object)
        .filter(({ kind }) => ['Ticket', 'NodeInventory'].includes(kind)),
      order({}, { resources: { requests: { cpu: '1' } } }),
    ],
  ],
  RolloutTooSlow: [
    [
      ready('a', 'b'),
      order(),
      config({ now: '2026-11-22T12:00:00Z', korder: { rollout: { maxNodes: 1, every: '24h' } } }),
    ],
  ],
  LiveTicketsUnknown: [withOrder(recurring('0 0 * * *', { refreshPolicy: 'OnClaim' }))],
  LiveTicketsAmbiguous: [
    [
      ready('a'),
      order(),
      earlierTicket('a'),
      usage([], [], {
        tickets: ['x', 'y'].map((namespace) => ({ namespace, name: 'o-a-0123456789', order: 'o', node: 'a' })),
      }),
    ],
  ],
  TicketsLive: [withLive({ name: 'o-a-0123456789', order: 'o', node: 'a', phase: 'Ready' })],
  TicketsPending: [
    withLive({ name: 'o-a-0123456789', order: 'o', node: 'a', phase: 'Pending', since: '2026-11-20T09:00:00Z' }),
  ],
  ClaimReservedTwice: [
    withLive({ name: 'o-a-0123456789', order: 'o', node: 'a', phase: 'Claimed', expiresAt: '2026-11-20T09:00:00Z' }),
  ],
  ReservedByOthers: [withLive({ name: 'gpu-0', order: 'gpu', node: 'a', phase: 'Reserved' })],
  LiveTicketInInput: [[...withOrder(), ticket('t', 'a', { uid: 'u' })]],
  StartTimeIgnored: [withOrder({}, { startTime: '2026-11-20T12:00:00Z' })],
  GuardianEvicted: [
    withOrder({}, { tolerations: [{ operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 }] }),
  ],
  NeedsEarlierOutput: [withOrder({ paused: true })],
  WavesWait: [
    [
      inventory([shape({ [TYPE]: 'a' }, ['a'], '4', '16Gi', { ready: 'False' }), shape({ [TYPE]: 'b' }, ['b'])]),
      policy({ rollout: { maxNodes: 1, waves: true } }),
      daemonSet({}, { annotations: { 'config.kubernetes.io/local-config': 'true' } }),
    ],
  ],
  AdoptionInWaves: [withPolicy({ rollout: { maxNodes: 1, waves: true } })],
  WavesDeadlock: rolledOut(
    withGroup,
    { maxNodes: 1, waves: true },
    daemonSet(
      { containers: [{ name: 'agent', image: 'agent:1', ports: [{ hostPort: 1, containerPort: 1 }] }] },
      { annotations: { 'config.kubernetes.io/local-config': 'true' } },
    ),
  ),
  RolloutHeldBack: rolledOut(withImage, { maxNodes: 1, every: '10m' }),
  RolloutExceeded: rolledOut(withMoreTypes, { maxNodes: 1, every: '10m' }),
  RolloutWidens: rolledOut(withImage),
  NodesMove: rolledOut(withGroup),
  LosesAgent: [rolledOut((object) => (object.kind === 'NodeInventory' ? allTainted(object) : withImage(object)))[0]],
  RemovesServingGroup: [
    rolledOut((object) =>
      object.kind === 'SizingPolicy' ? { ...object, spec: { targetRef: { name: 'agent' }, enabled: false } } : object,
    )[0],
    config({ guards: { deletion: true } }),
  ],
  GuardTripped: [[...withOrder(), earlierTicket('a'), earlierTicket('b'), earlierTicket('c')]],
  GuardsNotChecked: [withOrder()],
  QuotaExceeded: [[...withOrder(), quota({ scope: { type: 'Cluster' }, hard: { tickets: 0 } })]],
  QuotaNotEvaluated: [[...withOrder(), quota({ scope: { type: 'Cluster' }, hard: { pods: 1 } })]],
  OrdersOverlap: [[...withOrder(), order({}, {}, 'p')]],
  GuardiansHoldNodes: [[inventory([shape({ 'karpenter.sh/nodepool': 'a' }, ['a'])]), order(), NOW]],
  RequestAboveAllocatable: [withOrder({}, { resources: { requests: { cpu: '8' } } })],
  TicketDuplicated: [[...withOrder(), ticket('t', 'a')]],
  ForeignObject: [[NODES, P, D, daemonSet({}, { name: 'agent-m5-large' })]],
  DuplicateOutput: [[NODES, P, D, owned, owned]],
  OrphanedOutput: [[NODES, P, D, gone]],
  PolicyMoved: [[NODES, P, D, { ...owned, metadata: { ...owned.metadata, namespace: 'other' } }]],
  SelectorChanged: [
    [NODES, P, D, { ...owned, spec: { ...(owned.spec as object), selector: { matchLabels: { app: 'before' } } } }],
  ],
  ActionSummary: [withActions(cordon)],
  ActionRendered: [withActions(cordon)],
  NoActionPolicy: [[nodesAt(), cordon]],
  TwoActionPolicies: [withActions(actionPolicy(), actionPolicy({}, 'second'))],
  NoActionTime: [withActions(nodesAt('yesterday'), cordon)],
  TimeWentBack: [withActions(record({ expiredUntil: '2026-01-15T10:00:01Z' }), cordon)],
  DuplicateId: [withActions(record({ done: { 'a-cordonNode': '0123456789' } }), cordon)],
  DuplicateSequence: [withActions(cordon, action('uncordonNode'))],
  ActionTypeForbidden: [withActions(actionPolicy({ types: ['drainNode'] }), cordon)],
  OverLimit: [withActions(deployment(), onDeployment('scaleDeployment', { replicas: 51 }))],
  InvalidLabel: [withActions(action('labelNode', { parameters: { labels: { team: 'pläne' } } }))],
  ForbiddenLabel: [withActions(action('labelNode', { parameters: { labels: { 'kubernetes.io/os': 'x' } } }))],
  ActionLabelUnknown: [withActions(exporting('pool'), action('labelNode', { parameters: { labels: { team: 'x' } } }))],
  NodesStayHeld: [withActions(cordon)],
  ControlPlaneNode: [withActions(nodesAt(T, { 'node-role.kubernetes.io/control-plane': '' }), cordon)],
  PodNotEvictable: [
    withActions(
      snapshot({ targets: [{ kind: 'Pod', namespace: 'shop', name: 'web-0', uid: 'u', mirror: true }] }),
      evict,
    ),
  ],
  NodeUidUnknown: [
    withActions(inventory([shape({}, ['small-000002'])], { cluster: 'prod-eu1', observedAt: T }), cordon),
  ],
  ImageNotPinned: [withActions(actionPolicy({ job: { image: 'kubectl:1.34' } }), cordon)],
  JobImageMissing: [withActions(actionPolicy({ job: { image: IMAGE } }), evict)],
  DrainCutShort: [withActions(action('drainNode', { parameters: { timeoutSeconds: 3901 } }))],
  HPAOwnsReplicas: [withActions(deployment(), autoscaled, onDeployment('scaleDeployment', { replicas: 5 }))],
  PartialDeployment: [
    withActions(actionPolicy({ partialDeployments: true }), onDeployment('scaleDeployment', { replicas: 5 })),
  ],
  AgentsKeptOut: [
    withActions(
      nodesAt(T, { [TYPE]: 'm5' }),
      policy(),
      daemonSet(),
      action('taintNode', { parameters: { key: 'a', effect: 'NoSchedule' } }),
    ),
  ],
  NodeInTwoPackages: [[...withActions(cordon), ...withActions(cordon).map(inOtherPackage)]],
  UnsupportedAlgorithm: [withActions(badly({ alg: 'none' }))],
  UnknownKey: [withActions(badly({ keyId: 'k9' }))],
  NoKey: [withActions(vectorAction('V1'))],
  MalformedSignature: [withActions(badly({ value: 'AAAA' }))],
  BadSignature: [withActions(badly({ value: 'A'.repeat(86) }))],
  KeyExpired: [withActions(keyringItem({ notAfter: '2026-01-15T09:54:59Z' }), cordon)],
  KeyTypeForbidden: [withActions(keyringItem({ types: ['drainNode'] }), cordon)],
  KeyringInvalid: [withActions(keyringItem({ public: 'AAAA' }), cordon)],
  TrustInPackage: [withActions({ apiVersion: 'nodefit.dev/v1alpha1', kind: 'ActionTrust', metadata: { name: 't' } })],
  TrustOfOtherCluster: [withActions(cordon)],
  PolicyBeyondTrust: [withActions(actionPolicy({ allowControlPlane: true }), cordon)],
  NodeNotTrusted: [withActions(cordon)],
  PoolsNotTrusted: [
    withActions(cordon, {
      apiVersion: 'nodefit.dev/v1alpha1',
      kind: 'PoolPolicy',
      metadata: { name: 'small' },
      spec: { poolRef: 'small', machines: [{ cpuCores: 4, memoryMiB: 8192 }] },
    }),
  ],
  NowBeforeSnapshot: [withActions(cordon, config({ now: '2026-01-15T09:59:59Z' }))],
  TrustedByPackage: [withActions(cordon)],
  TrustUsed: [withActions(cordon)],
  JobDiffers: [
    plan(listOf(withActions(action('drainNode')))).items.map(({ object }) =>
      object.kind === 'Job' ? { ...object, spec: { ...(object.spec as object), parallelism: 2 } } : object,
    ),
  ],
  TooFewSignatures: [withActions(signedAction({ id: 'd-1', type: 'drainNode' }))],
  EndUnproved: [
    withActions(
      actionPolicy({ types: ['cordonNode'] }),
      ...[nodesAt()].map((one) => {
        const { shapes, ...spec } = one.spec as { shapes: object[] }
        const taints = [{ key: 'dedicated', effect: 'NoSchedule' }]
        return { ...one, spec: { ...spec, shapes: shapes.map((each) => ({ ...each, taints })) } }
      }),
      snapshot({
        outcomes: [
          {
            ...{ action: 'taint', digest: '0123456789', sequence: 5, state: 'Succeeded' },
            fields: ['Node/small-000002/taints/dedicated:NoSchedule'],
          },
        ],
      }),
    ),
  ],
  WeakKey: [withActions(keyringItem({ public: 'A'.repeat(43) }), cordon)],
  KeyInPackage: [withActions(keyringItem({ alg: 'HMAC-SHA256' }), cordon)],
  NonIntegerNumber: [withActions({ ...cordon, spec: { ...(cordon.spec as object), parameters: { a: 1.5 } } })],
  UnsafeInteger: [withActions({ ...cordon, spec: { ...(cordon.spec as object), parameters: { a: 2 ** 53 } } })],
  LifetimeTooLong: [withActions(actionPolicy({ maxLifetime: '1h' }), cordon)],
  ActionOfOtherCluster: [withActions(nodesAt(T, {}, 'prod-us1'), cordon)],
  ActionUnverified: [withActions(actionPolicy({ requireSignature: false }), badly({ keyId: 'k9' }))],
  ActionExpired: [withActions(nodesAt('2026-01-15T11:00:00Z'), cordon)],
  ActionNotYetValid: [withActions(action('cordonNode', { notBefore: '2026-01-15T10:00:01Z' }))],
  ActionSuperseded: [withActions(cordon, action('uncordonNode', { sequence: 2 }))],
  ActionTargetMissing: [withActions(action('cordonNode', { target: { kind: 'Node', name: 'gone' } }))],
  ActionTargetChanged: [
    withActions(action('cordonNode', { target: { kind: 'Node', name: 'small-000002', uid: 'x' } })),
  ],
  ActionQueued: [
    withActions(
      action('drainNode'),
      action('drainNode', { id: 'second', sequence: 2, target: { kind: 'Node', name: 'small-000003' } }),
    ),
  ],
  ActionSuspended: [withActions(actionPolicy({ suspend: true }), cordon)],
  EditNeedsSource: [withActions(deployment(), onDeployment('scaleDeployment', { replicas: 5 }))],
  TimeSetBack: [withActions(nodesAt('2026-01-16T10:00:00Z'), cordon)],
  ActionSpent: [withActions(record({ expiredUntil: '2026-01-15T12:00:00Z' }), action('drainNode'))],
  DeploymentTwice: [withActions(deployment(), deployment(), onDeployment('scaleDeployment', { replicas: 5 }))],
}

const CLOCK = new Date('2026-01-15T10:01:00Z')
/** What the run is given where that brings the code about. */
const OPTIONS: Partial<Record<string, PlanOptions>> = {
  SizesDerived: { flat: 'look' },
  EditNeedsSource: { keepsFiles: false },
  TimeSetBack: { clock: CLOCK },
  ActionSpent: { clock: CLOCK },
  TrustOfOtherCluster: { trust: trustOf({ cluster: 'prod-us1' }) },
  PolicyBeyondTrust: { trust: trustOf() },
  NodeNotTrusted: { trust: trustOf({ nodeSelector: { pool: 'batch' } }) },
  PoolsNotTrusted: { trust: trustOf({ pools: false }) },
  TrustUsed: { trust: trustOf() },
  TooFewSignatures: { trust: trustOf({ signatures: { drainNode: 2 } }) },
}
/** What a host that keeps its files to itself brings about, since it shows no earlier output. */
const OF_BARE_HOSTS = ['GuardsNotChecked', 'ClaimsUnknown', 'OrderLabelLeftOff', 'NodesStayHeld']

/** A smallest input that brings a code about. */
export interface CodeCase {
  readonly code: Code
  readonly list: ResourceList
  readonly options: PlanOptions
}

/** Returns a case for each code that a plan reports by itself. */
export function codeCases(): CodeCase[] {
  const examples = Object.entries(RULE_EXAMPLES).flatMap(([code, example]) =>
    typeof example === 'string' ? [{ code: code as Code, list: listOf(packageWith(example)), options: {} }] : [],
  )
  const cases = (Object.keys(CASES) as Code[]).map((code) => {
    const [objects, functionConfig] = CASES[code] ?? [[]]
    const placed = listOf(objects, functionConfig)
    const bare = () => placed.items.map(({ object }) => newItem(withoutWireAnnotations(object)))
    const list = OF_BARE_HOSTS.includes(code) ? { ...placed, items: bare() } : placed
    return { code, list, options: OPTIONS[code] ?? {} }
  })
  return [...cases, ...examples]
}
