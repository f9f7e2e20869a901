/** Groups whose nodes would get sizes far apart, and what is proposed: never a way that leads to another proposal. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { plan } from '../../../src/rules/run.ts'
import { config, daemonSet, inventory, listOf, policy, shape, TYPE } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'

const HOSTNAME = 'kubernetes.io/hostname'
const POOL = 'karpenter.sh/nodepool'
type Node = [cpu: string, memory: string, labels?: Record<string, string>]
const labelled = ([cpu, memory]: Node, labels: Record<string, string>): Node => [cpu, memory, labels]
const NO_BOUNDS = { minResources: { cpu: '1m', memory: '1Mi' }, maxResources: { cpu: '1k', memory: '1Pi' } }
/** Its class of service stays, whatever sizes it gets. */
const BURSTABLE = daemonSet({
  containers: [{ name: 'agent', image: 'agent:1', resources: { requests: { cpu: '1m', memory: '1Mi' } } }],
})
const inventoryOf = (nodes: Node[]) =>
  inventory(
    nodes.map(([cpu, memory, labels], index) => shape({ [TYPE]: 'k3s', ...labels }, [`n${index}`], cpu, memory)),
    { labelKeys: ['*'] },
  )
const findingsOf = (nodes: Node[], spec: Record<string, unknown> = {}, options: object[] = []) =>
  plan(listOf([inventoryOf(nodes), policy({ ...NO_BOUNDS, ...spec }), BURSTABLE, ...options.map((one) => config(one))]))
    .findings
const said = (...args: Parameters<typeof findingsOf>) =>
  findingsOf(...args).filter(({ code }) => code === 'GroupSpread')
const proposed = (...args: Parameters<typeof findingsOf>) => said(...args).map(({ field }) => field?.proposedValue)
const SMALL: Node = ['2', '4Gi']
const LARGE: Node = ['16', '64Gi']

suite('a group’s spread', (test) => {
  const cases: Array<[name: string, nodes: Node[], spec: Record<string, unknown>, isSaid: boolean]> = [
    ['twice the smallest is good', [SMALL, ['4', '8Gi']], {}, false],
    ['more of cpu is a warning', [SMALL, ['4200m', '8Gi']], {}, true],
    ['more of memory is one', [SMALL, ['4', '9Gi']], {}, true],
    [
      'more of cpu that the agent is not sized by is none',
      [SMALL, ['4200m', '8Gi']],
      { resourcePercentages: { requestCPU: null, limitCPU: null } },
      false,
    ],
    [
      'more that a maximum takes back is none',
      [SMALL, LARGE],
      { maxResources: { cpu: '50m', memory: '100Mi' } },
      false,
    ],
    [
      'more of which the minimum leaves no more than twice is none',
      [SMALL, ['5', '9Gi']],
      { minResources: { cpu: '200m', memory: '400Mi' } },
      false,
    ],
    ['with classes it is their ratio', [SMALL, ['6', '12Gi']], { classes: { ratio: 3 } }, false],
    ['and more than that', [SMALL, ['6200m', '12Gi']], { classes: { ratio: 3 } }, true],
  ]
  for (const [name, nodes, spec, isSaid] of cases)
    test(name, () =>
      assert.equal(
        said(nodes, spec).map(({ severity }) => severity),
        isSaid ? ['warning'] : [],
      ),
    )
})

