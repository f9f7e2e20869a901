/** A policy that is lost fails the run where somebody said which policies there are; so does one that nobody named. */
import * as assert from 'uvu/assert'
import type { Expected } from '../../src/kinds/index.ts'
import { newItem } from '../../src/krm/index.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import { plan } from '../../src/rules/run.ts'
import { config, daemonSet, inventory, listOf, policy, shape, TYPE } from '../support/objects.ts'
import { errorsOf, order } from '../support/orders.ts'
import { said } from '../support/rerender.ts'
import { suite } from '../support/suite.ts'

const NODES = inventory([shape({ [TYPE]: 'm5.large' }, ['a'])])
const template = (name: string) => {
  const labels = { app: name }
  const pod = { metadata: { labels }, spec: { containers: [{ name, image: `${name}:1` }] } }
  return { ...daemonSet({}, { name }), spec: { selector: { matchLabels: labels }, template: pod } }
}
const of = (name: string, spec: object = {}) => [policy({ targetRef: { name }, ...spec }, name), template(name)]
const agents = (...names: string[]) => names.flatMap((name) => of(name))
const withAnnotation = (object: KubernetesObject, key: string): KubernetesObject => {
  const { metadata } = object
  return { ...object, metadata: { ...metadata, annotations: { ...metadata.annotations, [key]: '1' } } }
}
const ROWS: Array<[name: string, expect: Expected, objects: KubernetesObject[], errors: string[], words?: string]> = [
  ['the number', { policies: 2 }, agents('a', 'b'), []],
  [
    'fewer than the number',
    { policies: 2 },
    agents('a'),
    ['PolicyMissing'],
    'RenderConfig config expects SizingPolicies to number 2, but there is 1: a. Restore the policy',
  ],
  ['none of the number', { policies: 1 }, [], ['PolicyMissing'], 'to number 1, but there are none'],
  [
    'more than the number',
    { policies: 1 },
    agents('b', 'a'),
    ['PolicyNotExpected'],
    'to number 1, but there are 2: a, b. Add it to spec.expect',
  ],
  ['none, as expected', { policies: 0 }, [], []],
  ['the names', { policyNames: ['b', 'a'] }, agents('a', 'b'), []],
  [
    'a name less',
    { policyNames: ['a', 'b', 'c'] },
    agents('c'),
    ['PolicyMissing'],
    'SizingPolicy a, b, but there is c',
  ],
  ['a name more', { policyNames: ['a'] }, agents('a', 'b'), ['PolicyNotExpected'], 'expects SizingPolicy a, but not b'],
  ['another name', { policyNames: ['a'], policies: 1 }, agents('b'), ['PolicyMissing', 'PolicyNotExpected']],
  ['a disabled policy counts', { policies: 1 }, of('a', { enabled: false }), []],
  ['an Order is no policy', { policies: 0, orders: 1 }, [order({ daemonSet: true })], []],
  ['an Order less', { orders: 1 }, agents('a'), ['PolicyMissing'], 'expects Orders in DaemonSet mode to number 1'],
]

suite('a package that has', (test) => {
  for (const [name, expect, objects, errors, words = ''] of ROWS) {
    test(`${name}: as its RenderConfig expects`, () => {
      const result = plan(listOf([NODES, ...objects, config({ expect })]))
      assert.equal(errorsOf(result), errors)
      if (errors.length > 0) assert.match(said(result, errors[0] ?? '')[0] ?? '', words)
    })
    test(`${name}: as the caller expects`, () => {
      const result = plan(listOf([NODES, ...objects]), { expect })
      assert.equal(errorsOf(result), errors)
      assert.is(result.failed, errors.length > 0)
    })
  }
  test('a name of the RenderConfig and a number of the caller: both hold', () => {
    const result = plan(listOf([NODES, ...agents('a'), config({ expect: { policyNames: ['a'] } })]), {
      expect: { policies: 2 },
    })
    assert.equal(errorsOf(result), ['PolicyMissing'])
    assert.match(said(result, 'PolicyMissing')[0] ?? '', 'this run expects SizingPolicies to number 2')
  })
  test('a policy that is the functionConfig counts once, in the package or not', () => {
    const [asked = policy()] = of('a')
    const run = (items: KubernetesObject[], policies: number) =>
      errorsOf(plan(listOf([NODES, template('a'), ...items, config({ expect: { policies } })], asked)))
    assert.equal([run([asked], 1), run([], 1), run([asked], 2)], [[], [], ['PolicyMissing']])
  })
  test('flat keys are no policy of the package, and hide none that is lost; the caller, who gives them, counts them', () => {
    const flat = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'function-input' },
      data: { target: 'b', requestCPU: '2', requestMemory: '2', limitCPU: '5', limitMemory: '5' },
    }
    const run = (items: KubernetesObject[], expect: Expected, ofCaller: Expected = {}) =>
      errorsOf(plan(listOf([NODES, template('b'), ...items, config({ expect })], flat), { expect: ofCaller }))
    assert.equal(run(of('a'), { policies: 1 }), [])
    assert.equal(run(of('a'), { policyNames: ['a'] }), [])
    assert.equal(run([], { policies: 1 }), ['PolicyMissing'])
    assert.equal(run(of('a'), {}, { policyNames: ['a', 'b'] }), [])
    assert.equal(run(of('a'), {}, { policyNames: ['a'] }), ['PolicyNotExpected'])
  })
  test('a package of which only a part is shown is not held against a number', () => {
    const shown = config({ expect: { policies: 1 } })
    const given = [withAnnotation(shown, 'internal.config.k8s.io/kpt-resource-id')]
    assert.equal(errorsOf(plan(listOf(given))), ['SelectorsInUse'])
  })
})

