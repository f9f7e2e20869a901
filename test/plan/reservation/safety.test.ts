/** Ways in which reservations could be lost or doubled without a word. */
import * as assert from 'uvu/assert'
import { newItem } from '../../../src/krm/index.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { plan } from '../../../src/rules/run.ts'
import { config, inventory, listOf, policy, shape } from '../../support/objects.ts'
import {
  errorsOf,
  NOON,
  namesOf,
  nodes,
  nodesAt,
  order,
  recurring,
  rerun,
  runOrders,
  snapshot,
  ticketsIn,
} from '../../support/orders.ts'
import { suite } from '../../support/suite.ts'

const TYPE = 'node.kubernetes.io/instance-type'
const LOCAL = 'config.kubernetes.io/local-config'
const sizing = (spec: object = {}, name = 'p') =>
  policy({ targetRef: { kind: 'Order', name: 'infra' }, ...spec }, name, { namespace: 'ns' })
const types = (counts: Record<string, number>) =>
  inventory(
    Object.entries(counts).map(([type, count]) =>
      shape(
        { [TYPE]: type },
        Array.from({ length: count }, (_, index) => `${type}${index}`),
      ),
    ),
    { observedAt: NOON },
  )
const replaced = (first: ReturnType<typeof plan>, change: (object: KubernetesObject) => KubernetesObject | undefined) =>
  plan(listOf(first.items.flatMap(({ object }) => change(object) ?? [])))
/** A host that keeps no files: nothing rendered before is seen. */
const stream = (objects: KubernetesObject[], earlier?: KubernetesObject[]) =>
  plan(
    { apiVersion: 'config.kubernetes.io/v1', items: objects.map((object) => newItem(object)), results: [] },
    earlier === undefined ? {} : { earlier: listOf(earlier) },
  )

