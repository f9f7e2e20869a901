/** What a run says to its reader, from real plans: the table of groups, totals and findings. */
import * as assert from 'uvu/assert'
import { displayWidth, plain, reportLines } from '../../src/face/index.ts'
import { PACKAGE_PATH } from '../../src/krm/identity.ts'
import type { KubernetesObject } from '../../src/krm/types.ts'
import type { Plan } from '../../src/rules/plan.ts'
import { plan } from '../../src/rules/run.ts'
import { config, daemonSet, inventory, listOf, policy, SMALL, shape, TYPE } from '../support/objects.ts'
import { rerender, withSpec } from '../support/rerender.ts'
import { suite } from '../support/suite.ts'

const FREE = config({ guards: { maxGroupsRemoved: null, maxNodesLost: null } })
const BIG = shape({ [TYPE]: 'big' }, ['a', 'b'], '40', '160Gi')
const NODES = inventory([BIG, shape({ [TYPE]: 'small' }, ['c'])])
const AGENT = daemonSet({ containers: [{ name: 'agent', image: 'agent:1', resources: SMALL }] })
const rendered = (...objects: KubernetesObject[]) => plan(listOf([FREE, ...objects]))
const FIRST = rendered(NODES, policy({ retainGroups: 0 }), AGENT)

const said = (result: Plan, isExplained = false) => reportLines(result, isExplained, plain)

/** The table alone, which an empty line ends. */
function table(result: Plan): string[] {
  const lines = said(result)
  const start = lines.findIndex((line) => line.startsWith('GROUP'))
  return start < 0 ? [] : lines.slice(start, lines.findIndex((line) => line.startsWith('nodefit: ')) - 1)
}

const changed = (kind: string, change: (object: KubernetesObject) => KubernetesObject) => (object: KubernetesObject) =>
  object.kind === kind ? change(object) : object
/** The template alone, not what is rendered from it. */
const ofTemplate = (change: (object: KubernetesObject) => KubernetesObject) => (object: KubernetesObject) =>
  object.metadata.name === 'agent' && object.kind === 'DaemonSet' ? change(object) : object
const nodesNow = (...shapes: object[]) => changed('NodeInventory', () => inventory(shapes))

const TABLES: Array<[name: string, result: () => Plan, lines: string[]]> = [
  [
    'at first there is the template, and every group is new',
    () => FIRST,
    [
      'GROUP            NODES  CPU REQUEST      MEMORY REQUEST   CPU LIMIT    MEMORY LIMIT   RESTARTS',
      'agent-big            2  1m -> 800m       1Mi -> 3276Mi    2m -> 2000m  2Mi -> 4096Mi  new',
      'agent-default        0  1m -> 100m       1Mi -> 327Mi     2m -> 200m   2Mi -> 819Mi   new',
      'agent-remainder      0  1m -> 100m       1Mi -> 327Mi     2m -> 200m   2Mi -> 819Mi   new',
      'agent-small          1  1m -> 100m       1Mi -> 327Mi     2m -> 200m   2Mi -> 819Mi   new',
      'total                3   0 -> 1.7 cores    0 -> 6.72 GiB',
    ],
  ],
  [
    'what nothing happens to has no arrows',
    () => rerender(FIRST, (object) => object),
    [
      'GROUP            NODES  CPU REQUEST  MEMORY REQUEST  CPU LIMIT  MEMORY LIMIT',
      'agent-big            2  800m         3276Mi          2          4Gi',
      'agent-default        0  100m         327Mi           200m       819Mi',
      'agent-remainder      0  100m         327Mi           200m       819Mi',
      'agent-small          1  100m         327Mi           200m       819Mi',
      'total                3  1.7 cores    6.72 GiB',
    ],
  ],
  [
    'nodes that change their type move, and a type without nodes goes',
    () => rerender(FIRST, nodesNow(BIG, shape({ [TYPE]: 'mid' }, ['c'], '20', '80Gi'))),
    [
      'GROUP            NODES  CPU REQUEST      MEMORY REQUEST   CPU LIMIT      MEMORY LIMIT     RESTARTS',
      'agent-big            2          800m              3276Mi          2               4Gi     -',
      'agent-default        0  100m -> 400m     327Mi -> 1638Mi  200m -> 1000m  819Mi -> 4096Mi  -',
      'agent-mid            1  100m -> 400m     327Mi -> 1638Mi  200m -> 1000m  819Mi -> 4096Mi  1 moves',
      'agent-remainder      0  100m -> 400m     327Mi -> 1638Mi  200m -> 1000m  819Mi -> 4096Mi  -',
      'agent-small          -          100m              327Mi           200m            819Mi   removed',
      'total                3   1.7 -> 2 cores   6.72 -> 8 GiB                                   1',
    ],
  ],
  [
    'another image restarts the pods',
    () =>
      rerender(
        FIRST,
        ofTemplate((object) =>
          withSpec(
            object,
            daemonSet({ containers: [{ name: 'agent', image: 'agent:2', resources: SMALL }] }).spec as object,
          ),
        ),
      ),
    [
      'GROUP            NODES  CPU REQUEST  MEMORY REQUEST  CPU LIMIT  MEMORY LIMIT  RESTARTS',
      'agent-big            2  800m         3276Mi          2          4Gi           2',
      'agent-default        0  100m         327Mi           200m       819Mi         -',
      'agent-remainder      0  100m         327Mi           200m       819Mi         -',
      'agent-small          1  100m         327Mi           200m       819Mi         1',
      'total                3  1.7 cores    6.72 GiB                                 3',
    ],
  ],
  [
    'a disabled policy: all is removed',
    () =>
      rerender(
        FIRST,
        changed('SizingPolicy', (object) => withSpec(object, { enabled: false })),
      ),
    [
      'GROUP            NODES  CPU REQUEST  MEMORY REQUEST  CPU LIMIT  MEMORY LIMIT  RESTARTS',
      'agent-big            -  800m         3276Mi          2          4Gi           removed',
      'agent-default        -  100m         327Mi           200m       819Mi         removed',
      'agent-remainder      -  100m         327Mi           200m       819Mi         removed',
      'agent-small          -  100m         327Mi           200m       819Mi         removed',
      'agent (static)       3                                                        3 move',
    ],
  ],
  [
    'the same where a taint came meanwhile: its nodes get no new pod',
    () => {
      const taints = [{ key: 'x', effect: 'NoSchedule' }]
      const tainted = rerender(FIRST, nodesNow(BIG, shape({ [TYPE]: 'small' }, ['c'], '4', '16Gi', { taints })))
      return rerender(
        tainted,
        changed('SizingPolicy', (object) => withSpec(object, { enabled: false })),
      )
    },
    [
      'GROUP            NODES  CPU REQUEST  MEMORY REQUEST  CPU LIMIT  MEMORY LIMIT  RESTARTS',
      'agent-big            -  800m         3276Mi          2          4Gi           removed',
      'agent-default        -  800m         3276Mi          2          4Gi           removed',
      'agent-remainder      -  800m         3276Mi          2          4Gi           removed',
      'agent-small          -  100m         327Mi           200m       819Mi         removed',
      'agent (static)       3                                                        2 move, 0 (+1) lost',
    ],
  ],
  ['nothing to render, no table', () => rendered(NODES, AGENT), []],
]