suite('what a spread proposes', (test) => {
  test('the host name with classes where no label tells sizes apart, and what that restarts', () => {
    const [one, ...more] = said([labelled(SMALL, { slot: '9', rack: 'a' }), labelled(LARGE, { slot: '3', rack: 'b' })])
    assert.is(more.length, 0)
    assert.match(one?.sentence ?? '', `nodeGroupLabel: ${HOSTNAME} with classes: { ratio: 2 } tells them apart`)
    assert.match(one?.sentence ?? '', /; where it runs already, that restarts its pods on 2 nodes$/)
    assert.match(one?.message ?? '', `nodefit init --group-by ${HOSTNAME} does.`)
    assert.equal(one?.field, { path: 'spec.nodeGroupLabel', proposedValue: HOSTNAME })
  })
  const pools: Node[] = [labelled(SMALL, { [POOL]: 'a' }), labelled(LARGE, { [POOL]: 'a' })]
  test('no host name where nodes come and go, by their labels or by the RenderConfig', () => {
    assert.equal(proposed(pools), [undefined])
    assert.match(said(pools)[0]?.message ?? '', 'Group by a label of size')
    assert.equal(proposed([SMALL, LARGE], {}, [{ autoscaler: { kind: 'karpenter' } }]), [undefined])
  })
  test('the instance type by value, and beyond six types by classes', () => {
    const typed = (count: number): Node[] =>
      Array.from({ length: count }, (_, at) => [
        `${2 ** (at % 5)}`,
        `${4 * 2 ** (at % 5)}Gi`,
        { [TYPE]: `t${at}`, pool: 'x' },
      ])
    const by = (count: number) => said(typed(count), { nodeGroupLabel: 'pool' })[0]
    assert.match(by(6)?.sentence ?? '', `; nodeGroupLabel: ${TYPE} tells them apart`)
    assert.match(by(6)?.message ?? '', `nodefit init --group-by ${TYPE} does.`)
    assert.match(by(7)?.sentence ?? '', `; nodeGroupLabel: ${TYPE} with classes: { ratio: 2 } tells`)
    assert.match(by(7)?.message ?? '', 'nodefit init --group-by classes does.')
  })
  test('ranges of a number that grows with the nodes, in both cpu and memory', () => {
    const sized = (cpu: string, memory: string, mem: string): Node => [cpu, memory, { mem }]
    const [one] = said([sized('2', '4Gi', '4096'), sized('16', '64Gi', '65536')])
    assert.equal(one?.field?.proposedValue, 'mem')
    assert.match(one?.sentence ?? '', 'nodeGroupRanges: { label: mem, bounds: [8192, 16384, 32768, 65536] }')
    // 64Gi with 4 and with 32 cores are one range of memory
    const other = [sized('2', '4Gi', '4096'), sized('4', '64Gi', '65536'), sized('32', '64Gi', '65536')]
    assert.equal(proposed(other), [HOSTNAME])
    assert.equal(proposed(other, { resourcePercentages: { requestCPU: null, limitCPU: null } }), ['mem'])
  })
  test('nothing for explicit groups, ranges and host names', () => {
    const nodes: Node[] = [labelled(SMALL, { mem: '1' }), labelled(LARGE, { mem: '2' })]
    for (const spec of [
      { groups: [{ name: 'g', nodeSelector: { [TYPE]: 'k3s' } }] },
      { nodeGroupRanges: { label: 'mem', bounds: [8] } },
    ])
      assert.equal(proposed(nodes, spec), [undefined])
  })
})

const LABELS = [TYPE, POOL, 'pool', 'mem', HOSTNAME, 'karpenter.k8s.aws/instance-memory'] as const
const drawnNode = fc.record({
  cpu: fc.constantFrom('1', '2', '3900m', '4', '8', '15890m', '64'),
  gib: fc.constantFrom(2, 4, 7, 8, 16, 31, 64, 256),
  labels: fc.record(
    {
      [TYPE]: fc.constantFrom('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'),
      [POOL]: fc.constantFrom('p', 'q'),
      pool: fc.constantFrom('x', 'y'),
    },
    { requiredKeys: [] },
  ),
  isMeasured: fc.boolean(),
})
const drawnFleet = fc.record({
  nodes: fc.array(drawnNode, { minLength: 1, maxLength: 12 }),
  hasPools: fc.boolean(),
  areMeasured: fc.boolean(),
})
const grouping = fc.oneof(
  fc.constantFrom<Array<Record<string, unknown>>>(
    ...LABELS.filter((label) => label !== HOSTNAME).map((label) => ({ nodeGroupLabel: label })),
    { nodeGroupLabel: TYPE, classes: { ratio: 2 } },
    { nodeGroupLabel: HOSTNAME, classes: { ratio: 2 } },
    { nodeGroupLabels: ['pool', POOL] },
    { nodeGroupRanges: { label: 'mem', bounds: [8, 32] } },
  ) as fc.Arbitrary<Record<string, unknown>>,
)
const bounds = fc.constantFrom<object>(NO_BOUNDS, {
  minResources: { cpu: '100m', memory: '180Mi' },
  maxResources: { cpu: '400m', memory: '1Gi' },
})
const percentages = fc.record(
  {
    requestCPU: fc.constantFrom(null, 2),
    requestMemory: fc.constantFrom(null, 2),
    limitCPU: fc.constantFrom(null, 5),
    limitMemory: fc.constantFrom(null, 5),
  },
  { requiredKeys: [] },
)

