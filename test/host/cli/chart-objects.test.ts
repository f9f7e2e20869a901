/** What a first package takes of Kubescape's chart, and what its policy takes of the operator's configuration. */
import * as assert from 'uvu/assert'
import { chartObjects } from '../../../src/host/cli/first-agents.ts'
import { firstPolicy } from '../../../src/host/cli/first-policy.ts'
import { newItem } from '../../../src/krm/index.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { writeYaml } from '../../../src/krm/write-yaml.ts'
import { operatorValues } from '../../../src/plan/daemonset/index.ts'
import { node, OS, TYPE } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'
import { agentConfig, chartText, operatorConfig, templateMap } from '../../support/template.ts'

const NODES = [newItem(node('a', { [TYPE]: 'm5.large', [OS]: 'linux' }))]
const BARE = [newItem(node('a', { 'kubernetes.io/arch': 'amd64', [OS]: 'linux' }))]
const told = (own: object, enabled: unknown = false) =>
  operatorConfig(JSON.stringify({ nodeAgentAutoscaler: { enabled, ...own } }))
const specOf = (own: object, nodes = NODES, groupBy?: string) =>
  firstPolicy(templateMap(), nodes, { groupBy, operator: operatorValues(told(own)) }).policy.spec as Record<
    string,
    Record<string, unknown>
  >
const kept = (objects: KubernetesObject[]) => chartObjects(objects, 'f').kept.map(({ metadata }) => metadata.name)

suite('the objects of the chart', (test) => {
  const other = operatorConfig('{"a": 1}', { name: 'kubevuln' })
  const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'operator', namespace: 'kubescape' } }
  const live = (object: KubernetesObject) => ({ ...object, metadata: { ...object.metadata, uid: 'u' } })
  const KEPT: Array<[name: string, objects: KubernetesObject[], want: string[]]> = [
    ['the template alone', [templateMap()], []],
    ['the operator whose loop is off', [templateMap(), told({})], ['operator']],
    ['a live operator whose loop is on is not kept', [templateMap(), live(told({}, true))], []],
    ['a live operator whose loop is off', [templateMap(), live(told({}))], ['operator']],
    ['what Helm would apply, also with the loop on', [templateMap(), told({}, true)], ['operator']],
    ['the agent', [agentConfig({ malwareDetectionEnabled: false }), templateMap()], ['node-agent']],
    ['neither of another namespace', [templateMap(), { ...told({}), metadata: { name: 'operator' } }], []],
    ['nothing of other components, and no Secret', [other, secret, templateMap()], []],
  ]
  for (const [name, objects, want] of KEPT) test(`kept: ${name}`, () => assert.equal(kept(objects), want))
  test('kept settings are those that are read; proxies and alert managers with their passwords are not', () => {
    const secret = 'http://user:hunter2@proxy'
    const section = { enabled: false, nodeGroupLabel: 'pool' }
    const operator = operatorConfig(JSON.stringify({ HTTPS_PROXY: secret, nodeagentautoscaler: section }))
    const agent = agentConfig({ malwareDetectionEnabled: true, exporters: { syslog: secret } })
    const objects = [templateMap(), operator, { ...agent, data: { ...(agent.data as object), other: secret } }]
    const { kept } = chartObjects(objects, 'f')
    assert.not.match(JSON.stringify(kept), 'hunter2')
    assert.equal(
      kept.map(({ data }) => JSON.parse((data as Record<string, string>)['config.json'] ?? '')),
      [{ nodeagentautoscaler: section }, { malwareDetectionEnabled: true }],
    )
  })
  test('a configuration of the operator that is no JSON is said, and not taken for none', () =>
    assert.throws(
      () => chartObjects([templateMap(), operatorConfig('{ enabled: hunter2')], 'f'),
      (error: Error) =>
        /^f: data\.config\.json of ConfigMap operator is not JSON/.test(error.message) &&
        !/hunter2/.test(error.message),
    ))
  test('a template under another name is known by its key, and any one ConfigMap is taken for one', () => {
    const renamed = { ...templateMap(), metadata: { name: 'x', namespace: 'kubescape' } }
    assert.equal(chartObjects([told({}), renamed], 'f').template, renamed)
    assert.equal(chartObjects([other], 'f').template, other)
  })
  test('the template is written as a block: blanks at the ends of its lines go, those of a text of its own stay', () => {
    const written = (text: string) => writeYaml(chartObjects([templateMap(text)], 'f').template)
    const blanks = chartText()
      .replace('tolerations:\n', 'tolerations:  \n')
      .replace('annotations:\n', 'annotations: \n   \n')
    assert.match(written(`${blanks}   \n\n`), 'daemonset-template.yaml: |\n')
    assert.is(written(`${blanks}   \n\n`), written(chartText().replace('annotations:\n', 'annotations:\n\n')))
    const own = chartText({ annotations: '        note: |\n          a  \n          b\n' })
    assert.equal(chartObjects([templateMap(own)], 'f').template, templateMap(own))
    assert.equal(chartObjects([templateMap('{{ no template')], 'f').template, templateMap('{{ no template'))
  })
})

