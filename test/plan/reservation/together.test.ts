/** What is said of a package's reservations together: also where none is planned, all are paused, or they are in several clusters. */
import * as assert from 'uvu/assert'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { plan } from '../../../src/rules/run.ts'
import { config, daemonSet, inventory, listOf, OS, policy, shape, TYPE } from '../../support/objects.ts'
import { errorsOf, NOON, nodes, nodesAt, order, runOrders, snapshot, ticketsIn } from '../../support/orders.ts'
import { rerender, said, withSpec } from '../../support/rerender.ts'
import { suite } from '../../support/suite.ts'

const KORDER = 'core.korder.dev/v1alpha1'
const ticket = (name: string, metadata: object = {}): KubernetesObject => ({
  apiVersion: KORDER,
  kind: 'Ticket',
  metadata: { name, namespace: 'ns', ...metadata },
  spec: { nodeName: 'a', duration: '1h' },
})
const QUOTA = {
  apiVersion: KORDER,
  kind: 'Quota',
  metadata: { name: 'q' },
  spec: { scope: { type: 'Cluster' }, hard: { tickets: 0 } },
}
const OTHERS: Array<[name: string, objects: KubernetesObject[]]> = [
  ['a package without any policy', []],
  ['a package that sizes a DaemonSet', [inventory([shape({ [TYPE]: 'm5' }, ['a'])]), policy(), daemonSet()]],
  ['a package with a paused Order', pausedOrder()],
]

function pausedOrder(): KubernetesObject[] {
  const first = runOrders(nodesAt(NOON, nodes('a')), order())
  const paused = rerender(first, (object) => (object.kind === 'Order' ? withSpec(object, { paused: true }) : object))
  return paused.items.map(({ object }) => object)
}

suite('Quotas and live Tickets', (test) => {
  for (const [name, objects] of OTHERS) {
    test(`${name}: a Quota that is exceeded`, () =>
      assert.equal(errorsOf(plan(listOf([...objects, QUOTA, ticket('t')]))), ['QuotaExceeded']))
    test(`${name}: a Ticket that lives in the cluster`, () =>
      assert.equal(errorsOf(plan(listOf([...objects, ticket('t', { uid: 'u' })]))), ['LiveTicketInInput']))
    test(`${name}: nothing is wrong with a Ticket by hand`, () =>
      assert.equal(errorsOf(plan(listOf([...objects, ticket('t')]))), []))
  }
  test('nothing is said of a package that is hidden, nor of one that this run is not about', () => {
    const selected = ticket('t', { uid: 'u', annotations: { 'internal.config.k8s.io/kpt-resource-id': '1' } })
    assert.equal(errorsOf(plan(listOf([selected]))), ['SelectorsInUse'])
    const other = ticket('t', { uid: 'u', annotations: { 'internal.config.kubernetes.io/package-path': 'other' } })
    const alone = [inventory([shape({ [TYPE]: 'm5' }, ['a'])]), daemonSet(), other]
    assert.equal(errorsOf(plan(listOf(alone, policy()))), [])
  })
  test('a Quota is not held against a plan that does not stand', () =>
    assert.equal(errorsOf(plan(listOf([policy(), QUOTA, ticket('t')]))).includes('QuotaExceeded'), false))
})

