/** A second agent on a node, however it came there; and DaemonSets that select each other's pods. */
import * as assert from 'uvu/assert'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { plan } from '../../src/rules/run.ts'
import { daemonSet, inventory, listOf, policy, shape, TYPE } from '../support/objects.ts'
import { errorsOf } from '../support/orders.ts'
import { rerender, said, withSpec } from '../support/rerender.ts'
import { suite } from '../support/suite.ts'

const NODES = inventory([shape({ [TYPE]: 'm5', pool: 'a' }, ['a']), shape({ [TYPE]: 'm5', pool: 'b' }, ['b'])])
const AGENT = [NODES, policy(), daemonSet()]
const twin = (image: string, more: object = {}, metadata: object = {}) =>
  daemonSet({ containers: [{ name: 'other', image }], ...more }, { name: 'twin', ...metadata })
const twice = (...objects: KubernetesObject[]) => said(plan(listOf([...AGENT, ...objects])), 'AgentTwice').length
const withoutMark = (object: KubernetesObject): KubernetesObject => {
  const { 'nodefit.dev/owner': _, ...annotations } = object.metadata.annotations ?? {}
  return { ...object, metadata: { ...object.metadata, annotations } }
}

suite('a second agent', (test) => {
  for (const [name, object, count] of [
    ['a static copy', twin('agent:1'), 1],
    ['a copy with another tag', twin('agent:2'), 1],
    ['a copy by its digest', twin('agent@sha256:0123'), 1],
    ['another image', twin('agents:1'), 0],
    ['a copy in another registry', twin('registry:5000/agent:1'), 0],
    [
      'a copy that is only read',
      twin('agent:1', {}, { annotations: { 'config.kubernetes.io/local-config': 'true' } }),
      0,
    ],
    ['a copy on nodes of its own', twin('agent:1', { nodeSelector: { [TYPE]: 'm5', pool: 'b' } }), 1],
    [
      'more containers than ours',
      twin('agent:1', {
        containers: [
          { name: 'a', image: 'agent:1' },
          { name: 'b', image: 'x' },
        ],
      }),
      0,
    ],
  ] as const)
    test(name, () => assert.is(twice(object), count))
  test('on other nodes than those of the policy it is none', () => {
    const own = [NODES, policy({ nodeSelector: { pool: 'a' } }), daemonSet()]
    const elsewhere = twin('agent:1', { nodeSelector: { pool: 'b' } })
    assert.equal(said(plan(listOf([...own, elsewhere])), 'AgentTwice'), [])
  })
  test('a template that came back as it was, beside the groups', () => {
    const first = plan(listOf(AGENT))
    const back = rerender(first, (object) =>
      object.metadata.name === 'agent' && object.kind === 'DaemonSet' ? [object, twin('agent:1')] : object,
    )
    assert.is(said(back, 'AgentTwice').length, 1)
  })
  test('a group that lost its mark: its name is taken, and a second name is not the way out', () => {
    const first = plan(listOf(AGENT))
    const lost = rerender(first, (object) => (object.metadata.name === 'agent-m5' ? withoutMark(object) : object))
    assert.equal(errorsOf(lost), ['ForeignObject'])
    assert.match(said(lost, 'ForeignObject')[0] ?? '', 'If that object runs the same agent, remove it')
    const renamed = rerender(lost, (object) =>
      object.kind === 'SizingPolicy' ? withSpec(object, { names: { m5: 'other' } }) : object,
    )
    assert.is(said(renamed, 'AgentTwice').length, 1, 'who takes a second name is told')
    const removed = rerender(lost, (object) => (object.metadata.name === 'agent-m5' ? undefined : object))
    assert.equal([errorsOf(removed), said(removed, 'AgentTwice')], [[], []])
  })
})

suite('selectors', (test) => {
  const two = (second: Record<string, unknown> = {}) => [
    NODES,
    policy({ nodeSelector: { pool: 'a' } }),
    policy({ nodeSelector: { pool: 'b' }, names: { m5: 'x', default: 'y', remainder: 'z' }, ...second }, 'second'),
    daemonSet(),
  ]
  test('that select each other’s pods are refused for new objects', () => {
    assert.equal(errorsOf(plan(listOf(two()))), ['SelectorsMeet', 'SelectorsMeet'])
  })
  test('with a group label of its own each policy has its own', () => {
    assert.equal(errorsOf(plan(listOf(two({ labels: { nodeGroup: 'example.com/second' } })))), [])
  })
  test('only warn where all of them were there before', () => {
    const first = plan(listOf(two({ labels: { nodeGroup: 'example.com/second' } })))
    const selected = (object: KubernetesObject): KubernetesObject => {
      const labels = (object.metadata.labels ?? {}) as Record<string, string>
      const group = labels['example.com/second'] ?? labels['nodefit.dev/node-group']
      if (group === undefined) return object
      const { template } = object.spec as { template: { metadata: object } }
      const own = { app: 'agent', 'nodefit.dev/node-group': group }
      return {
        ...withSpec(object, { selector: { matchLabels: own }, template: { ...template, metadata: { labels: own } } }),
        metadata: { ...object.metadata, labels: { ...own, 'nodefit.dev/managed-by': 'nodefit' } },
      }
    }
    const before = first.items.map(({ object }) => selected(object))
    const same = plan(
      listOf(
        before.map((object) =>
          object.metadata.name === 'second' && object.kind === 'SizingPolicy'
            ? withSpec(object, { labels: undefined })
            : object,
        ),
      ),
    )
    assert.equal(errorsOf(same), [])
    assert.match(said(same, 'SelectorsMeet')[0] ?? '', 'first add a label to the pods of one template')
  })
})

suite('a selector that a user edited', (test) => {
  const edited = (selector: unknown) =>
    rerender(plan(listOf(AGENT)), (object) =>
      object.metadata.name === 'agent-m5' ? withSpec(object, { selector }) : object,
    )
  for (const [name, selector, want] of [
    ['emptied', {}, ['SelectorChanged']],
    ['gone', undefined, ['SelectorChanged']],
    ['without our label', { matchLabels: { app: 'agent' } }, ['SelectorChanged']],
    ['without the template’s', { matchLabels: { 'nodefit.dev/node-group': 'm5' } }, []],
    ['as it was', { matchLabels: { app: 'agent', 'nodefit.dev/node-group': 'm5' } }, []],
  ] as const)
    test(name, () => assert.equal(errorsOf(edited(selector)), want))
})
