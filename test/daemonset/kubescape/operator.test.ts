/** What is said of Kubescape's operator and of its chart's other modes beside a policy. */
import * as assert from 'uvu/assert'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { plan } from '../../../src/plan.ts'
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
} from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'
import { kubescapePolicy, operatorConfig, templateMap } from '../../support/template.ts'

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
