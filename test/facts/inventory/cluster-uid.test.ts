/** Clusters of one name: inventories, snapshots, output and actions that are of another uid. */
import * as assert from 'uvu/assert'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { plan } from '../../../src/rules/run.ts'
import { actionPolicy, nodesAt, snapshot } from '../../support/action-package.ts'
import { keyringItem, signedAction, T } from '../../support/actions.ts'
import { usage } from '../../support/fit.ts'
import { config, daemonSet, inventory, listOf, node, policy, rendered, shape, TYPE } from '../../support/objects.ts'
import { errorsOf } from '../../support/orders.ts'
import { rerender, said, withSpec } from '../../support/rerender.ts'
import { suite } from '../../support/suite.ts'

const [BLUE, GREEN] = [1, 2].map((digit) => `${digit}0000000-0000-4000-8000-000000000000`) as [string, string]
const UID = 'nodefit.dev/cluster-uid'
const fleet = (clusterUid?: unknown, names = ['a'], name = 'prod') => {
  const made = inventory([shape({ [TYPE]: 'm5.large' }, names)], clusterUid === undefined ? {} : { clusterUid })
  return { ...made, metadata: { name } }
}
const uidsIn = (items: ReturnType<typeof plan>['items']) => [
  ...new Set([...rendered(items).values()].map(({ metadata }) => metadata.annotations?.[UID])),
]
const to = (made: KubernetesObject) => (object: KubernetesObject) => (object.kind === 'NodeInventory' ? made : object)

suite('the uid of a cluster', (test) => {
  test('is recorded on what is rendered, and stays where a run does not know it', () => {
    const first = plan(listOf([fleet(BLUE), policy(), daemonSet()]))
    assert.equal(uidsIn(first.items), [BLUE])
    const blind = rerender(first, to(fleet()))
    assert.equal(errorsOf(blind), [])
    assert.equal(uidsIn(blind.items), [BLUE])
    assert.equal(uidsIn(plan(listOf([fleet(), policy(), daemonSet()])).items), [undefined])
  })
  test('that is known from now on restarts nothing', () => {
    const before = plan(listOf([fleet(), policy(), daemonSet()]))
    const after = rerender(before, to(fleet(BLUE)))
    assert.equal([errorsOf(after), said(after, 'PodsRestart')], [[], []])
    const [was, is] = [before, after].map(({ items }) =>
      [...rendered(items).values()].map(({ spec }) => JSON.stringify(spec)),
    )
    assert.equal(is, was)
    assert.equal(uidsIn(after.items), [BLUE])
  })
  test('of output that is another one is an error, once allowed', () => {
    const first = plan(listOf([fleet(BLUE), policy(), daemonSet()]))
    const other = rerender(first, to(fleet(GREEN)))
    assert.equal(errorsOf(other), ['OutputOfOtherCluster'])
    assert.match(
      said(other, 'OutputOfOtherCluster')[0] ?? '',
      `the uid ${BLUE}, but the nodes are of the one with ${GREEN}`,
    )
    const allowed = rerender(first, (object) =>
      object.kind === 'NodeInventory' ? [fleet(GREEN), config({ allow: ['OutputOfOtherCluster'] })] : object,
    )
    assert.equal(errorsOf(allowed), [])
    assert.equal(uidsIn(allowed.items), [GREEN])
    assert.equal(errorsOf(rerender(allowed, (object) => (object.kind === 'RenderConfig' ? [] : object))), [])
  })
  for (const [name, objects, errors] of [
    ['two of one name are several clusters', [fleet(BLUE), fleet(GREEN, ['b'], 'two')], ['SeveralClusters']],
    ['one that is not known may be the same', [fleet(BLUE), fleet(undefined, ['b'], 'two')], []],
    ['no uid is refused', [fleet('prod')], ['InventoryInvalid']],
    ['a number is refused', [fleet(7)], ['InventoryInvalid']],
    ['a snapshot of another one is refused', [fleet(BLUE), usage([], [], { clusterUid: GREEN })], ['WrongCluster']],
    ['a snapshot of the same is not', [fleet(BLUE), usage([], [], { clusterUid: BLUE })], []],
    ['nor one without', [fleet(BLUE), usage([])], []],
    ['nor one beside an inventory without', [fleet(), usage([], [], { clusterUid: GREEN })], []],
    ['a snapshot with no uid is refused', [fleet(BLUE), usage([], [], { clusterUid: 'x' })], ['InvalidField']],
    ['Nodes have none', [node('a', { [TYPE]: 'm5.large' })], []],
  ] as const)
    test(name, () => assert.equal(errorsOf(plan(listOf([...objects, policy(), daemonSet()]))), [...errors]))
  test('several clusters with names of their own may be in one package', () => {
    const eu = withSpec(fleet(GREEN, ['b'], 'eu'), { cluster: 'eu' })
    const policies = [policy({ cluster: 'prod' }), policy({ cluster: 'eu', targetRef: { name: 'other' } }, 'other')]
    const labels = { app: 'other' }
    const template = { metadata: { labels }, spec: { containers: [{ name: 'agent', image: 'agent:1' }] } }
    const other = { ...daemonSet({}, { name: 'other' }), spec: { selector: { matchLabels: labels }, template } }
    const both = plan(listOf([fleet(BLUE), eu, ...policies, daemonSet(), other]))
    assert.equal(errorsOf(both), [])
    assert.equal(uidsIn(both.items).sort(), [BLUE, GREEN])
  })
})

suite('an action for a uid', (test) => {
  const nodes = (clusterUid?: string) => {
    const [fleetOf, ...rest] = [nodesAt(T)].flat()
    return [withSpec(fleetOf as KubernetesObject, clusterUid === undefined ? {} : { clusterUid }), ...rest]
  }
  const action = (clusterUid?: string) =>
    signedAction({
      ...{ id: 'act-1', type: 'cordonNode', sequence: 1, target: { kind: 'Node', name: 'small-000002' } },
      ...(clusterUid === undefined ? {} : { clusterUid }),
    })
  const run = (uid: string | undefined, forUid?: string) =>
    plan(listOf([...nodes(uid), actionPolicy(), keyringItem(), action(forUid)]))
  for (const [name, uid, forUid, errors] of [
    ['of this cluster is rendered', BLUE, BLUE, []],
    ['of another is refused', BLUE, GREEN, ['ActionOfOtherCluster']],
    ['is rendered where nobody knows it', undefined, GREEN, []],
    ['is not needed', BLUE, undefined, []],
    ['that is none is refused', BLUE, 'x', ['InvalidField']],
  ] as const)
    test(name, () => assert.equal(errorsOf(run(uid, forUid)), [...errors]))
  test('is signed: another one does not fit the signature', () => {
    const signed = action(BLUE)
    const changed = withSpec(signed, { clusterUid: GREEN })
    assert.equal(errorsOf(plan(listOf([...nodes(GREEN), actionPolicy(), keyringItem(), changed]))), ['BadSignature'])
  })
  test('takes no outcome of another cluster of the name', () => {
    const signed = action()
    const outcomes = (clusterUid: string) => withSpec(snapshot({ outcomes: [] }), { clusterUid })
    const both = plan(listOf([...nodes(BLUE), actionPolicy(), keyringItem(), signed, outcomes(GREEN)]))
    assert.equal(errorsOf(both), ['WrongCluster'])
  })
})
