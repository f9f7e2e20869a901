/** A policy whose only pool is scaled to zero keeps what it rendered, so that nodes that come back have their agent. */
import * as assert from 'uvu/assert'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import type { Plan } from '../../../src/rules/plan.ts'
import { plan } from '../../../src/rules/run.ts'
import { config, daemonSet, inventory, listOf, OS, policy, rendered, shape, TYPE } from '../../support/objects.ts'
import { errorsOf, NOON, nodesAt, order } from '../../support/orders.ts'
import { rerender, said, withSpec } from '../../support/rerender.ts'
import { suite } from '../../support/suite.ts'
import { kubescapePolicy, operatorConfig, templateMap } from '../../support/template.ts'

const MEMORY = 'karpenter.k8s.aws/instance-memory'
const gpu = { pool: 'gpu' }
const OTHER = shape({ [TYPE]: 'm5.large', [OS]: 'linux', pool: 'other', zone: 'a' }, ['o'])
const pool = (...more: object[]) => [
  shape({ [TYPE]: 'g5.xlarge', [OS]: 'linux', zone: 'a', [MEMORY]: '16384', ...gpu }, ['g1', 'g2', 'g3'], '4', '16Gi'),
  shape({ [TYPE]: 'g5.2xlarge', [OS]: 'linux', zone: 'b', [MEMORY]: '32768', ...gpu }, ['g4', 'g5'], '8', '32Gi'),
  ...more,
]
const FULL = inventory([OTHER, ...pool()], { observedAt: NOON })
const EMPTY = inventory([OTHER], { observedAt: NOON })
const at = (nodes: KubernetesObject) => (object: KubernetesObject) => (object.kind === 'NodeInventory' ? nodes : object)
const of = (spec: object = {}) => [policy({ nodeSelector: gpu, ...spec }), daemonSet()]

/** What is rendered, but for the counts of nodes. */
function objectsIn({ items }: Plan): unknown[] {
  return [...rendered(items)].map(([name, { metadata, ...object }]) => {
    const { 'nodefit.dev/nodes': _, ...annotations } = metadata.annotations ?? {}
    return { ...object, name, labels: metadata.labels, annotations }
  })
}

const WAYS: ReadonlyArray<readonly [name: string, objects: KubernetesObject[]]> = [
  ['by value', of()],
  ['by two labels', of({ nodeGroupLabels: [TYPE, 'zone'] })],
  ['by ranges', of({ nodeGroupRanges: { label: MEMORY, bounds: [8192, 32768] } })],
  ['by classes', of({ classes: { ratio: 2 } })],
  ['by classes with hysteresis', of({ classes: { ratio: 2 }, hysteresisPercent: 10 })],
  ['with an explicit group', of({ groups: [{ name: 'large', nodeSelector: { [TYPE]: 'g5.2xlarge' } }] })],
  ['without default and remainder', of({ defaultNodeGroup: '', remainder: false })],
  ['with the median', of({ basis: 'median' })],
  ['with a rollout', of({ rollout: { maxNodes: '50%', every: '1h' } })],
]

suite('a pool that is scaled to zero', (test) => {
  for (const [name, objects] of WAYS)
    test(`${name}: groups, default, remainder and ranges stay as they were, and serve the nodes that come back`, () => {
      const first = plan(listOf([FULL, ...objects]))
      assert.equal(errorsOf(first), [])
      const none = rerender(first, at(EMPTY))
      assert.equal(errorsOf(none), [], none.findings.map(({ message }) => message).join('\n'))
      assert.equal(objectsIn(none), objectsIn(first))
      assert.match(said(none, 'GroupsKept')[0] ?? '', 'agent: none of its nodes is left; ')
      assert.equal(said(none, 'GuardTripped'), [])
      const again = rerender(none, (object) => object)
      assert.equal(
        again.items.map(({ object }) => object),
        none.items.map(({ object }) => object),
        'fed back, nothing changes',
      )
      const back = rerender(again, at(FULL))
      assert.equal(errorsOf(back), [])
      assert.equal([...rendered(back.items)], [...rendered(first.items)])
    })
  test('keeps the rest of the package going', () => {
    const logs = daemonSet({}, { name: 'logs' })
    const [labels, { template }] = [{ app: 'logs' }, logs.spec as { template: object }]
    const more = [
      policy({ targetRef: { name: 'logs' }, nodeSelector: { pool: 'other' } }, 'logs'),
      withSpec(logs, { selector: { matchLabels: labels }, template: { ...template, metadata: { labels } } }),
    ]
    const first = plan(listOf([FULL, ...of(), ...more]))
    assert.equal(errorsOf(first), [])
    const grown = inventory([OTHER, shape({ [TYPE]: 'c5.large', pool: 'other' }, ['c'])], { observedAt: NOON })
    const next = rerender(first, at(grown))
    assert.equal(errorsOf(next), [])
    assert.ok(rendered(next.items).has('logs-c5-large'))
    assert.ok(rendered(next.items).has('agent-g5-xlarge'))
  })
  test('sizes what is added meanwhile by the least of what is remembered', () => {
    const first = plan(listOf([FULL, ...of({ remainder: false })]))
    const groups = [{ name: 'new', nodeSelector: { zone: 'z' } }]
    const next = rerender(first, (object) =>
      object.kind === 'SizingPolicy' ? withSpec(object, { groups, remainder: true }) : at(EMPTY)(object),
    )
    assert.equal(errorsOf(next), [])
    const basis = (name: string) => rendered(next.items).get(name)?.metadata.annotations?.['nodefit.dev/basis']
    assert.equal([basis('agent-new'), basis('agent-remainder')], ['cpu=4,memory=16Gi', 'cpu=4,memory=16Gi'])
    assert.is(basis('agent-g5-2xlarge'), 'cpu=8,memory=32Gi')
  })
  test('drops groups of another label, and keeps what serves all nodes', () => {
    const first = plan(listOf([FULL, ...of()]))
    const next = rerender(first, (object) =>
      object.kind === 'SizingPolicy' ? withSpec(object, { nodeGroupLabel: 'pool' }) : at(EMPTY)(object),
    )
    assert.equal(errorsOf(next), ['GuardTripped'], 'two groups go')
    assert.equal(
      next.packages[0]?.planned[0]?.objects.map(({ object }) => object.metadata.name),
      ['agent-remainder'],
      'every node of the policy has the label',
    )
  })
  test('is also seen where the earlier output is given separately', () => {
    const first = plan(listOf([FULL, ...of()]))
    const earlier = {
      ...listOf([]),
      items: first.items.filter(({ object }) => rendered(first.items).has(object.metadata.name)),
    }
    const next = plan(listOf([EMPTY, ...of()]), { earlier })
    assert.equal(errorsOf(next), [])
    assert.equal(objectsIn(next), objectsIn(first))
  })
  test('keeps the type for Bottlerocket', () => {
    const bottlerocket = (nodes: string[]) =>
      shape({ [TYPE]: 'm5', [OS]: 'linux', ...gpu }, nodes, '4', '16Gi', { osImage: 'Bottlerocket OS 1.20' })
    const objects = [templateMap(), kubescapePolicy({ nodeSelector: gpu }), operatorConfig(false)]
    const first = plan(listOf([inventory([OTHER, bottlerocket(['b'])]), ...objects]))
    assert.equal(errorsOf(first), [])
    assert.match(JSON.stringify(objectsIn(first)), '"super_t"')
    const next = rerender(first, at(inventory([OTHER])))
    assert.equal([errorsOf(next), objectsIn(next)], [[], objectsIn(first)])
  })
})

