/** Nodes that are only counted: guards count them, and two policies must not meet on them. */
import * as assert from 'uvu/assert'
import { newItem } from '../../src/krm/index.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { coverageFindings } from '../../src/rules/coverage.ts'
import { placeOf } from '../../src/rules/place.ts'
import { plan } from '../../src/rules/run.ts'
import { config, countedShape, daemonSet, inventory, listOf, policy, shape, TYPE } from '../support/objects.ts'
import { errorsOf, NOON, order } from '../support/orders.ts'
import { rerender, said, withSpec } from '../support/rerender.ts'
import { suite } from '../support/suite.ts'

const swap = (kind: string, made: KubernetesObject) => (object: KubernetesObject) =>
  object.kind === kind ? made : object
const of = (name: string, spec: Record<string, unknown>) =>
  policy(
    {
      remainder: false,
      ...spec,
      labels: { nodeGroup: `example.com/${name}` },
      names: { m5: `${name}-m5`, default: `${name}-none` },
    },
    name,
  )
const dedicated = (value: string, effect = 'NoExecute') => ({ taints: [{ key: 'dedicated', value, effect }] })
const tolerating = (value: string) => ({ tolerations: [{ key: 'dedicated', operator: 'Equal', value }] })

suite('guards over counted nodes', (test) => {
  const fleet = inventory([countedShape({ [TYPE]: 'a' }, 3), countedShape({ [TYPE]: 'b' }, 2)], { observedAt: NOON })
  const agent = policy({ remainder: false })
  test('pods that restart are as many as nodes are counted', () => {
    const first = plan(listOf([fleet, agent, daemonSet(), config({ guards: { maxPodsRestarted: 3 } })]))
    const sized = (groups: string[]) =>
      swap('SizingPolicy', withSpec(agent, { overrides: [{ groups, minResources: { cpu: '1' } }] }))
    assert.equal(errorsOf(rerender(first, sized(['a']))), [])
    const both = rerender(first, sized(['a', 'b']))
    assert.equal(errorsOf(both), ['GuardTripped'])
    assert.match(said(both, 'GuardTripped')[0] ?? '', '5 pods would restart')
  })
  test('an inventory that says less restarts nothing', () => {
    const nodes = ['n1', 'n2', 'n3']
    const named = inventory([shape({ [TYPE]: 'a' }, nodes), shape({ [TYPE]: 'b' }, ['n4', 'n5'])], { observedAt: NOON })
    const none = config({ guards: { maxPodsRestarted: 0, maxGroupsRemoved: 0 } })
    for (const [before, after] of [
      [named, fleet],
      [fleet, named],
    ] as const) {
      const first = plan(listOf([before, agent, daemonSet(), none]))
      const second = rerender(first, swap('NodeInventory', after))
      assert.equal(errorsOf(second), [])
      assert.match(said(second, 'PolicySummary')[0] ?? '', '2 groups, 5 nodes, 0 objects added, 0 changed, 0 removed')
    }
  })
  test('nodes that are lost are as many as are no longer counted', () => {
    const fleetOf = (count: number) => inventory([countedShape({ [TYPE]: 'a' }, count)], { observedAt: NOON })
    const first = plan(listOf([fleetOf(12), agent, daemonSet()]))
    const [rendered] = first.items.filter(
      ({ object }) => object.metadata.annotations?.['nodefit.dev/group'] === 'value:a',
    )
    assert.is(rendered?.object.metadata.annotations?.['nodefit.dev/nodes'], '12')
    const left = (count: number) => rerender(first, swap('NodeInventory', fleetOf(count)))
    assert.equal(errorsOf(left(6)), [])
    assert.match(said(left(5), 'GuardTripped')[0] ?? '', 'its groups had 12 nodes and would have 5')
  })
  test('pods that restart with their class are as many', () => {
    const sizes = (...types: string[]) => inventory(types.map((type) => countedShape({ [TYPE]: type }, 12)))
    const first = plan(listOf([sizes('a'), policy({ classes: { ratio: 2 } }), daemonSet()]))
    const joined = rerender(first, swap('NodeInventory', sizes('a', 'b')))
    assert.match(said(joined, 'ClassChanged')[0] ?? '', 'b joined class:4cpu-16gi; its pods on 24 nodes restart')
  })
  test('nodes that are in no range are as many', () => {
    const ranges = policy({ nodeGroupRanges: { label: TYPE, bounds: [8] } })
    const result = plan(listOf([inventory([countedShape({ [TYPE]: 'a' }, 12)]), ranges, daemonSet()]))
    assert.match(said(result, 'RangeNotInteger')[0] ?? '', `${TYPE} of 12 nodes is "a"`)
  })
  test('replicas on counted nodes stand in for Tickets', () => {
    const sizing = policy({ targetRef: { kind: 'Order', name: 'infra' } }, 'p', { namespace: 'ns' })
    const names = inventory([shape({ [TYPE]: 'a' }, ['n1', 'n2', 'n3', 'n4'])], { observedAt: NOON })
    const first = plan(listOf([names, order(), sizing]))
    const plain = (count: number) =>
      rerender(first, (object) => {
        if (object.kind === 'NodeInventory')
          return inventory([countedShape({ [TYPE]: 'a' }, count)], { observedAt: NOON })
        return object.kind === 'Order' && object.metadata.name === 'infra'
          ? withSpec(object, { daemonSet: undefined })
          : object
      })
    assert.equal(errorsOf(plain(4)), [])
    assert.equal(errorsOf(plain(1)), ['GuardTripped'])
    assert.match(said(plain(1), 'GuardTripped')[0] ?? '', '4 nodes had a Ticket, 1 would have one')
  })
})

