/** What percentages are taken of: the smallest or the median of a group, and what is remembered of it. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { withoutWireAnnotations } from '../../../src/krm/identity.ts'
import { newItem, readResourceList, writeResourceList } from '../../../src/krm/index.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import type { DaemonSet } from '../../../src/plan/daemonset/index.ts'
import { basisOf, type Group, groupMembers, membersOf, placementOf } from '../../../src/plan/sizing/index.ts'
import type { Plan } from '../../../src/rules/plan.ts'
import { plan } from '../../../src/rules/run.ts'
import {
  config,
  daemonSet,
  fleetShape,
  inventory,
  listOf,
  policy,
  rendered,
  settings,
  shape,
  TYPE,
} from '../../support/objects.ts'
import { errorsOf, NOON, order } from '../../support/orders.ts'
import { rerender, said, withSpec } from '../../support/rerender.ts'
import { suite } from '../../support/suite.ts'

const BASIS = 'nodefit.dev/basis'
type Shapes = Parameters<typeof membersOf>[0]

function basisText(shapes: Shapes, spec: Record<string, unknown>, kind: Group['kind'] = 'value'): string {
  const own = settings(spec)
  const placement = placementOf({}, own)
  const { groups } = groupMembers(membersOf(shapes, placement).members, own, { placement, earlier: [] })
  const group = groups.find((one) => one.kind === kind)
  const { value } = basisOf(group as Group, own.basis)
  return `${value?.cpu}/${value?.memory}`
}

const of = (nodes: number, cpu: string, memory = '16Gi', more: object = {}) =>
  fleetShape(
    { [TYPE]: 'm5' },
    Array.from({ length: nodes }, (_, index) => `${cpu}-${memory}-${index}`),
    cpu,
    memory,
    more,
  )
const CLOSED = { taints: [{ key: 'x', effect: 'NoSchedule' }] }

const MEDIANS: Array<[name: string, shapes: Shapes, want: string]> = [
  ['of one', [of(1, '4')], '4/16Gi'],
  ['of two: the lower', [of(1, '8'), of(1, '4')], '4/16Gi'],
  ['of three', [of(1, '8'), of(1, '2'), of(1, '4')], '4/16Gi'],
  ['of four: the lower of the two in the middle', [of(1, '8'), of(1, '2'), of(1, '4'), of(1, '6')], '4/16Gi'],
  ['weighted by nodes', [of(1, '2'), of(3, '4'), of(3, '8')], '4/16Gi'],
  ['weighted by nodes, the other way', [of(3, '2'), of(1, '4'), of(5, '8')], '8/16Gi'],
  ['half and half: the lower', [of(3, '8'), of(3, '2')], '2/16Gi'],
  ['each resource by itself', [of(1, '2', '32Gi'), of(1, '4', '8Gi'), of(1, '8', '16Gi')], '4/16Gi'],
  ['of the nodes where a pod may start', [of(5, '8', '16Gi', CLOSED), of(1, '2'), of(1, '4')], '2/16Gi'],
  [
    'of those where none may start, if there are no others',
    [of(1, '8', '16Gi', CLOSED), of(1, '4', '16Gi', CLOSED)],
    '4/16Gi',
  ],
  ['without nodes that report nothing', [of(3, '0'), of(1, '8'), of(1, '6')], '6/16Gi'],
  ['of declared shapes where there are no nodes', [of(0, '8'), of(0, '4'), of(0, '6')], '6/16Gi'],
]

suite('the median', (test) => {
  for (const [name, shapes, want] of MEDIANS) {
    test(name, () => assert.is(basisText(shapes, { basis: 'median' }), want))
    test(`${name}, in any order`, () => assert.is(basisText([...shapes].reverse(), { basis: 'median' }), want))
  }
  test('the smallest is the default', () => assert.is(basisText([of(5, '8'), of(1, '2')], {}), '2/16Gi'))
  test('a remainder is sized by the smallest all the same', () =>
    assert.is(basisText([of(5, '8'), of(1, '2')], { basis: 'median' }, 'remainder'), '2/16Gi'))
  test('is that of the sorted list of all nodes', () => {
    const counts = fc.array(fc.tuple(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 9 })), {
      minLength: 1,
      maxLength: 6,
    })
    fc.assert(
      fc.property(counts, (all) => {
        const list = all.flatMap(([nodes, cpu]) => Array.from({ length: nodes }, () => cpu)).sort((a, b) => a - b)
        const shapes = all.map(([nodes, cpu]) => of(nodes, String(cpu)))
        assert.is(basisText(shapes, { basis: 'median' }), `${list[Math.floor((list.length - 1) / 2)]}/16Gi`)
      }),
    )
  })
  test('is said in the trace', () => {
    const nodes = inventory([shape({ [TYPE]: 'm5' }, ['a', 'b'], '10'), shape({ [TYPE]: 'm5' }, ['c'])])
    const result = plan(listOf([nodes, policy({ basis: 'median', remainder: false }), daemonSet()]))
    assert.match(said(result, 'GroupSized')[0] ?? '', 'requestCPU 2% of the median 10 = 200m -> 200m')
  })
})

const nodesOf = (cpu: string, memory: string) =>
  inventory([shape({ [TYPE]: 'm5' }, ['a'], cpu, memory)], { observedAt: NOON })
const START = nodesOf('4', '16Gi')
const quiet = {
  remainder: false,
  resourcePercentages: { requestCPU: 10, limitCPU: 10, requestMemory: 10, limitMemory: 10 },
}
const first = (spec: Record<string, unknown> = {}) => plan(listOf([START, policy({ ...quiet, ...spec }), daemonSet()]))
const next = (from: Plan, cpu: string, memory: string, spec: object = {}) =>
  rerender(from, (object) => {
    if (object.kind === 'NodeInventory') return nodesOf(cpu, memory)
    return object.kind === 'SizingPolicy' ? withSpec(object, spec) : object
  })
const one = ({ items }: Plan) => rendered(items).get('agent-m5') as DaemonSet
const markOf = (result: Plan) => one(result)?.metadata.annotations?.[BASIS]
const sizeOf = (result: Plan) => {
  const { requests = {} } = one(result).spec.template.spec?.containers?.[0]?.resources ?? {}
  return `${requests.cpu}/${requests.memory}`
}
const marked = (from: Plan, text: string | undefined, cpu: string, memory: string, spec: object = {}) =>
  rerender(from, (object) => {
    if (object.kind === 'NodeInventory') return nodesOf(cpu, memory)
    if (object.kind === 'SizingPolicy') return withSpec(object, spec)
    if (object.metadata.name !== 'agent-m5') return object
    const { [BASIS]: _, ...annotations } = object.metadata.annotations ?? {}
    return {
      ...object,
      metadata: {
        ...object.metadata,
        annotations: text === undefined ? annotations : { ...annotations, [BASIS]: text },
      },
    }
  })

const NEAR: Array<[name: string, percent: number, cpu: string, memory: string, kept: boolean]> = [
  ['the same', 5, '4', '16Gi', true],
  ['less, within', 5, '3900m', '16Gi', true],
  ['less, exactly at the percentage', 5, '3800m', '16Gi', true],
  ['less, one millicore beyond', 5, '3799m', '16Gi', false],
  ['more, exactly at the percentage', 5, '4200m', '16Gi', true],
  ['more, one millicore beyond', 5, '4201m', '16Gi', false],
  ['memory beyond, CPU within', 5, '4', '12Gi', false],
  ['memory within', 5, '4', '16000Mi', true],
  ['a decimal percentage, at it', 2.5, '3900m', '16Gi', true],
  ['a decimal percentage, beyond it', 2.5, '3899m', '16Gi', false],
  ['none', 0, '3999m', '16Gi', false],
]

suite('hysteresis', (test) => {
  for (const [name, hysteresisPercent, cpu, memory, kept] of NEAR)
    test(`${name}, ${hysteresisPercent}% of 4 and 16Gi: ${cpu}, ${memory}`, () => {
      const result = next(first({ hysteresisPercent }), cpu, memory)
      assert.equal(errorsOf(result), [])
      const [before, fresh] = [first(), plan(listOf([nodesOf(cpu, memory), policy(quiet), daemonSet()]))]
      assert.is(sizeOf(result), sizeOf(kept ? before : fresh))
      assert.is(markOf(result), markOf(kept ? before : fresh))
    })
  test('it does not creep: each run is held against what is remembered', () => {
    let result = first({ hysteresisPercent: 5 })
    for (const cpu of ['3900m', '3850m', '3800m']) result = next(result, cpu, '16Gi')
    assert.is(sizeOf(result), '400m/1638Mi')
    assert.is(sizeOf(next(result, '3700m', '16Gi')), '370m/1638Mi')
  })
  test('a change of the policy acts at once, of the basis that is kept', () => {
    const changed = next(first({ hysteresisPercent: 5 }), '3900m', '16Gi', {
      resourcePercentages: { requestCPU: 20, limitCPU: 20, requestMemory: 10, limitMemory: 10 },
    })
    assert.is(sizeOf(changed), '800m/1638Mi')
    assert.is(markOf(changed), 'cpu=4,memory=16Gi')
  })
  test('the trace says what was kept, and what the nodes have', () => {
    const result = next(first({ hysteresisPercent: 5 }), '3900m', '16Gi')
    assert.match(
      said(result, 'GroupSized')[0] ?? '',
      '10% of 4 as before (now 3900m, within hysteresisPercent) = 400m -> 400m',
    )
  })
  test('what the nodes have is not said to be kept', () => {
    const sized = (hysteresisPercent: number) =>
      said(next(first({ hysteresisPercent }), '4000m', '16Gi'), 'GroupSized')[0]
    for (const text of [sized(0), sized(5)]) assert.match(text ?? '', '10% of 4 = 400m -> 400m')
  })
  test('where earlier output is not seen it is an error, which may be allowed', () => {
    const bare = (...more: KubernetesObject[]) =>
      [START, policy({ ...quiet, hysteresisPercent: 5 }), daemonSet(), ...more].map((object) => newItem(object))
    const list = (items: ReturnType<typeof bare>) => ({ apiVersion: 'config.kubernetes.io/v1', items, results: [] })
    assert.equal(errorsOf(plan(list(bare()))), ['NeedsEarlierOutput'])
    assert.equal(errorsOf(plan(list(bare()), { earlier: list([]) })), [])
    assert.equal(errorsOf(plan(list(bare(config({ allow: ['NeedsEarlierOutput'] }))))), [])
  })
  test('earlier output given apart is held against, too', () => {
    const before = first({ hysteresisPercent: 5 })
    const earlier = {
      apiVersion: 'config.kubernetes.io/v1',
      results: [],
      items: before.items.filter(({ object }) => object.metadata.name === 'agent-m5'),
    }
    const result = plan(listOf([nodesOf('3900m', '16Gi'), policy({ ...quiet, hysteresisPercent: 5 }), daemonSet()]), {
      earlier,
    })
    assert.equal([sizeOf(result), markOf(result)], ['400m/1638Mi', 'cpu=4,memory=16Gi'])
  })
  test('a sized Order is held the same way', () => {
    const sizing = policy({ targetRef: { kind: 'Order', name: 'infra' }, hysteresisPercent: 5 }, 'p', {
      namespace: 'ns',
    })
    for (const daemon of [true, false]) {
      const before = plan(listOf([START, order({ daemonSet: daemon }), sizing]))
      const after = next(before, '3900m', '15800Mi', { hysteresisPercent: 5 })
      assert.equal([errorsOf(before), errorsOf(after)], [[], []])
      assert.equal(texts(after), texts(before))
      assert.not.equal(texts(next(before, '3000m', '12Gi')), texts(before))
      const group = before.items.find(({ object }) => object.metadata.name === 'infra-m5')
      assert.is(group?.object.metadata.annotations?.[BASIS], 'cpu=4,memory=16Gi')
      assert.not.ok(JSON.stringify(group?.object.spec).includes(BASIS))
    }
  })
  test('of an Order whose Tickets alone can be seen nothing can be kept', () => {
    const sizing = policy({ targetRef: { kind: 'Order', name: 'infra' }, hysteresisPercent: 5 }, 'p', {
      namespace: 'ns',
    })
    const before = plan(listOf([START, order(), sizing]))
    const tickets = before.items
      .filter(({ object }) => object.kind === 'Ticket')
      .map(({ object }) => newItem(withoutWireAnnotations(object)))
    const earlier = { apiVersion: 'config.kubernetes.io/v1', results: [], items: tickets }
    assert.equal(errorsOf(plan(listOf([START, order(), sizing]), { earlier })), ['NeedsEarlierOutput'])
  })
})

/** What is rendered, as text. */
function texts({ items }: Plan): string[] {
  return [...rendered(items).values()].map((object) => JSON.stringify(withoutWireAnnotations(object))).sort()
}

