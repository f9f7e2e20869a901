/**
 * Output that later functions of a pipeline moved or labelled. The functions here do what those of the catalog do: they
 * leave local configuration alone.
 */
import * as assert from 'uvu/assert'
import { isLocalConfig } from '../../src/krm/identity.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import type { Plan } from '../../src/rules/plan.ts'
import { plan } from '../../src/rules/run.ts'
import { daemonSet, inventory, listOf, policy, rendered, shape, TYPE } from '../support/objects.ts'
import { errorsOf } from '../support/orders.ts'
import { rerender, said } from '../support/rerender.ts'
import { suite } from '../support/suite.ts'

type Step = (object: KubernetesObject) => KubernetesObject
const CLUSTER_WIDE = ['NodeInventory']
const setNamespace =
  (namespace: string): Step =>
  (object) =>
    isLocalConfig(object.metadata.annotations) || CLUSTER_WIDE.includes(object.kind)
      ? object
      : { ...object, metadata: { ...object.metadata, namespace } }
const setLabels =
  (labels: Record<string, string>): Step =>
  (object) => {
    if (isLocalConfig(object.metadata.annotations)) return object
    const metadata = { ...object.metadata, labels: { ...object.metadata.labels, ...labels } }
    if (object.kind !== 'DaemonSet') return { ...object, metadata }
    const spec = structuredClone(object.spec) as {
      selector: { matchLabels: object }
      template: { metadata: { labels: object } }
    }
    Object.assign(spec.selector.matchLabels, labels)
    Object.assign(spec.template.metadata.labels, labels)
    return { ...object, metadata, spec }
  }
const NODES = inventory([shape({ [TYPE]: 'm5.large' }, ['a']), shape({ [TYPE]: 'c5.large' }, ['b'])])
const LOCAL = { annotations: { 'config.kubernetes.io/local-config': 'true' } }
const within = (namespace: string | undefined) => (namespace === undefined ? {} : { namespace })
const objectsOf = (namespace?: string, own: string | undefined = namespace, spec: Record<string, unknown> = {}) => [
  { ...NODES, metadata: { ...NODES.metadata, ...LOCAL } },
  policy({ retainGroups: 0, ...spec }, 'agent', { ...within(own === 'none' ? undefined : own), ...LOCAL }),
  daemonSet({}, within(namespace)),
]
const placesOf = ({ items }: Plan) => [
  ...new Set([...rendered(items).values()].map(({ metadata }) => metadata.namespace)),
]
const outputOf = ({ items }: Plan) => [...rendered(items).values()]
/** What a pipeline of nodefit and a function behind it leaves. */
const behind = (made: Plan, step: Step) => ({
  ...made,
  items: listOf(made.items.map(({ object }) => step(object))).items,
})
const ofPolicy =
  (change: (spec: object) => object): Step =>
  (object) =>
    object.kind === 'SizingPolicy' ? { ...object, spec: change(object.spec as object) } : object
const same: Step = (object) => object

