/** What is said of Kubescape's operator and of its chart's other modes beside a policy. */
import * as assert from 'uvu/assert'
import type { KubernetesObject } from '../../../../src/krm/types.ts'
import { plan } from '../../../../src/rules/run.ts'
import {
  codes,
  config,
  daemonSet,
  inventory,
  listOf,
  OS,
  policy,
  rendered,
  shape,
  TYPE,
} from '../../../support/objects.ts'
import { suite } from '../../../support/suite.ts'
import { kubescapePolicy, operatorConfig, templateMap } from '../../../support/template.ts'

const NODES = inventory([shape({ [TYPE]: 'm5.large', [OS]: 'linux' }, ['a'])])
const SAID = ['OperatorAutoscalerLive', 'OperatorNotSeen', 'OperatorLeftover', 'AgentTwice']
const run = (objects: KubernetesObject[], spec: Record<string, unknown> = {}) =>
  plan(listOf([NODES, templateMap(), kubescapePolicy(spec), ...objects]))
const said = (result: ReturnType<typeof plan>) => codes(result.findings).filter((code) => SAID.includes(code))

const json = (value: unknown) => JSON.stringify(value)
const CONFIGS: Array<[name: string, objects: KubernetesObject[], want: string[]]> = [
  ['on', [operatorConfig(true)], ['OperatorAutoscalerLive']],
  ['on, as text', [operatorConfig(json({ nodeAgentAutoscaler: { enabled: 'True' } }))], ['OperatorAutoscalerLive']],
  ['on, as a number', [operatorConfig(json({ nodeAgentAutoscaler: { enabled: 1 } }))], ['OperatorAutoscalerLive']],
  [
    'on, in other letters',
    [operatorConfig(json({ nodeagentautoscaler: { Enabled: true } }))],
    ['OperatorAutoscalerLive'],
  ],
  ['on, under another name', [operatorConfig(true, { name: 'ks-operator' })], ['OperatorAutoscalerLive']],
  ['on, without a namespace', [operatorConfig(true, { namespace: undefined })], ['OperatorAutoscalerLive']],
  ['one on and one off', [operatorConfig(false), operatorConfig(true, { name: 'b' })], ['OperatorAutoscalerLive']],
  [
    'on, as another number',
    [operatorConfig(json({ nodeAgentAutoscaler: { enabled: 2 } }))],
    ['OperatorAutoscalerLive'],
  ],
  ['off, as a number', [operatorConfig(json({ nodeAgentAutoscaler: { enabled: 0 } }))], []],
  ['off', [operatorConfig(false)], []],
  ['off, as text', [operatorConfig(json({ nodeAgentAutoscaler: { enabled: 'false' } }))], []],
  ['the operator without the section', [operatorConfig('{}')], []],
  ['on in another namespace', [operatorConfig(true, { namespace: 'other' })], ['OperatorNotSeen']],
  ['no configuration', [], ['OperatorNotSeen']],
  ['a configuration that is not JSON', [operatorConfig('{ enabled: true')], ['OperatorNotSeen']],
  ['a configuration that is null', [operatorConfig('null')], ['OperatorNotSeen']],
  ['the config.json of another component', [operatorConfig('{"a":1}', { name: 'node-agent' })], ['OperatorNotSeen']],
  ['a ConfigMap without data', [{ ...operatorConfig(true), data: null }], ['OperatorNotSeen']],
]

const agent = (name: string, metadata: object = {}): KubernetesObject => {
  const labels = {
    'app.kubernetes.io/name': 'kubescape-operator',
    'app.kubernetes.io/instance': 'kubescape',
    'app.kubernetes.io/component': 'node-agent',
  }
  const own = daemonSet({}, { name, namespace: 'kubescape', ...metadata })
  const template = { metadata: { labels }, spec: { containers: [{ name: 'node-agent' }] } }
  return { ...own, spec: { selector: { matchLabels: labels }, template } }
}
const OPERATORS = { labels: { 'kubescape.io/managed-by': 'operator-autoscaler' } }
const BESIDE: Array<[name: string, objects: KubernetesObject[], want: string[]]> = [
  ['what the operator made', [agent('node-agent-m4-large', OPERATORS)], ['OperatorLeftover']],
  ['what the operator made, under our name', [agent('node-agent-m5-large', OPERATORS)], ['OperatorLeftover']],
]