suite('the basis that is remembered', (test) => {
  test('is written without hysteresis, too, outside the pod template', () => {
    assert.is(markOf(first()), 'cpu=4,memory=16Gi')
    assert.not.ok(JSON.stringify(one(first()).spec).includes(BASIS))
  })
  for (const [cpu, memory] of [
    ['4000m', '17179869184'],
    ['4.0', '16777216Ki'],
    [4, '16384Mi'],
    ['4e0', '17179869184000m'],
  ] as const)
    test(`is the same text for ${cpu} and ${memory}`, () => {
      const nodes = inventory([{ ...shape({ [TYPE]: 'm5' }, ['a']), allocatable: { cpu, memory } }])
      assert.is(markOf(plan(listOf([nodes, policy(quiet), daemonSet()]))), 'cpu=4,memory=16Gi')
    })
  test('keeps odd amounts exactly', () => {
    assert.is(
      markOf(plan(listOf([nodesOf('1930500u', '7134856Ki'), policy(quiet), daemonSet()]))),
      'cpu=1930500u,memory=7134856Ki',
    )
    assert.is(markOf(plan(listOf([nodesOf('2', '7G'), policy(quiet), daemonSet()]))), 'cpu=2,memory=7000000000')
  })
  test('a few Ki change no byte', () => {
    const before = first()
    const after = next(before, '4', '16777100Ki')
    assert.is(sizeOf(after), sizeOf(before))
    assert.is(markOf(after), 'cpu=4,memory=16Gi')
    assert.equal(texts(after), texts(before))
  })
  test('changes with the sizes', () => assert.is(markOf(next(first(), '3', '16Gi')), 'cpu=3,memory=16Gi'))
  test('changes with a variable alone', () => {
    const spec = { env: [{ name: 'X', from: 'limits.memory', unit: 'B' }] }
    const before = first(spec)
    assert.is(markOf(next(before, '4', '16777100Ki')), 'cpu=4,memory=16777100Ki')
    assert.is(markOf(next(before, '4', '16Gi')), 'cpu=4,memory=16Gi')
  })
  test('stays when something else of the template changes', () => {
    const result = rerender(first(), (object) => {
      if (object.kind === 'NodeInventory') return nodesOf('4', '16777100Ki')
      return object.metadata.name === 'agent' && object.kind === 'DaemonSet'
        ? withSpec(object, { minReadySeconds: 5 })
        : object
    })
    assert.is(one(result).spec.minReadySeconds, 5)
    assert.is(markOf(result), 'cpu=4,memory=16Gi')
  })
  test('stays with a group that is called otherwise', () => {
    const result = next(first(), '4', '16777100Ki', { names: { m5: 'other' } })
    assert.is(rendered(result.items).get('other')?.metadata.annotations?.[BASIS], 'cpu=4,memory=16Gi')
  })
  test('is not written where earlier output is not seen; once it is, it is, and then it stays', () => {
    const items = [START, policy(quiet), daemonSet()].map((object) => newItem(object))
    const bare = plan({ apiVersion: 'config.kubernetes.io/v1', items, results: [] })
    assert.is(markOf(bare), undefined)
    const text = (from: Plan) =>
      writeResourceList({ apiVersion: 'config.kubernetes.io/v1', items: from.items, results: [] })
    const seen = plan(readResourceList(text(bare)))
    assert.is(markOf(seen), 'cpu=4,memory=16Gi')
    assert.is(text(plan(readResourceList(text(seen)))), text(seen))
    assert.is(markOf(next(bare, '3', '16Gi')), 'cpu=3,memory=16Gi')
  })
  test('of a template is not copied', () => {
    const template = daemonSet({}, { annotations: { [BASIS]: 'cpu=1,memory=1Gi' } })
    const items = [START, policy(quiet), template].map((object) => newItem(object))
    assert.is(markOf(plan({ apiVersion: 'config.kubernetes.io/v1', items, results: [] })), undefined)
    assert.is(markOf(plan(listOf([START, policy(quiet), template]))), 'cpu=4,memory=16Gi')
  })
  for (const text of [
    '',
    'cpu=4',
    'memory=16Gi,cpu=4',
    'cpu=four,memory=16Gi',
    'cpu=0,memory=16Gi',
    'cpu=-4,memory=16Gi',
    'cpu=4,memory=16Gi,pods=1',
    'cpu=1e999,memory=16Gi',
    'null',
    '[]',
  ])
    test(`"${text}" is as if it were not there`, () => {
      const before = first({ hysteresisPercent: 100 })
      assert.is(sizeOf(marked(before, text, '3', '16Gi')), '300m/1638Mi')
      const same = marked(before, text, '4', '16Gi')
      assert.equal([errorsOf(same), markOf(same)], [[], 'cpu=4,memory=16Gi'])
    })
  for (const value of [4, null, true, ['cpu=4,memory=16Gi'], { cpu: 4 }])
    test(`${JSON.stringify(value)}, which is no text, does no harm`, () => {
      const result = marked(first({ hysteresisPercent: 100 }), value as never, '3', '16Gi')
      assert.equal([errorsOf(result), markOf(result)], [[], 'cpu=3,memory=16Gi'])
    })
  test('one that a user wrote counts as what is remembered, within the percentage alone', () => {
    const before = first({ hysteresisPercent: 5 })
    assert.is(sizeOf(marked(before, 'cpu=4100m,memory=16Gi', '4', '16Gi')), '410m/1638Mi')
    assert.is(sizeOf(marked(before, 'cpu=9,memory=16Gi', '4', '16Gi')), '400m/1638Mi')
  })
  test('that a user made of the object what they like does no harm', () => {
    for (const template of [
      undefined,
      5,
      { spec: { containers: { a: 1 } } },
      { spec: { containers: [null, { name: 'agent', resources: 'x', env: 5 }] } },
    ]) {
      const before = first()
      // a selector that is gone is an error of its own
      const result = rerender(before, (object) =>
        object.metadata.name === 'agent-m5' ? withSpec(object, { template }) : object,
      )
      assert.equal([errorsOf(result), markOf(result)], [[], 'cpu=4,memory=16Gi'], JSON.stringify(template))
    }
  })
})
