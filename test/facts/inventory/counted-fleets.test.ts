/** Drawn fleets, rendered twice: whether the inventories name the nodes, count them, or do both, nothing but names is different. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import type { Plan } from '../../../src/rules/plan.ts'
import { plan } from '../../../src/rules/run.ts'
import { config, countedShape, daemonSet, inventory, listOf, policy, shape, TYPE } from '../../support/objects.ts'
import { errorsOf, NOON, order } from '../../support/orders.ts'
import { rerender } from '../../support/rerender.ts'
import { suite } from '../../support/suite.ts'

const SIZE = 'example.com/size'
const RACK = 'rack'
const taint = (key: string, effect: string) => [{ key, effect }]

/** Nodes alike; none is a declared type. */
const alike = fc.record({
  labels: fc.record(
    {
      [TYPE]: fc.constantFrom('m5.large', 'm5.xlarge', 'c5.large', ''),
      [SIZE]: fc.constantFrom('2', '8', '31', '64', 'many'),
      [RACK]: fc.constantFrom('a', 'b'),
    },
    { requiredKeys: [RACK] },
  ),
  count: fc.constantFrom(0, 1, 1, 2, 3, 5, 12),
  allocatable: fc.constantFrom<object>(
    { cpu: '1930m', memory: '7134856Ki' },
    { cpu: '2', memory: '8Gi' },
    { cpu: '4', memory: '16Gi' },
    { cpu: '16', memory: '16Gi' },
    {},
  ),
  taints: fc.constantFrom<object[]>(
    [],
    [],
    taint('dedicated', 'NoExecute'),
    taint('dedicated', 'NoSchedule'),
    taint('node.kubernetes.io/unschedulable', 'NoExecute'),
  ),
  osImage: fc.constantFrom('', 'Bottlerocket OS'),
})
type Alike = typeof alike extends fc.Arbitrary<infer T> ? T : never
const fleet = fc.array(alike, { minLength: 1, maxLength: 6 })

const grouping = fc.constantFrom<object>(
  {},
  { defaultNodeGroup: '' },
  { nodeGroupLabels: [TYPE, RACK] },
  { nodeGroupLabels: [TYPE, SIZE], defaultNodeGroup: '' },
  { groups: [{ name: 'big', nodeSelector: { [SIZE]: '64', [RACK]: 'a' } }] },
  { classes: { ratio: 2 } },
  { classes: { ratio: 4 }, defaultNodeGroup: '' },
  { nodeGroupRanges: { label: SIZE, bounds: [8, 32] } },
  {
    nodeGroupRanges: { label: SIZE, bounds: [8, 32] },
    groups: [{ name: 'many', nodeSelector: { [SIZE]: 'many' } }],
    defaultNodeGroup: '',
  },
)
const narrowed = fc.constantFrom<object>(
  {},
  {},
  { nodeSelector: { [RACK]: 'a' } },
  { tolerations: [] },
  { tolerations: [{ operator: 'Exists' }] },
)
const spec = fc
  .record({ grouping, narrowed, remainder: fc.boolean() })
  .map(({ grouping: how, narrowed: where, remainder }) => ({ ...how, ...where, remainder }))

/** What is sized: a DaemonSet by one policy or by two, also one that is disabled, or an Order that has replicas. */
const target = fc.constantFrom('one', 'apart', 'meeting', 'disabled', 'order', 'orders')
const guards = fc.record({
  maxGroupsRemoved: fc.constantFrom(0, 1, '50%'),
  maxNodesLost: fc.constantFrom(0, 3, '20%', '50%'),
  maxPodsRestarted: fc.constantFrom(0, 4, 1000),
})

/** Names for the groups of a second policy, as far as they are known: those of the first go by its target. */
const NAMES_OF_Q = Object.fromEntries(
  [
    ...['m5.large', 'm5.xlarge', 'c5.large', 'empty', 'default', 'remainder', 'big', 'many', 'lt-8', '8-31', 'ge-32'],
    ...['2cpu-8gi', '4cpu-16gi', '16cpu-16gi', '1cpu-4gi'],
  ].map((group) => [group, `q-${group.replaceAll('.', '-')}`]),
)

