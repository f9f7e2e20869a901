/** An Order is kept out of what is applied while Tickets are rendered from it: how that is said, and the way back. */
import * as assert from 'uvu/assert'
import { newItem } from '../../../src/krm/index.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import type { Plan } from '../../../src/rules/plan.ts'
import { plan } from '../../../src/rules/run.ts'
import { codes, config, listOf, SIZES, shape } from '../../support/objects.ts'
import { errorsOf, NOON, namesOf, nodes, nodesAt, order, rerun, runOrders, ticketsIn } from '../../support/orders.ts'
import { suite } from '../../support/suite.ts'

const LOCAL = 'config.kubernetes.io/local-config'
const TEMPLATE = 'nodefit.dev/template'
const fleet = nodesAt(NOON, nodes('a', 'b'))
const marksOf = (result: Plan) => {
  const found = result.items.find(({ object }) => object.kind === 'Order' || object.kind === 'DaemonOrder')
  const { [LOCAL]: local, [TEMPLATE]: template } = found?.object.metadata.annotations ?? {}
  return [local, template]
}
const says = (result: Plan, code: string) => codes(result.findings).includes(code)
const said = (result: Plan, code: string) => result.findings.find((one) => one.code === code)?.sentence
const local = (mark?: string) => ({
  annotations: { [LOCAL]: 'true', ...(mark === undefined ? {} : { [TEMPLATE]: mark }) },
})
/** The package as it came out, with the Order as this makes it. */
const again = (first: Plan, change: (order: KubernetesObject) => KubernetesObject, ...more: KubernetesObject[]) =>
  plan(listOf([...first.items.map(({ object }) => (object.kind === 'Order' ? change(object) : object)), ...more]))
const plain = ({ spec, ...object }: KubernetesObject): KubernetesObject => ({
  ...object,
  spec: { ...(spec as object), daemonSet: false },
})
const unmarked = ({ metadata, ...object }: KubernetesObject): KubernetesObject => {
  const { [TEMPLATE]: _, ...annotations } = metadata.annotations ?? {}
  return { ...object, metadata: { ...metadata, annotations } } as KubernetesObject
}
const TARGET = { apiVersion: 'core.korder.dev/v1alpha1', kind: 'Order', name: 'infra' }
const policy = (spec: object = {}): KubernetesObject => ({
  apiVersion: 'nodefit.dev/v1alpha1',
  kind: 'SizingPolicy',
  metadata: { name: 'p', namespace: 'ns' },
  spec: {
    targetRef: TARGET,
    nodeGroupLabel: 'kubernetes.io/os',
    ...SIZES,
    ...spec,
  },
})

