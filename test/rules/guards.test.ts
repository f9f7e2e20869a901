/** What a run may take away, and who is held to it. */
import * as assert from 'uvu/assert'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { plan } from '../../src/rules/run.ts'
import { config, daemonSet, inventory, listOf, node, policy, rendered, shape, TYPE } from '../support/objects.ts'
import { errorsOf, NOON, nodesAt, order } from '../support/orders.ts'
import { rerender, said, withSpec } from '../support/rerender.ts'
import { suite } from '../support/suite.ts'

const fleet = (counts: Record<string, number>) =>
  inventory(
    Object.entries(counts).map(([type, count]) =>
      shape(
        { [TYPE]: type },
        Array.from({ length: count }, (_, index) => `${type}-${index}`),
      ),
    ),
    { observedAt: NOON },
  )
const agent = policy({ remainder: false, defaultNodeGroup: '', retainGroups: 0 })
const sizing = policy({ targetRef: { kind: 'Order', name: 'infra' } }, 'p', { namespace: 'ns' })
const swap = (kind: string, made: KubernetesObject) => (object: KubernetesObject) =>
  object.kind === kind ? made : object

suite('guards', (test) => {
  for (const [name, nodes, errors] of [
    ['an inventory without nodes is held, whatever is allowed', fleet({}), ['GuardTripped']],
    ['a pool without nodes beside others is not', inventory([shape({ [TYPE]: 'a', skip: 'yes' }, ['x'])]), []],
  ] as const)
    test(`${name}; no group goes`, () => {
      const only = policy({ remainder: false, defaultNodeGroup: '', affinity: notSkipped() })
      const first = plan(listOf([fleet({ a: 1, b: 1, c: 1 }), only, daemonSet()]))
      const gone = rerender(first, (object) =>
        object.kind === 'NodeInventory' ? [nodes, config({ allow: ['NoNodes', 'NoGroups', 'LabelOnNoNode'] })] : object,
      )
      assert.equal(errorsOf(gone), [...errors])
      assert.equal([...rendered(gone.items).keys()], [...rendered(first.items).keys()])
    })
  test('what was rendered without its predecessors remembers no nodes, which is said once more, and once', () => {
    const before = plan(listOf([fleet({ a: 9 }), policy(), daemonSet()]), { keepsFiles: false })
    const cut = (object: KubernetesObject) => (object.kind === 'NodeInventory' ? fleet({ a: 1 }) : object)
    const next = rerender(before, cut)
    assert.equal(said(next, 'GuardsNotChecked'), [
      'agent: the earlier output does not record node counts (agent-a, agent-default), so maxNodesLost is not checked',
    ])
    assert.equal(
      said(
        rerender(next, (object) => object),
        'GuardsNotChecked',
      ),
      [],
    )
    const forgot = rerender(plan(listOf([fleet({ a: 9 }), policy(), daemonSet()])), (object) => {
      const { 'nodefit.dev/nodes': _, ...annotations } = object.metadata.annotations ?? {}
      const isFirst = object.metadata.name === 'agent-a'
      return cut(isFirst ? { ...object, metadata: { ...object.metadata, annotations } } : object)
    })
    assert.match(said(forgot, 'GuardsNotChecked')[0] ?? '', /\(agent-a\), so/)
  })
  test('a suspended policy keeps its objects, so the nodes that it would lose are not held against it', () => {
    const first = plan(listOf([fleet({ a: 9, b: 9 }), agent, daemonSet()]))
    const cut = (suspend: boolean) =>
      rerender(first, (object) =>
        object.kind === 'NodeInventory'
          ? fleet({ b: 1 })
          : object.kind === 'SizingPolicy'
            ? withSpec(object, { suspend })
            : object,
      )
    assert.equal(errorsOf(cut(false)), ['GuardTripped'])
    assert.equal(errorsOf(cut(true)), [])
    assert.equal([...rendered(cut(true).items).keys()], [...rendered(first.items).keys()])
  })
  test('a group that is called otherwise is not gone', () => {
    const first = plan(listOf([fleet({ a: 1 }), agent, daemonSet()]))
    const renamed = rerender(first, swap('SizingPolicy', withSpec(agent, { names: { a: 'other' } })))
    assert.equal(errorsOf(renamed), [])
  })
  test('pods that restart are counted by the nodes of what changed', () => {
    const first = plan(listOf([fleet({ a: 3, b: 2 }), agent, daemonSet(), config({ guards: { maxPodsRestarted: 3 } })]))
    const sized = (groups: string[]) =>
      swap('SizingPolicy', withSpec(agent, { overrides: [{ groups, minResources: { cpu: '1' } }] }))
    assert.equal(errorsOf(rerender(first, sized(['a']))), [])
    assert.equal(errorsOf(rerender(first, sized(['a', 'b']))), ['GuardTripped'])
  })
  test('so are the reservations of an Order in DaemonSet mode that is sized', () => {
    const limit = config({ guards: { maxPodsRestarted: 2 } })
    const bigger = swap('SizingPolicy', withSpec(sizing, { minResources: { cpu: '1' } }))
    const restarted = (count: number) =>
      errorsOf(rerender(plan(listOf([fleet({ a: count }), order(), sizing, limit])), bigger))
    assert.equal([restarted(2), restarted(3)], [[], ['GuardTripped']])
  })
  test('an Order that a disabled policy hands back is held against what the policy had', () => {
    const first = plan(listOf([fleet({ a: 10 }), order(), sizing]))
    const cut = (nodes: KubernetesObject) =>
      rerender(first, (object) => {
        if (object.kind === 'NodeInventory') return nodes
        return object.kind === 'SizingPolicy' ? withSpec(object, { enabled: false }) : object
      })
    assert.equal(errorsOf(cut(fleet({ a: 4 }))), ['GuardTripped'])
    assert.equal(errorsOf(cut(fleet({ a: 9 }))), [])
  })
  const left: Array<[name: string, spec: object, instead: KubernetesObject[]]> = [
    ['whose policy is gone', {}, []],
    ['whose policy called its groups otherwise, and is gone', { names: { a: 'other' } }, []],
    ['whose policy has another name', {}, [{ ...sizing, metadata: { ...sizing.metadata, name: 'q' } }]],
  ]
  for (const [name, spec, instead] of left)
    test(`an Order ${name} is held against what the policy left, which is allowed to go`, () => {
      const first = plan(listOf([fleet({ a: 10 }), order(), withSpec(sizing, spec)]))
      const cut = (count: number, ...more: KubernetesObject[]) =>
        rerender(first, (object) => {
          if (object.kind === 'NodeInventory') return fleet({ a: count })
          return object.kind === 'SizingPolicy' ? [...instead, config({ allow: ['OrphanedOutput'] }), ...more] : object
        })
      assert.equal(said(cut(4), 'GuardTripped').length, 1)
      assert.match(said(cut(4), 'GuardTripped')[0] ?? '', /: 10 nodes had a Ticket, 4 would have one; /)
      assert.equal(errorsOf(cut(4)), ['GuardTripped'])
      assert.equal(errorsOf(cut(9)), [])
    })
  test('what others left is nobody’s predecessor: another Order, another namespace, a DaemonSet beside it', () => {
    const second = order({}, {}, { name: 'other' })
    const of = (first: KubernetesObject[], then: KubernetesObject[]) =>
      errorsOf(
        rerender(plan(listOf([fleet({ a: 10 }), ...first])), (object) => {
          if (object.kind === 'NodeInventory') return [fleet({ a: 4 }), config({ allow: ['OrphanedOutput'] }), ...then]
          return object.kind === 'Ticket' ? object : []
        }),
      )
    const elsewhere = (object: KubernetesObject) => ({ ...object, metadata: { ...object.metadata, namespace: 'far' } })
    assert.equal(of([order()], [second]), [], 'of an Order that is gone itself')
    assert.equal(of([order(), sizing], [elsewhere(second)]), [])
    assert.equal(of([order(), sizing], [policy({ remainder: false }), daemonSet({}, { namespace: 'ns' })]), [])
  })
  test('a policy that goes on is held against its own, whatever one that is gone left beside it', () => {
    const pools = nodesAt(
      NOON,
      shape({ [TYPE]: 'm5', pool: 'a' }, ['a1', 'a2', 'a3']),
      shape({ [TYPE]: 'm5', pool: 'b' }, ['b1']),
    )
    const [a = pools, b = pools] = ['a', 'b'].map((pool) => {
      const spec = {
        targetRef: { kind: 'Order', name: 'infra' },
        nodeSelector: { pool },
        names: { m5: `infra-${pool}` },
      }
      return policy(spec, pool, { namespace: 'ns' })
    })
    const gone = (object: KubernetesObject) =>
      object.kind === 'SizingPolicy' && object.metadata.name === 'a' ? config({ allow: ['OrphanedOutput'] }) : object
    assert.equal(errorsOf(rerender(plan(listOf([pools, order(), a, b])), gone)), [])
  })
  test('a policy that goes on beside one that is disabled is held against its own', () => {
    const pools = nodesAt(
      NOON,
      shape({ [TYPE]: 'm5', pool: 'a' }, ['a1', 'a2', 'a3']),
      shape({ [TYPE]: 'm5', pool: 'b' }, ['b1']),
    )
    const [a = pools, b = pools] = ['a', 'b'].map((pool) => {
      const spec = { targetRef: { kind: 'Order', name: 'infra' }, nodeSelector: { pool }, names: { m5: `o-${pool}` } }
      return policy(spec, pool, { namespace: 'ns' })
    })
    const off = (object: KubernetesObject) =>
      object.kind === 'SizingPolicy' && object.metadata.name === 'a' ? withSpec(a, { enabled: false }) : object
    assert.equal(errorsOf(rerender(plan(listOf([pools, order(), a, b])), off)), [])
  })
  test('and taken over again it is held against what the Order had', () => {
    const plain = plan(listOf([fleet({ a: 10 }), order()]))
    const sized = (nodes: KubernetesObject) =>
      rerender(plain, (object) => (object.kind === 'NodeInventory' ? [nodes, sizing] : object))
    assert.equal(errorsOf(sized(fleet({ a: 4 }))), ['GuardTripped'])
    assert.equal(errorsOf(sized(fleet({ a: 9 }))), [])
  })
})