suite('the operator’s autoscaler', (test) => {
  for (const [name, objects, want] of CONFIGS) test(name, () => assert.equal(said(run(objects)), want))
  test('its name for an empty label value is no name for the default group, before that was rendered', () => {
    const empty = shape({ [TYPE]: '', [OS]: 'linux' }, ['a'])
    const planned = (spec: Record<string, unknown>, ...shapes: object[]) =>
      plan(
        listOf([
          inventory([empty, ...shapes]),
          templateMap(),
          kubescapePolicy({ defaultNodeGroup: 'default', ...spec }),
        ]),
      )
    const isSaid = (made: ReturnType<typeof plan>) => codes(made.findings).includes('OperatorNameTaken')
    const first = planned({}, shape({ [OS]: 'linux' }, ['b']))
    assert.ok(isSaid(first))
    assert.ok(isSaid(planned({})), 'the default group is rendered without nodes too')
    assert.not(isSaid(planned({ defaultNodeGroup: 'unlabelled' })))
    assert.not(isSaid(planned({ defaultNodeGroup: '' })))
    assert.not(isSaid(run([], { defaultNodeGroup: 'default' })), 'no node has an empty value')
    assert.not(isSaid(plan({ ...listOf([]), items: first.items })), 'it was applied under this name before')
  })
  test('under another label it is no second master', () => {
    const spec = { labels: { managedBy: 'example.com/by=nodefit' } }
    const beside = run([operatorConfig(true)], spec)
    assert.equal(said(beside), [])
    assert.ok(codes(beside.findings).includes('OperatorBeside'))
    assert.not(codes(run([], spec).findings).some((code) => code.startsWith('Operator')))
  })
  test('a DaemonSet that is given the operator’s label is in its way just as well', () => {
    const labels = { managedBy: 'kubescape.io/managed-by=operator-autoscaler' }
    const own = [daemonSet({}, { namespace: 'kubescape' }), policy({ labels }, 'agent', { namespace: 'kubescape' })]
    assert.equal(said(plan(listOf([NODES, ...own, operatorConfig(true)]))), ['OperatorAutoscalerLive'])
    assert.equal(said(plan(listOf([NODES, ...own]))), ['OperatorNotSeen'])
    assert.equal(said(plan(listOf([NODES, own[0] as KubernetesObject, policy()]))), [])
  })
  test('a policy that is disabled has nothing to be overwritten', () => {
    assert.equal(said(run([operatorConfig(true)], { enabled: false })), [])
  })
  test('a configuration that is there, and is not JSON, is not asked for again', () => {
    const { findings } = run([operatorConfig('{ enabled: true')])
    const message = findings.find(({ code }) => code === 'OperatorNotSeen')?.message ?? ''
    assert.match(message, 'node-agent: data.config.json of ConfigMap operator is not JSON; ')
    assert.match(message, 'Write it as the chart prints it')
    assert.not.match(message, 'Add the operator’s ConfigMap')
  })
  test('who means it allows it', () => {
    const result = run([operatorConfig(true), config({ allow: ['OperatorAutoscalerLive'] })])
    assert.not(result.failed)
    assert.is(result.findings.find(({ code }) => code === 'OperatorAutoscalerLive')?.severity, 'warning')
  })
  test('who has made sure switches the warning off', () => {
    const severity = [{ code: 'OperatorNotSeen', as: 'off', reason: 'the operator runs elsewhere' }]
    assert.equal(said(run([config({ severity })])), [])
  })
})

const TOLD = {
  enabled: false,
  nodeGroupLabel: TYPE,
  resourcePercentages: { requestCPU: 2, requestMemory: 2, limitCPU: 5, limitMemory: 5 },
  minResources: { cpu: '100m', memory: '180Mi' },
  maxResources: { cpu: '2000m', memory: '4Gi' },
  reconcileInterval: '5m',
  templatePath: '/etc/templates/daemonset-template.yaml',
  operatorDeploymentName: 'operator',
  goMemLimitPercentage: 0.8,
  seLinuxType: 'spc_t',
  bottlerocketAutoDetect: true,
}
const told = (own: object) => operatorConfig(json({ nodeAgentAutoscaler: { ...TOLD, ...own } }))
const differing = (config: KubernetesObject, spec: Record<string, unknown> = {}) =>
  plan(listOf([NODES, templateMap(), kubescapePolicy(spec), config]))
    .findings.filter(({ code }) => code === 'OperatorConfigDiffers')
    .map(({ sentence, severity }) => `${severity} ${sentence}`)
