/** Sizes from the first look at a cluster: needs, sizes, the fewest groups that pay, verdicts. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { carriersOf } from '../../../src/plan/sizing/day-one/carriers.ts'
import { dayOne, type Judged } from '../../../src/plan/sizing/day-one/day-one.ts'
import { needOf, type SizeInput, sizeFor } from '../../../src/plan/sizing/day-one/need.ts'
import { axisBy, cellsOf, costInCores, costOf, type NodeSizes, runsOf } from '../../../src/plan/sizing/day-one/steps.ts'
import { suite } from '../../support/suite.ts'

const NEEDS: Array<[name: string, amounts: number[], need: number | undefined]> = [
  ['of no pod', [], undefined],
  ['of one pod', [7], 7],
  ['of fewer than ten the highest', [5, 1, 9, 4], 7.5 + 1.5],
  ['of ten the ninth', [1, 2, 3, 4, 5, 6, 7, 8, 9, 99], 9],
  ['one of three that is far beyond counts for three times the median', [10, 10, 100], 30],
  ['two pods are both believed', [10, 100], 100],
  ['the median of four is the mean of two', [10, 20, 30, 1000], 75],
]

const base: SizeInput = { resource: 'cpu', need: 0, kind: 'Sample', today: 1000, pods: 9 }
const SIZES: Array<[name: string, input: Partial<SizeInput>, row: number | undefined, size?: number]> = [
  ['one look takes away half at most', { need: 40 }, 434, 500],
  ['one look, memory', { resource: 'memory', need: 90, today: 1024 }, 445, 512],
  ['one node gets a third more cpu', { need: 380, pods: 1 }, 659, 758],
  ['fourteen days move freely', { need: 40, kind: 'Days' }, 40, 46],
  ['fourteen days, memory', { resource: 'memory', need: 90, kind: 'Days', today: 1024 }, 90, 104],
  ['fourteen days of one node', { need: 380, kind: 'Days', pods: 1 }, 507, 584],
  ['two nodes are few', { need: 90, kind: 'Days', pods: 2 }, 120, 138],
  ['three are not', { need: 90, kind: 'Days', pods: 3 }, 90, 104],
  ['memory has no third more', { resource: 'memory', need: 90, kind: 'Days', pods: 1 }, 90, 104],
  ['today stays where only the margin does not fit', { need: 90, today: 100, kind: 'Days' }, 86, 99],
  ['and is not rounded below the need', { need: 100, today: 100, kind: 'Days' }, 87, 101],
  ['one look doubles at most', { need: 900, today: 100 }, 173, 199],
  ['the counters are free for cpu', { need: 40, kind: 'Counters' }, 60, 69],
  ['the counters are bound for memory', { resource: 'memory', need: 40, kind: 'Counters' }, 434, 500],
  ['watched for minutes is one look', { need: 40, kind: 'Watch' }, 434, 500],
  ['no request exceeds its limit', { need: 900, today: 400, kind: 'Days', limit: 500 }, 434, 500],
  ['a limit below half of today is not possible, and the limit counts', { need: 10, limit: 400 }, 347, 400],
  ['at least 10m', { need: 1, kind: 'Days' }, 8, 10],
  ['at least 16Mi', { resource: 'memory', need: 1, kind: 'Days' }, 14, 17],
  ['without a request one look has nothing to move', { need: 40, today: undefined }, undefined],
  ['without a request days size it', { need: 40, today: undefined, kind: 'Days' }, 40, 46],
  ['without a request, under a limit', { need: 900, today: undefined, kind: 'Days', limit: 100 }, 86, 99],
  ['what stays exceeds no limit', { need: 100, today: 100, limit: 100, kind: 'Days' }, 86, 99],
  ['pods that are not measured keep what they have', { need: 40, kind: 'Days', isPartial: true }, 869, 1000],
  [
    'memory that follows its limit gets what it uses, and nothing on top',
    { resource: 'memory', need: 480, today: 256, limit: 512, followsLimit: true },
    417,
    480,
  ],
]

suite('needs and sizes', (test) => {
  for (const [name, amounts, need] of NEEDS) test(name, () => assert.is(needOf(amounts), need))
  for (const [name, input, row, size] of SIZES)
    test(name, () => assert.equal(sizeFor({ ...base, ...input }), row === undefined ? undefined : { row, size }))
  test('a row renders its size with the margin, and a larger need never gets less', () => {
    const amount = fc.integer({ min: 0, max: 5000 })
    const input = fc.record({
      need: amount,
      more: amount,
      today: fc.integer({ min: 1, max: 5000 }),
      pods: fc.integer({ min: 1, max: 40 }),
      kind: fc.constantFrom('Sample' as const, 'Days' as const, 'Counters' as const),
      resource: fc.constantFrom('cpu' as const, 'memory' as const),
    })
    fc.assert(
      fc.property(input, ({ more, ...one }) => {
        const [low, high] = [sizeFor(one), sizeFor({ ...one, need: one.need + more })]
        assert.ok(low !== undefined && high !== undefined)
        assert.is(low.size, Math.ceil((low.row * 115) / 100))
        assert.ok(high.size >= low.size, `${high.size} for more than ${low.size}`)
        if (one.kind === 'Sample') assert.ok(low.size * 2 >= one.today - 2 && low.size <= one.today * 2)
      }),
    )
  })
})

suite('runs and cells', (test) => {
  test('a type more than half as large again as the first of a run begins the next', () =>
    assert.equal(runsOf([4, 2, 3, 6, 6.1, 9, 9.2]), [1, 0, 0, 1, 2, 2, 3]))
  test('nodes with the same two runs are a cell', () => {
    const cells = cellsOf([
      { cpu: 2, memory: 8 },
      { cpu: 2, memory: 16 },
      { cpu: 8, memory: 8 },
      { cpu: 2.5, memory: 9 },
    ])
    assert.is(cells[0], cells[3])
    assert.is(new Set(cells).size, 3)
  })
  test('one core counts as four GiB', () => assert.is(costOf({ cpu: 1000 }), costOf({ memory: 4096 })))
})

const EKS: Array<[NodeSizes, number]> = [
  [{ cpu: 1930, memory: 6967 }, 25],
  [{ cpu: 3920, memory: 14_800 }, 12],
  [{ cpu: 63_770, memory: 500_000 }, 2],
  [{ cpu: 95_690, memory: 370_000 }, 1],
]
const NODES = EKS.flatMap(([size, count]) => Array.from({ length: count }, () => size))
const AXES = [
  axisBy(
    'memory',
    NODES.map(({ memory }) => memory),
  ),
  axisBy(
    'cpu',
    NODES.map(({ cpu }) => cpu),
  ),
]
const KIND_OF = EKS.flatMap(([, count], at) => Array.from({ length: count }, () => at))

/** An agent of one container that uses the same on each node of a type. */
const agentOf = (
  used: ReadonlyArray<readonly [cpu: number, memory: number]>,
  more: Partial<Judged['containers'][number]> = {},
  judged: Partial<Judged> = {},
): Judged => ({
  nodes: NODES.map((_, node) => node),
  containers: [
    {
      name: 'agent',
      request: { cpu: 200, memory: 400 },
      limit: { memory: 800 },
      kind: 'Days',
      pods: NODES.flatMap((_, node) => {
        const use = used[KIND_OF[node] ?? 0]
        return use === undefined ? [] : [{ node, cpu: use[0], memory: use[1], peak: use[1] }]
      }),
      ...more,
    },
  ],
  ...judged,
})
const OTEL = [
  [53, 135],
  [62, 150],
  [260, 400],
  [260, 400],
] as const
const look = (...agents: Judged[]) => dayOne(agents, NODES, AXES)
const only = (agent: Judged) => {
  const [proposal] = look(agent).proposals
  if (proposal === undefined) throw new Error('no proposal')
  return proposal
}
const cores = (cost: number) => Math.round(costInCores(cost) * 100) / 100