suite('the table of groups', (test) => {
  for (const [name, result, lines] of TABLES) test(name, () => assert.equal(table(result()), lines))
  test('pods that wait for somebody to delete them', () => {
    const onDelete = { updateStrategy: { type: 'OnDelete' } }
    const second = rerender(
      rendered(NODES, policy(), withSpec(AGENT, onDelete)),
      changed('SizingPolicy', (object) => withSpec(object, { minResources: { cpu: '900m' } })),
    )
    assert.match(table(second)[1] ?? '', / 2 on delete$/)
    assert.match(table(second).at(-1) ?? '', / 3$/)
  })
  test('several containers have lines of their own; of those that keep their amounts nothing is said', () => {
    const containers = ['agent', 'side', 'other'].map((one) => ({ name: one, image: 'a:1', resources: SMALL }))
    const shares = ['agent', 'side'].map((one) => ({ name: one, share: 50 }))
    const lines = table(rendered(NODES, policy({ containers: shares }), daemonSet({ containers })))
    assert.match(lines[1] ?? '', /^agent-big +2 +agent +1m -> 400m .* new$/)
    assert.match(lines[2] ?? '', /^ +side +1m -> 400m .*[^w]$/)
    assert.not.match(lines.join('\n'), 'other')
  })
  test('several policies have a section each', () => {
    const other = daemonSet({ containers: [{ name: 'other', image: 'a:1' }] }, { name: 'other', namespace: 'logs' })
    const lines = table(
      rendered(NODES, policy(), AGENT, policy({ targetRef: { name: 'other' } }, 'other', { namespace: 'logs' }), other),
    )
    assert.is(lines[1], 'SizingPolicy agent')
    assert.is(lines[lines.indexOf('SizingPolicy logs/other') - 1], '')
    assert.is(lines.filter((line) => line.startsWith('total')).length, 2)
    // without resources in the template all amounts are new; a request that is raised is nothing less
    assert.ok(lines.some((line) => /^other-big .* - -> 800m/.test(line)))
  })
  test('a title is wider than the names below it, and widens no column', () => {
    const other = daemonSet(
      { containers: [{ name: 'o', image: 'a:1', resources: SMALL }] },
      { name: 'o', namespace: 'n' },
    )
    const one = policy({ targetRef: { name: 'o' } }, 'a-policy-with-a-long-name', { namespace: 'n' })
    assert.equal(
      table(rendered(NODES, policy(), AGENT, one, other)).filter((line) =>
        /^(Sizing|GROUP|agent-big|o-big)/.test(line),
      ),
      [
        'GROUP            NODES  CONTAINER  CPU REQUEST      MEMORY REQUEST   CPU LIMIT    MEMORY LIMIT   RESTARTS',
        'SizingPolicy agent',
        'agent-big            2  agent      1m -> 800m       1Mi -> 3276Mi    2m -> 2000m  2Mi -> 4096Mi  new',
        'SizingPolicy n/a-policy-with-a-long-name',
        'o-big                2  o          1m -> 800m       1Mi -> 3276Mi    2m -> 2000m  2Mi -> 4096Mi  new',
      ],
    )
  })
  test('policies of several packages are told apart by the packages, whatever those are called', () => {
    const within = (path: string) =>
      [NODES, policy(), AGENT].map(({ metadata, ...object }) => ({
        ...object,
        metadata: { ...metadata, annotations: { [PACKAGE_PATH]: path } },
      }))
    const titles = table(plan(listOf([...within('east'), ...within('\x1b[2J')]))).filter((line) => / in /.test(line))
    assert.equal(titles, ['SizingPolicy agent in \\u{1b}[2J', 'SizingPolicy agent in east'])
  })
  for (const [types, lines] of [
    [18, 22],
    [19, 3],
  ] as const)
    test(`${types + 2} groups, all unchanged: ${lines} lines`, () => {
      const shapes = Array.from({ length: types }, (_, index) => shape({ [TYPE]: `t${index}` }, [`n${index}`]))
      assert.is(table(rerender(rendered(inventory(shapes), policy(), AGENT), (object) => object)).length, lines)
    })
  test('300 groups: the unchanged are one line', () => {
    const many = Array.from({ length: 300 }, (_, index) => shape({ [TYPE]: `t${index}` }, [`n${index}`]))
    const first = rendered(inventory(many), policy(), AGENT)
    assert.is(table(first).length, 304)
    const second = rerender(
      first,
      nodesNow(...many.map((one, index) => (index < 50 ? { ...one, allocatable: { cpu: '8', memory: '32Gi' } } : one))),
    )
    const lines = table(second)
    assert.is(lines.length, 53)
    assert.is(lines.at(-2), 'and 252 unchanged')
    assert.match(lines[1] ?? '', /^agent-t0 .* 1$/)
    assert.match(lines.at(-1) ?? '', /^total .* 50$/)
  })
  test('long names lose their middle, and the lines stay aligned', () => {
    const names = { big: `agent-${'x'.repeat(50)}-big` }
    const lines = table(rendered(NODES, policy({ names }), AGENT))
    assert.ok(
      lines.some((line) => /^agent-x+\.\.\.x+-big +2 /.test(line)),
      lines.join('\n'),
    )
    const [heading = '', ...rows] = lines
    const column = heading.indexOf('CPU REQUEST')
    for (const line of rows.slice(0, -1)) assert.match(line.slice(column), /^1m -> /)
    assert.ok(Math.max(...lines.map(displayWidth)) < 150)
  })
  test('what a user made of an earlier object does not stop it', () => {
    const broken: Array<(object: KubernetesObject) => unknown> = [
      () => null,
      () => ({ template: null }),
      () => ({ template: { spec: { containers: 'none', tolerations: 7 } } }),
      () => ({ template: { spec: { containers: [null, { name: 7, resources: { limits: { cpu: ['1'] } } }] } } }),
      () => ({ template: { spec: { containers: [{ name: 'agent', resources: { requests: { cpu: 'much' } } }] } } }),
    ]
    for (const spec of broken) {
      const second = rerender(FIRST, (object) =>
        object.metadata.name === 'agent-small' ? ({ ...object, spec: spec(object) } as KubernetesObject) : object,
      )
      if (!second.failed) assert.ok(table(second).some((line) => line.startsWith('agent-small')))
    }
  })
})

