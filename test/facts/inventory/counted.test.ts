/** What is rendered and said of nodes that are counted and not named; what goes by names is refused. */
import * as assert from 'uvu/assert'
import { nodesText, readFleet, shapeText } from '../../../src/facts/inventory/index.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import type { Plan } from '../../../src/rules/plan.ts'
import { plan } from '../../../src/rules/run.ts'
import { inventoryFrom, NODE_LISTS, nodesIn } from '../../support/node-lists.ts'
import {
  codes,
  config,
  countedShape,
  daemonSet,
  inventory,
  listOf,
  node,
  OS,
  policy,
  rendered,
  shape,
  TYPE,
} from '../../support/objects.ts'
import { errorsOf, order } from '../../support/orders.ts'
import { said } from '../../support/rerender.ts'
import { suite } from '../../support/suite.ts'

const ZONE = 'topology.kubernetes.io/zone'
const runs = (...objects: KubernetesObject[]) => plan(listOf(objects))
const places = (chosen: object) => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [chosen] } } },
})
const byName: Record<string, unknown> = places({
  matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['x'] }],
})
const LENIENT = config({ allow: ['LabelOnNoNode', 'NoGroups'] })
const beforeComma = (texts: readonly string[]) => texts.map((text) => text.split(',')[0])

suite('an inventory that counts renders what one with names does', (test) => {
  const modes: Record<string, Record<string, unknown>> = {
    'a label': {},
    'a label without a remainder': { remainder: false },
    'a label that some nodes lack': { nodeGroupLabel: ZONE, defaultNodeGroup: '' },
    'classes of similar size': { classes: { ratio: 2 } },
    'two labels': { nodeGroupLabels: [TYPE, ZONE] },
    'explicit groups first': { groups: [{ name: 'arm', nodeSelector: { 'kubernetes.io/arch': 'arm64' } }] },
    'a policy that narrows': { nodeSelector: { [OS]: 'linux' } },
    'an affinity that narrows': places({
      matchExpressions: [{ key: 'kubernetes.io/arch', operator: 'In', values: ['amd64'] }],
    }),
    'no taint tolerated': { tolerations: [] },
    'every taint tolerated': { tolerations: [{ operator: 'Exists' }] },
  }
  let made = 0
  for (const file of NODE_LISTS)
    for (const [mode, spec] of Object.entries(modes))
      for (const exact of [false, true])
        test(`${file}, ${mode}${exact ? ', exact' : ''}`, () => {
          const nodes = nodesIn(file)
          const [names, counts] = [false, true].map((isCounted) =>
            runs(inventoryFrom(nodes, { exact, counts: isCounted }), policy(spec), daemonSet(), LENIENT),
          ) as [Plan, Plan]
          assert.equal(errorsOf(counts), errorsOf(names))
          made += rendered(names.items).size > 0 ? 1 : 0
          assert.equal(JSON.stringify([...rendered(counts.items)]), JSON.stringify([...rendered(names.items)]))
          assert.equal(said(counts, 'PolicySummary'), said(names, 'PolicySummary'))
          assert.equal(said(counts, 'GroupSized'), said(names, 'GroupSized'))
          for (const code of ['NodesWithoutAgent', 'NoNewPods'])
            assert.equal(beforeComma(said(counts, code)), beforeComma(said(names, code)))
          for (const one of nodes)
            assert.not.ok(JSON.stringify(counts.findings).includes(one.metadata.name), one.metadata.name)
        })
  test('nearly all of these runs render', () => assert.is(made, 80))
})

