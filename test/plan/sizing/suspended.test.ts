/** A suspended policy leaves what it rendered as it is, whatever becomes of the rest. */
import * as assert from 'uvu/assert'
import { withoutWireAnnotations } from '../../../src/krm/identity.ts'
import { newItem, writeResourceList } from '../../../src/krm/index.ts'
import { ownerOf } from '../../../src/krm/remembered.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import type { Plan } from '../../../src/rules/plan.ts'
import { plan } from '../../../src/rules/run.ts'
import {
  codes,
  config,
  daemonSet,
  inventory,
  listOf,
  OS,
  policy,
  rendered,
  shape,
  TYPE,
} from '../../support/objects.ts'
import { errorsOf, NOON, order } from '../../support/orders.ts'
import { rerender, said, withSpec } from '../../support/rerender.ts'
import { suite } from '../../support/suite.ts'
import { kubescapePolicy, operatorConfig, templateMap } from '../../support/template.ts'

const nodes = (...types: string[]) =>
  inventory(
    types.map((type, index) => shape({ [TYPE]: type, [OS]: 'linux' }, [`n${index}`])),
    { observedAt: NOON },
  )
const sizing = policy({ targetRef: { kind: 'Order', name: 'infra' } }, 'agent', { namespace: 'ns' })

/** What a policy of each sort renders from. */
const SORTS: Array<[name: string, objects: KubernetesObject[], target: string]> = [
  ['a DaemonSet', [policy(), daemonSet()], 'DaemonSet'],
  [
    'a DaemonSet in a namespace that its policy does not say',
    [policy(), daemonSet({}, { namespace: 'x' })],
    'DaemonSet',
  ],
  ['Kubescape’s template', [kubescapePolicy(), templateMap(), operatorConfig(false)], 'ConfigMap'],
  ['an Order with Tickets', [sizing, order()], 'Order'],
  ['a plain Order', [sizing, order({ daemonSet: false })], 'Order'],
]

const ours = ({ items }: Plan) =>
  items
    .filter(({ object }) => ownerOf(object) !== undefined)
    .map((item) => JSON.stringify(item.object))
    .sort()
const isPolicy = ({ kind }: KubernetesObject) => kind === 'SizingPolicy'
const suspend = (object: KubernetesObject, spec: object = {}) => withSpec(object, { ...spec, suspend: true })

type Change = (object: KubernetesObject, target: string) => KubernetesObject | readonly KubernetesObject[] | undefined

/** What may happen to a package while a policy is suspended. */
const EVENTS: Array<[name: string, change: Change]> = [
  ['nothing', (object) => object],
  ['other nodes', (object) => (object.kind === 'NodeInventory' ? nodes('c5', 'r5') : object)],
  ['no nodes', (object) => (object.kind === 'NodeInventory' ? undefined : object)],
  [
    'an inventory that was cut',
    (object) => (object.kind === 'NodeInventory' ? withSpec(object, { nodeCount: 99 }) : object),
  ],
  ['other sizes', (object) => (isPolicy(object) ? suspend(object, { minResources: { cpu: '1' } }) : object)],
  [
    'sizes that are refused',
    (object) =>
      isPolicy(object)
        ? suspend(object, { minResources: { cpu: '1 core' }, step: { cpu: 0 }, hysteresisPercent: -1 })
        : object,
  ],
  ['fields that nobody knows', (object) => (isPolicy(object) ? suspend(object, { zone: 'x', classes: 3 }) : object)],
  ['the policy disabled', (object) => (isPolicy(object) ? suspend(object, { enabled: false }) : object)],
  ['another label', (object) => (isPolicy(object) ? suspend(object, { nodeGroupLabel: 'zone' }) : object)],
  [
    'a template without containers',
    (object, target) =>
      object.kind === target && ownerOf(object) === undefined
        ? ({ ...object, spec: target === 'ConfigMap' ? undefined : { template: {} }, data: {} } as KubernetesObject)
        : object,
  ],
  [
    'the template gone',
    (object, target) => (object.kind === target && ownerOf(object) === undefined ? undefined : object),
  ],
  ['the operator’s autoscaler on', (object) => (object.metadata.name === 'operator' ? operatorConfig(true) : object)],
]

