/** What nodes lose against what they have, whichever DaemonSet gave it to them. */
import * as assert from 'uvu/assert'
import { groupRows } from '../../src/face/group-rows.ts'
import type { Plan } from '../../src/rules/plan.ts'
import { plan } from '../../src/rules/run.ts'
import { container } from '../support/fit.ts'
import { config, countedShape, daemonSet, inventory, listOf, policy, shape, TYPE } from '../support/objects.ts'
import { rerender, said, withSpec } from '../support/rerender.ts'
import { suite } from '../support/suite.ts'

const FREE = config({ guards: { maxGroupsRemoved: null, maxNodesLost: null, maxShrinkPercent: null } })
const POOL = 'pool'
const taint = { taints: [{ key: 'x', effect: 'NoSchedule' }] }
/** Of 10Gi, 20Gi and 100Gi: by a tenth 1Gi, 2Gi and 10Gi each for itself, 1Gi for all in one pool. */
const SMALL = shape({ [TYPE]: 's', [POOL]: 'p' }, ['a', 'b'], '10', '10Gi')
const MIDDLE = shape({ [TYPE]: 'm', [POOL]: 'p' }, ['c'], '10', '20Gi')
const LARGE = shape({ [TYPE]: 'l', [POOL]: 'q' }, ['d'], '10', '100Gi')
const BARE = {
  remainder: false,
  defaultNodeGroup: '',
  minResources: { cpu: '1m', memory: '1Mi' },
  maxResources: { cpu: '100', memory: '1Ti' },
}
const TENTH = { requestCPU: 10, requestMemory: 10, limitCPU: null, limitMemory: 10 }
const AGENT = daemonSet({ containers: [container('agent', { cpu: '1', memory: '100Mi' })] })
const first = (shapes: object[], spec: object = {}) =>
  plan(listOf([FREE, inventory(shapes), policy({ resourcePercentages: TENTH, ...BARE, ...spec }), AGENT]))
const again = (before: Plan, spec: object, shapes?: object[]) =>
  rerender(before, (object) => {
    if (object.kind === 'NodeInventory' && shapes !== undefined) return inventory(shapes)
    return object.kind === 'SizingPolicy' ? withSpec(object, spec) : object
  })
const pooled = { nodeGroupLabel: POOL }
const sentences = (result: Plan) =>
  said(result, 'BelowEarlier').map((text) => (text.split('. ')[0] ?? '').replaceAll(' of agent', ''))

