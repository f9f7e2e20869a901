/** Renaming, moving and deleting an Order: what is said, and that what is said works. */
import * as assert from 'uvu/assert'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import type { Plan } from '../../../src/rules/plan.ts'
import { plan } from '../../../src/rules/run.ts'
import { codes, config, listOf } from '../../support/objects.ts'
import { errorsOf, NOON, namesOf, nodes, nodesAt, order, runOrders, ticketsIn } from '../../support/orders.ts'
import { suite } from '../../support/suite.ts'

const fleet = nodesAt(NOON, nodes('a', 'b'))
const first = runOrders(fleet, order())
const objectsOf = (result: Plan, kind?: string) =>
  result.items.map(({ object }) => object).filter((object) => kind === undefined || object.kind === kind)
/** The package as it came out, with these in the place of its Order. */
const instead = (...objects: KubernetesObject[]) =>
  plan(listOf([...objectsOf(first).filter(({ kind }) => kind !== 'Order'), ...objects]))
const message = (result: Plan, code: string) => result.findings.find((one) => one.code === code)?.message ?? ''
/** Fields that a mend may name are fields of what it is said of. */
const namesNoField = (text: string) => assert.not.match(text, /spec\.(formerNames|names)/)

suite('an Order that is not there any more', (test) => {
  const renamed = order({}, {}, { name: 'other' })
  const elsewhere = order({}, {}, { namespace: 'other' })
  const ROWS: Array<[name: string, objects: KubernetesObject[], why: RegExp]> = [
    ['deleted', [], /belong to Order\/infra, which is not in the package/],
    ['renamed', [renamed], /belong to Order\/infra, which is not in the package/],
    ['in another namespace', [elsewhere], /belong to Order\/infra, which now renders to namespace other/],
    [
      'plain, in another namespace',
      [order({ daemonSet: false }, {}, { namespace: 'other' })],
      /which renders nothing there now/,
    ],
  ]
  for (const [name, objects, why] of ROWS) {
    const code = objects.includes(elsewhere) ? 'PolicyMoved' : 'OrphanedOutput'
    test(`${name}: its Tickets are ${code}`, () => {
      const result = instead(...objects)
      assert.equal(errorsOf(result), [code])
      assert.match(message(result, code), why)
      namesNoField(message(result, code))
    })
    test(`${name}: allowed, they go and no others do`, () => {
      const result = instead(...objects, config({ allow: [code] }))
      assert.equal(errorsOf(result), [])
      const isPlain = objects.every(({ spec }) => (spec as { daemonSet?: boolean }).daemonSet !== true)
      assert.is(ticketsIn(result).length, isPlain ? 0 : 2)
      assert.not(Object.values(namesOf(result)).some((one) => Object.values(namesOf(first)).includes(one)))
    })
  }
  test('of a policy it still names spec.formerNames', () => {
    const gone = { ...objectsOf(first, 'Ticket')[0] } as KubernetesObject
    const annotations = { ...gone.metadata.annotations, 'nodefit.dev/owner': 'SizingPolicy/p' }
    const result = instead(order(), { ...gone, metadata: { ...gone.metadata, name: 'x', annotations } })
    assert.match(message(result, 'OrphanedOutput'), /spec\.formerNames/)
  })
  test('moved to another package with its Tickets: nothing changes', () => {
    const inside = (object: KubernetesObject, path: string) => {
      const annotations = { ...object.metadata.annotations, 'internal.config.kubernetes.io/package-path': path }
      return { ...object, metadata: { ...object.metadata, annotations } }
    }
    const moved = (tickets: string) =>
      plan(
        listOf([
          ...objectsOf(first).map((object) => inside(object, object.kind === 'Ticket' ? tickets : 'new')),
          inside(order({}, {}, { name: 'stays' }), 'old'),
          inside({ ...fleet, metadata: { name: 'other' } }, 'old'),
        ]),
      )
    assert.equal(errorsOf(moved('new')), [])
    assert.match(message(moved('new'), 'OrderSummary'), /2 unchanged|2 objects added/)
    assert.ok(moved('new').findings.some(({ message: text }) => /^infra: .*0 removed, 2 unchanged/.test(text)))
    assert.equal(
      codes(moved('old').findings).filter((code) => code === 'OrphanedOutput'),
      ['OrphanedOutput'],
    )
  })
})

suite('a Ticket in the way', (test) => {
  test('is not overwritten, and the mend names nothing that an Order has not', () => {
    const [ticket] = objectsOf(first, 'Ticket')
    const result = runOrders(fleet, order(), {
      ...ticket,
      metadata: { name: ticket?.metadata.name, namespace: 'ns' },
    } as KubernetesObject)
    assert.equal(errorsOf(result), ['ForeignObject'])
    namesNoField(message(result, 'ForeignObject'))
  })
})

suite('nothing to render', (test) => {
  test('with a plain Order nobody is told to add a policy', () => {
    const result = runOrders(fleet, order({ daemonSet: false }))
    assert.equal(codes(result.findings), ['NoPolicy'])
    assert.not.match(message(result, 'NoPolicy'), /Add a SizingPolicy/)
    assert.match(message(result, 'NoPolicy'), /daemonSet: true/)
    assert.match(message(runOrders(fleet), 'NoPolicy'), /Add a SizingPolicy/)
  })
})