for (const [sort, objects, target] of SORTS)
  suite(`suspended: ${sort}`, (test) => {
    const first = () => plan(listOf([nodes('m5', 'c5'), ...objects]))
    for (const [event, change] of EVENTS)
      test(event, () => {
        const before = first()
        assert.equal(errorsOf(before), [])
        const held = rerender(before, (object) => change(isPolicy(object) ? suspend(object) : object, target))
        assert.equal(errorsOf(held), [])
        assert.equal(ours(held), ours(before))
        assert.match(said(held, 'PolicySummary')[0] ?? '', 'suspended, ')
        assert.match(said(held, 'PolicySummary')[0] ?? '', '0 objects added, 0 changed, 0 removed')
      })
    test('its template stays kept back, and no mark comes off', () => {
      const before = first()
      const marks = (from: Plan) =>
        from.items.flatMap(({ object }) =>
          object.kind === target && ownerOf(object) === undefined ? [object.metadata.annotations] : [],
        )
      const held = rerender(before, (object) => (isPolicy(object) ? suspend(object) : object))
      assert.equal(marks(held), marks(before))
      const elsewhere = rerender(before, (object) =>
        isPolicy(object) ? suspend(object, { targetRef: { kind: target, name: 'other' } }) : object,
      )
      assert.equal([errorsOf(elsewhere), marks(elsewhere)], [[], marks(before)])
    })
    test('fed back, and given apart, it is the same', () => {
      const before = first()
      const held = rerender(before, (object) => (isPolicy(object) ? suspend(object) : object))
      const text = (from: Plan) =>
        writeResourceList({ apiVersion: 'config.kubernetes.io/v1', items: from.items, results: [] })
      assert.is(text(rerender(held, (object) => object)), text(held))
      const earlier = {
        apiVersion: 'config.kubernetes.io/v1',
        results: [],
        items: before.items
          .filter(({ object }) => ownerOf(object) !== undefined)
          .map(({ object }) => newItem(withoutWireAnnotations(object))),
      }
      const input = [nodes('r5'), ...objects.map((object) => (isPolicy(object) ? suspend(object) : object))].map(
        (object) => newItem(object),
      )
      const apart = plan({ apiVersion: 'config.kubernetes.io/v1', items: input, results: [] }, { earlier })
      assert.equal(errorsOf(apart), [])
      const bare = (from: Plan) =>
        from.items
          .filter(({ object }) => ownerOf(object) !== undefined)
          .map(({ object }) => JSON.stringify(withoutWireAnnotations(object)))
          .sort()
      assert.equal(bare(apart), bare(before))
    })
    test('without earlier output, or where none can be seen, it fails', () => {
      const input = [nodes('m5'), ...objects.map((object) => (isPolicy(object) ? suspend(object) : object))]
      assert.equal(errorsOf(plan(listOf(input))), ['NeedsEarlierOutput'])
      const bare = { apiVersion: 'config.kubernetes.io/v1', items: input.map((object) => newItem(object)), results: [] }
      assert.equal(errorsOf(plan(bare)), ['NeedsEarlierOutput'])
      assert.equal(errorsOf(plan(bare, { earlier: { ...bare, items: [] } })), ['NeedsEarlierOutput'])
    })
    test('taken up again it renders what it says now', () => {
      const before = first()
      const held = rerender(before, (object) =>
        isPolicy(object) ? suspend(object) : object.kind === 'NodeInventory' ? nodes('m5') : object,
      )
      const back = rerender(held, (object) =>
        isPolicy(object) ? withSpec(object, { suspend: false, retainGroups: 0 }) : object,
      )
      assert.equal(errorsOf(back), [])
      assert.ok(ours(back).length < ours(before).length)
    })
  })