suite('Tickets by hand beside paused ones', (test) => {
  const live = snapshot({ namespace: 'ns', name: 'by-hand', node: 'a', phase: 'Ready' })
  const noNodes = (object: KubernetesObject) => object.kind !== 'NodeInventory'
  const twice = (...objects: KubernetesObject[]) => said(plan(listOf(objects)), 'TicketDuplicated').length
  test('live, where every Order is paused', () => assert.is(twice(...pausedOrder(), live), 1))
  test('live, without any nodes', () => assert.is(twice(...pausedOrder().filter(noNodes), live), 1))
  test('live, in the cluster that the run names', () =>
    assert.is(twice(...pausedOrder(), live, config({ cluster: 'prod' })), 1))
  test('live, on another node', () => {
    const elsewhere = snapshot({ namespace: 'ns', name: 'by-hand', node: 'b', phase: 'Ready' })
    assert.is(twice(...pausedOrder(), elsewhere), 0)
  })
  test('in the package', () => assert.is(twice(...pausedOrder(), ticket('t')), 1))
  test('in several namespaces, each with its command, in one order', () => {
    const byHand = ['ns-b', 'ns-a', 'ns-c'].map((namespace) => ticket('t', { namespace }))
    const commands = said(plan(listOf([...pausedOrder(), ...byHand])), 'TicketDuplicated').map(
      (message) => /kubectl -n (\S+) delete ticket t/.exec(message)?.[1],
    )
    assert.equal(commands, ['ns-a', 'ns-b', 'ns-c'])
  })
  test('of a paused Order that a policy sizes', () => {
    const sizing = policy({ targetRef: { kind: 'Order', name: 'infra' } }, 'p', { namespace: 'ns' })
    const types = nodesAt(NOON, shape({ [TYPE]: 'm5', [OS]: 'linux' }, ['a']))
    const first = runOrders(types, order(), sizing)
    const paused = rerender(first, (object) =>
      object.kind === 'Order' && object.metadata.name === 'infra' ? withSpec(object, { paused: true }) : object,
    )
    assert.is(twice(...paused.items.map(({ object }) => object), live), 1)
  })
})

suite('Orders in several clusters', (test) => {
  const cluster = (name: string, cpu: string, ...names: string[]): KubernetesObject => ({
    ...inventory([shape({ [TYPE]: 'm5', [OS]: 'linux' }, names, cpu)], { cluster: name, observedAt: NOON }),
    metadata: { name },
  })
  const sized = (name: string, cluster: string | undefined) => [
    order({}, {}, { name }),
    policy(
      {
        targetRef: { kind: 'Order', name },
        cluster,
        resourcePercentages: { requestCPU: 60, requestMemory: null, limitCPU: null, limitMemory: null },
        maxResources: { cpu: '64', memory: '64Gi' },
      },
      name,
      { namespace: 'ns' },
    ),
  ]
  test('each is held against the nodes of its own', () => {
    const both = [cluster('eu', '4', 'a'), cluster('us', '4', 'b'), ...sized('one', 'eu')]
    const tooMuch = plan(listOf([...both, ...sized('two', 'us'), ...sized('three', 'us')]))
    assert.equal(errorsOf(tooMuch), [])
    assert.is(said(tooMuch, 'RequestAboveAllocatable').length, 1)
  })
  test('nodes of one name are not one node', () => {
    const both = [cluster('eu', '4', 'a'), cluster('us', '4', 'a'), ...sized('one', 'eu'), ...sized('two', 'us')]
    const made = plan(listOf(both))
    assert.equal([errorsOf(made), ticketsIn(made).length, said(made, 'OrdersOverlap')], [[], 2, []])
  })
  test('in one cluster they add up, however it is named', () => {
    const made = plan(listOf([cluster('eu', '4', 'a'), ...sized('one', 'eu'), ...sized('two', undefined)]))
    assert.is(said(made, 'OrdersOverlap').length, 1)
  })
})

suite('what an Order reserves against what nodes have', (test) => {
  const lacking = (resources: object, allocatable: object = {}) => {
    const node = {
      ...shape({ [OS]: 'linux' }, ['a'], '4', '16Gi'),
      allocatable: { cpu: '4', memory: '16Gi', ...allocatable },
    }
    const { findings } = runOrders(nodesAt(NOON, node), order({}, { resources }))
    return findings.filter(({ code }) => code === 'RequestAboveAllocatable').map(({ sentence }) => sentence)
  }
  test('all that is allocatable can be reserved', () => assert.equal(lacking({ requests: { cpu: '4' } }), []))
  test('a thousandth more cannot', () =>
    assert.equal(lacking({ requests: { cpu: '4001m' } }), [
      'infra reserves cpu 4001m, but only 4000m is allocatable on 1 node: a',
    ]))
  test('a device that the node does not report is one that it lacks', () =>
    assert.equal(lacking({ limits: { 'nvidia.com/gpu': 1 } }), [
      'infra reserves nvidia.com/gpu 1, but only 0 is allocatable on 1 node: a',
    ]))
  test('what Kubernetes itself counts is unknown where the node does not report it', () =>
    assert.equal(lacking({ requests: { 'ephemeral-storage': '1Gi' } }), []))
  test('Tickets of one Order that reserve different amounts are told apart', () => {
    const first = runOrders(nodesAt(NOON, nodes('a', 'b')), order({}, { resources: { requests: { cpu: '1' } } }))
    const raised = first.items.map(({ object }) => {
      if (object.kind === 'Order') return withSpec(object, { paused: true })
      const isOfB = object.kind === 'Ticket' && object.metadata.annotations?.['nodefit.dev/node'] === 'b'
      return isOfB ? withSpec(object, { resources: { requests: { cpu: '9' } } }) : object
    })
    const beside = order({}, { resources: { requests: { cpu: '1' } } }, { name: 'beside' })
    assert.equal(
      said(plan(listOf([...raised, beside])), 'RequestAboveAllocatable').map((message) => message.split('. ')[0]),
      ['beside and infra reserve cpu 10, but only 4 is allocatable on 1 node: b'],
    )
  })
})

