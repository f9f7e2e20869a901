/** What a first package takes of Kubescape's chart, and what its policy takes of the operator's configuration. */
import * as assert from 'uvu/assert'
import { chartObjects } from '../../src/cli/chart-objects.ts'
import { firstPolicy } from '../../src/cli/first-policy.ts'
import { operatorValues } from '../../src/daemonset/index.ts'
import { newItem } from '../../src/krm/index.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { node, OS, TYPE } from '../support/objects.ts'
import { suite } from '../support/suite.ts'
import { agentConfig, operatorConfig, templateMap } from '../support/template.ts'

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
  const KEPT: Array<[name: string, objects: KubernetesObject[], want: string[]]> = [
    ['the template alone', [templateMap()], []],
    ['the operator whose loop is off', [templateMap(), told({})], ['operator']],
    ['the operator whose loop is on is not kept', [templateMap(), told({}, true)], []],
    ['the agent', [agentConfig({ malwareDetectionEnabled: false }), templateMap()], ['node-agent']],
    ['neither of another namespace', [templateMap(), { ...told({}), metadata: { name: 'operator' } }], []],
    ['nothing of other components, and no Secret', [other, secret, templateMap()], []],
  ]
  for (const [name, objects, want] of KEPT) test(`kept: ${name}`, () => assert.equal(kept(objects), want))
  test('a template under another name is known by its key, and any one ConfigMap is taken for one', () => {
    const renamed = { ...templateMap(), metadata: { name: 'x', namespace: 'kubescape' } }
    assert.is(chartObjects([told({}), renamed], 'f').template, renamed)
    assert.is(chartObjects([other], 'f').template, other)
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
  test('the operator’s label stays where no node has it; one that is asked for must be on a node', () => {
    assert.equal(specOf({ nodeGroupLabel: 'pool' }, BARE).nodeGroupLabel, 'pool')
    assert.equal(specOf({}, BARE).nodeGroupLabel, TYPE)
    assert.equal(specOf({ nodeGroupLabel: 'pool' }, BARE, 'kubernetes.io/arch').nodeGroupLabel, 'kubernetes.io/arch')
    assert.throws(() => specOf({}, BARE, 'pool'), /--group-by pool: no node/)
  })
})