const DIFFERS: Array<[name: string, config: object, spec: Record<string, unknown>, want: string[]]> = [
  ['the same values', {}, {}, []],
  [
    'the minimum that the chart raises',
    { minResources: { cpu: '100m', memory: '600Mi' } },
    {},
    ['warning node-agent: spec.minResources.memory is 180Mi, but 600Mi in ConfigMap operator'],
  ],
  ['the minimum in other words', { minResources: { cpu: '0.1', memory: '184320Ki' } }, {}, []],
  [
    'the raised minimum in the policy',
    { minResources: { memory: '600Mi' } },
    { minResources: { memory: '600Mi' } },
    [],
  ],
  [
    'a maximum',
    { maxResources: { cpu: '1', memory: '4Gi' } },
    {},
    ['warning node-agent: spec.maxResources.cpu is 2000m, but 1 in ConfigMap operator'],
  ],
  [
    'two percentages, one of which is not set',
    { resourcePercentages: { requestCPU: 3, limitCPU: 5 } },
    { resourcePercentages: { limitCPU: null } },
    [
      'warning node-agent: spec.resourcePercentages.requestCPU is 2, but 3 in ConfigMap operator',
      'warning node-agent: spec.resourcePercentages.limitCPU is not set, but 5 in ConfigMap operator',
    ],
  ],
  [
    'another label',
    { nodeGroupLabel: 'pool' },
    {},
    [`warning node-agent: spec.nodeGroupLabel is ${TYPE}, but pool in ConfigMap operator`],
  ],
  [
    'ranges instead of a label',
    { nodeGroupLabel: 'size' },
    { nodeGroupRanges: { label: 'size', bounds: [8] }, defaultNodeGroup: 'default' },
    ['warning node-agent: spec.nodeGroupLabel is ranges of size, but size in ConfigMap operator'],
  ],
  [
    'the fraction, the SELinux type and the detection',
    { goMemLimitPercentage: 0.7, seLinuxType: 'a_t', bottlerocketAutoDetect: false },
    {},
    [
      'warning node-agent: spec.goMemLimitPercentage is 0.8, but 0.7 in ConfigMap operator',
      'warning node-agent: spec.seLinuxType is spc_t, but a_t in ConfigMap operator',
      'warning node-agent: spec.bottlerocketAutoDetect is true, but false in ConfigMap operator',
    ],
  ],
  ['an interval that the policy does not state', { reconcileInterval: '10m' }, {}, []],
  ['an interval in other words', { reconcileInterval: '1h' }, { reconcileInterval: '60m' }, []],
  [
    'another interval',
    { reconcileInterval: '10m' },
    { reconcileInterval: '5m' },
    ['warning node-agent: spec.reconcileInterval is 5m, but 10m in ConfigMap operator'],
  ],
  [
    'another default group',
    { defaultNodeGroup: 'default' },
    {},
    ['warning node-agent: spec.defaultNodeGroup is empty, but default in ConfigMap operator'],
  ],
  [
    'a value that nobody can read',
    { minResources: { memory: 'much' }, goMemLimitPercentage: 'all' },
    {},
    [
      'warning node-agent: spec.goMemLimitPercentage is 0.8, but all in ConfigMap operator',
      'warning node-agent: spec.minResources.memory is 180Mi, but much in ConfigMap operator',
    ],
  ],
  ['values that are none', { minResources: [], maxResources: null, resourcePercentages: 'x' }, {}, []],
]

suite('what the operator is told, beside the policy', (test) => {
  for (const [name, config, spec, want] of DIFFERS) test(name, () => assert.equal(differing(told(config), spec), want))
  test('keys in other letters, as the operator reads them', () => {
    const config = operatorConfig(json({ NODEAGENTAUTOSCALER: { minresources: { MEMORY: '600Mi' } } }))
    assert.is(differing(config).length, 1)
  })
  test('a configuration without the section, or of another namespace, says nothing', () => {
    assert.equal(differing(operatorConfig('{"minResources":{"memory":"600Mi"}}')), [])
    const elsewhere = { ...told({ minResources: { memory: '600Mi' } }), metadata: { name: 'operator', namespace: 'x' } }
    assert.equal(differing(elsewhere), [])
  })
  test('nor to a policy of a DaemonSet', () => {
    const own = [daemonSet(), policy({ remainder: false })]
    const { findings } = plan(listOf([NODES, ...own, told({ minResources: { memory: '600Mi' } })]))
    assert.not(codes(findings).includes('OperatorConfigDiffers'))
  })
})