suite('an Order is retired', (test) => {
  test('by the first render that marks it, and not again', () => {
    const first = runOrders(fleet, order())
    assert.is(
      said(first, 'OrderRetired'),
      'Order ns/infra is now local configuration and no longer applied; its Tickets are rendered without the label korder.dev/order',
    )
    assert.is(first.findings.find(({ code }) => code === 'OrderRetired')?.severity, 'warning')
    assert.not(says(first, 'StaticTemplateRetired'))
    assert.equal(marksOf(first), ['true', 'true'])
    const second = rerun(first)
    assert.not(says(second, 'OrderRetired'))
    assert.equal(marksOf(second), ['true', 'true'])
  })
  const ROWS: Array<[name: string, objects: KubernetesObject[], isSaid: boolean, marks: Array<string | undefined>]> = [
    [
      'a DaemonOrder',
      [fleet, { ...order(), kind: 'DaemonOrder', spec: { template: { spec: {} } } }],
      true,
      ['true', 'true'],
    ],
    ['one its user keeps back', [fleet, order({}, {}, local())], false, ['true', 'existing']],
    ['one that is marked', [fleet, order({}, {}, local('true'))], false, ['true', 'true']],
    ['a plain one', [fleet, order({ daemonSet: false })], false, [undefined, undefined]],
    ['one that a policy sizes', [fleet, order(), policy()], true, ['true', 'true']],
    ['a plain one that a policy sizes', [fleet, order({ daemonSet: false }), policy()], true, ['true', 'true']],
  ]
  for (const [name, objects, isSaid, marks] of ROWS)
    test(name, () => {
      const result = runOrders(...objects)
      assert.equal([errorsOf(result), says(result, 'OrderRetired'), marksOf(result)], [[], isSaid, marks])
    })
  test('by a run for itself, and by none for another subject', () => {
    const alone = (subject: KubernetesObject) => plan(listOf([fleet, order()], subject))
    const [own, other] = [alone(order()), alone(order({}, {}, { name: 'other' }))]
    assert.equal([says(own, 'OrderRetired'), marksOf(own)], [true, ['true', 'true']])
    assert.equal([says(other, 'OrderRetired'), marksOf(other)], [false, [undefined, undefined]])
  })
  test('what an earlier version kept back is ours', () => {
    const first = again(runOrders(fleet, order()), unmarked)
    assert.equal([says(first, 'OrderRetired'), marksOf(first)], [false, ['true', 'true']])
  })
  test('on a stream it is said until earlier output shows that it is not the first time', () => {
    const stream = (...tickets: KubernetesObject[]) =>
      plan(
        { apiVersion: 'config.kubernetes.io/v1', items: [fleet, order()].map((one) => newItem(one)), results: [] },
        { earlier: listOf(tickets), keepsFiles: false },
      )
    const first = stream()
    assert.ok(says(first, 'OrderRetired'))
    assert.not(says(stream(...ticketsIn(first)), 'OrderRetired'))
  })
  test('in an output folder one whose pool is empty is said with its first Tickets', () => {
    const pool = order({}, { nodeSelector: { pool: 'gpu' } }, { name: 'gpu' })
    const sized = [policy({ targetRef: { ...TARGET, name: 'gpu' } })]
    const gpu = shape({ 'kubernetes.io/os': 'linux', pool: 'gpu' }, ['g'])
    const drained = nodesAt(NOON, { ...gpu, unschedulable: true }, nodes('a', 'b'))
    const filled = nodesAt(NOON, gpu, nodes('a', 'b'))
    const allow = config({ allow: ['NoEligibleNodes'] })
    for (const more of [[], sized]) {
      const folder = (given: KubernetesObject, ...earlier: KubernetesObject[]) => {
        const items = [given, order(), pool, allow, ...more].map((one) => newItem(one))
        const list = { apiVersion: 'config.kubernetes.io/v1', items, results: [] }
        return plan(list, { earlier: listOf(earlier), keepsFiles: false })
      }
      const retired = (result: Plan) =>
        result.findings.flatMap(({ code, subject }) => (code === 'OrderRetired' ? [subject?.metadata.name] : []))
      const first = folder(drained)
      assert.equal([errorsOf(first), ticketsIn(first).length, retired(first)], [[], 2, ['infra', 'gpu']])
      const second = folder(drained, ...ticketsIn(first))
      assert.equal([ticketsIn(second).length, retired(second)], [2, []])
      const third = folder(filled, ...ticketsIn(second))
      assert.equal([errorsOf(third), ticketsIn(third).length, retired(third)], [[], 4, ['gpu']])
      assert.equal(retired(folder(filled, ...ticketsIn(third))), [])
    }
  })
})

