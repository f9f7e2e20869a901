/** A run for one subject alone: it touches what it is about, and of that it takes no reservation away that a whole run would keep. */
import * as assert from 'uvu/assert'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import type { Plan } from '../../../src/rules/plan.ts'
import { plan } from '../../../src/rules/run.ts'
import { codes, config, daemonSet, listOf, policy } from '../../support/objects.ts'
import { errorsOf, NOON, namesOf, nodes, nodesAt, order, runOrders, ticketsIn } from '../../support/orders.ts'
import { said, withSpec } from '../../support/rerender.ts'
import { suite } from '../../support/suite.ts'

const MANY = ['a', 'b', 'c', 'd']
const fleet = nodesAt(NOON, nodes(...MANY))
const few = nodesAt(NOON, nodes('a'))
const other = order({}, {}, { name: 'other' })
const sizing = (spec: object = {}, name = 'p') =>
  policy({ targetRef: { kind: 'Order', name: 'infra' }, nodeGroupLabel: 'kubernetes.io/os', ...spec }, name, {
    namespace: 'ns',
  })
const objectsOf = (result: Plan) => result.items.map(({ object }) => object)
/** What came out, with these nodes and without the policy's file, given to a run for that policy alone. */
const alone = (first: Plan, subject: KubernetesObject, now = fleet, ...more: KubernetesObject[]) =>
  plan(
    listOf(
      [...objectsOf(first).filter(({ kind }) => !['SizingPolicy', 'NodeInventory'].includes(kind)), now, ...more],
      subject,
    ),
  )
const ownersOf = (result: Plan) => {
  const counts: Record<string, number> = {}
  for (const { metadata } of ticketsIn(result)) {
    const owner = metadata.annotations?.['nodefit.dev/owner'] ?? ''
    counts[owner] = (counts[owner] ?? 0) + 1
  }
  return counts
}
const marksOf = (result: Plan, name: string) => {
  const found = objectsOf(result).find(({ kind, metadata }) => kind === 'Order' && metadata.name === name)
  const { annotations = {} } = found?.metadata ?? {}
  return [annotations['config.kubernetes.io/local-config'], annotations['nodefit.dev/template']]
}

suite('a policy alone', (test) => {
  const first = runOrders(fleet, order(), other)
  test('takes the Tickets of its own Order over, and leaves those of another', () => {
    const sized = alone(first, sizing())
    assert.equal([errorsOf(sized), ownersOf(sized)], [[], { 'SizingPolicy/p': 4, 'Order/other': 4 }])
    assert.match(said(sized, 'PolicySummary')[0] ?? '', /, 4 removed, /)
    assert.equal(said(alone(sized, sizing()), 'PolicySummary').length, 1)
    assert.equal(ownersOf(alone(sized, sizing())), ownersOf(sized))
  })
  test('is held against what its Order had', () =>
    assert.match(
      said(alone(first, sizing(), few), 'GuardTripped')[0] ?? '',
      'p: 4 nodes had a Ticket, 1 would have one;',
    ))
  const SUBJECTS: Array<[name: string, subject: KubernetesObject, own: string]> = [
    ['of a DaemonSet', policy({ nodeGroupLabel: 'kubernetes.io/os' }), ''],
    ['of another Order', sizing(), 'infra'],
    ['that is disabled', sizing({ enabled: false }), 'infra'],
  ]
  for (const [name, subject, own] of SUBJECTS)
    test(`${name}: an Order that it is not about leaves as it came`, () => {
      const result = plan(listOf([fleet, order(), other, daemonSet()], subject))
      assert.equal(errorsOf(result), [])
      assert.equal(marksOf(result, 'other'), [undefined, undefined])
      assert.equal(marksOf(result, 'infra'), own === 'infra' ? ['true', 'true'] : [undefined, undefined])
      assert.equal(codes(result.findings).filter((code) => code === 'OrderRetired').length, own === '' ? 0 : 1)
    })
  test('so does an Order of another package', () => {
    const elsewhere = { 'internal.config.kubernetes.io/package-path': 'far' }
    const far = order({}, {}, { name: 'far', annotations: elsewhere })
    const result = plan(listOf([fleet, order(), far], sizing()))
    assert.equal([errorsOf(result), marksOf(result, 'far')], [[], [undefined, undefined]])
  })
})

