/** A first policy changes nothing on the commonest nodes: of every fleet in testdata, for its DaemonSets and drawn ones. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { firstPolicy } from '../../../src/host/cli/first-policy.ts'
import { readObjects } from '../../../src/host/files/read-objects.ts'
import { newItem } from '../../../src/krm/index.ts'
import type { Item, KubernetesObject } from '../../../src/krm/types.ts'
import { type PodSpec, Quantity, type ResourceRequirements } from '../../../src/kube/index.ts'
import { plan } from '../../../src/rules/run.ts'
import { goldenLists } from '../../support/lists.ts'
import { daemonSet, inventory, node, shape, TYPE } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'

const TESTDATA = fileURLToPath(new URL('../../../testdata', import.meta.url))
const read = (path: string) => readObjects([join(TESTDATA, path)])
const sources = ({ kind }: KubernetesObject) => kind === 'Node' || kind === 'NodeInventory'

/** Every fleet of testdata: lists of nodes, and the inventories of packages with one. */
const FLEETS: Record<string, readonly Item[]> = Object.fromEntries([
  ...readdirSync(join(TESTDATA, 'nodes')).map((file) => [file, read(`nodes/${file}`)]),
  ...goldenLists()
    .map(({ name, items }) => [name, items.filter(({ object }) => sources(object))] as const)
    .filter(([name, items]) => items.length === 1 && !name.endsWith(' rendered')),
])
const DAEMON_SETS = readdirSync(join(TESTDATA, 'daemonsets')).flatMap((file) => read(`daemonsets/${file}`))

const podOf = (object: KubernetesObject) => (object.spec as { template: { spec: PodSpec } }).template.spec
const resourcesOf = (object: KubernetesObject) => {
  const { containers = [], initContainers } = podOf(object)
  return [...containers, ...(initContainers ?? [])].map(({ name, resources }) => [name, canonical(resources)])
}
/** Quantities as the API server writes them back. */
function canonical(resources: ResourceRequirements | null | undefined): object {
  const places = Object.entries(resources ?? {}).map(([place, amounts]) => [
    place,
    Object.fromEntries(
      Object.entries(amounts as Record<string, string>)
        .map(([name, text]) => [name, Quantity.parse(text).toString()])
        .sort(),
    ),
  ])
  return Object.fromEntries(places.filter(([, amounts]) => Object.keys(amounts ?? {}).length > 0))
}

/** The objects of the first render that serve the nodes it starts from. */
function firstRender(target: KubernetesObject, nodes: readonly Item[], groupBy?: string) {
  const { policy, start } = firstPolicy(target, nodes, { groupBy })
  const { packages, findings } = plan({
    apiVersion: 'config.kubernetes.io/v1',
    items: [newItem(policy), newItem(target), ...nodes],
    results: [],
  })
  const errors = findings.filter(({ severity }) => severity === 'error').map(({ message }) => message)
  const objects = packages.flatMap(({ planned }) => planned.flatMap((one) => one.objects))
  return { errors, policy, objects: objects.filter(({ about }) => about === start?.group.id) }
}

suite('the first render of every fleet', (test) => {
  for (const [name, nodes] of Object.entries(FLEETS)) {
    for (const { object } of DAEMON_SETS) {
      // a label that a fleet's inventory did not export cannot be chosen by
      if (object.metadata.name === 'trace-agent' && !name.endsWith('.yaml')) continue
      test(`${name}: ${object.metadata.name} is on the commonest nodes what it is today`, () => {
        const { errors, objects } = firstRender(object, nodes)
        assert.equal(errors, [])
        assert.ok(objects.length > 0)
        for (const one of objects) assert.equal(resourcesOf(one.object), resourcesOf(object))
      })
    }
  }
})

const CPU = [undefined, '100m', '0.1', '1.5', 2, '1e-1', '100500u']
const MEMORY = [undefined, '500M', '1Gi', '1.5Gi', '64Mi', '524288k', '1e9', 134217728]
const amounts = fc.record({ cpu: fc.constantFrom(...CPU), memory: fc.constantFrom(...MEMORY) })
const some = (all: object) => Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined))
const isOrdered = ({ requests, limits }: { requests: Record<string, unknown>; limits: Record<string, unknown> }) =>
  ['cpu', 'memory'].every((name) => {
    const [low, high] = [requests[name], limits[name]]
    return (
      low === undefined ||
      high === undefined ||
      Quantity.parse(low as string).compare(Quantity.parse(high as string)) <= 0
    )
  })