suite('the label by which korder deletes', (test) => {
  const LABEL = 'korder.dev/order'
  const hasLabel = (result: Plan) => ticketsIn(result).map(({ metadata }) => metadata.labels?.[LABEL] !== undefined)
  const ON = config({ korder: { orderLabel: true } })
  const OFF = config({ korder: { orderLabel: false } })
  const ROWS: Array<[name: string, objects: KubernetesObject[], has: boolean]> = [
    ['is left off where the Order may be live', [order()], false],
    ['is there where its user says so', [order(), ON], true],
    ['is there where its user kept the Order back before', [order({}, {}, local())], true],
    ['is left off where its user says so', [order({}, {}, local()), OFF], false],
    ['is there for a group, whose Order was never live', [order(), policy()], true],
  ]
  for (const [name, objects, has] of ROWS)
    test(name, () => assert.equal(hasLabel(runOrders(fleet, ...objects)), [has, has]))
  test('stays off in the next run, and on where earlier Tickets have it', () => {
    assert.equal(hasLabel(rerun(runOrders(fleet, order()))), [false, false])
    const on = runOrders(fleet, order(), ON)
    const { items } = on
    const without = items.map(({ object }) => object).filter(({ kind }) => kind !== 'RenderConfig')
    assert.equal(hasLabel(plan(listOf(without))), [true, true])
    assert.equal(hasLabel(rerun(on, OFF)), [false, false])
  })
  test('a new node gets it where the other Tickets have it', () => {
    const on = runOrders(nodesAt(NOON, nodes('a')), order(), ON)
    const without = on.items.map(({ object }) => object).filter(({ kind }) => kind === 'Order' || kind === 'Ticket')
    assert.equal(hasLabel(plan(listOf([fleet, ...without]))), [true, true])
  })
  test('is said to be left off by each run that sees neither the Order nor its Tickets, as in kustomize', () => {
    const stream = (...more: KubernetesObject[]) => streamOf(order(), ...more)
    const streamOf = (given: KubernetesObject, ...more: KubernetesObject[]) => {
      const items = [fleet, ...more].map((one) => newItem(one))
      const functionConfig = newItem(given)
      return plan({ apiVersion: 'config.kubernetes.io/v1', items, functionConfig, results: [] }, { keepsFiles: false })
    }
    const ways: Array<[result: Plan, left: boolean, retired: boolean]> = [
      [stream(), true, false],
      [stream(ON), false, false],
      [stream(OFF), false, false],
      // its user kept it back, so that its Tickets have the label
      [streamOf(order({}, {}, local())), false, false],
      // its name is no label, which is said
      [streamOf(order({}, {}, { name: 'o'.repeat(70) })), false, false],
      // there the Order is retired, which says the same
      [stream(order()), false, true],
      [runOrders(fleet, order()), false, true],
      [plan(listOf([fleet], order())), false, false],
    ]
    for (const [result, left, retired] of ways)
      assert.equal(
        [says(result, 'OrderLabelLeftOff'), says(result, 'OrderRetired'), errorsOf(result)],
        [left, retired, []],
      )
    assert.equal(hasLabel(stream()), [false, false])
    // the host never shows more, so it fails no run that warnings fail
    const permanent = order({ strategy: { type: 'OneTime', refreshPolicy: 'Never' } }, { duration: '87600h' })
    const strict = streamOf(permanent, config({ failOn: 'warning' }))
    assert.equal([says(strict, 'OrderLabelLeftOff'), errorsOf(strict)], [true, []])
  })
  test('is named where it is the user’s wish, with what follows', () => {
    const found = runOrders(fleet, order(), ON).findings.find(({ code }) => code === 'OrderRetired')
    assert.match(found?.message ?? '', 'with the label korder.dev/order. If the Order exists in the cluster, remove')
  })
})

suite('no API server takes an Order that others are rendered from', (test) => {
  const KEY = 'nodefit.dev/not-applied/rendered-objects-replace-it'
  const isMarked = (result: Plan) =>
    result.items
      .filter(({ object }) => object.kind === 'Order' || object.kind === 'DaemonOrder')
      .map(({ object }) => object.metadata.annotations?.[KEY] === 'true')
  const ROWS: Array<[name: string, objects: KubernetesObject[], marks: boolean[]]> = [
    ['in DaemonSet mode', [order()], [true]],
    ['that its user kept back before', [order({}, {}, local())], [true]],
    ['that an earlier version marked', [order({}, {}, local('true'))], [true]],
    ['of each group in DaemonSet mode', [order(), policy()], [true, true]],
    [
      'a plain one that groups replace, and not those that are applied',
      [order({ daemonSet: false }), policy()],
      [true, false],
    ],
    [
      'but a plain one that nothing is rendered from',
      [order({ daemonSet: false }), order({}, {}, { name: 'b' })],
      [false, true],
    ],
  ]
  for (const [name, objects, marks] of ROWS)
    test(name, () => assert.equal(isMarked(runOrders(fleet, ...objects)), marks))
  test('until it is handed back', () => {
    assert.equal(isMarked(again(runOrders(fleet, order()), plain)), [false])
    assert.equal(isMarked(again(runOrders(fleet, order({}, {}, local())), plain)), [false])
  })
  test('once and for all: the next run writes the same', () => {
    const first = runOrders(fleet, order(), policy())
    const marks = (result: Plan) => result.items.map(({ object }) => object)
    assert.equal(marks(rerun(first)), marks(first))
  })
})