suite('two policies on counted nodes', (test) => {
  const meet = (shapes: object[], ...specs: Array<Record<string, unknown>>) =>
    plan(listOf([inventory(shapes), daemonSet(), ...specs.map((spec, index) => of(`p${index}`, spec))]))
  const reserve = (shapes: object[], ...specs: Array<Record<string, unknown>>) => {
    const sizing = (spec: Record<string, unknown>, index: number) =>
      policy(
        { targetRef: { kind: 'Order', name: 'infra' }, remainder: false, ...spec, names: { m5: `o-${index}` } },
        `o${index}`,
      )
    return plan(
      listOf([inventory(shapes), order({ daemonSet: undefined }, {}, { namespace: undefined }), ...specs.map(sizing)]),
    )
  }
  const pool = (name: string, count: number) => countedShape({ [TYPE]: 'm5', pool: name }, count)
  test('meet on a shape that both take', () => {
    const result = meet([pool('a', 12)], {}, {})
    assert.match(
      said(result, 'PolicyOverlap')[0] ?? '',
      `p0 and p1 both size DaemonSet agent on 12 nodes of shape ${TYPE}=m5,pool=a. `,
    )
  })
  test('meet on one of several shapes', () => {
    const shapes = [pool('a', 1), pool('b', 1), pool('c', 1)]
    const among = (...values: string[]) => ({
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchExpressions: [{ key: 'pool', operator: 'In', values }] }],
          },
        },
      },
    })
    assert.equal(errorsOf(meet(shapes, among('a', 'b'), among('b', 'c'))), ['PolicyOverlap'])
    assert.match(said(meet(shapes, among('a', 'b'), among('b', 'c')), 'PolicyOverlap')[0] ?? '', '1 node of shape')
    assert.equal(errorsOf(meet(shapes, among('a', 'b'), among('c'))), [])
  })
  test('may divide them by labels', () =>
    assert.equal(
      errorsOf(meet([pool('a', 1), pool('b', 1)], { nodeSelector: { pool: 'a' } }, { nodeSelector: { pool: 'b' } })),
      [],
    ))
  for (const [effect, want] of [
    ['NoExecute', []],
    ['NoSchedule', ['PolicyOverlap']],
  ] as const)
    test(`taints of ${effect} divide them as they divide nodes with names`, () => {
      const labels = { [TYPE]: 'm5' }
      const counted = ['x', 'y'].map((value) => countedShape(labels, 1, dedicated(value, effect)))
      const named = ['x', 'y'].map((value) => shape(labels, [value], '4', '16Gi', dedicated(value, effect)))
      assert.equal(errorsOf(reserve(named, tolerating('x'), tolerating('y'))), [...want])
      assert.equal(errorsOf(reserve(counted, tolerating('x'), tolerating('y'))), [...want])
    })
  test('a run for one policy alone meets what another run rendered', () => {
    const nodes = inventory([pool('a', 2), pool('b', 1)])
    const alone = (
      rendered: Record<string, unknown>,
      now: Record<string, unknown>,
      change = (one: KubernetesObject) => one,
    ) => {
      const first = plan(listOf([nodes, daemonSet(), of('p', rendered)]))
      assert.equal(errorsOf(first), [])
      const items = first.items.map(({ object }) => newItem(change(structuredClone(object))))
      return plan({ ...listOf([]), items, functionConfig: newItem(of('q', now)) })
    }
    const onA = { nodeSelector: { pool: 'a' } }
    const onB = { nodeSelector: { pool: 'b' } }
    assert.equal(errorsOf(alone(onA, onB)), [])
    const both = alone(onA, onA)
    assert.equal(errorsOf(both), ['PolicyOverlap'])
    assert.match(
      said(both, 'PolicyOverlap')[0] ?? '',
      `on 2 nodes of shape ${TYPE}=m5,pool=a, and so does DaemonSet p-m5`,
    )
    const garbled = alone(onA, onB, (object) => {
      if (object.metadata.name !== 'p-m5') return object
      const { template } = object.spec as { template: { spec: { affinity?: object; nodeSelector?: object } } }
      const terms = [{ matchExpressions: [{ key: 'pool', operator: 'Foo' }] }]
      template.spec.nodeSelector = {}
      template.spec.affinity = {
        nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } },
      }
      return object
    })
    assert.equal(errorsOf(garbled), ['OutputUnreadable'])
  })
})