suite('suspended', (test) => {
  test('is true, or refused', () => {
    const spec = (suspend: unknown) => errorsOf(plan(listOf([nodes('m5'), policy({ suspend }), daemonSet()])))
    assert.equal([spec('yes'), spec(false)], [['InvalidField'], []])
  })
  test('beside another policy, that one is planned', () => {
    const two = [
      policy(),
      daemonSet(),
      policy({ targetRef: { name: 'other' } }, 'other'),
      withSpec(daemonSet({}, { name: 'other' }), {
        selector: { matchLabels: { app: 'other' } },
        template: { metadata: { labels: { app: 'other' } }, spec: { containers: [{ name: 'other', image: 'other' }] } },
      }),
    ]
    const before = plan(listOf([nodes('m5'), ...two]))
    assert.equal(errorsOf(before), [])
    const after = rerender(before, (object) => {
      if (object.kind === 'NodeInventory') return nodes('m5', 'c5')
      return isPolicy(object) && object.metadata.name === 'agent' ? suspend(object) : object
    })
    assert.equal(errorsOf(after), [])
    const names = after.items
      .filter(({ object }) => ownerOf(object) !== undefined)
      .map(({ object }) => object.metadata.name)
    assert.equal(names.sort(), [
      'agent-default',
      'agent-m5',
      'agent-remainder',
      'other-c5',
      'other-default',
      'other-m5',
      'other-remainder',
    ])
  })
  const pool = (name: string) =>
    policy(
      {
        nodeSelector: { pool: name },
        labels: { nodeGroup: `example.com/${name}` },
        names: { m5: `${name}-m5`, default: `${name}-none`, remainder: `${name}-rest` },
      },
      name,
    )
  const pools = (...names: string[]) =>
    inventory(
      names.map((name, index) => shape({ [TYPE]: 'm5', pool: name }, [`n${index}`])),
      { observedAt: NOON },
    )
  const shared = () => {
    const made = plan(listOf([pools('a', 'b'), pool('a'), pool('b'), daemonSet()]))
    assert.equal(errorsOf(made), [])
    return made
  }
  test('its nodes are served, as the others of its template see it', () => {
    const held = rerender(shared(), (object) =>
      isPolicy(object) && object.metadata.name === 'a' ? suspend(object) : object,
    )
    assert.equal(errorsOf(held), [])
    assert.equal(codes(held.findings).filter((code) => code === 'HoleOnPurpose').length, 1)
    assert.match(
      said(held, 'HoleOnPurpose')[0] ?? '',
      'no policy selects them, except possibly a, which is suspended; ',
    )
    assert.not.match(said(held, 'HoleOnPurpose')[0] ?? '', 'n0')
  })
  test('where it has nothing, and that is allowed, the others are proved all the same', () => {
    const allow = config({ allow: ['NeedsEarlierOutput'] })
    const result = plan(listOf([pools('a', 'b'), suspend(pool('a')), pool('b'), daemonSet(), allow]))
    assert.equal([errorsOf(result), said(result, 'HoleOnPurpose').length], [[], 1])
  })
  test('no other may take its nodes meanwhile', () => {
    const taken = rerender(shared(), (object) => {
      if (!isPolicy(object)) return object
      return object.metadata.name === 'a' ? suspend(object) : withSpec(object, { nodeSelector: {} })
    })
    assert.equal(errorsOf(taken), ['PolicyOverlap'])
  })
  test('objects of its own that a user made meet are not held against it', () => {
    const met = rerender(shared(), (object) => {
      if (isPolicy(object)) return object.metadata.name === 'a' ? suspend(object) : object
      if (object.metadata.name !== 'a-rest') return object
      const spec = object.spec as { template: { spec: object } }
      return withSpec(object, { template: { ...spec.template, spec: { ...spec.template.spec, affinity: undefined } } })
    })
    assert.equal(errorsOf(met), [])
  })
  test('an Order’s dialect is no longer asked for', () => {
    const before = plan(
      listOf([nodes('m5'), sizing, order({ daemonSet: true }, { duration: undefined, window: { duration: '24h' } })]),
    )
    const other = order({}, {}, { name: 'other', namespace: 'else' })
    const held = rerender(before, (object) =>
      isPolicy(object) ? suspend(object) : object.kind === 'NodeInventory' ? [object, other] : object,
    )
    assert.equal(errorsOf(before), [])
    assert.equal(errorsOf(held), [])
  })
  test('its summary counts groups with nodes: neither those without, nor the remainder', () => {
    const before = plan(listOf([nodes('m5', 'c5'), policy(), daemonSet()]))
    assert.equal([...rendered(before.items).keys()].sort(), [
      'agent-c5',
      'agent-default',
      'agent-m5',
      'agent-remainder',
    ])
    const held = rerender(before, (object) => (isPolicy(object) ? suspend(object) : object))
    assert.match(said(held, 'PolicySummary')[0] ?? '', /^agent: suspended, 2 groups, 2 nodes, 0 objects added/)
  })
  test('under a former name, what was rendered is kept as it is', () => {
    const before = plan(listOf([nodes('m5'), policy(), daemonSet()]))
    const held = rerender(before, (object) =>
      isPolicy(object)
        ? { ...suspend(object, { formerNames: ['agent'] }), metadata: { ...object.metadata, name: 'new' } }
        : object,
    )
    assert.equal([errorsOf(held), ours(held)], [[], ours(before)])
  })
})