suite('an Order leaves DaemonSet mode', (test) => {
  const first = runOrders(fleet, order())
  test('it is handed back, its Tickets go, and both are said', () => {
    const second = again(first, plain)
    assert.equal([errorsOf(second), ticketsIn(second).length, marksOf(second)], [[], 0, [undefined, undefined]])
    assert.is(said(second, 'TemplateReleased'), 'Order ns/infra is applied again: nothing is rendered from it any more')
    const want = 'infra: no longer in DaemonSet mode, 0 objects added, 0 changed, 2 removed, 0 unchanged'
    assert.is(said(second, 'OrderSummary'), want)
    assert.not(second.findings.some(({ message }) => message.includes('not in the package')))
    const third = again(second, (same) => same)
    assert.equal([codes(third.findings), third.items.length], [['NoPolicy'], 2])
  })
  test('where nothing marks it, as in an output folder, its Tickets go as well', () => {
    const items = [fleet, plain(order())].map((one) => newItem(one))
    const list = { apiVersion: 'config.kubernetes.io/v1', items, results: [] }
    const now = plan(list, { earlier: listOf(ticketsIn(first)), keepsFiles: false })
    assert.equal([errorsOf(now), now.items.map(({ object }) => object.kind).sort()], [[], ['NodeInventory', 'Order']])
    const want = 'infra: no longer in DaemonSet mode, 0 objects added, 0 changed, 2 removed, 0 unchanged'
    assert.is(said(now, 'OrderSummary'), want)
  })
  test('one of many whose Tickets are another’s: that one is nobody’s business', () => {
    const other = order({ daemonSet: false }, {}, { name: 'other' })
    const result = again(runOrders(fleet, order(), other), (same) => same)
    assert.equal([errorsOf(result), ticketsIn(result).length], [[], 2])
    assert.not(result.findings.some(({ message }) => message.includes('other')))
  })
  test('and comes back to it with the same Tickets', () => {
    const back = again(again(first, plain), ({ spec, ...object }) => ({
      ...object,
      spec: { ...(spec as object), daemonSet: true },
    }))
    assert.equal(namesOf(back), namesOf(first))
    assert.ok(says(back, 'OrderRetired'))
  })
  test('without the mark of an earlier version', () =>
    assert.equal(marksOf(again(first, (one) => plain(unmarked(one)))), [undefined, undefined]))
  test('what its user kept back stays so', () => {
    const kept = again(runOrders(fleet, order({}, {}, local())), plain)
    assert.equal([errorsOf(kept), ticketsIn(kept).length, marksOf(kept)], [[], 0, ['true', undefined]])
  })
  test('paused or not, and whatever else it says', () => {
    const paused = again(first, (one) => {
      const now = plain(one)
      return { ...now, spec: { ...(now.spec as object), paused: true, replicas: 3, unknown: 1 } }
    })
    assert.equal([errorsOf(paused), ticketsIn(paused).length], [[], 0])
  })
  test('an Order beside it keeps its own', () => {
    const two = runOrders(fleet, order(), order({}, {}, { name: 'other' }))
    const one = again(two, (object) => (object.metadata.name === 'infra' ? plain(object) : object))
    assert.equal(errorsOf(one), [])
    assert.equal(
      new Set(ticketsIn(one).map(({ metadata }) => metadata.annotations?.['korder.dev/ticket-group'])),
      new Set(['other']),
    )
  })
  test('a Ticket of the same Order name in another namespace is an orphan, not its own', () => {
    const moved = again(first, (one) => plain({ ...one, metadata: { ...one.metadata, namespace: 'elsewhere' } }))
    assert.equal(errorsOf(moved), ['OrphanedOutput'])
  })
  test('while a policy sizes it, the groups take over', () => {
    const sized = runOrders(fleet, order(), policy())
    assert.is(ticketsIn(sized).length, 2)
    const now = again(sized, plain)
    assert.equal([errorsOf(now), ticketsIn(now).length, marksOf(now)[0]], [[], 0, 'true'])
  })
  test('a plain Order that nobody rendered from is nobody’s business', () => {
    const result = runOrders(fleet, order({ daemonSet: false }, {}, local()), order({}, {}, { name: 'other' }))
    assert.equal(errorsOf(result), [])
    assert.is(
      result.items.filter(({ object }) => object.kind === 'Order' && object.metadata.name === 'infra').length,
      1,
    )
  })
  test('with an error elsewhere nothing changes', () => {
    const failed = again(first, plain, config({ allow: ['Nonsense'] }))
    assert.equal([failed.failed, ticketsIn(failed).length, marksOf(failed)[0]], [true, 2, 'true'])
  })
})