suite('the policy of the chart’s template', (test) => {
  test('C5 with the sidecar the chart leaves the minimum, and so does the policy', () => {
    assert.equal(specOf({ minResources: { cpu: '100m', memory: '180Mi' } }).minResources, {
      cpu: '100m',
      memory: '180Mi',
    })
  })
  test('C6 a minimum of the user’s own is taken as it is', () => {
    assert.is(specOf({ minResources: { cpu: '100m', memory: '200Mi' } }).minResources?.memory, '200Mi')
  })
  test('the minimum that the chart raises is the policy’s', () => {
    assert.is(specOf({ minResources: { memory: '600Mi' } }).minResources?.memory, '600Mi')
  })
  test('what the operator is not told is its default, and what a policy has not is not taken', () => {
    assert.equal(specOf({ limits: 1, templatePath: '/x', operatorDeploymentName: 'o', minResources: { cpu: '1' } }), {
      targetRef: { apiVersion: 'v1', kind: 'ConfigMap', name: 'node-agent-daemonset-template' },
      nodeGroupLabel: TYPE,
      resourcePercentages: { requestCPU: 2, requestMemory: 2, limitCPU: 5, limitMemory: 5 },
      minResources: { cpu: '1', memory: '180Mi' },
      maxResources: { cpu: '2000m', memory: '4Gi' },
    })
  })
  test('numbers in quotes are numbers, as for the operator', () => {
    const { resourcePercentages, goMemLimitPercentage } = specOf({
      resourcePercentages: { requestCPU: '3', limitCPU: ' 6.5' },
      goMemLimitPercentage: '0.7',
    })
    assert.equal(resourcePercentages, { requestCPU: 3, requestMemory: 2, limitCPU: 6.5, limitMemory: 5 })
    assert.is(goMemLimitPercentage as unknown, 0.7)
  })
  test('every other value of the operator is taken', () => {
    const own = {
      nodeGroupLabel: 'pool',
      defaultNodeGroup: 'rest',
      resourcePercentages: { requestCPU: 3, requestMemory: 4, limitCPU: 6, limitMemory: 7 },
      maxResources: { cpu: '1', memory: '1Gi' },
      reconcileInterval: '1m',
      goMemLimitPercentage: 0.7,
      seLinuxType: 'a_t',
      bottlerocketAutoDetect: false,
    }
    const { targetRef: _, minResources: __, ...rest } = specOf(own)
    assert.equal(rest, own)
  })
  test('an empty value beside nodes without the label: the default group leaves the operator’s name to its DaemonSet', () => {
    const [empty, without] = [node('b', { [TYPE]: '', [OS]: 'linux' }), node('c', { [OS]: 'linux' })].map(newItem)
    assert.ok(empty && without)
    assert.is(specOf({}, [...NODES, empty, without]).defaultNodeGroup, 'unlabelled')
    assert.is(specOf({}, [...NODES, without]).defaultNodeGroup, undefined)
    const pool = newItem(node('d', { [TYPE]: 'default', [OS]: 'linux' }))
    assert.is(specOf({}, [...NODES, without, pool]).defaultNodeGroup, 'unlabelled')
  })
  test('the operator’s label stays where no node has it; one that is asked for must be on a node', () => {
    assert.equal(specOf({ nodeGroupLabel: 'pool' }, BARE).nodeGroupLabel, 'pool')
    assert.equal(specOf({}, BARE).nodeGroupLabel, TYPE)
    assert.equal(specOf({ nodeGroupLabel: 'pool' }, BARE, 'kubernetes.io/arch').nodeGroupLabel, 'kubernetes.io/arch')
    assert.throws(() => specOf({}, BARE, 'pool'), /--group-by pool: no node/)
  })
})
