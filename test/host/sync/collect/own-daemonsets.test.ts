/** Which DaemonSets are nodefit's, and how their pods are asked for. */
import * as assert from 'uvu/assert'
import type { KubeObject } from '../../../../src/host/cluster/list.ts'
import { ownDaemonSet, selectorQuery } from '../../../../src/host/sync/collect/own-daemonsets.ts'
import { type LabelSelector, matchesLabels, parseSelector } from '../../../../src/kube/index.ts'
import { suite } from '../../../support/suite.ts'
import { rendered } from './support.ts'

const withAnnotations = (annotations: unknown): KubeObject => {
  const object = rendered('agent')
  return { ...object, metadata: { ...object.metadata, annotations } as KubeObject['metadata'] }
}

suite('what is kept of a DaemonSet', (test) => {
  test('its policy, its group and how its pods are found', () =>
    assert.equal(ownDaemonSet(rendered('agent')), {
      namespace: 'kubescape',
      name: 'agent',
      uid: 'uid-agent',
      policy: 'kubescape/node-agent',
      group: 'value:m5.large',
      selector: 'app=agent,nodefit.dev/node-group=agent',
      labelKeys: ['app', 'nodefit.dev/node-group'],
      desired: 0,
    }))
  const FOREIGN: Array<[name: string, annotations: unknown]> = [
    ['without annotations', undefined],
    ['with null', null],
    ['with others', { a: 'b' }],
    ['of an Order', { 'nodefit.dev/owner': 'Order/x' }],
    ['of something else', { 'nodefit.dev/owner': 'SizingPolicyX/x' }],
    ['with an owner that is a map', { 'nodefit.dev/owner': {} }],
  ]
  for (const [name, annotations] of FOREIGN)
    test(`nothing of one ${name}`, () => assert.is(ownDaemonSet(withAnnotations(annotations)), undefined))
  test('its name where nobody says the group', () =>
    assert.is(ownDaemonSet(withAnnotations({ 'nodefit.dev/owner': 'SizingPolicy/p' }))?.group, 'agent'))
})

suite('a selector as a query has it', (test) => {
  const ROWS: Array<[name: string, selector: LabelSelector | undefined, want: string]> = [
    ['nothing', undefined, ''],
    ['empty', {}, ''],
    ['labels', { matchLabels: { b: '1', a: '' } }, 'a=,b=1'],
    ['In', { matchExpressions: [{ key: 'a', operator: 'In', values: ['x', 'y'] }] }, 'a in (x,y)'],
    ['NotIn', { matchExpressions: [{ key: 'a', operator: 'NotIn', values: ['x'] }] }, 'a notin (x)'],
    ['Exists', { matchExpressions: [{ key: 'a', operator: 'Exists' }] }, 'a'],
    ['DoesNotExist', { matchExpressions: [{ key: 'a', operator: 'DoesNotExist', values: null }] }, '!a'],
    ['both', { matchLabels: { b: '1' }, matchExpressions: [{ key: 'a', operator: 'Exists' }] }, 'a,b=1'],
  ]
  const LABELS = [{}, { a: '' }, { a: 'x' }, { a: 'z' }, { b: '1' }, { a: 'x', b: '1' }, { a: '', b: '1' }]
  for (const [name, selector, want] of ROWS)
    test(name, () => {
      assert.is(selectorQuery(selector), want)
      if (selector === undefined) return
      for (const labels of LABELS as Array<Record<string, string>>)
        assert.is(matchesLabels(parseSelector(want), labels), matchesLabels(selector, labels), JSON.stringify(labels))
    })
})