suite('reservations are safe', (test) => {
  test('a mode that readers disagree about is refused, and never applied', () => {
    for (const daemonSet of ['yes', 'on', 'true', 1, 'no']) {
      const result = runOrders(nodesAt(NOON, nodes('a')), order({ daemonSet }), order({}, {}, { name: 'other' }))
      assert.equal(errorsOf(result), ['InvalidField'], String(daemonSet))
    }
  })
  test('an Order in DaemonSet mode never leaves to be applied, whoever owns it', () => {
    const owned = order({}, {}, { annotations: { 'nodefit.dev/owner': 'SizingPolicy/gone' } })
    const one = listOf([nodesAt(NOON, nodes('a')), owned], order({}, {}, { name: 'other' }))
    assert.is(plan(one).items[1]?.object.metadata.annotations?.[LOCAL], 'true')
  })
  test('sized and paused: every Ticket stays, also of a group whose nodes are gone', () => {
    const first = runOrders(types({ a: 4, b: 4 }), order(), sizing())
    const second = replaced(first, (object) => {
      if (object.kind === 'NodeInventory') return types({ b: 4, c: 1 })
      return object.kind === 'Order' && object.metadata.name === 'infra'
        ? { ...object, spec: { ...(object.spec as object), paused: true } }
        : object
    })
    assert.equal(errorsOf(second), [])
    assert.equal(namesOf(second), namesOf(first))
  })
  test('one pool that empties stops nobody else where that is allowed', () => {
    const gpu = (state: object = {}) => shape({ [TYPE]: 'gpu' }, ['g'], '4', '16Gi', state)
    const others = shape({ [TYPE]: 'm' }, ['a', 'b', 'c'])
    const at = (time: string, ...shapes: object[]) => inventory(shapes, { observedAt: time })
    const orders = [
      order({}, { nodeSelector: { [TYPE]: 'gpu' } }, { name: 'gpu' }),
      order({}, { nodeSelector: { [TYPE]: 'm' } }),
    ]
    const ALLOW = config({ allow: ['NoEligibleNodes'], korder: { renewAfter: '1m' } })
    const first = runOrders(at(NOON, gpu(), others), ...orders, ALLOW)
    assert.equal([errorsOf(first), ticketsIn(first).length], [[], 4])
    const later = at('2025-01-02T12:01:00Z', gpu({ unschedulable: true }), others)
    const second = rerun(first, later)
    assert.equal(errorsOf(second), [])
    assert.equal(Object.keys(namesOf(second)), ['a', 'b', 'c'])
    const before = Object.values(namesOf(first))
    assert.not(
      Object.values(namesOf(second)).some((name) => before.includes(name)),
      'the others are renewed',
    )
    const refused = rerun(first, later, config({ korder: { renewAfter: '1m' } }))
    assert.equal(errorsOf(refused), ['NoEligibleNodes'], 'not allowed, that alone is said')
    const shrunk = rerun(first, at(NOON, gpu(), shape({ [TYPE]: 'm' }, ['a'])))
    assert.equal(errorsOf(shrunk), ['GuardTripped'], 'an Order that loses most of its nodes is still stopped')
  })
  test('sized and in DaemonSet mode: the same', () => {
    const options = config({ allow: ['NoEligibleNodes'] })
    const first = runOrders(types({ a: 2, b: 2 }), order(), sizing(), options)
    assert.equal(errorsOf(first), [])
    const cordoned = inventory(
      ['a', 'b'].map((type) => shape({ [TYPE]: type }, [`${type}0`, `${type}1`], '4', '16Gi', { unschedulable: true })),
      { observedAt: NOON },
    )
    const second = rerun(first, cordoned)
    assert.equal([errorsOf(second), ticketsIn(second)], [[], []])
    assert.equal(errorsOf(rerun(first, cordoned, config({}))), ['NoEligibleNodes'])
  })
  test('sized: a group that vanishes counts for the guard, with --earlier too', () => {
    const first = runOrders(types({ a: 90, b: 5, c: 5 }), order(), sizing())
    const shrunk = [types({ b: 5, c: 5 }), order(), sizing()]
    const kept = replaced(first, (object) => (object.kind === 'NodeInventory' ? types({ b: 5, c: 5 }) : object))
    assert.equal(errorsOf(kept), ['GuardTripped'])
    assert.equal(errorsOf(stream(shrunk, ticketsIn(first))), ['GuardTripped'])
    const allowed = replaced(first, (object) => (object.kind === 'NodeInventory' ? types({}) : object))
    assert.ok(errorsOf(allowed).includes('NoNodes'))
    const empty = plan(
      listOf([config({ allow: ['NoNodes', 'NoGroups'] }), ...allowed.items.map(({ object }) => object)]),
    )
    assert.equal(errorsOf(empty), ['GuardTripped', 'GuardTripped'], 'of the groups, and of their nodes')
  })
  test('sized under a new name: the guard and the generations are those of the old one', () => {
    const first = runOrders(types({ a: 10 }), order(), sizing())
    const renamed = (fleet: KubernetesObject) =>
      replaced(first, (object) => {
        if (object.kind === 'NodeInventory') return fleet
        return object.kind === 'SizingPolicy' ? sizing({ formerNames: ['p'] }, 'q') : object
      })
    assert.equal(errorsOf(renamed(types({ a: 2 }))), ['GuardTripped'])
    const moved = renamed(types({ a: 10 }))
    assert.equal([errorsOf(moved), namesOf(moved)], [[], namesOf(first)])
  })
  test('sized: no eligible node at all is an error', () => {
    const down = inventory([shape({ [TYPE]: 'a' }, ['n'], '4', '16Gi', { ready: 'False' })])
    assert.equal(errorsOf(stream([down, order(), sizing()])), ['NoEligibleNodes'])
  })
  test('sized: the policy’s cluster is meant for the Tickets, too', () => {
    const other = { ...inventory([shape({ [TYPE]: 'z' }, ['z'])], { cluster: 'us' }), metadata: { name: 'us' } }
    const result = runOrders(types({ a: 1 }), other, order(), sizing({ cluster: 'prod' }))
    assert.equal([errorsOf(result), Object.keys(namesOf(result))], [[], ['a0']])
  })
  test('what follows live Tickets needs the earlier ones', () => {
    const expired = snapshot({
      namespace: 'ns',
      name: 'x',
      order: 'infra',
      node: 'a',
      phase: 'Expired',
      expiresAt: NOON,
    })
    const fleet = nodesAt(NOON, nodes('a'))
    assert.equal(errorsOf(stream([fleet, order(), expired])), ['NeedsEarlierOutput'])
    assert.equal(errorsOf(stream([fleet, order(recurring('0 * * * *', 'Always')), expired])), [])
  })
  test('of two packages each has its own earlier Tickets', () => {
    const inPackage = (object: KubernetesObject, path: string): KubernetesObject => ({
      ...object,
      metadata: {
        ...object.metadata,
        annotations: { ...object.metadata.annotations, 'internal.config.kubernetes.io/package-path': path },
      },
    })
    const render = (paused: boolean, earlier?: KubernetesObject[]) =>
      stream(
        ['eu', 'us'].flatMap((path) =>
          [nodesAt(NOON, nodes(path)), order({ paused })].map((object) => inPackage(object, path)),
        ),
        earlier,
      )
    const first = ticketsIn(render(false)).map((object) =>
      inPackage(object, object.metadata.annotations?.['nodefit.dev/node'] ?? ''),
    )
    const second = render(true, first)
    assert.equal([errorsOf(second), ticketsIn(second).length], [[], 2])
  })
  test('what is in the package says more than what was rendered at some time', () => {
    const first = runOrders(nodesAt(NOON, nodes('a')), order())
    const old = ticketsIn(runOrders(nodesAt(NOON, nodes('z')), order()))
    const items = first.items.map(({ object }) => (object.kind === 'Order' ? order({ paused: true }) : object))
    assert.equal(Object.keys(namesOf(plan(listOf(items), { earlier: listOf(old) }))), ['a'])
  })
  test('of two snapshots the newer one holds, in whatever order they come', () => {
    const first = runOrders(nodesAt(NOON, nodes('a')), order(recurring('0 */6 * * *', 'OnClaim')))
    const seen = (name: string, observedAt: string, ticket: object): KubernetesObject => ({
      ...snapshot(),
      metadata: { name },
      spec: {
        cluster: 'prod',
        observedAt,
        tickets: [{ namespace: 'ns', name: namesOf(first).a, order: 'infra', node: 'a', ...ticket }],
      },
    })
    const old = seen('z', '2025-01-01T12:30:00Z', { phase: 'Ready' })
    const now = seen('a', '2025-01-01T13:30:00Z', { phase: 'Claimed', claimedAt: '2025-01-01T13:00:00Z' })
    const later = nodesAt('2025-01-01T18:00:00Z', nodes('a'))
    const [left, right] = [
      [old, now],
      [now, old],
    ].map((both) => namesOf(rerun(first, later, ...both)))
    assert.equal(left, right)
    assert.is.not(left?.a, namesOf(first).a)
  })
  test('a live Ticket whose time is over has expired, whether its controller saw it or not', () => {
    const first = runOrders(nodesAt(NOON, nodes('a')), order())
    const over = (phase: string) =>
      snapshot({
        namespace: 'ns',
        name: namesOf(first).a,
        order: 'infra',
        node: 'a',
        phase,
        expiresAt: '2025-01-01T11:00:00Z',
      })
    assert.is.not(namesOf(rerun(first, over('Ready'))).a, namesOf(first).a)
    assert.is(namesOf(rerun(first, over('Claimed'))).a, namesOf(first).a)
  })
  test('a run for one policy does not double what another rendered', () => {
    const sized = runOrders(types({ a: 2 }), order(), sizing())
    const alone = plan(
      listOf(
        sized.items.map(({ object }) => object),
        order(),
      ),
    )
    assert.equal(errorsOf(alone), ['PolicyOverlap'])
  })
  test('notations that mean the same give the same names', () => {
    const name = (template: object) => namesOf(runOrders(nodesAt(NOON, nodes('a')), order({}, template as never))).a
    const start = [
      '2025-01-01T12:00:00Z',
      '2025-01-01T13:00:00+01:00',
      '2025-01-01t12:00:00z',
      '2025-01-01T12:00:00.0Z',
    ]
    assert.is(new Set(start.map((startTime) => name({ startTime }))).size, 1)
    const empties = [
      {},
      { affinity: {} },
      { affinity: { nodeAffinity: {} } },
      { topologySpreadConstraints: [] },
      { priorityClassName: '' },
      { nodeName: '' },
      { tolerations: [] },
    ]
    assert.is(new Set(empties.map(name)).size, 1)
    const resources = { requests: { cpu: '100m', memory: '128Mi' } }
    assert.is(name({ resources: { ...resources, limits: {} } }), name({ resources }))
  })
  test('a template cannot set our annotations', () => {
    const template = { metadata: { annotations: { 'nodefit.dev/generation': 'x', 'example.com/a': 'b' } }, spec: {} }
    const first = runOrders(nodesAt(NOON, nodes('a')), order({ template }))
    assert.equal(namesOf(rerun(first)), namesOf(first))
    assert.is(ticketsIn(first)[0]?.metadata.annotations?.['nodefit.dev/generation'], undefined)
  })
  const BAD: Array<[name: string, template: object, metadata?: object]> = [
    ['a resource without a prefix', { resources: { requests: { cpus: 1 } } }],
    ['a resource named as a prototype has it', { resources: { requests: { constructor: 1 } } }],
    ['half a device', { resources: { requests: { 'nvidia.com/gpu': '500m' }, limits: { 'nvidia.com/gpu': '500m' } } }],
    ['huge pages without a limit', { resources: { requests: { 'hugepages-2Mi': '4Mi' } } }],
    ['a priority class that is no name', { priorityClassName: 'Foo Bar' }],
    [
      'a weight of 500',
      {
        affinity: {
          nodeAffinity: {
            preferredDuringSchedulingIgnoredDuringExecution: [
              { weight: 500, preference: { matchExpressions: [{ key: 'a', operator: 'Exists' }] } },
            ],
          },
        },
      },
    ],
    [
      'a spread of nothing',
      { topologySpreadConstraints: [{ maxSkew: 0, topologyKey: 'a', whenUnsatisfiable: 'Foo' }] },
    ],
    ['an empty name', {}, { name: '' }],
    ['a name that is a path', {}, { name: 'a/../../evil' }],
    ['a namespace that is none', {}, { namespace: 'a/b' }],
  ]
  for (const [name, template, metadata] of BAD)
    test(`${name} is refused`, () =>
      assert.ok(
        errorsOf(runOrders(nodesAt(NOON, nodes('a')), order({}, template as never, metadata))).includes('OrderInvalid'),
      ))
  const ODD: Array<[name: string, object: object]> = [
    [
      'a Quota of nulls',
      { kind: 'Quota', spec: { scope: null, hard: null, allocation: [null, { limits: null }], timeWindows: {} } },
    ],
    [
      'a Quota of other types',
      {
        kind: 'Quota',
        spec: { scope: { type: 'NamespaceList', namespaces: null }, hard: { tickets: null }, allocation: {} },
      },
    ],
    ['a Quota without spec', { kind: 'Quota', spec: null }],
    [
      'a Ticket with a duration that is a number',
      { kind: 'Ticket', spec: { duration: 3600, resources: { requests: { cpu: [] } } } },
    ],
    [
      'a Ticket with null terms',
      {
        kind: 'Ticket',
        spec: {
          affinity: {
            nodeAffinity: {
              requiredDuringSchedulingIgnoredDuringExecution: {
                nodeSelectorTerms: [null, { matchFields: {} }, { matchFields: [null] }],
              },
            },
          },
        },
      },
    ],
    ['a Ticket without spec', { kind: 'Ticket', spec: null }],
  ]
  for (const [name, object] of ODD) {
    test(`${name} is nobody’s exception`, () => {
      const quota = {
        apiVersion: 'core.korder.dev/v1alpha1',
        kind: 'Quota',
        metadata: { name: 'q' },
        spec: { hard: { 'max-duration': 864000, 'reserved.cpu': 9 } },
      }
      const odd = {
        apiVersion: 'core.korder.dev/v1alpha1',
        metadata: { name: 'odd', namespace: 'ns' },
        ...object,
      } as KubernetesObject
      assert.equal(errorsOf(runOrders(nodesAt(NOON, nodes('a')), order(), quota, odd)), [])
    })
  }
  test('a Quota does not count what is not applied', () => {
    const quota = {
      apiVersion: 'core.korder.dev/v1alpha1',
      kind: 'Quota',
      metadata: { name: 'q' },
      spec: { scope: { type: 'Cluster' }, hard: { orders: 2, tickets: 0 } },
    }
    const plain = order({ daemonSet: undefined })
    const local = {
      ...plain,
      kind: 'Ticket',
      metadata: { name: 't', namespace: 'ns', annotations: { [LOCAL]: 'true' } },
      spec: {},
    }
    assert.equal(errorsOf(runOrders(types({ a: 1, b: 1 }), plain, sizing(), quota, local)), [])
  })
})
