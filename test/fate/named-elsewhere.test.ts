/** What a package says about a DaemonSet that is a template now: found by its name, or by labels that are gone. */
import * as assert from 'uvu/assert'
import { withKustomizationDefaults } from '../../src/krm/kustomization.ts'
import type { Item, KubernetesObject } from '../../src/krm/types.ts'
import { plan } from '../../src/rules/run.ts'
import { daemonSet, inventory, listOf, policy, shape, TYPE } from '../support/objects.ts'
import { suite } from '../support/suite.ts'

const NODES = inventory([shape({ [TYPE]: 'm5.large' }, ['a'])])
/** The DaemonSets that are rendered from it. */
const GROUPS = ['agent-default', 'agent-m5-large', 'agent-remainder']
const LOGGING = { namespace: 'logging' }
const TARGET = { apiVersion: 'apps/v1', kind: 'DaemonSet', name: 'agent' }
const object = (apiVersion: string, kind: string, spec: object, metadata: object = LOGGING): KubernetesObject => ({
  apiVersion,
  kind,
  metadata: { name: 'x', ...metadata },
  spec,
})
const vpa = (targetRef: object, metadata?: object) =>
  object('autoscaling.k8s.io/v1', 'VerticalPodAutoscaler', { targetRef }, metadata)
const rule = (expr: string) =>
  object('monitoring.coreos.com/v1', 'PrometheusRule', { groups: [{ rules: [{ expr }] }] }, { namespace: 'monitoring' })
const kyverno = (resources: object) =>
  object('kyverno.io/v1', 'ClusterPolicy', { rules: [{ match: { any: [{ resources }] } }] }, {})
const flux = (spec: object) =>
  object('kustomize.toolkit.fluxcd.io/v1', 'Kustomization', spec, { namespace: 'flux-system' })
const role = (rules: object[]): KubernetesObject => ({
  apiVersion: 'rbac.authorization.k8s.io/v1',
  kind: 'Role',
  metadata: { name: 'x', ...LOGGING },
  rules,
})
const selecting = (kind: string, apiVersion: string, spec: object) => object(apiVersion, kind, spec)