suite('the report of a run', (test) => {
  test('table, totals, findings: in this order, and the most severe finding first', () => {
    const lines = said(rendered(NODES, policy({ defaultNodeGroup: '' }), AGENT))
    const at = (text: string) => lines.findIndex((line) => line.includes(text))
    assert.is(at('GROUP'), 0)
    assert.ok(at('total') < at('PolicySummary'))
    assert.ok(at('PolicySummary') < at('nodefit: warning: HoleOnPurpose'))
  })
  test('explained: every number first, then the table; nothing is folded', () => {
    const lines = said(FIRST, true)
    const at = (text: string) => lines.findIndex((line) => line.includes(text))
    assert.is(lines.filter((line) => line.startsWith('nodefit: info: GroupSized')).length, 4)
    assert.ok(at('GroupSized') < at('GROUP '))
    assert.ok(at('GROUP ') < at('PolicySummary'))
    assert.is(at('with --all'), -1)
  })
  test('a run that failed has its findings alone', () => {
    const failed = rendered(NODES, policy({ targetRef: { name: 'absent' } }), AGENT)
    assert.ok(failed.failed)
    assert.equal(
      said(failed).map((line) => line.split(': ').slice(0, 3)),
      [['nodefit', 'error', 'TargetMissing']],
    )
  })
  test('nothing that a name brings along steers a terminal', () => {
    const escaped = said(rendered(NODES, policy({ targetRef: { name: '\x1b[2J' } }), AGENT)).join('')
    assert.not.ok(escaped.includes('\x1b'))
    assert.ok(escaped.includes('\\u{1b}[2J'))
  })
})