suite('what goes by names', (test) => {
  const counted = inventory([
    countedShape({ [TYPE]: 'm5' }, 2),
    countedShape({ [TYPE]: 'c5' }, 1),
    shape({ [TYPE]: 'x' }, ['x']),
  ])
  const sizing = policy({ targetRef: { kind: 'Order', name: 'infra' } }, 'p', { namespace: 'ns' })
  const plain = (spec: Record<string, unknown> = {}) => order({ daemonSet: undefined }, spec)
  for (const [what, objects, why] of [
    ['an Order in DaemonSet mode', [order()], 'infra: each Ticket names its node'],
    ['a policy that sizes one', [order(), sizing], 'p: each Ticket names its node'],
    ['matchFields of a template', [policy(), daemonSet(byName)], 'agent: required node affinity chooses nodes by name'],
    ['matchFields of a policy', [policy(byName), daemonSet()], 'agent: required node affinity chooses nodes by name'],
    ['nodeName of a template', [policy(), daemonSet({ nodeName: 'x' })], 'agent: the template names the node x'],
    ['matchFields of an Order', [sizing, plain(byName)], 'p: required node affinity chooses nodes by name'],
  ] as const)
    test(`${what} is refused, with the shape and the mend`, () => {
      const result = runs(counted, ...objects)
      assert.equal(errorsOf(result), ['NodesNotNamed'])
      assert.is(
        said(result, 'NodesNotNamed')[0],
        `${why}, but the inventory of prod gives only the number of nodes of shape ${TYPE}=m5 and 1 more, not their names. Write the inventory without --counts.`,
      )
      const names = inventory([shape({ [TYPE]: 'm5' }, ['a']), countedShape({ [TYPE]: 'c5' }, 0)])
      assert.not.ok(codes(runs(names, ...objects).findings).includes('NodesNotNamed'))
    })
  test('a plain Order has as many replicas as nodes are counted', () => {
    const result = runs(counted, sizing, plain())
    assert.equal(errorsOf(result), [])
    const replicas = [...rendered(result.items).values()].map(({ metadata, spec }) => [
      metadata.name,
      (spec as { replicas: number }).replicas,
    ])
    assert.equal(replicas, [
      ['infra-c5', 1],
      ['infra-m5', 2],
      ['infra-x', 1],
    ])
  })
})

suite('what is said of counted nodes', (test) => {
  const taints = [{ key: 'x', effect: 'NoExecute' }]
  const lines = (code: string, ...shapes: object[]) => said(runs(inventory(shapes), policy(), daemonSet()), code)
  const served = countedShape({ [TYPE]: 'm5' }, 12)
  test('how many a group has', () =>
    assert.match(lines('GroupSized', served)[0] ?? '', 'agent-m5 for value:m5 (12 nodes): '))
  test('how many, and no names', () =>
    assert.equal(lines('NodesWithoutAgent', served, countedShape({ [TYPE]: 'c5' }, 7, { taints })), [
      'agent: 7 nodes without an agent, the taint x:NoExecute is not tolerated',
    ]))
  test('names as far as there are any', () =>
    assert.equal(
      lines(
        'NodesWithoutAgent',
        served,
        countedShape({ [TYPE]: 'c5' }, 7, { taints }),
        shape({ [TYPE]: 'c5' }, ['a'], '4', '16Gi', { taints }),
      ),
      ['agent: 8 nodes without an agent, the taint x:NoExecute is not tolerated: a and 7 more'],
    ))
  test('a group without allocatable', () => {
    const none = { allocatable: {} }
    assert.match(lines('NoAllocatable', countedShape({ [TYPE]: 'm5' }, 12, none))[0] ?? '', ': 12 nodes report no')
    assert.match(
      lines('NodesNotSized', served, countedShape({ [TYPE]: 'm5' }, 1, none))[0] ?? '',
      'value:m5: 1 node report',
    )
  })
  test('amounts that are none', () =>
    assert.match(
      lines('InventoryInvalid', countedShape({}, 2, { allocatable: { cpu: 'x', memory: '1' } }))[0] ?? '',
      'allocatable.cpu of 2 nodes: ',
    ))
  test('amounts that are none are said of the object and field that hold them', () => {
    const bad = { allocatable: { cpu: '1', memory: 'xx' } }
    const second = inventory([countedShape({ a: '1' }, 1), countedShape({ a: '2' }, 2, bad)])
    const raw = { ...node('b', {}), status: { ...bad } }
    for (const [sources, subject, path] of [
      [[inventory([countedShape({ a: '0' }, 3)]), second], second, 'spec.shapes.1.allocatable'],
      [[node('a', {}), raw], raw, 'status.allocatable'],
    ] as const) {
      const { findings } = readFleet(sources as never, undefined)
      const [found] = findings.filter(({ code }) => code === 'InventoryInvalid')
      assert.equal([found?.subject, found?.field], [subject, { path, currentValue: bad.allocatable }])
    }
  })
  for (const [nodes, nodeCount, text] of [
    [[], 1, '1 node'],
    [[], 12, '12 nodes'],
    [['a', 'b'], 2, 'a, b'],
    [['a', 'b', 'c', 'd'], 4, 'a, b, c and 1 more'],
    [['a', 'b', 'c', 'd'], 9, 'a, b, c and 6 more'],
  ] as const)
    test(text, () => assert.is(nodesText({ nodes, nodeCount }), text))
  test('a shape is called by its labels', () => {
    assert.is(shapeText({ labels: { b: '1', a: '2' } }), 'shape a=2,b=1')
    assert.is(shapeText({ labels: {} }), 'shape without labels')
  })
})
