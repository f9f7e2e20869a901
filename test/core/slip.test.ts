/** An apiVersion or a kind that is nearly one of ours is told; one of somebody else's is left alone. */
import * as assert from 'uvu/assert'
import { OWN_KINDS } from '../../src/kinds/index.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { plan } from '../../src/rules/run.ts'
import { config, daemonSet, inventory, listOf, policy, shape, TYPE } from '../support/objects.ts'
import { errorsOf, order } from '../support/orders.ts'
import { said } from '../support/rerender.ts'
import { suite } from '../support/suite.ts'

const RIGHT = 'nodefit.dev/v1alpha1'
const NODES = inventory([shape({ [TYPE]: 'm5.large' }, ['a'])])
const AGENT = [NODES, policy(), daemonSet()]
const ofVersion = (object: KubernetesObject, apiVersion: string) => ({ ...object, apiVersion })

const MISTYPED = [
  'nodefti.dev/v1alpha1',
  'nodefit.dev/v1alpah1',
  'nodefit.dev/v1',
  'nodefit.dev',
  'nodefit.dev/',
  'nodefti.dev',
  'nodefit/v1alpha1',
  'nodefti/v1alpha1',
  'nodefit.io/v1alpha1',
  'nodefitdev/v1alpha1',
  'Nodefit.dev/v1alpha1',
  'v1alpha1',
  'v1',
]
const THEIRS = [
  'fleet.example.com/v1',
  'nodefit.example.com/v1',
  'node.dev/v1',
  'benefit.dev/v1',
  'node.k8s.io/v1',
  'apps/v1',
  'skaffold/v4beta10',
  'fleet/v1',
  'fleet.io',
]

suite('what is nearly right', (test) => {
  for (const apiVersion of MISTYPED) {
    test(`the apiVersion ${apiVersion} of a policy, an inventory, a RenderConfig`, () => {
      for (const objects of [
        [NODES, ofVersion(policy(), apiVersion), daemonSet()],
        [ofVersion(NODES, apiVersion), policy(), daemonSet()],
        [...AGENT, ofVersion(config({}), apiVersion)],
      ]) {
        const result = plan(listOf(objects))
        assert.match(said(result, 'UnknownKind')[0] ?? '', `did you mean ${RIGHT}? Use a kind of`)
        const found = result.findings.find(({ code }) => code === 'UnknownKind')
        assert.equal(found?.field, { path: 'apiVersion', currentValue: apiVersion, proposedValue: RIGHT })
      }
    })
    test(`the apiVersion ${apiVersion} of a functionConfig`, () => {
      const [message = ''] = said(plan(listOf(AGENT, ofVersion(policy(), apiVersion))), 'UnknownFunctionConfig')
      assert.match(message, `SizingPolicy agent is not supported: did you mean ${RIGHT}? Pass a SizingPolicy`)
    })
  }
  for (const apiVersion of THEIRS)
    test(`kinds of these names in ${apiVersion} are theirs`, () => {
      for (const kind of OWN_KINDS)
        assert.equal(errorsOf(plan(listOf([...AGENT, { ...policy(), apiVersion, kind }]))), [], kind)
      const [message = ''] = said(plan(listOf(AGENT, ofVersion(policy(), apiVersion))), 'UnknownFunctionConfig')
      assert.match(message, /SizingPolicy agent is not supported\. Pass/)
    })
  test('a kind of ours that is mistyped', () => {
    const mistyped = { ...policy(), kind: 'SizngPolicy' }
    const result = plan(listOf([NODES, daemonSet(), mistyped]))
    assert.match(said(result, 'UnknownKind')[0] ?? '', 'did you mean SizingPolicy? Use a kind')
    const [message = ''] = said(plan(listOf(AGENT, mistyped)), 'UnknownFunctionConfig')
    assert.match(message, 'did you mean SizingPolicy? Pass a SizingPolicy')
  })
  test('a kind of ours that nobody can guess: every kind there is, is named', () => {
    const [message = ''] = said(plan(listOf([{ ...policy(), kind: 'Foo' }])), 'UnknownKind')
    for (const kind of [...OWN_KINDS, 'NodefitTest']) assert.match(message, kind)
    assert.not.match(message, 'Order')
  })
  test('every kind of ours that has a schema is known', () => {
    for (const kind of OWN_KINDS) assert.equal(said(plan(listOf([{ ...policy(), kind }])), 'UnknownKind'), [], kind)
  })
})

suite('an Order that is nearly one of korder', (test) => {
  const KORDER = 'core.korder.dev/v1alpha1'
  const kinds = [order(), { ...order(), kind: 'DaemonOrder' }, order({ daemonSet: false })]
  for (const apiVersion of [
    'core.koder.dev/v1alpha1',
    'core.korder.dev/v1',
    'core.korder.dev',
    'korder.dev/v1alpha1',
    'v1alpha1',
  ])
    test(`the apiVersion ${apiVersion}`, () => {
      for (const object of kinds) {
        const result = plan(listOf([ofVersion(object, apiVersion)]))
        assert.equal(errorsOf(result), ['UnknownKind'])
        assert.match(said(result, 'UnknownKind')[0] ?? '', `did you mean ${KORDER}? Correct the apiVersion`)
        const found = result.findings.find(({ code }) => code === 'UnknownKind')
        assert.equal(found?.field, { path: 'apiVersion', currentValue: apiVersion, proposedValue: KORDER })
      }
    })
  for (const apiVersion of ['acme.cert-manager.io/v1', 'shop.example.com/v1', 'core.example.dev/v1', 'dev/v1'])
    test(`Orders of ${apiVersion} are theirs`, () => {
      assert.equal(errorsOf(plan(listOf([...AGENT, ofVersion(order(), apiVersion)]))), [])
    })
  test('other kinds of korder are not looked at', () => {
    const ticket = { ...order(), kind: 'Ticket', apiVersion: 'core.korder.dev/v1' }
    assert.equal(errorsOf(plan(listOf([...AGENT, ticket]))), [])
  })
})
