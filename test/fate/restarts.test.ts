/** Which pods of today's nodes restart, and which nodes move from one object to another. */
import * as assert from 'uvu/assert'
import type { World } from '../../src/core/index.ts'
import { agentStops } from '../../src/fate/agent-stops.ts'
import { changeOf, type PlannedChanges } from '../../src/fate/change.ts'
import { restartsOf } from '../../src/fate/index.ts'
import { newItem } from '../../src/krm/index.ts'
import type { Item, KubernetesObject } from '../../src/krm/types.ts'
import type { Plan } from '../../src/rules/plan.ts'
import { plan } from '../../src/rules/run.ts'
import { config, countedShape, daemonSet, inventory, listOf, policy, shape, TYPE } from '../support/objects.ts'
import { rerender, said, withSpec } from '../support/rerender.ts'
import { suite } from '../support/suite.ts'

const FREE = config({ guards: { maxGroupsRemoved: null, maxNodesLost: null, maxShrinkPercent: null } })
const X = shape({ [TYPE]: 'x' }, ['a', 'b'])
const Y = shape({ [TYPE]: 'y' }, ['c'])
const POOL_P = shape({ [TYPE]: 'x', pool: 'p', os: 'linux' }, ['a', 'b'])
const POOL_Q = shape({ [TYPE]: 'y', pool: 'q', os: 'linux' }, ['c'])
const rendered = (shapes: object[], spec: Record<string, unknown> = {}) =>
  plan(listOf([FREE, inventory(shapes), policy(spec), daemonSet()]))
const again = (first: Plan, change: { nodes?: object[]; spec?: object; template?: object }) =>
  rerender(first, (object): KubernetesObject => {
    if (object.kind === 'NodeInventory' && change.nodes !== undefined) return inventory(change.nodes)
    if (object.kind === 'SizingPolicy') return withSpec(object, change.spec ?? {})
    const isTemplate = object.kind === 'DaemonSet' && object.metadata.name === 'agent'
    return isTemplate ? withSpec(object, change.template ?? {}) : object
  })
const image = (name: string) => daemonSet({ containers: [{ name: 'agent', image: name }] }).spec as object
const counted = (type: string, count: number) => countedShape({ [TYPE]: type }, count)
const BARE = { remainder: false, defaultNodeGroup: '' }

/** Required affinity for a node of this name. */
const byName = (name: string) => {
  const terms = [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }] }]
  return { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: terms } } }
}

/** Of each object that is added or changed the pods that restart, and the nodes that move to it. */
function restarts({ packages, failed }: Plan): Record<string, string> {
  assert.is(failed, false)
  const all = packages.flatMap(({ planned }) => planned.flatMap((one) => [...restartsOf(one)]))
  return Object.fromEntries(
    all.map(([{ after }, { pods, moved }]) => [after?.object.metadata.name ?? '', `${pods} restart, ${moved} move`]),
  )
}

const ROWS: Array<[name: string, result: () => Plan, want: Record<string, string>]> = [
  [
    'a type that leaves the remainder moves, and those of the others stay',
    () => again(rendered([X], { defaultNodeGroup: '' }), { nodes: [X, Y], template: image('agent:2') }),
    { 'agent-remainder': '0 restart, 0 move', 'agent-x': '2 restart, 0 move', 'agent-y': '0 restart, 1 move' },
  ],
  [
    'nodes that are only counted move as well',
    () => again(rendered([counted('x', 2)], { defaultNodeGroup: '' }), { nodes: [counted('x', 2), counted('y', 7)] }),
    { 'agent-remainder': '0 restart, 0 move', 'agent-y': '0 restart, 7 move' },
  ],
  [
    'nodes that nothing served do not move',
    () => again(rendered([X], BARE), { nodes: [X, Y] }),
    { 'agent-y': '0 restart, 0 move' },
  ],
  [
    'a group that takes over a node: that one moves, and only the others restart',
    () =>
      again(rendered([POOL_P, POOL_Q], { groups: [{ name: 'g', nodeSelector: { pool: 'p' } }], ...BARE }), {
        spec: { groups: [{ name: 'g', nodeSelector: { os: 'linux' } }] },
      }),
    { 'agent-g': '2 restart, 1 move' },
  ],
  [
    'a group that is taken apart: its nodes move',
    () =>
      again(rendered([POOL_P, POOL_Q], { groups: [{ name: 'g', nodeSelector: { os: 'linux' } }], ...BARE }), {
        spec: { groups: [] },
      }),
    { 'agent-x': '0 restart, 2 move', 'agent-y': '0 restart, 1 move' },
  ],
  [
    'what chooses nodes by name takes over those alone',
    () => again(rendered([X], BARE), { spec: { affinity: byName('b') } }),
    { 'agent-x': '1 restart, 0 move' },
  ],
  [
    'another way of replacing pods replaces none',
    () => again(rendered([X], BARE), { template: { updateStrategy: { type: 'OnDelete' } } }),
    { 'agent-x': '0 restart, 0 move' },
  ],
]

suite('what restarts', (test) => {
  const causes = (more: Record<string, unknown>, spec: object) => {
    const template = daemonSet({ ...more, containers: [{ name: 'agent', image: 'agent:2' }] }).spec as object
    return said(again(rendered([X, Y], BARE), { template, spec }), 'PodsRestart')
  }
  test('is told with the causes in order of their names where they restart as many', () => {
    assert.equal(causes({ dnsPolicy: 'Default' }, {}), [
      'agent: 3 pods restart: dnsPolicy (3), image of container agent (3)',
    ])
  })
  test('is told with the cause of most pods first', () => {
    assert.equal(causes({}, { overrides: [{ groups: ['y'], minResources: { cpu: '1' } }] }), [
      'agent: 3 pods restart: image of container agent (3), cpu limit of container agent (1), cpu request of container agent (1)',
    ])
  })
  for (const [name, result, want] of ROWS) test(name, () => assert.equal(restarts(result()), want))
  test('of a shape whose nodes two objects shared, those that one had by name stay with it', () => {
    const [one, another] = ['agent-one', 'agent-another'].map(
      (name) => (pod: object) => newItem(daemonSet({ ...pod }, { name })),
    )
    const changes = [
      changeOf({ kind: 'changed', before: one?.({ affinity: byName('a') }), after: one?.({}) }),
      changeOf({ kind: 'removed', before: another?.({}) }),
    ]
    const { packages } = rendered([X])
    const planned = { changes, subject: newItem(policy()), isEnabled: true } as unknown as PlannedChanges
    const world = { items: [] } as unknown as World
    const fleets = packages.flatMap((one) => one.fleets)
    const input = { world, fleets, orphaned: [], current: (item: Item) => item, isRetiredBefore: () => false }
    const stops = agentStops([planned], input).get(planned) ?? []
    assert.equal(
      [...restartsOf({ changes, stops }).values()],
      [{ pods: 1, moved: 1, lost: 0, mayRestart: 0, mayLose: 0, isOnDelete: false }],
    )
  })
})
