/** A policy that sizes an Order says what one that sizes a DaemonSet says. */
import * as assert from 'uvu/assert'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import type { Plan } from '../../../src/rules/plan.ts'
import { plan } from '../../../src/rules/run.ts'
import { inventory, listOf, policy, shape, TYPE } from '../../support/objects.ts'
import { errorsOf, NOON, namesOf, order, snapshot } from '../../support/orders.ts'
import { rerender, said, withSpec } from '../../support/rerender.ts'
import { suite } from '../../support/suite.ts'

const sizing = (spec: Record<string, unknown> = {}) =>
  policy({ targetRef: { kind: 'Order', name: 'infra' }, ...spec }, 'p', { namespace: 'ns' })
const NODES = inventory(
  [
    shape({ [TYPE]: 'm5', pool: 'a' }, ['a']),
    shape({ [TYPE]: 'm5', pool: 'b' }, ['b']),
    shape({ [TYPE]: 'c5', pool: 'b' }, ['c']),
  ],
  { observedAt: NOON },
)

suite('sized Orders', (test) => {
  test('an Order and a policy that want different nodes', () => {
    const result = plan(
      listOf([NODES, order({}, { nodeSelector: { pool: 'a' } }), sizing({ nodeSelector: { pool: 'b' } })]),
    )
    assert.equal(errorsOf(result), ['GroupLabelConflict'])
  })
  test('a limit that was raised, of which group of which policy', () => {
    const percentages = { requestCPU: 2, limitCPU: 5, requestMemory: 4.4999, limitMemory: 4.5 }
    const bounds = { minResources: { memory: '1Ki' }, maxResources: { memory: '4Gi' } }
    const raised = plan(
      listOf([NODES, order(), sizing({ resourcePercentages: percentages, ...bounds })]),
    ).findings.filter(({ code }) => code === 'LimitRaised')
    assert.ok(raised.every(({ subject }) => subject?.metadata.name === 'p'))
  })
  test('a number among what is copied', () => {
    const bad = order({}, {}, { annotations: { port: 9090 } as never })
    assert.equal(errorsOf(plan(listOf([NODES, bad, sizing()]))), ['OrderInvalid'])
  })
  test('nothing is said twice in one sentence, nor once for each group what is about the Order', () => {
    const rule = { resourcePercentages: { requestCPU: 0.0001, limitCPU: 0.0001 }, minResources: { cpu: 0 } }
    const small = plan(listOf([NODES, order({}, { startTime: NOON }), sizing(rule)]))
    for (const message of said(small, 'SizeZero')) assert.is(message.split('group value:').length, 2, message)
    assert.is(said(plan(listOf([NODES, order({}, { startTime: NOON }), sizing()])), 'StartTimeIgnored').length, 1)
  })
  test('a size of nothing, and no second error about an Order that nobody wrote', () => {
    const percentages = { requestCPU: 0.0001, limitCPU: 0.0001, requestMemory: 1e-9, limitMemory: 1e-9 }
    const rule = { resourcePercentages: percentages, minResources: { cpu: 0, memory: 0 } }
    const bare = Object.fromEntries(Object.keys(percentages).map((name) => [name, null]))
    for (const spec of [rule, { resourcePercentages: bare }])
      assert.equal([...new Set(errorsOf(plan(listOf([NODES, order(), sizing(spec)]))))], ['SizeZero'])
  })
  test('a group without a size beside one without eligible nodes: not said of all', () => {
    const nodes = inventory(
      [
        shape({ [TYPE]: 'small' }, ['a'], '100m', '64Mi'),
        shape({ [TYPE]: 'large' }, ['b'], '4', '16Gi', { ready: 'False' }),
      ],
      { observedAt: NOON },
    )
    const rule = { resourcePercentages: { requestCPU: 0.5, limitCPU: 0.5 }, minResources: { cpu: 0, memory: 0 } }
    const result = plan(listOf([nodes, order(), sizing(rule)]))
    assert.equal([...new Set(errorsOf(result))], ['SizeZero'])
  })
  test('a paused Order says how many Tickets are kept', () => {
    const first = plan(listOf([NODES, order(), sizing()]))
    const paused = rerender(first, (object) => (object.kind === 'Order' ? withSpec(object, { paused: true }) : object))
    assert.equal(errorsOf(paused), [])
    assert.match(said(paused, 'PolicySummary')[0] ?? '', /^p: paused, 3 Tickets, 0 objects added, 0 changed/)
  })
  test('the summary counts Tickets, and the nodes that the findings name', () => {
    const nodes = inventory(
      [
        shape({ [TYPE]: 'm5' }, ['a']),
        shape({ [TYPE]: 'm5' }, ['b', 'c'], '4', '16Gi', { ready: 'False' }),
        shape({ [TYPE]: 'c5' }, ['d'], '4', '16Gi', { taints: [{ key: 'x', effect: 'NoSchedule' }] }),
      ],
      { observedAt: NOON },
    )
    const result = plan(listOf([nodes, order(), sizing()]))
    // four nodes: one with a Ticket, and three without
    assert.match(said(result, 'PolicySummary')[0] ?? '', /^p: 2 groups, 1 Ticket, .*, 3 nodes left out$/)
    assert.equal(
      said(result, 'NodesNotEligible').map((text) => text.slice(0, 26)),
      ['p: 2 nodes left out by Rea', 'p: 1 node left out by tain'],
    )
  })
  test('by ranges and by classes, on nodes that are there', () => {
    const nodes = inventory(
      [shape({ [TYPE]: 'm5', mem: '16' }, ['a']), shape({ [TYPE]: 'c5', mem: '64' }, ['b'], '8', '32Gi')],
      { observedAt: NOON },
    )
    const plain = order({ daemonSet: false })
    const ordersOf = (spec: Record<string, unknown>) =>
      plan(listOf([nodes, plain, sizing(spec)]))
        .items.filter(({ object }) => object.metadata.annotations?.['nodefit.dev/group'] !== undefined)
        .map(({ object }) => [object.metadata.name, (object.spec as { replicas: number }).replicas])
        .sort()
    assert.equal(ordersOf({ nodeGroupRanges: { label: 'mem', bounds: [8, 32] } }), [
      ['infra-8-31', 1],
      ['infra-ge-32', 1],
    ])
    assert.equal(ordersOf({ classes: { ratio: 2 } }), [
      ['infra-4cpu-16gi', 1],
      ['infra-8cpu-32gi', 1],
    ])
  })
  test('disabled and enabled again the Tickets change hands, there and back', () => {
    const first = plan(listOf([NODES, order(), sizing()]))
    const flip = (from: ReturnType<typeof plan>, enabled: boolean) =>
      rerender(from, (object) => (object.kind === 'SizingPolicy' ? withSpec(object, { enabled }) : object))
    const off = flip(first, false)
    const back = flip(off, true)
    assert.equal([errorsOf(off), errorsOf(back)], [[], []])
    assert.not.equal(namesOf(off), namesOf(first))
    assert.equal(namesOf(back), namesOf(first))
  })
})

