/** Groups whose nodes have gone: what passes removes nothing, and what is gone for good goes in its time. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { untilOf } from '../../../src/face/index.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { plan } from '../../../src/rules/run.ts'
import { config, daemonSet, inventory, listOf, node, policy, rendered, shape, TYPE } from '../../support/objects.ts'
import { errorsOf } from '../../support/orders.ts'
import { rerender, said, withSpec } from '../../support/rerender.ts'
import { suite } from '../../support/suite.ts'

type Plan = ReturnType<typeof plan>
const DAY = 24 * 3_600_000
const START = Date.parse('2026-11-20T12:00:00Z')
const ABSENT = 'nodefit.dev/absent-since'
const at = (days: number) => new Date(START + days * DAY).toISOString().replace('.000Z', 'Z')
const shapeOf = (type: string, more: object = {}, memory = type === 'big' ? '64Gi' : '16Gi') =>
  shape({ [TYPE]: type, pool: 'a' }, [`${type}-1`], '4', memory, more)
const fleet = (days: number | undefined, ...shapes: object[]) =>
  inventory(shapes, days === undefined ? {} : { observedAt: at(days) })
const SMALL = shapeOf('small')
const BIG = shapeOf('big')
const TAINT = { key: 'node.cilium.io/agent-not-ready', effect: 'NoExecute' }
const UNLIMITED = config({ guards: { maxNodesLost: null, maxGroupsRemoved: null } })
const PERCENT = { resourcePercentages: { requestMemory: 2 }, minResources: { memory: '1Mi' } }
const first = (spec: object = {}) =>
  plan(listOf([fleet(0, SMALL, BIG), policy({ ...PERCENT, ...spec }), daemonSet(), UNLIMITED]))
const then = (before: Plan, nodes: KubernetesObject, spec?: object, pod?: Record<string, unknown>) =>
  rerender(before, (object) => {
    if (object.kind === 'NodeInventory') return nodes
    if (object.kind === 'SizingPolicy' && spec !== undefined) return withSpec(object, spec)
    if (object.kind === 'DaemonSet' && object.metadata.name === 'agent' && pod !== undefined)
      return { ...daemonSet(pod), metadata: object.metadata }
    return object
  })
const big = ({ items }: Plan) => rendered(items).get('agent-big')
const specsOf = ({ items }: Plan) => JSON.stringify([...rendered(items)].map(([name, { spec }]) => [name, spec]))

suite('a group whose nodes have gone', (test) => {
  test('stays with its sizes, and restarts nothing, until its time is over', () => {
    const start = first()
    const gone = then(start, fleet(1, SMALL))
    assert.equal(errorsOf(gone), [])
    assert.is(specsOf(gone), specsOf(start))
    assert.is(big(gone)?.metadata.annotations?.[ABSENT], `big=${at(1)}`)
    assert.match(
      said(gone, 'GroupAbsent')[0] ?? '',
      `no node has ${TYPE} big since ${at(1)}: its group stays until ${at(15)}`,
    )
    assert.is(untilOf(gone)?.toISOString(), new Date(START + 15 * DAY).toISOString())
    const later = then(gone, fleet(9, SMALL))
    assert.is(big(later)?.metadata.annotations?.[ABSENT], `big=${at(1)}`, 'since the first time')
    assert.ok(big(then(later, fleet(14.99, SMALL))))
    const over = then(later, fleet(15, SMALL))
    assert.not.ok(big(over))
    assert.equal(errorsOf(over), [])
    const back = then(later, fleet(10, SMALL, BIG))
    assert.is(big(back)?.metadata.annotations?.[ABSENT], undefined)
    assert.is(specsOf(back), specsOf(start))
  })
  test('that comes and goes begins anew each time', () => {
    const gone = then(first(), fleet(1, SMALL))
    const again = then(then(gone, fleet(10, SMALL, BIG)), fleet(12, SMALL))
    assert.is(big(again)?.metadata.annotations?.[ABSENT], `big=${at(12)}`)
  })
  for (const [name, retainGroups, days, stays] of [
    ['0s', '0s', 0.01, false],
    ['0', 0, 0.01, false],
    ['an hour', '1h', 1.03, true],
    ['an hour, which is over', '1h', 1.05, false],
  ] as const)
    test(`by retainGroups: ${name}`, () => {
      const gone = then(first({ retainGroups }), fleet(1, SMALL))
      assert.is(big(then(gone, fleet(days, SMALL))) !== undefined, stays)
    })
  test('without a time stays, which is said', () => {
    const gone = then(then(first(), fleet(undefined, SMALL, BIG)), fleet(undefined, SMALL))
    assert.ok(big(gone))
    assert.match(said(gone, 'GroupAbsent')[0] ?? '', 'and no time of the run is known: its group stays')
    assert.is(big(gone)?.metadata.annotations?.[ABSENT], undefined)
  })
  test('of Node objects goes by the time of the run', () => {
    const nodes = (...names: string[]) => names.map((name) => node(name, { [TYPE]: name }, '4', '16Gi'))
    const at2 = (days: number): KubernetesObject => ({
      apiVersion: 'nodefit.dev/v1alpha1',
      kind: 'RenderConfig',
      metadata: { name: 'c' },
      spec: { now: at(days) },
    })
    const start = plan(listOf([...nodes('small', 'big'), at2(0), policy(PERCENT), daemonSet()]))
    const without = (before: Plan, days: number) =>
      rerender(before, (object) =>
        object.kind === 'Node' && object.metadata.name === 'big'
          ? []
          : object.kind === 'RenderConfig'
            ? at2(days)
            : object,
      )
    const gone = without(start, 1)
    assert.is(big(gone)?.metadata.annotations?.[ABSENT], `big=${at(1)}`)
    assert.not.ok(big(without(gone, 15)))
  })
  test('goes by the time that its shape is empty, where the inventory says so', () => {
    const empty = (days: number, since: number) => fleet(days, SMALL, { ...BIG, nodes: [], emptySince: at(since) })
    const gone = then(first(), empty(3, 2))
    assert.is(big(gone)?.metadata.annotations?.[ABSENT], `big=${at(2)}`)
    assert.ok(big(then(gone, empty(15.9, 2))))
    assert.not.ok(big(then(gone, empty(16, 2))))
    assert.not.ok(big(then(gone, fleet(16, SMALL))), 'the writer has dropped it')
    const declared = fleet(100, SMALL, { ...BIG, nodes: [] })
    assert.ok(big(then(gone, declared)), 'a node type that a user declares stays')
    const hidden = plan(listOf([empty(3, 2), policy(PERCENT), daemonSet()]), { keepsFiles: false })
    assert.ok(rendered(hidden.items).has('agent-big'), 'hosts that hide the output see the shape')
    const over = plan(listOf([empty(17, 2), policy(PERCENT), daemonSet()]), { keepsFiles: false })
    assert.not.ok(rendered(over.items).has('agent-big'))
  })
  test('goes by now where a clock ahead has marked it, in the mark or the shape', () => {
    const start = first()
    const gone = rerender(then(start, fleet(1, SMALL)), (object) =>
      object.metadata.name === 'agent-big'
        ? {
            ...object,
            metadata: {
              ...object.metadata,
              annotations: { ...object.metadata.annotations, [ABSENT]: `big=${at(400)}` },
            },
          }
        : object,
    )
    assert.is(big(gone)?.metadata.annotations?.[ABSENT], `big=${at(1)}`)
    const empty = then(start, fleet(1, SMALL, { ...BIG, nodes: [], emptySince: at(400) }))
    assert.is(big(empty)?.metadata.annotations?.[ABSENT], `big=${at(1)}`)
  })
  test('stays beyond its time where the inventory expects its nodes and no other group covers them', () => {
    const ofNone = { ...BIG, nodes: [], emptySince: at(0) }
    for (const [name, start, nodes] of [
      ['without a remainder', first({ remainder: false }), fleet(20, SMALL, ofNone)],
      ['as the only one', first(), fleet(20, ofNone)],
    ] as const) {
      const over = then(start, nodes)
      assert.equal(
        errorsOf(over).filter((code) => code !== 'GuardTripped'),
        [],
        name,
      )
      assert.ok(big(over), name)
      assert.match(said(over, 'GroupAbsent')[0] ?? '', 'its group stays while the inventory expects such nodes', name)
    }
    assert.not.ok(
      big(then(then(first({ remainder: false }), fleet(1, SMALL)), fleet(20, SMALL))),
      'nothing expects its nodes',
    )
  })
  test('of a policy none of whose nodes has its label any more is no mistyped label', () => {
    const start = first()
    const other = shape({ pool: 'a' }, ['other-1'], '4', '16Gi')
    const gone = then(start, fleet(1, other))
    assert.not.ok(errorsOf(gone).includes('LabelOnNoNode'), errorsOf(gone).join())
  })
  test('keeps the time since when, while the policy has no nodes at all', () => {
    const start = first({ nodeSelector: { pool: 'a' } })
    const gone = then(start, fleet(1, SMALL))
    const elsewhere = shape({ [TYPE]: 'small', pool: 'b' }, ['b-1'], '4', '16Gi')
    const none = then(gone, fleet(2, elsewhere))
    assert.is(big(none)?.metadata.annotations?.[ABSENT], `big=${at(1)}`)
    assert.is(big(then(none, fleet(3, SMALL)))?.metadata.annotations?.[ABSENT], `big=${at(1)}`)
  })
  test('in several labels, each combination by itself', () => {
    const spec = { nodeGroupLabels: [TYPE, 'pool'] }
    const other = shape({ [TYPE]: 'big', pool: 'b' }, ['big-2'])
    const start = plan(listOf([fleet(0, SMALL, BIG, other), policy({ ...PERCENT, ...spec }), daemonSet(), UNLIMITED]))
    const gone = then(start, fleet(1, SMALL, BIG))
    const marks = [...rendered(gone.items).values()].flatMap(({ metadata }) => metadata.annotations?.[ABSENT] ?? [])
    assert.equal(marks, [`big/b=${at(1)}`])
    assert.is(specsOf(gone), specsOf(start))
  })
  test('in a class keeps its place, and the class its pods', () => {
    const start = plan(
      listOf([
        fleet(0, SMALL, shapeOf('alike'), BIG),
        policy({ ...PERCENT, classes: { ratio: 2 } }),
        daemonSet(),
        UNLIMITED,
      ]),
    )
    const gone = then(start, fleet(1, SMALL))
    assert.equal(errorsOf(gone), [])
    assert.is(specsOf(gone), specsOf(start))
    const marks = [...rendered(gone.items).values()].flatMap(({ metadata }) => metadata.annotations?.[ABSENT] ?? [])
    assert.equal(marks.sort(), [`alike=${at(1)}`, `big=${at(1)}`])
    const over = then(gone, fleet(15, SMALL))
    assert.not.match(specsOf(over), 'alike')
  })
})

suite('a node that is excluded for a while', (test) => {
  for (const [name, taint] of [
    ['of a taint that passes, by default', TAINT],
    [
      'of a prefix of the cluster autoscaler',
      { key: 'startup-taint.cluster-autoscaler.kubernetes.io/x', effect: 'NoExecute' },
    ],
    ['of any other taint', { key: 'dedicated', value: 'x', effect: 'NoExecute' }],
    ['since it is not ready', { key: 'node.kubernetes.io/not-ready', effect: 'NoExecute' }],
  ] as const)
    test(`keeps its group however long, because ${name}`, () => {
      const start = first()
      const tainted = then(start, fleet(100, SMALL, { ...BIG, taints: [taint], ready: 'False' }))
      assert.equal(errorsOf(tainted), [])
      assert.is(JSON.stringify(big(tainted)?.spec), JSON.stringify(big(start)?.spec))
      assert.is(big(tainted)?.metadata.annotations?.[ABSENT], undefined)
    })
  test('by a start-up taint is a node of its group from the beginning', () => {
    const tainted = { ...BIG, taints: [TAINT] }
    const groups = (spec: object) =>
      rendered(plan(listOf([fleet(0, SMALL, tainted), policy({ ...PERCENT, ...spec }), daemonSet(), UNLIMITED])).items)
    assert.ok(groups({}).has('agent-big'))
    assert.not.ok(groups({ startupTaints: [] }).has('agent-big'))
    assert.not.ok(groups({ startupTaints: [{ key: TAINT.key, effect: 'NoSchedule' }] }).has('agent-big'))
    assert.ok(groups({ startupTaints: [{ key: 'node.cilium.io/*' }] }).has('agent-big'))
  })
})

suite('what a changed policy removes', (test) => {
  for (const [name, spec, pod] of [
    ['by its nodeSelector', { nodeSelector: { pool: 'b' } }, undefined],
    ['by an explicit group', { groups: [{ name: 'own', nodeSelector: { [TYPE]: 'big' } }] }, undefined],
    ['by another label', { nodeGroupLabel: 'pool' }, undefined],
    ['by the nodeSelector of its template', {}, { nodeSelector: { pool: 'b' } }],
  ] as const)
    test(`goes at once: ${name}`, () => {
      const smallInB = shape({ [TYPE]: 'small', pool: 'b' }, ['small-1'])
      const start = plan(listOf([fleet(0, smallInB, BIG), policy(PERCENT), daemonSet(), UNLIMITED]))
      assert.not.ok(big(then(start, fleet(0, smallInB, BIG), spec, pod)))
    })
  test('goes at once: by a toleration that is taken away', () => {
    const dedicated = { ...BIG, taints: [{ key: 'dedicated', value: 'x', effect: 'NoExecute' }] }
    const tolerations = [{ key: 'dedicated', operator: 'Exists' }]
    const start = plan(
      listOf([fleet(0, SMALL, dedicated), policy({ ...PERCENT, tolerations }), daemonSet(), UNLIMITED]),
    )
    assert.ok(big(start))
    assert.not.ok(big(then(start, fleet(0, SMALL, dedicated), { tolerations: [] })))
  })
})

suite('retention', (test) => {
  for (const [field, value] of [
    ['retainGroups', '-1h'],
    ['retainGroups', 5],
    ['retainGroups', 'a week'],
    ['startupTaints', [{ key: 'no key' }]],
    ['startupTaints', [{ effect: 'NoExecute' }]],
  ] as const)
    test(`${field} ${JSON.stringify(value)} is refused, and nothing is removed`, () => {
      const bad = then(first(), fleet(1, SMALL), { [field]: value })
      assert.equal(errorsOf(bad), ['InvalidField'])
      assert.ok(big(bad))
    })
  test('fed back gives the same bytes, in any order, and every node keeps what it has when its type comes back', () => {
    const types = ['a', 'b', 'c', 'd']
    const nodesOf = (days: number, present: readonly string[]) =>
      fleet(
        days,
        ...['base', ...present].map((type) =>
          shape({ [TYPE]: type, pool: 'a' }, [`${type}-1`], '4', `${16 + types.indexOf(type)}Gi`),
        ),
      )
    fc.assert(
      fc.property(fc.array(fc.subarray(types), { minLength: 1, maxLength: 6 }), (days) => {
        const start = plan(listOf([nodesOf(0, types), policy(PERCENT), daemonSet(), UNLIMITED]))
        const end = days.reduce((before, present, day) => {
          const next = then(before, nodesOf(day + 1, present))
          assert.equal(errorsOf(next), [])
          assert.is(specsOf(next), specsOf(start), 'nothing restarts')
          const again = then(next, nodesOf(day + 1, present))
          assert.is(JSON.stringify(again.items), JSON.stringify(next.items))
          return next
        }, start)
        assert.is(specsOf(then(end, nodesOf(8, types))), specsOf(start))
      }),
      { numRuns: 25 },
    )
  })
})