suite('a disabled policy alone', (test) => {
  const first = runOrders(fleet, order(), other, sizing())
  const off = sizing({ enabled: false })
  const result = alone(first, off)
  test('hands its Order back as a run of the whole package does, with a Ticket on each node', () => {
    const whole = plan(
      listOf(objectsOf(first).map((one) => (one.kind === 'SizingPolicy' ? withSpec(one, { enabled: false }) : one))),
    )
    assert.equal([errorsOf(result), ownersOf(result)], [[], { 'Order/infra': 4, 'Order/other': 4 }])
    assert.equal([namesOf(result), marksOf(result, 'infra')], [namesOf(whole), marksOf(whole, 'infra')])
  })
  test('and goes on doing so, for nodes that come as well', () => {
    const second = alone(result, off)
    assert.equal(
      ticketsIn(second).map(({ metadata }) => metadata.name),
      ticketsIn(result).map(({ metadata }) => metadata.name),
    )
    assert.is(ownersOf(alone(second, off, nodesAt(NOON, nodes(...MANY, 'e'))))['Order/infra'], 5)
  })
  test('is held against what it had', () =>
    assert.match(
      said(alone(first, off, few), 'GuardTripped')[0] ?? '',
      'infra: 4 nodes had a Ticket, 1 would have one;',
    ))
  test('an Order of the same name in another namespace is no reason to leave it without', () => {
    const far = order({}, {}, { namespace: 'far' })
    const farPolicy = { ...sizing({}, 'far'), metadata: { name: 'far', namespace: 'far' } }
    const two = alone(runOrders(fleet, order(), far, sizing(), farPolicy), off)
    assert.equal([errorsOf(two), ownersOf(two)], [[], { 'Order/infra': 4, 'SizingPolicy/far': 4 }])
  })
  test('leaves it alone while another policy’s Tickets of it are there', () => {
    const labelled = (pool: string, ...names: string[]) => ({ ...nodes(...names), labels: { pool } })
    const pools = nodesAt(NOON, labelled('a', 'a', 'b'), labelled('b', 'c', 'd'))
    const of = (pool: string, spec: object = {}) =>
      sizing({ nodeGroupLabel: 'pool', nodeSelector: { pool }, ...spec }, pool)
    const both = runOrders(pools, order(), of('a'), of('b'))
    assert.equal(ownersOf(both), { 'SizingPolicy/a': 2, 'SizingPolicy/b': 2 })
    const one = alone(both, of('a', { enabled: false }), pools)
    assert.equal([errorsOf(one), ownersOf(one)], [[], { 'SizingPolicy/b': 2 }])
    assert.equal(marksOf(one, 'infra'), ['true', 'true'])
  })
  test('an Order that cannot be read stops it', () => {
    const wrong = objectsOf(first).map((one) =>
      one.metadata.name === 'infra' ? withSpec(one, { template: { spec: { duration: 'soon' } } }) : one,
    )
    const stopped = alone({ ...first, items: listOf(wrong).items }, off)
    assert.ok(stopped.failed)
    assert.is(ownersOf(stopped)['SizingPolicy/p'], 4)
  })
  test('a plain Order is handed back as it is', () => {
    const plain = order({ daemonSet: false })
    const handed = alone(runOrders(fleet, plain, sizing()), off)
    assert.equal([errorsOf(handed), ticketsIn(handed).length], [[], 0])
    assert.equal(marksOf(handed, 'infra'), [undefined, undefined])
  })
  test('a suspended one keeps what it had', () => {
    const kept = alone(first, sizing({ enabled: false, suspend: true }), few, config({}))
    assert.equal([errorsOf(kept), ownersOf(kept)], [[], ownersOf(first)])
    assert.equal(marksOf(kept, 'infra'), ['true', 'true'])
  })
})