suite('what is remembered', (test) => {
  const objects = (nodes: KubernetesObject) => [nodes, agent, daemonSet()]
  const memory = (result: ReturnType<typeof plan>, key: string) =>
    Object.fromEntries(
      [...rendered(result.items)].map(([name, { metadata }]) => [name, metadata.annotations?.[`nodefit.dev/${key}`]]),
    )
  const next = (first: ReturnType<typeof plan>, nodes: KubernetesObject, ...options: KubernetesObject[]) =>
    rerender(first, (object) => (object.kind === 'NodeInventory' ? [nodes, ...options] : object))
  test('the nodes of each group and their cluster; a remainder has none', () => {
    const first = plan(listOf([fleet({ a: 3, b: 10 }), policy(), daemonSet()]))
    assert.equal(memory(first, 'nodes'), {
      'agent-a': '3',
      'agent-b': '10',
      'agent-default': '0',
      'agent-remainder': '0',
    })
    assert.equal(new Set(Object.values(memory(first, 'cluster'))), new Set(['prod']))
  })
  for (const [before, now, kept] of [
    [10, 9, '10'],
    [10, 8, '10'],
    [8, 6, '6'],
    [8, 10, '10'],
    [8, 9, '8'],
    [4, 3, '3'],
    [3, 4, '4'],
    [2, 1, '1'],
  ] as const)
    test(`${before} nodes, now ${now}: ${kept} is written`, () => {
      const second = next(plan(listOf(objects(fleet({ a: before })))), fleet({ a: now }))
      assert.equal([errorsOf(second), memory(second, 'nodes')], [[], { 'agent-a': kept }])
    })
  test('nothing where earlier output is unseen, and no cluster of Node objects unless it is named', () => {
    const unseen = plan(listOf(objects(fleet({ a: 1 }))), { keepsFiles: false })
    assert.equal(
      [memory(unseen, 'nodes'), memory(unseen, 'cluster')],
      [{ 'agent-a': undefined }, { 'agent-a': undefined }],
    )
    const raw = node('n', { [TYPE]: 'a' })
    assert.equal(memory(plan(listOf(objects(raw))), 'cluster'), { 'agent-a': undefined })
    assert.equal(memory(plan(listOf([...objects(raw), config({ cluster: 'x' })])), 'cluster'), { 'agent-a': 'x' })
  })
  test('one group with most nodes is not one of many', () => {
    const first = plan(listOf(objects(fleet({ a: 90, b: 5, c: 5 }))))
    assert.equal(errorsOf(next(first, fleet({ b: 5, c: 5 }))), ['GuardTripped'])
    assert.equal(errorsOf(next(first, fleet({ b: 5, c: 5 }), config({ guards: { maxNodesLost: '90%' } }))), [])
    assert.equal(errorsOf(next(first, fleet({ a: 60 }))), ['GuardTripped'], 'two of three groups')
    assert.equal(errorsOf(next(first, fleet({ a: 51, b: 1, c: 1 }))), [])
  })
  test('groups that had no nodes may go', () => {
    const declared = inventory([shape({ [TYPE]: 'a' }, ['x']), shape({ [TYPE]: 'b' }, []), shape({ [TYPE]: 'c' }, [])])
    assert.equal(errorsOf(next(plan(listOf(objects(declared))), fleet({ a: 1 }))), [])
  })
  test('an inventory of another cluster with the same types', () => {
    const first = plan(listOf(objects(fleet({ a: 3 }))))
    const other = withSpec(fleet({ a: 3 }), { cluster: 'other' })
    assert.equal(errorsOf(next(first, other)), ['OutputOfOtherCluster'])
    const allowed = next(first, other, config({ allow: ['OutputOfOtherCluster'] }))
    assert.equal([errorsOf(allowed), memory(allowed, 'cluster')], [[], { 'agent-a': 'other' }])
  })
  test('what a user wrote there is no memory', () => {
    const garbled = rerender(plan(listOf(objects(fleet({ a: 3 })))), (object) =>
      object.metadata.name === 'agent-a'
        ? {
            ...object,
            metadata: {
              ...object.metadata,
              annotations: { ...object.metadata.annotations, 'nodefit.dev/nodes': 'many' },
            },
          }
        : object,
    )
    assert.equal([errorsOf(garbled), memory(garbled, 'nodes')], [[], { 'agent-a': '3' }])
  })
})

function notSkipped(): object {
  const matchExpressions = [{ key: 'skip', operator: 'DoesNotExist' }]
  return {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [{ matchExpressions }] } },
  }
}