/** The spec that a finding proposes, as its sentence has it. */
function adviceIn(sentence: string): { nodeGroupLabel?: string; nodeGroupRanges?: object } | undefined {
  const [, label, ratio] = /nodeGroupLabel: (\S+)(?: with classes: \{ ratio: (\d+) \})? tells/.exec(sentence) ?? []
  if (label !== undefined)
    return { nodeGroupLabel: label, ...(ratio === undefined ? {} : { classes: { ratio: Number(ratio) } }) }
  const [, key, list] = /nodeGroupRanges: \{ label: (\S+), bounds: \[([\d, ]+)\] \}/.exec(sentence) ?? []
  return key === undefined
    ? undefined
    : { nodeGroupRanges: { label: key, bounds: (list ?? '').split(', ').map(Number) } }
}

suite('advice about a drawn fleet', (test) => {
  test('when followed, leads to no other advice and to no more warnings', () => {
    let count = 0
    let followed = 0
    fc.assert(
      fc.property(drawnFleet, grouping, bounds, percentages, ({ nodes, hasPools, areMeasured }, by, limits, sizes) => {
        count++
        const fleet = nodes.map(
          ({ cpu, gib, labels: { [POOL]: pool, ...labels }, isMeasured }, index): Node => [
            cpu,
            `${gib}Gi`,
            {
              ...labels,
              [HOSTNAME]: `n${index}`,
              ...(hasPools && pool !== undefined ? { [POOL]: pool } : {}),
              ...(areMeasured || isMeasured ? { mem: `${gib}`, [LABELS[5]]: `${gib * 1024}` } : {}),
            },
          ],
        )
        const spec = { ...limits, resourcePercentages: sizes }
        const before = findingsOf(fleet, { ...spec, ...by })
        const spreads = before.filter(({ code }) => code === 'GroupSpread')
        const [advice] = spreads.flatMap(({ sentence }) => adviceIn(sentence) ?? [])
        // an error, such as a label that no node has, keeps the other findings back
        if (advice === undefined || before.some(({ severity }) => severity === 'error')) return
        followed++
        const after = findingsOf(fleet, { ...spec, ...advice })
        // a size that maxResources holds down in request and limit makes a pod Guaranteed, however nodes are grouped
        const isCounted = ({ severity, code }: (typeof after)[number]) =>
          severity !== 'info' && code !== 'QosClassChanged'
        const countOf = (all: typeof after) => all.filter(isCounted).length
        assert.equal(
          after.flatMap(({ code, sentence }) => (code === 'GroupSpread' ? (adviceIn(sentence) ?? []) : [])),
          [],
        )
        assert.ok(countOf(after) <= countOf(before), after.map(({ message }) => message).join('\n'))
        if (hasPools && fleet.some(([, , labels]) => labels?.[POOL] !== undefined))
          assert.is.not(advice.nodeGroupLabel, HOSTNAME)
      }),
      { numRuns: 400 },
    )
    assert.ok(followed > count / 10, `${followed} of ${count}`)
  })
})
