/** Groups that go while they serve nodes, where the cluster refuses to delete such: each with the command that lets it go. */
import * as assert from 'uvu/assert'
import type { KubernetesObject } from '../../src/krm/types.ts'
import type { Plan } from '../../src/rules/plan.ts'
import { plan } from '../../src/rules/run.ts'
import { config, daemonSet, inventory, listOf, policy, shape, TYPE } from '../support/objects.ts'
import { errorsOf, NOON } from '../support/orders.ts'
import { rerender, said, withSpec } from '../support/rerender.ts'
import { suite } from '../support/suite.ts'

const nodes = (...types: string[]) =>
  inventory(
    types.map((type) => shape({ [TYPE]: type }, [`${type}-1`, `${type}-2`])),
    { observedAt: NOON },
  )
const guarded = (deletion: boolean) => config({ guards: { deletion, maxGroupsRemoved: null, maxNodesLost: null } })
const first = (deletion = true, template = daemonSet({}, { namespace: 'logging' })) =>
  plan(listOf([nodes('a', 'b'), policy({}, 'agent', { namespace: 'logging' }), template, guarded(deletion)]))
const sized = (spec: object) => (object: KubernetesObject) =>
  object.kind === 'SizingPolicy' ? withSpec(object, spec) : object
/** What goes, and the command it is said with. */
const gone = (result: Plan) => {
  assert.equal(errorsOf(result), [])
  return said(result, 'RemovesServingGroup').map((text) => text.split('. Apply')[0])
}
const line = (name: string, count = '2 nodes') =>
  `DaemonSet logging/${name} is removed but still serves ${count}; to allow its deletion: kubectl -n logging annotate daemonset ${name} nodefit.dev/allow-delete=true --overwrite`

const rows: Array<[name: string, change: (object: KubernetesObject) => KubernetesObject, expected: string[]]> = [
  ['nothing goes', (object) => object, []],
  ['a type whose nodes are gone goes freely', (object) => (object.kind === 'NodeInventory' ? nodes('b') : object), []],
  ['a group that is called otherwise', sized({ names: { a: 'other' } }), [line('agent-a')]],
  ['groups that become one', sized({ classes: { ratio: 2 } }), [line('agent-a'), line('agent-b')]],
  ['a policy that is disabled', sized({ enabled: false }), [line('agent-a'), line('agent-b')]],
]
suite('groups that go where the cluster guards them', (test) => {
  for (const [name, change, expected] of rows) test(name, () => assert.equal(gone(rerender(first(), change)), expected))
  test('nothing is said where the guard is not in use', () =>
    assert.equal(gone(rerender(first(false), sized({ enabled: false }))), []))
  test('where the guard is in use each group says that it may not be deleted, and only there', () => {
    const marks = ({ items }: Plan) =>
      items
        .filter(({ object }) => object.metadata.annotations?.['nodefit.dev/owner'] !== undefined)
        .map(({ object }) => object.metadata.annotations?.['nodefit.dev/allow-delete'])
    assert.equal(marks(first()), ['false', 'false', 'false', 'false'])
    assert.equal(marks(first(false)), [undefined, undefined, undefined, undefined])
    // what somebody wrote into the file is written back
    const allowed = rerender(first(), (object) => {
      const { annotations = {} } = object.metadata
      if (annotations['nodefit.dev/allow-delete'] === undefined) return object
      return {
        ...object,
        metadata: { ...object.metadata, annotations: { ...annotations, 'nodefit.dev/allow-delete': 'true' } },
      }
    })
    assert.equal(marks(allowed), ['false', 'false', 'false', 'false'])
    const unguarded = rerender(first(), (object) => (object.kind === 'RenderConfig' ? guarded(false) : object))
    assert.equal(marks(unguarded), [undefined, undefined, undefined, undefined])
  })
  test('nodes that joined since count, those of another label do not', () => {
    const more = rerender(first(), (object) =>
      object.kind === 'NodeInventory' ? nodes('a', 'b', 'c') : sized({ names: { a: 'other' } })(object),
    )
    assert.equal(gone(more), [line('agent-a')])
  })
  test('without a namespace the command names none', () => {
    const result = plan(listOf([nodes('a'), policy(), daemonSet(), guarded(true)]))
    assert.equal(gone(rerender(result, sized({ names: { a: 'other' } }))), [
      'DaemonSet agent-a is removed but still serves 2 nodes; to allow its deletion: kubectl annotate daemonset agent-a nodefit.dev/allow-delete=true --overwrite',
    ])
  })
  test('of an object that a user made unreadable the count is the one it remembers', () => {
    const broken = rerender(first(), (object) => {
      if (object.metadata.name !== 'agent-a') return sized({ names: { a: 'other' } })(object)
      return withSpec(object, { template: { spec: { tolerations: 5 } } })
    })
    assert.equal(gone(broken), [line('agent-a')])
  })
})