suite('Tickets beside the agents of the same package', (test) => {
  const types = { small: '1', tight: '2040m', roomy: '2050m' }
  const shapes = Object.entries(types).map(([type, cpu]) => shape({ [OS]: 'linux', [TYPE]: type }, [`${type}-1`], cpu))
  const reserving = order({}, { resources: { requests: { cpu: '2' } } })
  const sizes = { requestCPU: 1, requestMemory: null, limitCPU: null, limitMemory: null }
  const agents = policy({ resourcePercentages: sizes, minResources: { cpu: '50m' } })
  const messages = (...objects: KubernetesObject[]) =>
    said(plan(listOf([inventory(shapes, { observedAt: NOON }), reserving, ...objects])), 'RequestAboveAllocatable').map(
      (message) => message.split('. ')[0],
    )
  test('without agents only the node is asked', () =>
    assert.equal(messages(), ['infra reserves cpu 2, but only 1 is allocatable on 1 node: small-1']))
  test('a node that has no room for both is named with what its agents request', () =>
    assert.equal(messages(daemonSet(), agents), [
      'infra reserves cpu 2, but only 1 is allocatable on 1 node: small-1',
      'infra reserves cpu 2000m and agents request 50m, but only 2040m is allocatable on 1 node: tight-1',
    ]))
  test('an agent that is too large for the node by itself does not run there, and takes no room', () => {
    const large = {
      ...agents,
      spec: { ...(agents.spec as object), minResources: { cpu: '2045m' }, maxResources: { cpu: '4' } },
    }
    assert.equal(messages(daemonSet(), large), [
      'infra reserves cpu 2, but only 1 is allocatable on 1 node: small-1',
      'infra reserves cpu 2000m and agents request 2045m, but only 2050m is allocatable on 1 node: roomy-1',
    ])
  })
  test('agents of two policies are added up', () => {
    const more = {
      ...agents,
      metadata: { name: 'more' },
      spec: { ...(agents.spec as object), targetRef: { name: 'more' } },
    }
    const other = daemonSet({}, { name: 'more' })
    assert.equal(messages(daemonSet(), agents, other, more), [
      'infra reserves cpu 2, but only 1 is allocatable on 1 node: small-1',
      'infra reserves cpu 2000m and agents request 100m, but only 2040m is allocatable on 1 node: tight-1',
      'infra reserves cpu 2000m and agents request 100m, but only 2050m is allocatable on 1 node: roomy-1',
    ])
  })
  test('agents of another cluster take no room, though its nodes have the same names', () => {
    const of = (cluster: string) => ({ ...agents, spec: { ...(agents.spec as object), cluster } })
    const nearlyAll = { requestCPU: 99, requestMemory: null, limitCPU: null, limitMemory: null }
    const sizing = policy(
      { targetRef: { kind: 'Order', name: 'infra' }, cluster: 'eu', resourcePercentages: nearlyAll },
      'sizing',
      { namespace: 'ns' },
    )
    const nodesOf = (cluster: string) => ({
      ...inventory([shape({ [OS]: 'linux', [TYPE]: 't' }, ['a'], '2')], { cluster, observedAt: NOON }),
      metadata: { name: cluster },
    })
    const found = (cluster: string) => {
      const made = plan(listOf([nodesOf('eu'), nodesOf('us'), order(), sizing, daemonSet(), of(cluster)]))
      assert.equal(errorsOf(made), [])
      return said(made, 'RequestAboveAllocatable').length
    }
    assert.equal([found('eu'), found('us')], [1, 0])
  })
  test('agents of a policy that is switched off take no room', () => {
    const off = { ...agents, spec: { ...(agents.spec as object), enabled: false } }
    assert.is(messages(daemonSet(), off).length, 1)
  })
})