const ROWS: ReadonlyArray<readonly [name: string, object: KubernetesObject, fields: readonly string[]]> = [
  ['a VPA', vpa(TARGET), ['spec.targetRef']],
  ['a VPA of another', vpa({ ...TARGET, name: 'other' }), []],
  ['a VPA of a Deployment', vpa({ ...TARGET, kind: 'Deployment' }), []],
  ['a VPA of a group', vpa({ ...TARGET, name: 'agent-m5-large' }), []],
  ['a VPA elsewhere', vpa(TARGET, { namespace: 'other' }), []],
  ['a VPA without a namespace', vpa(TARGET, {}), ['spec.targetRef']],
  ['a ScaledObject', object('keda.sh/v1alpha1', 'ScaledObject', { scaleTargetRef: TARGET }), ['spec.scaleTargetRef']],
  ['an alert', rule('kube_daemonset_status_number_ready{daemonset="agent"} == 0'), ['spec.groups.0.rules.0.expr']],
  ['an alert with the namespace', rule('a{namespace="logging", daemonset="agent"}'), ['spec.groups.0.rules.0.expr']],
  ['an alert on another namespace', rule('a{namespace="other",daemonset="agent"}'), []],
  ['an alert on another', rule('a{daemonset="agents"}'), []],
  ['an alert on all groups', rule('a{daemonset=~"agent-.+"}'), []],
  ['an alert on both', rule('a{daemonset=~"agent.*"}'), []],
  ['an alert by a pattern', rule('a{daemonset=~"agent|other"}'), ['spec.groups.0.rules.0.expr']],
  ['an alert on all but it', rule('a{daemonset!="agent"}'), ['spec.groups.0.rules.0.expr']],
  ['an alert on its pods', rule('a{owner_kind="DaemonSet", owner_name="agent"}'), ['spec.groups.0.rules.0.expr']],
  ['an alert by another label', rule('a{container="agent"}'), []],
  [
    'a dashboard',
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'x' },
      data: { 'a.json': JSON.stringify({ expr: 'a{daemonset="agent"}' }) },
    },
    ['data.a.json'],
  ],
  [
    'Kyverno',
    kyverno({ kinds: ['apps/v1/DaemonSet'], names: ['agent'] }),
    ['spec.rules.0.match.any.0.resources.names'],
  ],
  ['Kyverno by a pattern', kyverno({ kinds: ['DaemonSet'], names: ['agent*'] }), []],
  ['Kyverno on other kinds', kyverno({ kinds: ['Deployment'], names: ['agent'] }), []],
  [
    'a patch of Flux',
    flux({ patches: [{ patch: '[]', target: { kind: 'DaemonSet', name: 'agent' } }] }),
    ['spec.patches.0.target'],
  ],
  ['a patch of Flux on all', flux({ patches: [{ patch: '[]', target: { kind: 'DaemonSet', name: 'agent.*' } }] }), []],
  [
    'a patch of Flux without a target',
    flux({ patches: [{ patch: 'apiVersion: apps/v1\nkind: DaemonSet\nmetadata:\n  name: agent\n' }] }),
    ['spec.patches.0'],
  ],
  ['a patch that cannot be read', flux({ patches: [{ patch: '{' }] }), []],
  ['a health check of Flux', flux({ healthChecks: [{ ...TARGET, ...LOGGING }] }), ['spec.healthChecks.0']],
  ['one in another namespace', flux({ healthChecks: [{ ...TARGET, namespace: 'other' }] }), []],
  [
    'a Role',
    role([{ apiGroups: ['apps'], resources: ['daemonsets'], resourceNames: ['agent'], verbs: ['patch'] }]),
    ['rules.0.resourceNames'],
  ],
  [
    'a Role for it and its groups',
    role([{ resources: ['daemonsets'], resourceNames: ['agent', ...GROUPS], verbs: ['patch'] }]),
    [],
  ],
  [
    'a Role for it and one of its groups',
    role([{ resources: ['daemonsets'], resourceNames: ['agent', ...GROUPS.slice(1)], verbs: ['patch'] }]),
    ['rules.0.resourceNames'],
  ],
  ['Kyverno on it and a pattern of its groups', kyverno({ kinds: ['DaemonSet'], names: ['agent', 'agent-*'] }), []],
  ['a Role for others', role([{ resources: ['deployments'], resourceNames: ['agent'] }]), []],
  ['a Service, which selects the groups’ pods too', selecting('Service', 'v1', { selector: { app: 'agent' } }), []],
  ['a Service of others', selecting('Service', 'v1', { selector: { app: 'other' } }), []],
  ['a Service without a selector', selecting('Service', 'v1', {}), []],
  [
    'a budget that leaves out what has a group',
    selecting('PodDisruptionBudget', 'policy/v1', {
      selector: {
        matchLabels: { app: 'agent' },
        matchExpressions: [{ key: 'nodefit.dev/node-group', operator: 'DoesNotExist' }],
      },
    }),
    ['spec.selector'],
  ],
  [
    'a NetworkPolicy that does',
    selecting('NetworkPolicy', 'networking.k8s.io/v1', {
      podSelector: { matchExpressions: [{ key: 'nodefit.dev/node-group', operator: 'DoesNotExist' }] },
    }),
    ['spec.podSelector'],
  ],
  ['an object that is only read', vpa(TARGET, { annotations: { 'config.kubernetes.io/local-config': 'true' } }), []],
]

const at = (path: string, one: KubernetesObject): Item => ({
  object: {
    ...one,
    metadata: {
      ...one.metadata,
      annotations: { ...one.metadata.annotations, 'internal.config.kubernetes.io/path': path },
    },
  },
})
/** The names that a message says of the template and the first group in the cluster. */
const NAMES = /^a kustomization names DaemonSet agent (\S+ by \w+, and what is rendered from it [^,]+)/
const over = (more: object) => ({ resources: ['../base'], ...more })
const LAYERS: ReadonlyArray<
  readonly [name: string, above: Record<string, object>, others: readonly KubernetesObject[], want: readonly string[]]
> = [
  ['no prefix', { eu: over({}) }, [], []],
  [
    'a prefix',
    { eu: over({ namePrefix: 'eu-' }) },
    [],
    ['info namePrefix eu-agent by namePrefix, and what is rendered from it eu-agent-m5-large'],
  ],
  [
    'a suffix',
    { eu: over({ nameSuffix: '-eu' }) },
    [],
    ['info nameSuffix agent-eu by nameSuffix, and what is rendered from it agent-m5-large-eu'],
  ],
  [
    'a prefix on another',
    { eu: over({ namePrefix: 'eu-' }), top: { resources: ['../eu'], namePrefix: 'my-' } },
    [],
    [
      'info namePrefix eu-agent by namePrefix, and what is rendered from it eu-agent-m5-large',
      'info namePrefix my-eu-agent by namePrefix, and what is rendered from it my-eu-agent-m5-large',
    ],
  ],
  [
    'two overlays of one base',
    { eu: over({ namePrefix: 'eu-' }), us: over({ namePrefix: 'us-' }) },
    [],
    [
      'info namePrefix eu-agent by namePrefix, and what is rendered from it eu-agent-m5-large',
      'info namePrefix us-agent by namePrefix, and what is rendered from it us-agent-m5-large',
    ],
  ],
  [
    'what names it as the cluster does',
    { eu: over({ namePrefix: 'eu-' }), us: over({ namePrefix: 'us-' }) },
    [rule('a{daemonset="us-agent"}'), rule('b{daemonset="eu-agent"}'), rule('c{daemonset="x-agent"}')],
    [
      'warning spec.groups.0.rules.0.expr ',
      'warning spec.groups.0.rules.0.expr ',
      'info namePrefix eu-agent by namePrefix, and what is rendered from it eu-agent-m5-large',
      'info namePrefix us-agent by namePrefix, and what is rendered from it us-agent-m5-large',
    ],
  ],
]