suite('coverage over counted nodes', (test) => {
  const lacking = (...shapes: object[]) => {
    const all = inventory([countedShape({ [TYPE]: 'm5' }, 1), ...shapes])
    return said(plan(listOf([all, policy({ defaultNodeGroup: '' }), daemonSet()])), 'HoleOnPurpose')[0] ?? ''
  }
  test('nodes of today are counted where nobody serves them', () => {
    assert.match(lacking(), 'no default group; no node is affected today; its entry is ')
    assert.match(lacking(countedShape({}, 0)), 'no default group; no node is affected today; its entry is ')
    assert.match(
      lacking(countedShape({}, 7), countedShape({ a: 'b' }, 2)),
      'no default group; 9 nodes affected today; its entry is ',
    )
    assert.match(
      lacking(countedShape({}, 7), shape({}, ['b', 'a'])),
      'no default group; 9 nodes affected today: a, b and 7 more; its entry is ',
    )
  })
  const uncovered = (one: object) => {
    const made = plan(listOf([inventory([one, countedShape({ [TYPE]: 'c5' }, 1)]), of('p', {}), daemonSet()]))
    const [
      {
        planned: [planned],
        fleets,
      } = { planned: [], fleets: [] },
    ] = made.packages
    if (planned === undefined) throw new Error('nothing was planned')
    const objects = planned.objects.filter(({ about }) => about !== 'value:m5')
    const left = planned.objects.flatMap(({ object, about }) => (about === 'value:m5' ? (placeOf(object) ?? []) : []))
    const holes = left.map((region) => ({ region, why: 'nobody has seen it', mayHoldNodes: false }))
    return coverageFindings([{ ...planned, objects, holes: [...(planned.holes ?? []), ...holes] }], fleets).filter(
      ({ code }) => code === 'Uncovered',
    )
  }
  for (const [what, one, where] of [
    ['counted', countedShape({ [TYPE]: 'm5' }, 12), `a node with ${TYPE}=m5`],
    ['named', shape({ [TYPE]: 'm5' }, ['a']), 'node a'],
  ] as const)
    test(`a ${what} node is not one that nobody has seen`, () => {
      const [only, ...more] = uncovered(one)
      assert.equal(more, [])
      assert.match(only?.sentence ?? '', `p: pods may run on ${where}, but no rendered object runs there`)
      assert.equal(Object.keys((only?.field?.currentValue ?? {}) as object), ['name', 'labels', 'taints'])
      assert.equal(uncovered({ ...one, ...dedicated('x') }), [])
    })
})