const ROWS: Array<[name: string, result: () => Plan, want: string[]]> = [
  [
    'nodes that move to a DaemonSet with less, not those that keep what they have or get more',
    () => again(first([SMALL, MIDDLE, LARGE]), pooled),
    [
      'agent: 1 node gets less than it has: memory request 2Gi -> 1Gi on 1 node (c); memory limit 2Gi -> 1Gi on 1 node (c)',
    ],
  ],
  [
    'nodes whose DaemonSet changes',
    () => again(first([SMALL, MIDDLE]), { resourcePercentages: { ...TENTH, requestMemory: 5 } }),
    [
      'agent: 3 nodes get less than they have: memory request 1024Mi -> 512Mi on 2 nodes (a, b), 2048Mi -> 1024Mi on 1 node (c)',
    ],
  ],
  [
    'nodes without names are counted',
    () => {
      const many = (memory: string) => [countedShape({ [TYPE]: 's' }, 7, { allocatable: { cpu: '10', memory } })]
      return again(first(many('20Gi')), {}, many('10Gi'))
    },
    [
      'agent: 7 nodes get less than they have: memory request 2Gi -> 1Gi on 7 nodes; memory limit 2Gi -> 1Gi on 7 nodes',
    ],
  ],
  [
    'a request that goes, and a limit that comes',
    () => again(first([SMALL]), { resourcePercentages: { ...TENTH, requestCPU: 'none', limitMemory: 'none' } }),
    ['agent: 2 nodes get less than they have: cpu request 1 -> none on 2 nodes (a, b)'],
  ],
  [
    'a limit that comes',
    () => again(first([SMALL]), { resourcePercentages: { ...TENTH, limitCPU: 20 } }),
    ['agent: 2 nodes get less than they have: cpu limit none -> 2 on 2 nodes (a, b)'],
  ],
  [
    'falls by how many nodes have them, then by amount, and no more than three',
    () => {
      const types = (
        [
          ['u', 1],
          ['v', 3],
          ['w', 1],
          ['x', 1],
          ['y', 1],
        ] as const
      ).map(([type, count], index) =>
        shape(
          { [TYPE]: type },
          Array.from({ length: count }, (_, at) => `${type}${at}`),
          '10',
          `${20 + 2 * index}0Gi`,
        ),
      )
      return again(first(types), { resourcePercentages: { ...TENTH, requestMemory: 5 } })
    },
    [
      'agent: 7 nodes get less than they have: memory request 22Gi -> 11Gi on 3 nodes (v0, v1, v2), 20Gi -> 10Gi on 1 node (u0), 24Gi -> 12Gi on 1 node (w0), less on 2 more',
    ],
  ],
  ['no earlier output: the template is compared by BelowTemplate', () => first([SMALL]), []],
  [
    'more of everything',
    () => again(first([SMALL]), { resourcePercentages: { ...TENTH, requestMemory: 10.5, limitMemory: 11 } }),
    [],
  ],
  [
    'nodes where no pod starts, and nothing shows one',
    () => {
      const closed = shape({ [TYPE]: 'm', [POOL]: 'p' }, ['c'], '10', '20Gi', taint)
      return again(first([SMALL, closed]), pooled)
    },
    [],
  ],
  [
    'nodes of a group that another policy of the template takes over',
    () => {
      const select = (value: string) => ({ nodeSelector: { [POOL]: value } })
      const two = first([SMALL, LARGE], select('q'))
      return rerender(two, (object) => {
        if (object.kind !== 'SizingPolicy') return object
        const less = { resourcePercentages: { ...TENTH, requestMemory: 5 }, ...select('q') }
        return [
          withSpec(object, { ...select('p') }),
          { ...withSpec(object, less), metadata: { ...object.metadata, name: 'other' } },
        ]
      })
    },
    ['other: 1 node gets less than it has: memory request 10Gi -> 5Gi on 1 node (d)'],
  ],
  [
    'nodes of a group whose policy is gone, and which another one takes over',
    () =>
      rerender(first([LARGE]), (object) => {
        if (object.kind === 'RenderConfig') return withSpec(object, { allow: ['OrphanedOutput'] })
        if (object.kind !== 'SizingPolicy') return object
        const less = withSpec(object, { resourcePercentages: { ...TENTH, requestMemory: 5 } })
        return { ...less, metadata: { ...object.metadata, name: 'other' } }
      }),
    ['other: 1 node gets less than it has: memory request 10Gi -> 5Gi on 1 node (d)'],
  ],
]

suite('less than nodes have', (test) => {
  for (const [name, result, want] of ROWS)
    test(name, () => {
      const made = result()
      assert.is(made.failed, false, made.findings.map(({ message }) => message).join('\n'))
      assert.equal(sentences(made), want)
    })
  test('a row shows the range of what its nodes had', () => {
    const { packages } = again(first([SMALL, MIDDLE, LARGE]), pooled)
    const rows = packages.flatMap(({ planned }) => planned.flatMap(groupRows))
    const memory = rows
      .filter(({ kind }) => kind === 'added')
      .map(({ name, containers }) => {
        const [one] = containers.map(({ amounts }) => amounts[1])
        return [name, one?.before, one?.after, Math.sign(one?.comparison ?? 0)]
      })
    assert.equal(memory, [
      ['agent-p', '1Gi..2Gi', '1Gi', -1],
      ['agent-q', '10Gi', '10Gi', 0],
    ])
  })
})