suite('the fewest groups that pay', (test) => {
  test('two groups where the third saves too little', () => {
    const { curve, today, after, parts, verdict, isWritten } = only(agentOf(OTEL))
    assert.is(cores(today), 11.91)
    assert.equal(curve.map(cores), [15.87, 5.42, 5.04].slice(0, curve.length))
    assert.is(cores(after), 5.42)
    assert.equal(
      parts.map(({ nodes, sizes }) => [nodes, sizes[0]?.cpu?.size, sizes[0]?.memory?.size]),
      [
        [37, 72, 173],
        [3, 299, 400],
      ],
    )
    assert.is(verdict, 'uneven')
    assert.ok(isWritten)
  })
  test('equal needs are one size', () => {
    const { parts, verdict, isWritten } = only(
      agentOf([
        [20, 60],
        [20, 60],
        [20, 60],
        [20, 60],
      ]),
    )
    assert.is(parts.length, 1)
    assert.is(verdict, 'lower')
    assert.not.ok(isWritten)
  })
  test('what is used as requested is fine', () => {
    const { verdict, isWritten } = only(
      agentOf([
        [195, 390],
        [195, 390],
        [195, 390],
        [195, 390],
      ]),
    )
    assert.is(verdict, 'fine')
    assert.not.ok(isWritten)
  })
  test('what uses more than it requests everywhere is to be raised', () =>
    assert.is(
      only(
        agentOf([
          [300, 450],
          [300, 450],
          [300, 450],
          [300, 450],
        ]),
      ).verdict,
      'raise',
    ))
  test('no node of a type that is not measured gets less than today', () => {
    const { parts } = only(agentOf([[20, 60]]))
    const large = parts.at(-1)
    assert.ok((large?.sizes[0]?.cpu?.size ?? 200) >= 200)
    assert.is(parts[0]?.sizes[0]?.cpu?.size, 23)
  })
  test('a type without evidence has a row with what it has today: without one it would borrow', () => {
    const { parts } = only(agentOf([[20, 60]]))
    const large = parts.at(-1)
    assert.equal(
      [large?.sizes[0]?.cpu, large?.sizes[0]?.memory],
      [
        { row: 174, size: 201 },
        { row: 347, size: 400 },
      ],
    )
  })
  test('half of the nodes of a size say enough of it, fewer do not', () => {
    const measured = (count: number) => {
      const agent = agentOf([
        [20, 60],
        [20, 60],
        [20, 60],
        [20, 60],
      ])
      const [container] = agent.containers
      if (container === undefined) throw new Error('no container')
      // the nodes of the smallest type come first
      const pods = container.pods.filter(({ node }) => node >= 25 || node < count)
      return only({ ...agent, containers: [{ ...container, pods }] }).parts[0]?.sizes[0]?.cpu?.size
    }
    assert.equal([measured(13), measured(12)], [23, 201])
  })
  test('nodes of another size say nothing, though they share a step', () => {
    const nodes = [...Array(20).fill({ cpu: 2000, memory: 8000 }), ...Array(5).fill({ cpu: 32_000, memory: 8000 })]
    const pods = nodes.slice(0, 20).map((_, node) => ({ node, cpu: 20, memory: 60, peak: 60 }))
    const [container] = agentOf([]).containers
    const agent = { nodes: nodes.map((_, node) => node), containers: [{ ...container, name: 'a', kind: 'Days', pods }] }
    const byMemory = axisBy(
      'memory',
      nodes.map(({ memory }) => memory),
    )
    const [proposal] = dayOne([agent as Judged], nodes, [byMemory]).proposals
    assert.is(proposal?.parts[0]?.sizes[0]?.cpu?.size, 201)
  })
  test('a larger node never gets less than a smaller one', () => {
    const { parts } = only(
      agentOf([
        [150, 300],
        [20, 60],
        [20, 60],
        [20, 60],
      ]),
    )
    const sizes = parts.map((part) => part.sizes[0]?.cpu?.size ?? 0)
    assert.equal(
      sizes,
      [...sizes].sort((a, b) => a - b),
    )
  })
  test('nobody is sized by a smaller node of its group', () => {
    const { parts } = only(
      agentOf(
        [
          [20, 60],
          [24, 66],
          [26, 70],
          [26, 70],
        ],
        { kind: 'Days' },
      ),
    )
    assert.is(parts.length, 1)
    assert.is(parts[0]?.sizes[0]?.memory?.size, 81)
  })
  test('what an init container requests is not saved', () => {
    const { verdict } = only(
      agentOf(
        [
          [20, 60],
          [20, 60],
          [20, 60],
          [20, 60],
        ],
        {},
        { least: { cpu: 200, memory: 400 } },
      ),
    )
    assert.is(verdict, 'fine')
  })
  test('the classes are those of all agents', () => {
    const flat = agentOf([
      [20, 60],
      [20, 60],
      [20, 60],
      [20, 60],
    ])
    const { cuts, proposals } = look(flat, agentOf(OTEL))
    assert.is(cuts.length, 1)
    assert.equal(
      proposals.map(({ parts }) => parts.length),
      [1, 2],
    )
    assert.equal(look(agentOf(OTEL), flat).cuts, cuts, 'the order of agents does not matter')
  })
})