suite('output that a later function moved', (test) => {
  for (const [name, template, own] of [
    ['of a policy with a namespace', 'logging', 'logging'],
    ['of a policy without one', 'logging', 'none'],
    ['of a package without any', undefined, undefined],
  ] as const) {
    const first = behind(plan(listOf(objectsOf(template, own))), setNamespace('x'))
    test(`${name}: is rendered there, unchanged, as often as you like`, () => {
      assert.equal(placesOf(first), ['x'])
      const second = rerender(first, same)
      assert.equal([errorsOf(second), placesOf(second)], [[], ['x']])
      assert.equal(outputOf(second), outputOf(first))
      assert.equal(outputOf(rerender(behind(second, setNamespace('x')), same)), outputOf(first))
    })
    test(`${name}: is moved on, and gets new groups there`, () => {
      const moved = rerender(behind(rerender(first, same), setNamespace('y')), (object) =>
        object.kind === 'NodeInventory'
          ? {
              ...object,
              spec: inventory([shape({ [TYPE]: 'm5.large' }, ['a']), shape({ [TYPE]: 'r5.large' }, ['c'])]).spec,
            }
          : object,
      )
      assert.equal([errorsOf(moved), placesOf(moved)], [[], ['y']])
      assert.ok(rendered(moved.items).has('agent-r5-large'))
      assert.not.ok(rendered(moved.items).has('agent-c5-large'))
    })
    test(`${name}: is removed where the policy is disabled, and suspended where it is`, () => {
      const off = rerender(
        first,
        ofPolicy((spec) => ({ ...spec, enabled: false })),
      )
      assert.equal([errorsOf(off), outputOf(off)], [[], []])
      const held = rerender(
        first,
        ofPolicy((spec) => ({ ...spec, suspend: true })),
      )
      assert.equal([errorsOf(held), outputOf(held)], [[], outputOf(first)])
    })
    test(`${name}: a policy that is lost leaves it as OrphanedOutput`, () => {
      const lost = rerender(first, (object) => (object.kind === 'SizingPolicy' ? [] : object))
      assert.equal(errorsOf(lost), ['OrphanedOutput'])
    })
  }
  test('is given beside the input as well', () => {
    const first = behind(plan(listOf(objectsOf('logging'))), setNamespace('x'))
    const earlier = listOf(outputOf(first))
    const second = plan(listOf(objectsOf('logging')), { earlier })
    assert.equal([errorsOf(second), placesOf(second)], [[], ['x']])
  })
  test('of two policies of one name, from two namespaces into one: each its own', () => {
    const template = (namespace: string) => {
      const labels = { app: namespace }
      const pod = { metadata: { labels }, spec: { containers: [{ name: 'agent', image: 'agent:1' }] } }
      return {
        ...daemonSet({}, { name: namespace, namespace }),
        spec: { selector: { matchLabels: labels }, template: pod },
      }
    }
    const of = (namespace: string) => [
      policy({ targetRef: { name: namespace } }, 'agent', { namespace, ...LOCAL }),
      template(namespace),
    ]
    const first = behind(plan(listOf([NODES, ...of('a'), ...of('b')])), setNamespace('x'))
    const second = rerender(first, same)
    assert.equal(errorsOf(second), [])
    assert.equal(outputOf(second), outputOf(first))
  })
  test('in two namespaces is where no function put it: PolicyMoved', () => {
    const first = plan(listOf(objectsOf('logging')))
    const torn = rerender(first, (object) => {
      const isOurs = object.metadata.annotations?.['nodefit.dev/owner'] !== undefined
      const namespace = object.metadata.name === 'agent-m5-large' ? 'x' : 'y'
      return isOurs ? { ...object, metadata: { ...object.metadata, namespace } } : object
    })
    assert.equal(errorsOf(torn), ['PolicyMoved'])
  })
  test('a function before nodefit that moved the template: the mend, followed', () => {
    const before = (objects: readonly KubernetesObject[]) => plan(listOf(objects.map(setNamespace('x'))))
    const refused = before(objectsOf('logging'))
    assert.equal(errorsOf(refused), ['TargetMissing'])
    assert.match(said(refused, 'TargetMissing')[0] ?? '', 'let it run behind nodefit-fn')
    const mended = before(objectsOf('logging', 'none'))
    assert.equal([errorsOf(mended), placesOf(mended)], [[], ['x']])
    assert.equal(outputOf(rerender(mended, setNamespace('x'))), outputOf(mended))
    const moved = rerender(mended, setNamespace('y'))
    assert.equal([errorsOf(moved), placesOf(moved)], [[], ['y']])
  })
})

suite('output that a later function labelled', (test) => {
  const labelled = (spec: Record<string, unknown> = {}) =>
    behind(plan(listOf(objectsOf('logging', 'logging', spec))), setLabels({ tier: 'x' }))
  test('keeps the labels: selector, pods and object', () => {
    const first = labelled()
    const second = rerender(first, same)
    assert.equal(errorsOf(second), [])
    assert.equal(outputOf(second), outputOf(first))
    assert.equal(outputOf(rerender(behind(second, setLabels({ tier: 'x' })), same)), outputOf(first))
  })
  test('is paced as if nothing had changed', () => {
    const spec = { rollout: { maxNodes: 1, every: '10m' } }
    const nodes = { ...NODES, spec: { ...(NODES.spec as object), observedAt: '2026-11-20T12:00:00Z' } }
    const first = behind(
      plan(listOf([nodes, ...objectsOf('logging', 'logging', spec).slice(1)])),
      setLabels({ tier: 'x' }),
    )
    const second = rerender(first, same)
    assert.equal(errorsOf(second), [])
    assert.equal(outputOf(second), outputOf(first))
  })
  test('a label of the template itself that is dropped is still SelectorChanged', () => {
    const withTier = (object: KubernetesObject) =>
      object.kind === 'DaemonSet' && object.metadata.name === 'agent' ? setLabels({ tier: 'x' })(object) : object
    const first = plan(listOf(objectsOf('logging').map(withTier)))
    const plain = daemonSet({}, { namespace: 'logging' })
    const dropped = rerender(first, (object) =>
      object.metadata.name === 'agent' && object.kind === 'DaemonSet' ? { ...object, spec: plain.spec } : object,
    )
    assert.equal(errorsOf(dropped), ['SelectorChanged', 'SelectorChanged', 'SelectorChanged', 'SelectorChanged'])
  })
  test('a label that the template gets later with another value wins, and is SelectorChanged', () => {
    const set = rerender(labelled(), (object) => {
      if (object.kind !== 'DaemonSet' || object.metadata.name !== 'agent') return object
      const spec = structuredClone(object.spec) as { template: { metadata: { labels: object } } }
      Object.assign(spec.template.metadata.labels, { tier: 'z' })
      return { ...object, spec }
    })
    assert.ok(errorsOf(set).includes('SelectorChanged'))
  })
})
