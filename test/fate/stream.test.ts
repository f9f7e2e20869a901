/** A stream has no local configuration: what only rendered from it is neither an object that comes, nor one that is kept back anew. */
import * as assert from 'uvu/assert'
import { groupRows } from '../../src/face/index.ts'
import { isLocalConfig } from '../../src/krm/identity.ts'
import { newItem } from '../../src/krm/index.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import type { Plan, PlanOptions } from '../../src/rules/plan.ts'
import { plan } from '../../src/rules/run.ts'
import { codes, config, daemonSet, listOf, policy, shape, TYPE } from '../support/objects.ts'
import { errorsOf, NOON, nodesAt, order } from '../support/orders.ts'
import { said, withSpec } from '../support/rerender.ts'
import { suite } from '../support/suite.ts'

const fleet = (...more: object[]) =>
  nodesAt(NOON, shape({ [TYPE]: 'm5' }, ['a', 'b']), shape({ [TYPE]: 'c5' }, ['c']), ...more)
const sizing = (spec: Record<string, unknown> = {}) =>
  policy({ targetRef: { kind: 'Order', name: 'infra' }, ...spec }, 'p', { namespace: 'ns' })
const agent = () => [fleet(), daemonSet(), policy()]
const plain = order({ daemonSet: false })
/** An Order whose window is closed at noon. */
const NIGHTLY = order({ strategy: { type: 'Scheduled', schedule: '0 2 * * *' } }, { duration: '1h' })

/** What a stream gives, of the objects and what was rendered before, where that is given. */
function streamed(
  objects: readonly KubernetesObject[],
  earlier?: Plan | readonly KubernetesObject[],
  functionConfig?: KubernetesObject,
): Plan {
  const before = earlier === undefined || !('items' in earlier) ? earlier : applied(earlier)
  const options: PlanOptions = { earlier: before && listOf([...before]), keepsFiles: false }
  const items = objects.map((object) => newItem(structuredClone(object)))
  const list = { apiVersion: 'config.kubernetes.io/v1', items, results: [] } as const
  return plan({ ...list, functionConfig: functionConfig && newItem(functionConfig) }, options)
}

/** What is in the output. */
function applied({ items }: Plan): KubernetesObject[] {
  return items.map(({ object }) => object).filter(({ metadata }) => !isLocalConfig(metadata.annotations))
}

const counts = (result: Plan) =>
  [...said(result, 'PolicySummary'), ...said(result, 'OrderSummary')].map((text) => text.replace(/^\w+: /, ''))
const ONCE = ['OrderRetired', 'StaticTemplateRetired', 'HostPortHeld', 'GroupAdded', 'GroupChanged', 'GroupRemoved']
const onceOf = ({ findings }: Plan) => codes(findings).filter((code) => ONCE.includes(code))

suite('a stream, and the same with its output as the earlier one', (test) => {
  const ROWS: Array<[name: string, objects: KubernetesObject[], retired: string, first: RegExp, second: RegExp]> = [
    [
      'a sized Order in DaemonSet mode',
      [fleet(), order(), sizing()],
      'OrderRetired',
      /^2 groups, 3 Tickets, 3 objects added, 0 changed, 0 removed, 0 unchanged, 0 nodes left out$/,
      /^2 groups, 3 Tickets, 0 objects added, 0 changed, 0 removed, 3 unchanged, 0 nodes left out$/,
    ],
    [
      'a plain sized Order',
      [fleet(), plain, sizing()],
      'OrderRetired',
      /^2 groups, 3 nodes, 2 objects added, 0 changed, 0 removed, 0 unchanged/,
      /^2 groups, 3 nodes, 0 objects added, 0 changed, 0 removed, 2 unchanged/,
    ],
    ['an Order', [fleet(), order()], 'OrderRetired', /^3 Tickets, 3 objects added/, /^3 Tickets, 0 objects added/],
    [
      'a DaemonSet with a port of its nodes',
      [
        fleet(),
        daemonSet({ hostNetwork: true, containers: [{ name: 'a', ports: [{ containerPort: 80 }] }] }),
        policy(),
      ],
      'StaticTemplateRetired',
      /^2 groups, 3 nodes, 4 objects added/,
      /^2 groups, 3 nodes, 0 objects added, 0 changed, 0 removed, 4 unchanged/,
    ],
  ]
  for (const [name, objects, retired, first, second] of ROWS) {
    test(name, () => {
      const one = streamed(objects, [])
      assert.equal([errorsOf(one), said(one, retired).length], [[], 1])
      assert.match(counts(one)[0] ?? '', first)
      const two = streamed(objects, one)
      assert.match(counts(two)[0] ?? '', second)
      assert.equal(
        [
          errorsOf(two),
          onceOf(two),
          two.packages[0]?.changes.map(({ kind }) => kind).filter((kind) => kind !== 'unchanged'),
        ],
        [[], [], []],
      )
      assert.equal(applied(two), applied(one))
    })
    test(`${name}, of which nobody says what was rendered before`, () =>
      assert.is(said(streamed(objects), retired).length, 1))
  }
  test('in files that a host keeps, an Order of a group is an object', () => {
    const first = plan(listOf([fleet(), order(), sizing()]))
    assert.match(counts(first)[0] ?? '', /^2 groups, 3 Tickets, 5 objects added/)
    const gone = first.items.filter(({ object }) => object.metadata.name !== 'infra-m5').map(({ object }) => object)
    assert.match(counts(plan(listOf(gone)))[0] ?? '', /1 object added, 0 changed, 0 removed, 4 unchanged/)
  })
  test('of a package that was rendered in place, its marks tell', () => {
    const first = plan(listOf([fleet(), order(), sizing()]))
    const second = streamed(
      [fleet(), order(), sizing()],
      first.items.map(({ object }) => object),
    )
    assert.equal(onceOf(second), [])
    assert.match(counts(second)[0] ?? '', /0 objects added, 0 changed, 0 removed, 3 unchanged/)
  })
})