const VERDICTS: Array<[name: string, agent: Judged, verdict: string, isWritten: boolean]> = [
  ['of a node part whatever it uses', agentOf(OTEL, {}, { leave: 'it is kube-proxy' }), 'leave it', false],
  ['of a node part that is starved', agentOf(OTEL, {}, { leave: 'x', starved: 'killed' }), 'leave it', false],
  ['starved, with groups that pay', agentOf(OTEL, {}, { starved: 'killed' }), 'starved', true],
  ['of nothing measured', agentOf([], { kind: undefined }), 'not measured', false],
  ['of no request, from one look', agentOf(OTEL, { kind: 'Sample', request: {} }), 'unset', false],
  ['of no request, from days', agentOf(OTEL, { request: {} }), 'unset', true],
  [
    'of no request, from days, one size',
    agentOf(
      [
        [20, 60],
        [20, 60],
        [20, 60],
        [20, 60],
      ],
      { request: {} },
    ),
    'unset',
    false,
  ],
]

suite('verdicts', (test) => {
  for (const [name, agent, verdict, isWritten] of VERDICTS)
    test(name, () => {
      const proposal = only(agent)
      assert.equal([proposal.verdict, proposal.isWritten], [verdict, isWritten])
    })
  test('a limit is twice the peak, never lower, and stays where memory follows it', () => {
    const limits = (more: object) => only(agentOf(OTEL, more)).limits
    assert.equal(limits({ limit: { memory: 500 } }), [800])
    assert.equal(limits({ limit: { memory: 900 } }), [undefined])
    assert.equal(limits({ limit: { memory: 500 }, followsLimit: true }), [undefined])
    assert.equal(limits({ limit: {} }), [undefined])
    assert.equal(limits({ limit: { memory: 900 }, isKilled: true }), [1800])
    assert.equal(limits({ limit: { memory: 500 }, isKilled: true, followsLimit: true }), [1000])
  })
})