suite('renewed Tickets', (test) => {
  test('a Ticket may be renewed more often than once a minute', () => {
    const first = plan(listOf([NODES, order()]))
    const expired = (second: string) => {
      const live = snapshot({
        namespace: 'ns',
        name: namesOf(first).a,
        order: 'infra',
        node: 'a',
        phase: 'Expired',
        expiresAt: `2025-01-01T12:00:${second}Z`,
      })
      return namesOf(rerender(first, (object) => (object.kind === 'NodeInventory' ? [object, live] : object))).a
    }
    assert.equal(new Set([namesOf(first).a, expired('00'), expired('10'), expired('20')]).size, 4)
  })
})

suite('plain sized Orders, whose Tickets korder makes', (test) => {
  const plain = order({ daemonSet: false })
  const fleet = (...shapes: object[]) =>
    inventory([shape({ [TYPE]: 'm5' }, ['a', 'b']), ...shapes], { observedAt: NOON })
  const sized = (percent: number) =>
    sizing({ resourcePercentages: { requestCPU: percent, requestMemory: 1, limitCPU: 'none', limitMemory: 'none' } })
  const replicasOf = (result: Plan) =>
    result.items.flatMap(({ object }) =>
      object.metadata.name === 'infra-m5' ? (object.spec as { replicas?: number }).replicas : [],
    )
  const first = plan(listOf([fleet(), plain, sized(10)]))
  const again = (nodes: KubernetesObject, percent: number) => {
    const kept = first.items
      .map(({ object }) => object)
      .filter(({ kind }) => !['NodeInventory', 'SizingPolicy'].includes(kind))
    return plan(listOf([nodes, sized(percent), ...kept]))
  }
  const one = inventory([shape({ [TYPE]: 'm5' }, ['a'])], { observedAt: NOON })
  const COMMAND = 'kubectl -n ns delete order infra-m5 and apply it again for new ones'
  const ROWS: Array<[name: string, nodes: KubernetesObject, percent: number, want: RegExp | undefined]> = [
    ['nothing changes', fleet(), 10, undefined],
    ['more nodes', fleet(shape({ [TYPE]: 'm5', pool: 'x' }, ['c'])), 10, undefined],
    [
      'another size',
      fleet(),
      20,
      /^p: korder changes no Ticket of Order infra-m5: those that it has made keep cpu 400m, .*, new ones have cpu 800m, /,
    ],
    [
      'fewer nodes',
      one,
      10,
      /^p: korder changes no Ticket of Order infra-m5: it deletes none of 2 for 1 replica; kubectl/,
    ],
  ]
  for (const [name, nodes, percent, want] of ROWS)
    test(name, () => {
      const found = said(again(nodes, percent), 'OrderKeepsTickets')
      assert.is(found.length, want === undefined ? 0 : 1)
      if (want !== undefined) assert.match(found[0] ?? '', want)
      if (want !== undefined) assert.match(found[0] ?? '', COMMAND)
    })
  const COUNTS: Array<[name: string, more: object, want: number]> = [
    ['one like the others', {}, 3],
    ['one that is cordoned', { unschedulable: true }, 2],
    ['one with a taint that is not tolerated', { taints: [{ key: 'x', effect: 'NoSchedule' }] }, 2],
    [
      'one that is not ready',
      { ready: 'False', taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] },
      3,
    ],
  ]
  for (const [name, more, want] of COUNTS)
    test(`replicas, beside two: ${name}`, () => {
      const nodes = fleet(shape({ [TYPE]: 'm5', pool: 'x' }, ['c'], '4', '16Gi', more))
      assert.equal(replicasOf(plan(listOf([nodes, plain, sized(10)]))), [want])
    })
  test('replicas, beside two: one that has no room', () => {
    const small = shape({ [TYPE]: 'm5', pool: 'x' }, ['c'], '100m', '64Mi')
    const rule = sizing({ minResources: { cpu: '500m' } })
    assert.equal(replicasOf(plan(listOf([fleet(small), plain, rule]))), [2])
  })
})
