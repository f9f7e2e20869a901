/** The instance label of an Order is said where what is rendered carries it, and nowhere else. */
import * as assert from 'uvu/assert'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import type { Plan } from '../../../src/rules/plan.ts'
import { plan } from '../../../src/rules/run.ts'
import { daemonSet, inventory, listOf, policy, shape, TYPE } from '../../support/objects.ts'
import { errorsOf, NOON, order } from '../../support/orders.ts'
import { rerender, said, withSpec } from '../../support/rerender.ts'
import { suite } from '../../support/suite.ts'

const INSTANCE = 'app.kubernetes.io/instance'
const LABELS = { [INSTANCE]: 'argo' }
const NODES = inventory([shape({ [TYPE]: 'm5' }, ['a']), shape({ [TYPE]: 'c5' }, ['b'])], { observedAt: NOON })
const SIZING = policy({ targetRef: { kind: 'Order', name: 'infra' } }, 'p', { namespace: 'ns' })
const TEMPLATE = { metadata: { labels: LABELS }, spec: { duration: '24h' } }
const ON_TICKETS = 'spec.template.metadata.labels'

/** Where the labels are, whether the Order is in DaemonSet mode, whether a policy sizes it, and the field that is named. */
const CASES: Array<[name: string, order: KubernetesObject, isSized: boolean, path: string | undefined]> = [
  ['of the Tickets', order({ template: TEMPLATE }), false, ON_TICKETS],
  ['of the Tickets of a policy', order({ template: TEMPLATE }), true, ON_TICKETS],
  ['of an Order whose Tickets do not have it', order({}, {}, { labels: LABELS }), false, undefined],
  ['of an Order whose groups are local configuration', order({}, {}, { labels: LABELS }), true, undefined],
  [
    'of an Order that is applied per group',
    order({ daemonSet: false }, {}, { labels: LABELS }),
    true,
    'metadata.labels',
  ],
  ['of Tickets that korder makes', order({ daemonSet: false, template: TEMPLATE }), true, undefined],
  ['of no node', order({ template: { ...TEMPLATE, spec: { duration: '24h', nodeName: 'gone' } } }), false, undefined],
]

const found = (result: Plan) => result.findings.filter(({ code }) => code === 'InstanceLabelCopied')
const isCarried = ({ items }: Plan) =>
  items.some(
    ({ object: { metadata } }) =>
      metadata.labels?.[INSTANCE] !== undefined &&
      metadata.annotations?.['nodefit.dev/owner'] !== undefined &&
      metadata.annotations['config.kubernetes.io/local-config'] !== 'true',
  )

suite('the instance label', (test) => {
  for (const [name, source, isSized, path] of CASES)
    test(name, () => {
      const result = plan(listOf([NODES, source, ...(isSized ? [SIZING] : [])]))
      assert.equal(
        found(result).map(({ field, subject }) => [field, subject?.kind]),
        path === undefined ? [] : [[{ path, currentValue: 'argo' }, 'Order']],
      )
      assert.is(isCarried(result), path !== undefined)
    })
  for (const isSized of [false, true])
    test(`of Tickets that are kept, ${isSized ? 'sized' : 'plain'}`, () => {
      const first = plan(listOf([NODES, order({ template: TEMPLATE }), ...(isSized ? [SIZING] : [])]))
      const paused = rerender(first, (object) =>
        object.kind === 'Order' && object.metadata.name === 'infra' ? withSpec(object, { paused: true }) : object,
      )
      assert.equal([errorsOf(paused), found(paused).length], [[], 1])
    })
  test('that is no text is said to be none', () => {
    const labels = { [INSTANCE]: { a: 'b' } } as never
    const onTickets = order({ template: { ...TEMPLATE, metadata: { labels } } })
    const agent = daemonSet({}, { labels })
    for (const objects of [[onTickets], [onTickets, SIZING], [order({}, {}, { labels }), SIZING], [agent, policy()]]) {
      const result = plan(listOf([NODES, ...objects]))
      assert.is(errorsOf(result).length, 1)
      assert.equal(said(result, 'InstanceLabelCopied'), [])
    }
  })
})