suite('a group’s Order that is in no output', (test) => {
  const before = streamed([fleet(), order(), sizing()])
  const kinds = (result: Plan) =>
    Object.fromEntries(
      (result.packages[0]?.changes ?? [])
        .filter(({ after }) => after?.object.kind === 'Order')
        .map(({ kind, after }) => [after?.object.metadata.name, kind]),
    )
  test('is new with the first node of its group', () => {
    const more = streamed([fleet(shape({ [TYPE]: 'r5' }, ['d'])), order(), sizing()], before)
    assert.equal(kinds(more), { 'infra-c5': 'unchanged', 'infra-m5': 'unchanged', 'infra-r5': 'added' })
    assert.equal(said(more, 'GroupAdded'), ['Order ns/infra-r5 is new, for value:r5'])
    assert.match(counts(more)[0] ?? '', /^3 groups, 4 Tickets, 1 object added, 0 changed, 0 removed, 3 unchanged/)
  })
  test('is another where its Tickets are, and restarts nothing', () => {
    const guarded = config({ guards: { maxPodsRestarted: 0 } })
    const other = streamed([fleet(), order(), sizing({ resourcePercentages: { requestCPU: 4 } }), guarded], before)
    assert.equal([errorsOf(other), kinds(other)], [[], { 'infra-c5': 'changed', 'infra-m5': 'changed' }])
    assert.is(
      said(other, 'GroupChanged')[0],
      'Order ns/infra-c5 changed: its Tickets differ from those rendered before',
    )
  })
  test('shows what it has, and not what its template had', () => {
    const rowsOf = ({ packages }: Plan) => packages.flatMap(({ planned }) => planned.flatMap((one) => groupRows(one)))
    const shown = (result: Plan) =>
      rowsOf(result).map(({ kind, restart, containers }) => [
        kind,
        restart?.moved ?? 0,
        containers.some(({ amounts }) => amounts.some(({ isBeforeKnown }) => isBeforeKnown)),
      ])
    const again = [fleet(), order(), sizing({ resourcePercentages: { requestCPU: 4 } })]
    assert.equal(
      shown(before),
      [...Array(2)].map(() => ['added', 0, true]),
    )
    assert.equal(
      shown(streamed([fleet(), order(), sizing()], before)),
      [...Array(2)].map(() => ['unchanged', 0, false]),
    )
    assert.equal(
      shown(streamed(again, before)),
      [...Array(2)].map(() => ['changed', 0, false]),
    )
  })
  test('without a Ticket, now as before, is not new where that was seen', () => {
    const closed = streamed([fleet(), NIGHTLY, sizing()])
    assert.equal(applied(closed), [])
    assert.equal([errorsOf(closed), kinds(closed)], [[], { 'infra-c5': 'added', 'infra-m5': 'added' }])
    assert.equal(kinds(streamed([fleet(), NIGHTLY, sizing()], closed)), {
      'infra-c5': 'unchanged',
      'infra-m5': 'unchanged',
    })
  })
})

suite('an Order that the run is not about', (test) => {
  test('is as it was, and nothing is said of it', () => {
    const objects = [fleet(), daemonSet(), order()]
    const whole = streamed([...objects, policy()], [])
    const once = (earlier?: Plan) => said(streamed(objects, earlier, policy()), 'OrderRetired').length
    assert.equal([once(), once(whole)], [0, 0])
  })
})

suite('what was kept back before is said again', (test) => {
  test('where it is no longer applied and nothing is rendered from it', () => {
    const nowhere = policy({ nodeSelector: { pool: 'none' } })
    const allow = config({ allow: ['NoGroups', 'NoNodes', 'LabelNotExported', 'LabelOnNoNode'] })
    const objects = [fleet(), daemonSet(), nowhere, order(), allow]
    const first = streamed(objects, [])
    assert.equal([errorsOf(first), applied(first).map(({ kind }) => kind)], [[], ['Ticket', 'Ticket', 'Ticket']])
    const again = streamed(objects, first)
    assert.equal([said(again, 'StaticTemplateRetired').length, said(again, 'OrderRetired').length], [1, 0])
  })
  test('where what was rendered stands in the package, and its mark is gone', () => {
    const first = streamed([fleet(), order(), sizing()])
    const again = streamed([fleet(), order(), sizing(), ...applied(first)], [daemonSet()])
    assert.equal([errorsOf(again), said(again, 'OrderRetired').length], [[], 1])
  })
  test('where it was applied itself since', () => {
    const objects = agent()
    const off = streamed(
      objects.map((one) => (one.kind === 'SizingPolicy' ? withSpec(one, { enabled: false }) : one)),
      [],
    )
    assert.ok(applied(off).some(({ kind }) => kind === 'DaemonSet'))
    assert.is(said(streamed(objects, off), 'StaticTemplateRetired').length, 1)
  })
  test('where the policy had another target, and this one was applied', () => {
    const first = streamed([...agent(), daemonSet({}, { name: 'other' })])
    const moved = agent().map((one) =>
      one.kind === 'SizingPolicy' ? withSpec(one, { targetRef: { name: 'other' } }) : one,
    )
    const second = streamed([...moved, daemonSet({}, { name: 'other' })], first)
    assert.match(said(second, 'StaticTemplateRetired').join(), 'other is now a template')
  })
})