suite('agents beside Tickets that no policy renders', (test) => {
  const fleet = inventory([shape({ 'kubernetes.io/os': 'linux' }, ['a'], '1', '4Gi')], { observedAt: NOON })
  const half = order({}, { resources: { requests: { cpu: '600m' } } })
  const agent = (spec: object = {}, annotations: Record<string, string> = {}): KubernetesObject => ({
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'agent', namespace: 'kube-system', annotations },
    spec: {
      selector: { matchLabels: { app: 'agent' } },
      template: {
        metadata: { labels: { app: 'agent' } },
        spec: { containers: [{ name: 'c', resources: { requests: { cpu: '500m' } } }], ...spec },
      },
    },
  })
  const pods = (name: string): KubernetesObject => ({
    apiVersion: 'nodefit.dev/v1alpha1',
    kind: 'WorkloadSnapshot',
    metadata: { name: 'pods' },
    spec: {
      cluster: 'prod',
      nodes: [{ name: 'a' }],
      daemonSets: [{ namespace: 'kube-system', name, requests: { cpu: '500m' }, nodes: ['a'] }],
    },
  })
  const WANT = ['infra reserves cpu 600m and agents request 500m, but only 1000m is allocatable on 1 node: a']
  const ROWS: Array<[name: string, more: KubernetesObject[], want: string[]]> = [
    ['none', [], []],
    ['a DaemonSet of the package', [agent()], WANT],
    ['one that runs elsewhere', [agent({ nodeSelector: { x: 'y' } })], []],
    ['one that is local configuration', [agent({}, { 'config.kubernetes.io/local-config': 'true' })], []],
    ['one that cannot be read', [{ ...agent(), spec: {} }], []],
    ['one that only the cluster has', [pods('other')], WANT],
    ['one of the package that the cluster has, too, counts once', [agent(), pods('agent')], WANT],
  ]
  for (const [name, more, want] of ROWS)
    test(name, () => {
      const { findings } = runOrders(fleet, half, ...more)
      const found = findings.filter(({ code }) => code === 'RequestAboveAllocatable').map(({ sentence }) => sentence)
      assert.equal(found, want)
    })
  test('guardians on nodes of an autoscaler are said once, for the nodes that have one', () => {
    const pool = (label: string, ...names: string[]) => shape({ [label]: 'x', 'kubernetes.io/os': 'linux' }, names)
    const shapes = [
      pool('karpenter.sh/nodepool', 'k1', 'k2'),
      pool('eks.amazonaws.com/nodegroup', 'e1'),
      shape({}, ['n']),
    ]
    const said = (...orders: KubernetesObject[]) =>
      runOrders(inventory(shapes, { observedAt: NOON }), ...orders)
        .findings.filter(({ code }) => code === 'GuardiansHoldNodes')
        .map(({ sentence }) => sentence)
    const OTHERS =
      'guardian pods keep cluster-autoscaler from removing 1 node with the label eks.amazonaws.com/nodegroup'
    const KARPENTER =
      'Karpenter from removing 2 nodes with the label karpenter.sh/nodepool as empty, not as underutilized'
    assert.equal(said(order(), order({}, {}, { name: 'b' })), [`${OTHERS}, and ${KARPENTER}`])
    assert.equal(said(order({}, { nodeSelector: { 'karpenter.sh/nodepool': 'x' } })), [
      `guardian pods keep ${KARPENTER}`,
    ])
    assert.equal(said(order({}, { nodeName: 'e1' })), [OTHERS])
    assert.equal(said(order({}, { nodeName: 'n' })), [])
  })
})
