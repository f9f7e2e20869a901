/** What is rendered from one source, by several policies or in several runs, must not meet. */
import * as assert from 'uvu/assert'
import { newItem } from '../../src/krm/index.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import type { NodeSelectorTerm } from '../../src/kube/index.ts'
import { plan } from '../../src/rules/run.ts'
import { daemonSet, inventory, listOf, OS, policy, shape, TYPE } from '../support/objects.ts'
import { errorsOf, NOON, nodesAt, order } from '../support/orders.ts'
import { said, withSpec } from '../support/rerender.ts'
import { suite } from '../support/suite.ts'
import { kubescapePolicy, operatorConfig, templateMap } from '../support/template.ts'

const pools = (...names: string[]) => names.map((pool) => shape({ [TYPE]: 'm5', pool }, [`${pool}-1`]))
const NODES = inventory(pools('a', 'b', 'c'))
const of = (name: string, spec: Record<string, unknown>) =>
  policy(
    {
      ...spec,
      labels: { nodeGroup: `example.com/${name}` },
      names: { m5: `${name}-m5`, default: `${name}-none`, remainder: `${name}-rest` },
    },
    name,
  )
const on = (pool: string) => ({ nodeSelector: { pool } })
const where = (term: NodeSelectorTerm) => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } } },
})
const cores = (operator: string, value: string) =>
  where({ matchExpressions: [{ key: 'cores', operator, values: [value] }] })
const byTerm = (pool: string) => where({ matchExpressions: [{ key: 'pool', operator: 'In', values: [pool] }] })
const alone = (from: ReturnType<typeof plan>, functionConfig: KubernetesObject) =>
  plan({
    ...listOf([]),
    items: from.items.map(({ object }) => newItem(object)),
    functionConfig: newItem(functionConfig),
  })

suite('several policies of one target', (test) => {
  for (const [how, spec] of [
    ['nodeSelector', on],
    ['required affinity', byTerm],
  ] as const)
    test(`may share it on pools that their ${how} tells apart`, () => {
      const all = ['a', 'b', 'c'].map((pool) => of(pool, spec(pool)))
      assert.equal(errorsOf(plan(listOf([NODES, daemonSet(), ...all]))), [])
    })
  const sized = ['4', '8', '8a'].map((count) => shape({ [TYPE]: 'm5', cores: count }, [`n-${count}`]))
  const among = (...specs: Array<Record<string, unknown>>) =>
    plan(listOf([inventory(sized), daemonSet(), ...specs.map((spec, index) => of(`p${index}`, spec))]))
  test('may share it where bounds tell them apart, which no integer passes', () => {
    assert.equal(errorsOf(among(cores('Lt', '8'), cores('Gt', '7'))), [])
  })
  test('but not where bounds let one integer through', () => {
    const [sentence = ''] = said(among(cores('Lt', '8'), cores('Gt', '6')), 'PolicyOverlap')
    assert.match(sentence, 'on nodes that may be added, with p0-')
  })
  test('each names the first that it meets', () => {
    const result = plan(
      listOf([NODES, daemonSet(), of('p', on('a')), of('q', on('a')), of('r', on('b')), of('s', on('b'))]),
    )
    assert.equal(
      said(result, 'PolicyOverlap').map((text) => text.slice(0, text.indexOf('. '))),
      ['p and q', 'r and s'].map((who, index) => {
        const pool = 'ab'[index]
        return `${who} both size DaemonSet agent on node ${pool}-1 (${TYPE}=m5, pool=${pool})`
      }),
    )
  })
  test('of many labels of a node only the one that decides is named', () => {
    const grouped = (name: string) => of(name, { groups: [{ name: 'g', nodeSelector: { pool: 'a' } }] })
    const nodes = inventory([shape({ pool: 'a', rack: '1', zone: 'x' }, ['z'])])
    const [sentence = ''] = said(plan(listOf([nodes, daemonSet(), grouped('p'), grouped('q')])), 'PolicyOverlap')
    assert.match(sentence, 'on node z (pool=a)')
  })
  test('remainders meet on nodes that may come', () => {
    const nodes = inventory([...pools('a'), shape({ [TYPE]: 'm5', zone: 'x' }, ['z'])])
    const result = plan(listOf([nodes, daemonSet(), of('p', on('a')), of('q', { nodeSelector: { zone: 'x' } })]))
    assert.match(
      said(result, 'PolicyOverlap')[0] ?? '',
      'p and q both size DaemonSet agent on nodes that may be added, with p-',
    )
  })
  test('that divide the nodes of today by name meet on those that come alone', () => {
    const but = (name: string) => where({ matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: [name] }] })
    const types = [shape({ [TYPE]: 'm5' }, ['x', 'y'])]
    const both = plan(listOf([inventory(types), daemonSet(), of('p', but('x')), of('q', but('y'))]))
    assert.match(said(both, 'PolicyOverlap')[0] ?? '', 'p and q both size DaemonSet agent on nodes that may be added')
    const sizing = ['x', 'y'].map((name) =>
      policy(
        { targetRef: { kind: 'Order', name: 'infra' }, remainder: false, ...but(name), names: { m5: `o-${name}` } },
        name,
      ),
    )
    const reserving = [nodesAt(NOON, ...types), order({}, {}, { namespace: undefined }), ...sizing]
    assert.equal(errorsOf(plan(listOf(reserving))), [], 'Tickets are for nodes that are there')
  })
  test('declared shapes are of the one that may run there', () => {
    const declared = shape({ [TYPE]: 'm5', pool: 'c' }, [])
    const sizing = ['a', 'b'].map((pool) =>
      policy({ targetRef: { kind: 'Order', name: 'infra' }, ...on(pool), names: { m5: `o-${pool}` } }, pool),
    )
    const reserving = [nodesAt(NOON, ...pools('a', 'b'), declared), order({}, {}, { namespace: undefined }), ...sizing]
    assert.equal(errorsOf(plan(listOf(reserving))), [], 'Tickets are for nodes that are there')
    const tainted = { taints: [{ key: 'gpu', effect: 'NoExecute' }] }
    const gpu = { ...on('gpu'), tolerations: [{ key: 'gpu', operator: 'Exists' }], remainder: false }
    const both = [daemonSet(), of('p', gpu), of('q', { remainder: false })]
    const types = (more: object) => [
      ...pools('a'),
      ...[['g'], []].map((names) => shape({ [TYPE]: 'm5', pool: 'gpu' }, names, '4', '16Gi', more)),
    ]
    const apart = [{ ...on('a') }, gpu].map((spec, index) => of(`t${index}`, { ...spec, remainder: false }))
    assert.equal(
      errorsOf(plan(listOf([inventory(types(tainted)), daemonSet(), ...apart]))),
      [],
      'labels tell them apart',
    )
    assert.equal(
      errorsOf(plan(listOf([inventory(types(tainted)), ...both]))),
      ['PolicyOverlap'],
      'such a node without the taint may come',
    )
    assert.equal(
      errorsOf(
        plan(
          listOf([
            inventory(types({}).filter((_, index) => index !== 1)),
            daemonSet(),
            of('p', { remainder: false }),
            of('q', { remainder: false, ...on('a') }),
          ]),
        ),
      ),
      ['PolicyOverlap'],
    )
  })
})