const template = fc
  .record({
    requests: amounts,
    limits: amounts,
    neighbour: amounts,
    label: fc.constantFrom(undefined, 'kubernetes.io/hostname', 'size'),
  })
  .filter(isOrdered)
const fleet = fc.array(
  fc.record({
    type: fc.constantFrom('a', 'b', undefined),
    cpu: fc.integer({ min: 4, max: 64 }),
    gib: fc.integer({ min: 2, max: 256 }),
  }),
  { minLength: 1, maxLength: 6 },
)

suite('the first render of a drawn template', (test) => {
  test('is on the nodes it starts from what it is today, whatever the groups are made by', () => {
    fc.assert(
      fc.property(template, fleet, ({ requests, limits, neighbour, label }, drawn) => {
        const nodes = drawn.map(({ type, cpu, gib }, index) => {
          const labels = {
            'kubernetes.io/os': 'linux',
            'kubernetes.io/hostname': `n${index}`,
            size: String(gib),
            ...some({ [TYPE]: type }),
          }
          return newItem(node(`n${index}`, labels as Record<string, string>, `${cpu}`, `${gib}Gi`))
        })
        const target = daemonSet({
          containers: [
            { name: 'other', image: 'x:1', resources: { requests: some(neighbour) } },
            { name: 'agent', image: 'x:1', resources: { requests: some(requests), limits: some(limits) } },
          ],
        })
        const { errors, objects } = firstRender(target, nodes, label)
        assert.equal(errors, [])
        assert.ok(objects.length > 0)
        for (const one of objects) assert.equal(resourcesOf(one.object), resourcesOf(target))
      }),
      { numRuns: 150 },
    )
  })
})

const one = (labels: Record<string, string>, more: object = {}) => [newItem(node('n1', labels, '4', '16Gi', more))]
const agent = daemonSet({ containers: [{ name: 'agent', image: 'x:1' }] })

suite('groups of a first policy', (test) => {
  const groupsBy = (nodes: readonly Item[], groupBy?: string) => {
    const { nodeGroupLabel, nodeGroupRanges, classes } = firstPolicy(agent, nodes, { groupBy }).policy.spec as Record<
      string,
      unknown
    >
    return { nodeGroupLabel, nodeGroupRanges, classes }
  }
  const by = (all: object) => ({ nodeGroupLabel: undefined, nodeGroupRanges: undefined, classes: undefined, ...all })
  test('the best label that there is', () => {
    assert.equal(groupsBy(one({ 'kubernetes.io/os': 'linux', [TYPE]: 'a' })), by({ nodeGroupLabel: TYPE }))
    assert.equal(groupsBy(one({ 'kubernetes.io/os': 'linux' })), by({ nodeGroupLabel: 'kubernetes.io/os' }))
  })
  test('the label that is asked for', () => {
    assert.equal(groupsBy(one({ [TYPE]: 'a', pool: 'b' }), 'pool'), by({ nodeGroupLabel: 'pool' }))
  })
  test('host names by size', () => {
    const label = 'kubernetes.io/hostname'
    assert.equal(groupsBy(one({ [label]: 'n1' }), label), by({ nodeGroupLabel: label, classes: { ratio: 2 } }))
  })
  test('numbers that grow with the nodes by ranges', () => {
    const nodes = ['4', '8'].map((size, index) => newItem(node(`n${index}`, { size }, size, `${size}Gi`)))
    assert.equal(groupsBy(nodes, 'size'), by({ nodeGroupRanges: { label: 'size', bounds: [8] } }))
  })
  test('by ranges, too, where nodes that nobody labelled are larger or smaller', () => {
    const nodes = ['4', '8'].map((size, index) => newItem(node(`n${index}`, { size }, size, `${size}Gi`)))
    const other = ['2', '64'].map((size, index) => newItem(node(`m${index}`, {}, size, `${size}Gi`)))
    assert.equal(groupsBy([...nodes, ...other], 'size'), by({ nodeGroupRanges: { label: 'size', bounds: [8] } }))
  })
})

