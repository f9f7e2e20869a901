/** v1beta1: rendered to the same bytes as v1alpha1, without its second spellings, and refused where it is not a version. */
import * as assert from 'uvu/assert'
import { render } from '../../src/face/render.ts'
import { BETA_KINDS, NODEFIT, NODEFIT_BETA, toBeta } from '../../src/kinds/index.ts'
import { newItem, readResourceList, writeResourceList } from '../../src/krm/index.ts'
import type { Item, KubernetesObject } from '../../src/krm/types.ts'
import { readReleased } from '../../tools/release/released.ts'
import { daemonSet, inventory, listOf, policy, shape, TYPE } from '../support/objects.ts'
import { suite } from '../support/suite.ts'

type Resource = KubernetesObject & { spec?: Record<string, unknown> }

function beta(item: Item): Item {
  const object = toBeta(item.object as Resource)
  return object === item.object ? item : newItem(object)
}
const isInput = ({ object }: Item) => BETA_KINDS.includes(object.kind) && object.apiVersion.startsWith('nodefit.dev/')

/** The items of a list as text, without inputs of ours, which keep the version that they have. */
const applied = (items: readonly Item[]) =>
  writeResourceList({
    apiVersion: 'config.kubernetes.io/v1',
    items: items.filter((item) => !isInput(item)),
    results: [],
  })

suite('both versions render the same bytes', (test) => {
  const packages = Object.entries(readReleased().packages)
  for (const [name, { input }] of packages)
    test(name, () => {
      const list = readResourceList(input)
      const items = list.items.map(beta)
      const before = render(list)
      const after = render({ ...list, items })
      assert.is(applied(after.items), applied(before.items))
      const said = (results: typeof before.results) =>
        results.map(({ message }) => message.replaceAll(NODEFIT_BETA, NODEFIT))
      assert.equal(said(after.results), said(before.results))
      // what is an input stays in its version
      for (const { object } of after.items.filter(isInput)) assert.is(object.apiVersion, NODEFIT_BETA)
    })
  test('each kind that has both is among them', () => {
    const objects = packages.flatMap(([, { input }]) => readResourceList(input).items.map((item) => beta(item).object))
    const kinds = objects.flatMap(({ apiVersion, kind }) => (apiVersion === NODEFIT_BETA ? [kind] : []))
    assert.equal([...new Set(kinds)].sort(), [...BETA_KINDS].sort())
  })
})

const nodes = inventory([shape({ [TYPE]: 'a' }, ['n1'], '4', '16Gi')])
const inBeta = (object: KubernetesObject, apiVersion = NODEFIT_BETA) => ({ ...object, apiVersion })
const errors = (object: KubernetesObject) =>
  render(listOf([object, daemonSet(), nodes])).results.filter(({ severity }) => severity === 'error')

suite('a policy of v1beta1', (test) => {
  const spellings = { gomemlimitPercentage: 0.8 }
  test('is converted to the one spelling of a field, and nothing else changes', () => {
    const { apiVersion, spec } = toBeta(policy(spellings) as Resource)
    assert.is(apiVersion, NODEFIT_BETA)
    assert.is(spec?.goMemLimitPercentage, 0.8)
    assert.not.ok(Object.hasOwn(spec ?? {}, 'gomemlimitPercentage'))
    const { spec: before } = policy({}) as Resource
    assert.equal(toBeta(policy({}) as Resource).spec, before)
  })
  test('is not converted again, nor is what has no such version', () => {
    const once = toBeta(policy({}) as Resource)
    assert.is(toBeta(once), once)
    const action = { apiVersion: NODEFIT, kind: 'NodeAction', metadata: { name: 'a' }, spec: {} }
    assert.is(toBeta(action), action)
    assert.is(toBeta(daemonSet() as Resource).apiVersion, 'apps/v1')
  })
  test('keeps both spellings, which are an error in either version', () => {
    const both = toBeta(policy({ ...spellings, goMemLimitPercentage: 0.7 }) as Resource)
    assert.equal([both.spec?.gomemlimitPercentage, both.spec?.goMemLimitPercentage], [0.8, 0.7])
    assert.is(errors(both).length, 1)
  })
  test('with the second spelling is refused, and told the one that it has', () => {
    const [error, ...others] = errors(inBeta(policy(spellings)))
    assert.match(
      error?.message ?? '',
      'UnknownField: SizingPolicy agent: spec.gomemlimitPercentage is not a field of nodefit.dev/v1beta1 (did you mean goMemLimitPercentage?)',
    )
    assert.is(others.length, 0)
    assert.is(errors(policy(spellings)).length, 0)
  })
  for (const version of ['nodefit.dev/v1', 'nodefit.dev/v1beta2', 'nodefit.dev/v1alpha2', 'nodefit.dev/V1beta1'])
    test(`${version} is refused, with the versions that are read`, () => {
      const [error] = errors(inBeta(policy({}), version))
      assert.match(error?.message ?? '', `UnknownKind: ${version}`)
      assert.match(error?.message ?? '', 'nodefit.dev/v1alpha1')
      assert.match(error?.message ?? '', 'nodefit.dev/v1beta1')
    })
  test('actions have one version: what was signed is not written anew', () => {
    const action = { apiVersion: NODEFIT_BETA, kind: 'NodeAction', metadata: { name: 'a' }, spec: {} }
    assert.match(
      errors(action)[0]?.message ?? '',
      /UnknownKind: .*v1beta1 NodeAction.* did you mean nodefit.dev\/v1alpha1\?/,
    )
  })
})