suite('several packages', (test) => {
  const within = (path: string, objects: KubernetesObject[]) =>
    listOf(objects).items.map(({ object }) =>
      newItem({
        ...object,
        metadata: {
          ...object.metadata,
          annotations: { ...object.metadata.annotations, 'internal.config.kubernetes.io/package-path': path },
        },
      }),
    )
  const items = (...configs: KubernetesObject[]) => [
    ...within('/p', [NODES, ...agents('a'), ...configs]),
    ...within('/p/q', [NODES, ...agents('b', 'c')]),
  ]
  const list = (given: ReturnType<typeof items>, functionConfig?: KubernetesObject) => ({
    ...listOf([], functionConfig),
    items: given,
  })
  test('a RenderConfig of a package expects the policies of that package', () => {
    assert.equal(errorsOf(plan(list(items(config({ expect: { policies: 1 } }))))), [])
    assert.equal(errorsOf(plan(list(items(config({ expect: { policies: 3 } }))))), ['PolicyMissing'])
  })
  test('a policy that kustomize moved or renamed counts once, by the name in its file', () => {
    const moved = (metadata: { name: string; namespace?: string }, written: string) => {
      const annotations = {
        'internal.config.kubernetes.io/previousNames': written,
        'internal.config.kubernetes.io/previousNamespaces': 'default',
      }
      return { object: { ...policy(), metadata: { ...metadata, annotations } } }
    }
    const file = { ...policy(), metadata: { name: 'agent' } }
    for (const expect of [{ policies: 1 }, { policyNames: ['agent'] }])
      for (const metadata of [{ name: 'agent', namespace: 'eu' }, { name: 'eu-agent' }]) {
        const given = [moved(metadata, 'agent'), ...listOf([config({ expect })]).items]
        const codes = plan({ ...listOf([], file), items: given }).findings.map(({ code }) => code)
        assert.not.ok(
          codes.some((code) => code.startsWith('Policy') && code !== 'PolicySummary'),
          codes.join(),
        )
      }
    // a policy of that name that is written for another namespace is another
    const elsewhere = moved({ name: 'agent', namespace: 'logging' }, 'agent').object
    elsewhere.metadata.annotations['internal.config.kubernetes.io/previousNamespaces'] = 'logging'
    const apart = plan({
      ...listOf([], file),
      items: [{ object: elsewhere }, ...listOf([config({ expect: { policies: 2 } })]).items],
    })
    assert.not.ok(apart.findings.some(({ code }) => code === 'PolicyMissing'))
    const two = [moved({ name: 'eu-agent' }, 'agent'), moved({ name: 'us-agent' }, 'agent')]
    const given = [...two, ...listOf([config({ expect: { policies: 1 } })]).items]
    const codes = plan({ ...listOf([], file), items: given }).findings.map(({ code }) => code)
    assert.ok(codes.includes('PolicyNotExpected'), 'two that come from one file are two')
  })
  test('the functionConfig and the caller expect those of all packages, once', () => {
    assert.equal(errorsOf(plan(list(items(), config({ expect: { policies: 3 } })))), [])
    assert.equal(errorsOf(plan(list(items(), config({ expect: { policies: 4 } })))), ['PolicyMissing'])
    assert.equal(errorsOf(plan(list(items()), { expect: { policyNames: ['c', 'b', 'a'] } })), [])
    assert.equal(errorsOf(plan(list(items()), { expect: { policies: 1 } })), ['PolicyNotExpected'])
  })
})