suite('a pattern that is not read', (test) => {
  const said = (made: ReturnType<typeof plan>) =>
    made.findings.filter(({ code }) => code === 'PatternNotRead').map(({ sentence }) => sentence)
  const D = daemonSet()
  test('of a query or of a patch of Flux is named, once for each object', () => {
    for (const one of [
      rule('a{daemonset=~"(?=agent).*"} or b{daemonset=~"(?<!x)agent"}'),
      flux({ patches: [{ patch: '[]', target: { kind: 'DaemonSet', name: '(?=agent).*' } }] }),
    ]) {
      const [first, ...more] = said(plan(listOf([NODES, policy(), D, one])))
      assert.match(first ?? '', 'which nodefit does not read: whether it is about DaemonSet')
      assert.equal(more, [])
    }
  })
  test('is cut where it is long', () => {
    const [first = ''] = said(plan(listOf([NODES, policy(), D, rule(`a{daemonset=~"${'(a'.repeat(5000)}"}`)])))
    assert.ok(first.includes('(a(a...') && first.length < 400, first)
  })
  test('that is read is not', () =>
    assert.equal(said(plan(listOf([NODES, policy(), D, rule('a{daemonset=~"agent-.+"}')]))), []))
})

suite('who else names a DaemonSet', (test) => {
  const found = (others: readonly KubernetesObject[], spec: Record<string, unknown> = {}) =>
    plan(
      listOf([NODES, { ...policy(spec), metadata: { name: 'agent', ...LOGGING } }, daemonSet({}, LOGGING), ...others]),
    ).findings.filter(({ code }) => code === 'NamedElsewhere')
  for (const [name, other, fields] of ROWS)
    test(name, () => {
      const [one, ...more] = found([other])
      assert.equal(more, [])
      assert.equal(
        one === undefined ? [] : [one.field?.path],
        fields.map((field) => field),
        one?.message,
      )
      if (one === undefined) return
      assert.is(one.severity, 'warning')
      assert.equal([one.subject?.kind, one.subject?.metadata.name], [other.kind, other.metadata.name])
      assert.ok(one.sentence.includes('is about DaemonSet logging/agent'), one.sentence)
    })
  test('each object is said once, with all fields', () => {
    const both = rule('a{daemonset="agent"}')
    const [one, ...more] = found([both, vpa(TARGET)])
    assert.is(more.length, 1)
    assert.ok(
      one?.message.endsWith(
        'Match the groups: =~"agent-.+", or !~"agent-.+" where the query leaves the agent out: docs/daemonset/moving-over.md#references-by-name-must-change.',
      ),
      one?.message,
    )
  })
  for (const [name, above, others, want] of LAYERS)
    test(`in kustomizations: ${name}`, () => {
      const files = { 'base/nodes.yaml': NODES, 'base/policy.yaml': policy(), 'base/agent.yaml': daemonSet() }
      const base = { resources: ['nodes.yaml', 'policy.yaml', 'agent.yaml', 'agent-groups.yaml'] }
      const all = { base, ...above }
      const items = [
        ...Object.entries(files).map(([path, one]) => at(path, one)),
        ...Object.entries(all).map(([folder, fields]) =>
          at(`${folder}/kustomization.yaml`, withKustomizationDefaults({ ...fields })),
        ),
        ...others.map((one, index) => at(`eu/other-${index}.yaml`, one)),
      ]
      const { findings, failed } = plan({ apiVersion: 'config.kubernetes.io/v1', items, results: [] })
      assert.is(failed, false, findings.map(({ message }) => message).join('\n'))
      const said = findings.filter(({ code }) => code === 'NamedElsewhere')
      assert.equal(
        said.map(({ severity, field, sentence }) => `${severity} ${field?.path} ${NAMES.exec(sentence)?.[1] ?? ''}`),
        want,
      )
    })
  test('nothing of a disabled policy', () => assert.equal(found([vpa(TARGET)], { enabled: false }), []))
})