suite('a run for one policy alone', (test) => {
  const typed = nodesAt(NOON, shape({ [TYPE]: 'm5' }, ['a', 'b']))
  const gpu = policy({ targetRef: { kind: 'Order', name: 'gpu' } }, 'gpu', { namespace: 'ns' })
  test('is not taken for one of an Order whose name only begins alike', () => {
    const batch = plan(
      listOf([typed, order({}, {}, { name: 'gpu-batch' }), order({ paused: false }, {}, { name: 'gpu' })]),
    )
    const items = batch.items.filter(({ object }) => object.metadata.annotations?.['nodefit.dev/owner'] !== 'Order/gpu')
    assert.equal(errorsOf(alone({ ...batch, items }, gpu)), [])
  })
  test('takes over the Tickets that its Order had by itself', () => {
    const plain = plan(listOf([typed, order({}, {}, { name: 'gpu' })]))
    assert.equal(errorsOf(alone(plain, gpu)), [])
  })
  test('meets what another policy made of the same Order', () => {
    const other = { ...gpu, metadata: { name: 'other', namespace: 'ns' } }
    const made = plan(listOf([typed, order({}, {}, { name: 'gpu' }), other]))
    const named = withSpec(gpu, { names: { m5: 'gpu-of-mine' } })
    assert.equal(errorsOf(alone(made, named)), ['PolicyOverlap'])
  })
  test('meets what a policy made that is no file of the package', () => {
    const bare = [typed, order({}, {}, { name: 'gpu' }), order({}, {}, { name: 'gpu-batch' })]
    const sized = (name: string) => policy({ targetRef: { kind: 'Order', name } }, 'flat', { namespace: 'ns' })
    const unseen = (name: string) => plan({ ...listOf(bare), functionConfig: newItem(sized(name)) })
    assert.equal(errorsOf(alone(unseen('gpu'), order({}, {}, { name: 'gpu' }))), ['PolicyOverlap'])
    assert.equal(errorsOf(alone(unseen('gpu-batch'), order({}, {}, { name: 'gpu' }))), [], 'of a longer name')
  })
  test('meets what such a policy made of the template of Kubescape’s chart', () => {
    const nodes = inventory([shape({ [TYPE]: 'm5', [OS]: 'linux', pool: 'x' }, ['a'])])
    const grouping = (nodeGroupLabel: string, name: string) => {
      const made = kubescapePolicy({ nodeGroupLabel })
      return { ...made, metadata: { ...made.metadata, name } }
    }
    const first = plan(listOf([nodes, templateMap(), operatorConfig(false)], grouping(TYPE, 'p')))
    assert.equal(errorsOf(first), [])
    assert.equal(errorsOf(alone(first, grouping('pool', 'q'))), ['PolicyOverlap'])
  })
  test('says it where another’s output cannot be read any more', () => {
    const first = plan(listOf([NODES, daemonSet(), of('p', on('a'))]))
    const terms = [{ matchExpressions: [{ key: 'pool', operator: 'Foo' }] }]
    const affinity = { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } }
    const garbled = first.items.map(({ object }) => {
      if (object.metadata.name !== 'p-m5') return newItem(object)
      const { template } = object.spec as { template: { spec: object } }
      return newItem(
        withSpec(object, { template: { ...template, spec: { ...template.spec, nodeSelector: {}, affinity } } }),
      )
    })
    const by = plan({ ...listOf([]), items: garbled, functionConfig: newItem(of('q', on('b'))) })
    assert.equal(errorsOf(by), ['OutputUnreadable'])
  })
})