suite('a policy without nodes is refused', (test) => {
  test('where nodes that run the agent would lose it: the policy changed, not the fleet', () => {
    const first = plan(listOf([FULL, ...of()]))
    const typo = rerender(first, (object) =>
      object.kind === 'SizingPolicy' ? withSpec(object, { nodeSelector: { pool: 'gpus' } }) : object,
    )
    assert.ok(errorsOf(typo).includes('NoGroups'))
    assert.match(said(typo, 'NoGroups')[0] ?? '', 'and 5 nodes would lose the agent: g1, g2, g3 and 2 more')
    const some = rerender(typo, at(inventory([OTHER, ...pool().slice(1)], { observedAt: NOON })))
    assert.match(said(some, 'NoGroups')[0] ?? '', 'and 2 nodes would lose the agent: g4, g5')
  })
  test('where one of its earlier objects cannot be read, so that nobody knows which nodes it served', () => {
    const first = plan(listOf([FULL, ...of()]))
    const edited = rerender(first, (object) => {
      if (object.kind === 'SizingPolicy') return withSpec(object, { nodeSelector: { pool: 'gpus' } })
      if (object.metadata.name !== 'agent-g5-xlarge') return object
      const { template } = object.spec as { template: { spec: Record<string, unknown> } }
      template.spec.tolerations = 'all'
      return object
    })
    assert.match(said(edited, 'NoGroups')[0] ?? '', 'no node belongs to a group, and nodes would lose the agent')
  })
  test('where nothing is remembered, with the hole; no other policy is rendered', () => {
    const more = [policy({ targetRef: { name: 'logs' } }, 'logs'), daemonSet({}, { name: 'logs' })]
    const made = plan(listOf([EMPTY, ...of(), ...more]))
    assert.equal(errorsOf(made), ['NoGroups'])
    assert.is(rendered(made.items).size, 0)
    const [found] = made.findings.filter(({ code }) => code === 'NoGroups')
    assert.match(found?.sentence ?? '', 'nodes that come later, such as one with pool=gpu, would run no agent')
    assert.is(found?.subject?.metadata.name, 'agent')
    // the mend, followed: the node type is declared
    const declared = inventory([OTHER, shape({ [TYPE]: 'g5.xlarge', ...gpu }, [])])
    const mended = plan(listOf([declared, ...of()]))
    assert.equal([errorsOf(mended), [...rendered(mended.items).keys()].includes('agent-g5-xlarge')], [[], true])
  })
  test('and where that is allowed, the proof says who has no agent', () => {
    const made = plan(listOf([EMPTY, ...of(), config({ allow: ['NoGroups'] })]))
    assert.equal(errorsOf(made), [])
    const [hole] = made.findings.filter(({ code }) => code === 'HoleOnPurpose')
    assert.match(
      hole?.sentence ?? '',
      'may run on a node with pool=gpu, but no policy serves such nodes: agent renders nothing',
    )
    assert.equal((hole?.field?.currentValue as { labels: object } | undefined)?.labels, gpu)
  })
  test('as is one that sizes an Order, which reserves on nodes that are there', () => {
    const sized = policy({ targetRef: { kind: 'Order', name: 'infra' }, nodeSelector: gpu }, 'p', { namespace: 'ns' })
    const first = plan(listOf([nodesAt(NOON, OTHER, ...pool()), order({}, {}), sized]))
    assert.equal(errorsOf(first), [])
    const next = rerender(first, at(nodesAt(NOON, OTHER)))
    assert.ok(errorsOf(next).includes('NoGroups'))
  })
})