suite('other DaemonSets of the agent', (test) => {
  for (const [name, objects, want] of BESIDE) {
    test(name, () => {
      const list = listOf([NODES, templateMap(), kubescapePolicy(), operatorConfig(false), ...objects])
      const result = plan(list)
      assert.equal(said(result), want)
      assert.is(result.failed, want.length > 0)
      if (result.failed) assert.equal(result.items, list.items)
    })
  }
  test('the commands that remove what the operator made name it', () => {
    const result = run([operatorConfig(false), agent('node-agent-b', OPERATORS), agent('node-agent-a', OPERATORS)])
    const message = result.findings.find(({ code }) => code === 'OperatorLeftover')?.message ?? ''
    assert.match(message, 'kubectl -n kubescape delete daemonset node-agent-a node-agent-b')
  })
  const selected = (name: string, group: string) => {
    const own = agent(name, OPERATORS)
    const spec = own.spec as { selector: { matchLabels: object } }
    const matchLabels = { ...spec.selector.matchLabels, 'kubescape.io/node-group': group }
    return { ...own, spec: { ...spec, selector: { matchLabels } } }
  }
  const leftover = (objects: KubernetesObject[], nodes = NODES, spec = {}) =>
    plan(listOf([nodes, templateMap(), kubescapePolicy(spec), operatorConfig(false), ...objects]))
      .findings.filter(({ code }) => code === 'OperatorLeftover')
      .map(({ sentence }) => sentence)
  const STAYS: Array<[name: string, objects: KubernetesObject[], want: string[]]> = [
    [
      'one of our name and selector is updated in place, and no command deletes it',
      [selected('node-agent-m5-large', 'm5.large')],
      [
        'node-agent: the operator created node-agent-m5-large, which groups with the same name and selector update in place: leave them in the cluster',
      ],
    ],
    [
      'only those that stay behind are to be deleted',
      [selected('node-agent-m5-large', 'm5.large'), selected('node-agent-m4-large', 'm4.large')],
      [
        'node-agent: the operator created node-agent-m4-large, which no group replaces; run kubectl -n kubescape delete daemonset node-agent-m4-large',
        'node-agent: the operator created node-agent-m5-large, which groups with the same name and selector update in place: leave them in the cluster',
      ],
    ],
    [
      'one of our name with another selector stays behind, since selectors cannot change',
      [selected('node-agent-m5-large', '')],
      [
        'node-agent: the operator created node-agent-m5-large, which no group replaces (node-agent-m5-large: the selector differs and cannot change); run kubectl -n kubescape delete daemonset node-agent-m5-large',
      ],
    ],
  ]
  for (const [name, objects, want] of STAYS) test(name, () => assert.equal(leftover(objects), want))
  test('an empty label value: the operator’s default group is neither our empty group nor our default group', () => {
    const nodes = inventory([
      shape({ [TYPE]: '', [OS]: 'linux' }, ['a']),
      shape({ [TYPE]: 'm5.large', [OS]: 'linux' }, ['b']),
      shape({ [OS]: 'linux' }, ['c']),
    ])
    const spec = { defaultNodeGroup: 'default' }
    const live = [selected('node-agent-default', ''), selected('node-agent-m5-large', 'm5.large')]
    const [behind = ''] = leftover(live, nodes, spec)
    assert.match(
      behind,
      /\(node-agent-default: the selector differs and cannot change\); run .*delete daemonset node-agent-default$/,
    )
    const names = [
      ...rendered(plan(listOf([nodes, templateMap(), kubescapePolicy(spec), operatorConfig(false)])).items).keys(),
    ]
    assert.equal(names.sort(), ['node-agent-default', 'node-agent-empty', 'node-agent-m5-large'])
  })
  test('nothing is said of what stays behind while nothing is rendered', () => {
    const broken = kubescapePolicy({ containers: [{ name: 'other' }] })
    const list = [NODES, templateMap(), broken, operatorConfig(false), selected('node-agent-m4-large', 'm4.large')]
    assert.equal(said(plan(listOf(list))), [])
  })
  test('what the operator made is never taken over, even where it is allowed', () => {
    const theirs = agent('node-agent-m5-large', OPERATORS)
    const result = run([operatorConfig(false), theirs, config({ allow: ['OperatorLeftover'] })])
    assert.equal(codes(result.findings.filter(({ severity }) => severity === 'error')), ['ForeignObject'])
  })
  test('our own earlier output is not beside us', () => {
    const first = run([operatorConfig(false)])
    const again = plan(listOf(first.items.map(({ object }) => object)))
    assert.equal(said(again), [])
    assert.equal([...rendered(again.items).keys()], ['node-agent-m5-large'])
  })
})