suite('the policy itself', (test) => {
  const sidecars = [{ name: 'agent' }, { name: 'side', image: 'x:1' }]
  const specOf = (target: KubernetesObject, cluster?: string) =>
    firstPolicy(target, one({ [TYPE]: 'a' }), { cluster }).policy.spec as Record<string, unknown>
  test('names the cluster where it is known', () => {
    assert.is(specOf(agent, 'prod').cluster, 'prod')
    assert.not.ok('cluster' in specOf(agent))
  })
  test('names the container where there are several', () => {
    assert.equal(specOf(daemonSet({ containers: sidecars })).containers, [{ name: 'agent', share: 100 }])
    assert.not.ok('containers' in specOf(agent))
  })
})

suite('labels that the inventory must have', (test) => {
  test('those of the groups and of the template', () => {
    const target = daemonSet({ containers: [{ name: 'agent' }], nodeSelector: { disk: 'ssd' } })
    const { labelKeys } = firstPolicy(target, one({ pool: 'a', disk: 'ssd' }), { groupBy: 'pool' })
    assert.equal([...labelKeys].sort(), ['disk', 'pool'])
  })
})

suite('what a first policy is not made of', (test) => {
  const cases: Array<
    [name: string, target: KubernetesObject, nodes: readonly Item[], label: string | undefined, said: RegExp]
  > = [
    [
      'a label that no node has',
      agent,
      one({ [TYPE]: 'a' }),
      'node.kubernetes.io/instance-typ',
      /did you mean node\.kubernetes\.io\/instance-type\?/,
    ],
    [
      'a name that would leave the package',
      { ...agent, metadata: { name: '../agent' } },
      one({ [TYPE]: 'a' }),
      undefined,
      /^"\.\.\/agent" is not a valid name of a DaemonSet$/,
    ],
    [
      'no name at all',
      { ...agent, metadata: {} } as KubernetesObject,
      one({ [TYPE]: 'a' }),
      undefined,
      /^a DaemonSet has no name$/,
    ],
    [
      'a node that is there twice',
      agent,
      [...one({ [TYPE]: 'a' }), ...one({ [TYPE]: 'a' })],
      undefined,
      /^the inventories name nodes twice: n1\./,
    ],
    [
      'an inventory that was cut',
      agent,
      [newItem(inventory([shape({ [TYPE]: 'a' }, ['n1'])], { nodeCount: 2 }))],
      undefined,
      /has 1 node, but nodeCount is 2\./,
    ],
    ['one unlike all', agent, one({ pool: 'a' }), 'example.com/zzzzzzzzzzz', /the nodes have pool$/],
    [
      'nodes without a known label',
      agent,
      one({ pool: 'a' }),
      undefined,
      /choose one with --group-by KEY; the nodes have pool$/,
    ],
    [
      'nodes that have different labels, which are named in their order',
      agent,
      [...one({ pool: 'a', zone: 'b' }), newItem(node('n2', { disk: 'c' }))],
      undefined,
      /the nodes have disk, pool, zone$/,
    ],
    ['nodes without any label', agent, one({}), undefined, /the nodes have none$/],
    [
      'nodes that it does not run on',
      daemonSet({ nodeSelector: { gpu: 'yes' } }),
      one({ [TYPE]: 'a' }),
      undefined,
      /^agent runs on none of the nodes: correct its nodeSelector/,
    ],
    [
      'nodes that report nothing',
      agent,
      one({ [TYPE]: 'a' }, { status: {} }),
      undefined,
      /reports allocatable cpu and memory$/,
    ],
    [
      'a request above its limit',
      daemonSet({ containers: [{ name: 'agent', resources: { requests: { cpu: 2 }, limits: { cpu: 1 } } }] }),
      one({ [TYPE]: 'a' }),
      undefined,
      /^container agent of agent: requests\.cpu 2 is above limits\.cpu 1$/,
    ],
    [
      'a template without containers',
      daemonSet({ containers: [] }),
      one({ [TYPE]: 'a' }),
      undefined,
      /containers is not a non-empty list of containers/,
    ],
    [
      'what is rendered itself',
      daemonSet({}, { annotations: { 'nodefit.dev/owner': 'SizingPolicy/agent' } }),
      one({ [TYPE]: 'a' }),
      undefined,
      /is rendered for SizingPolicy\/agent/,
    ],
  ]
  for (const [name, target, nodes, label, said] of cases) {
    test(name, () => assert.throws(() => firstPolicy(target, nodes, { groupBy: label }), said))
  }
})
