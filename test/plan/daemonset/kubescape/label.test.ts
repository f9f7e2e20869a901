/** A cluster on which no node has the label, as Kubescape's operator takes it. */
import * as assert from 'uvu/assert'
import type { KubernetesObject } from '../../../../src/krm/types.ts'
import { plan } from '../../../../src/rules/run.ts'
import {
  codes,
  daemonSet,
  inventory,
  listOf,
  node,
  OS,
  policy,
  rendered,
  shape,
  TYPE,
} from '../../../support/objects.ts'
import { suite } from '../../../support/suite.ts'
import { kubescapePolicy, templateMap } from '../../../support/template.ts'

const NODES = inventory([shape({ 'kubernetes.io/arch': 'amd64', [OS]: 'linux' }, ['kind-worker', 'kind-worker-2'])])
const WITH_DEFAULT = { defaultNodeGroup: 'default', remainder: true }

suite('a label that no node has', (test) => {
  test('is a warning for the chart’s template: every node is in the default group, as with the operator', () => {
    const { findings, failed, items } = plan(listOf([NODES, kubescapePolicy(WITH_DEFAULT), templateMap()]))
    assert.is(failed, false)
    const [found] = findings.filter(({ code }) => code === 'LabelOnNoNode')
    assert.is(found?.severity, 'warning')
    const summary = findings.find(({ code }) => code === 'PolicySummary')?.message ?? ''
    assert.match(summary, '1 group, 2 nodes')
    assert.ok([...rendered(items).keys()].includes('node-agent-default'), [...rendered(items).keys()].join())
  })
  test('a mistyped one is an error, from an inventory as from Nodes', () => {
    const spec = { ...WITH_DEFAULT, nodeGroupLabel: 'node.kubernetes.io/instance-tipe' }
    const failing = (nodes: KubernetesObject) => {
      const { failed, findings } = plan(listOf([nodes, kubescapePolicy(spec), templateMap()]))
      assert.is(failed, true)
      const [found] = findings.filter(({ severity }) => severity === 'error')
      assert.match(found?.message ?? '', 'did you mean node.kubernetes.io/instance-type?')
      return found?.code
    }
    const labels = { [TYPE]: 'm5.large', [OS]: 'linux' }
    assert.is(failing(node('a', labels)), 'LabelOnNoNode')
    const exported = inventory([shape(labels, ['a'])], {
      labelKeys: ['kubernetes.io/*', 'node.kubernetes.io/instance-type'],
    })
    assert.is(failing(exported), 'LabelNotExported')
    assert.is(failing(inventory([shape(labels, ['a'])], { labelKeys: ['*'] })), 'LabelOnNoNode')
  })
  test('stays an error where there is no default group, since no node would have an agent', () => {
    const { failed, findings } = plan(listOf([NODES, kubescapePolicy({ remainder: true }), templateMap()]))
    assert.is(failed, true)
    assert.ok(codes(findings).includes('LabelOnNoNode'))
  })
  test('stays an error for a DaemonSet', () => {
    const { failed, findings } = plan(listOf([NODES, policy(WITH_DEFAULT), daemonSet()]))
    assert.is(failed, true)
    assert.equal(codes(findings), ['LabelOnNoNode'])
  })
})