function subjects(what: string, one: Record<string, unknown>): KubernetesObject[] {
  const under = (name: string, more: Record<string, unknown>) =>
    policy({ ...one, ...more, labels: { nodeGroup: `example.com/${name}` } }, name)
  const rack = (name: string) => ({ nodeSelector: { [RACK]: name } })
  const toOrder = { targetRef: { kind: 'Order', name: 'infra' }, remainder: false }
  const infra = order({ daemonSet: undefined }, {}, { namespace: undefined })
  const second = { ...rack(what === 'meeting' ? 'a' : 'b'), names: NAMES_OF_Q }
  if (what === 'one') return [policy(one), daemonSet()]
  if (what === 'order') return [policy({ ...one, ...toOrder }, 'p'), infra]
  if (what === 'orders') return [under('p', toOrder), under('q', { ...toOrder, ...second }), infra]
  const isEnabled = what === 'disabled' ? { enabled: false } : {}
  return [under('p', rack('a')), under('q', { ...second, ...isEnabled }), daemonSet()]
}

type Form = 'names' | 'counts' | 'both'
const FORMS: readonly Form[] = ['names', 'counts', 'both']

function nodesOf(all: readonly Alike[], form: Form): KubernetesObject {
  const shapes = all.map(({ labels, count, ...more }, index) => {
    const own = labels as Record<string, string>
    if (form === 'counts' || (form === 'both' && index % 2 === 1)) return countedShape(own, count, more)
    const names = Array.from({ length: count }, (_, at) => `node-${index}-${at}`)
    return shape(own, names, '', '', more)
  })
  return inventory(shapes, { observedAt: NOON })
}

/** What leaves, without the inventory. */
const bytesOf = ({ items }: Plan) =>
  JSON.stringify(items.flatMap(({ object }) => (object.kind === 'NodeInventory' ? [] : [object])))

const NAMES = /node-\d+-\d+(?:, node-\d+-\d+)*(?: and (\d+) more)?/g

const RUNS = 150

/** Where two policies meet is said with a node or with a shape, and only the code is compared. */
const WHERE = ['PolicyOverlap']

/** Everything that is said, with the number of nodes where names are. */
function saidBy({ findings }: Plan): string[] {
  return findings.map(({ code, severity, message, field }) => {
    const counted = message.replaceAll(NAMES, (text, more = '0') => {
      const count = (text.match(/node-/g) ?? []).length + Number(more)
      return `${count} ${count === 1 ? 'node' : 'nodes'}`
    })
    if (WHERE.includes(code)) return `${severity} ${code}`
    const text = counted.replaceAll(/: \d+ nodes?(?=[.;]|$)/g, '').replaceAll(/(?<= nodes?) \(\d+ nodes?\)/g, '')
    return `${severity} ${code} ${text} ${JSON.stringify(field ?? {})}`
  })
}

suite('drawn fleets', (test) => {
  const seen = new Set<string>()
  let drawn = 0
  test('render the same and are told the same, named or counted', () => {
    fc.assert(
      fc.property(fleet, fleet, spec, target, guards, (before, after, one, what, limits) => {
        drawn++
        const allowed = ['LabelOnNoNode', 'NoGroups', 'NoNodes']
        const options = config({ guards: limits, allow: allowed })
        const runs = FORMS.map((form) => plan(listOf([nodesOf(before, form), ...subjects(what, one), options])))
        const [first = runs[0]] = runs
        for (const run of runs) {
          assert.equal(saidBy(run), saidBy(first as Plan))
          assert.is(bytesOf(run), bytesOf(first as Plan))
        }
        const again = runs.flatMap((run) =>
          FORMS.map((form) =>
            rerender(run, (object) => (object.kind === 'NodeInventory' ? nodesOf(after, form) : object)),
          ),
        )
        const [second] = again
        for (const run of again) {
          assert.equal(saidBy(run), saidBy(second as Plan))
          assert.is(bytesOf(run), bytesOf(second as Plan))
        }
        for (const run of [first, second]) {
          if (run === undefined) continue
          if (errorsOf(run).length === 0) seen.add(what)
          for (const { code, message } of run.findings)
            seen.add(code === 'GuardTripped' ? `${code} ${message.replaceAll(/\d+/g, '#').split(': ')[1]}` : code)
        }
      }),
      { numRuns: RUNS, seed: Number(process.env.SEED ?? 20_261_122) },
    )
  })
  test('and nearly all that can be said of nodes was said of some', () => {
    // fewer are drawn where faults are put in
    if (drawn < RUNS) return
    const codes = ['ClassChanged', 'GroupSpread', 'HoleOnPurpose', 'NoNewPods', 'NodesNotSized', 'NodesWithoutAgent']
    for (const one of [
      'one',
      'apart',
      'disabled',
      'order',
      'PolicyOverlap',
      'RangeNotInteger',
      'GroupTainted',
      ...codes,
    ])
      assert.ok(seen.has(one), one)
    for (const guard of ['# of # groups', 'its groups had # nodes', '# pods would restart'])
      assert.ok(
        [...seen].some((text) => text.startsWith(`GuardTripped ${guard}`)),
        guard,
      )
  })
})