const at = (cpu: number, memory: number, labels: Record<string, string>) => ({ cpu, memory, labels })
const TYPE = 'node.kubernetes.io/instance-type'
const KARPENTER = 'karpenter.k8s.aws/instance-memory'

suite('what carries classes', (test) => {
  const labelOf = (nodes: Parameters<typeof carriersOf>[0]) => [...new Set(carriersOf(nodes).map(({ label }) => label))]
  test('numbers of Karpenter on half of the nodes', () => {
    const half = [at(2, 8, { [KARPENTER]: '8192', [TYPE]: 'a' }), at(8, 32, { [TYPE]: 'b' })]
    assert.equal(labelOf(half), [KARPENTER])
    assert.equal(labelOf([...half, at(8, 32, { [TYPE]: 'b' })]), [TYPE])
  })
  test('a node type, unless its nodes differ by more than twice', () => {
    assert.equal(labelOf([at(2, 8, { [TYPE]: 'a' }), at(8, 32, { [TYPE]: 'b' })]), [TYPE])
    assert.equal(labelOf([at(2, 8, { [TYPE]: 'k3s' }), at(8, 32, { [TYPE]: 'k3s' })]), ['nodefit.dev/size'])
    assert.equal(labelOf([at(2, 8, {}), at(8, 32, {})]), ['nodefit.dev/size'])
  })
  test('bounds are the numbers at which parts begin', () => {
    const nodes = ['8192', '16384', '65536', 'x'].map((value, index) =>
      at(2 ** index, 8 * 2 ** index, { [KARPENTER]: value }),
    )
    const [carrier] = carriersOf(nodes)
    const parts = [0, 2].map((from) => ({ from, to: from + 2, nodes: 1, sizes: [], cost: 0 }))
    assert.equal(carrier?.groupingFor(parts), { nodeGroupRanges: { label: KARPENTER, bounds: [65_536] } })
    assert.equal(carrier?.axis.steps, [0, 1, 2, 2], 'a node without a number is of the step of its size')
  })
  test('nodes without the label are of one group, so of one step', () => {
    const nodes = [at(2, 8, { [TYPE]: 'a' }), at(8, 32, { [TYPE]: 'b' }), at(2, 8, {}), at(8, 32, {}), at(64, 512, {})]
    assert.equal(carriersOf(nodes, (index) => index < 4)[0]?.axis.steps, [0, 1, 1, 1, 1])
  })
  test('a node that reports nothing hides no type', () => {
    const nodes = [at(2, 8, { [TYPE]: 'a' }), at(8, 32, { [TYPE]: 'b' }), at(0, 0, { [TYPE]: 'b' })]
    assert.equal(carriersOf(nodes)[0]?.axis.steps, [0, 1, 1])
  })
  test('a label that somebody has set carries what it says', () => {
    const nodes = [
      at(2, 8, { [TYPE]: 'a', 'nodefit.dev/size': 's' }),
      at(8, 32, { [TYPE]: 'b', 'nodefit.dev/size': 'm' }),
    ]
    const [carrier] = carriersOf(nodes)
    assert.equal([carrier?.label, carrier?.isYours], ['nodefit.dev/size', undefined])
  })
  test('of more types than six no bound cuts a class', () => {
    const nodes = [3100, 3100, 5800, 12_000, 24_000, 48_000, 95_000].map((cpu, index) =>
      at(cpu, cpu * 2, { [TYPE]: `t${index}` }),
    )
    const [, byCpu] = carriersOf(nodes)
    assert.equal(byCpu?.axis.steps.slice(0, 3), [0, 0, 0])
    assert.is(byCpu?.axis.count, 4)
  })
  test('nodes that no agent runs on make no step', () => {
    const nodes = [at(2, 8, { [TYPE]: 'a' }), at(8, 32, { [TYPE]: 'b' }), at(64, 512, { [TYPE]: 'c' })]
    assert.equal(carriersOf(nodes, (index) => index < 2)[0]?.axis.count, 2)
  })
})
