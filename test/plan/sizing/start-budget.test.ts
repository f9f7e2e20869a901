/** Sizes that start from today's: within the growth that is allowed, no tenth less than it allows, and nobody below today. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { type PodSpec, Quantity, type ResourceRequirements } from '../../../src/kube/index.ts'
import { groupMembers, membersOf, mergeEqualGroups, startWithin } from '../../../src/plan/sizing/index.ts'
import { fleetShape, settings, TYPE } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'

type Shape = ReturnType<typeof fleetShape>
const PLACEMENT = { nodeSelector: {}, tolerations: [], hostNetwork: false }
const nodes = (name: string, count: number) => Array.from({ length: count }, (_, at) => `${name}-${at}`)
const type = (name: string, count: number, cpu: string, memory: string, more: object = {}): Shape =>
  fleetShape({ [TYPE]: name }, nodes(name, count), cpu, memory, more)
const agent = (resources: ResourceRequirements, more: Partial<PodSpec> = {}): PodSpec => ({
  containers: [{ name: 'agent', resources }, ...(more.containers ?? [])],
  initContainers: more.initContainers,
})
const startOn = (shapes: Shape[], pod: PodSpec, percent = 25, spec: Record<string, unknown> = {}) => {
  const { members } = membersOf(shapes, PLACEMENT)
  const own = settings(spec)
  const { groups } = groupMembers(members, own, { placement: PLACEMENT, earlier: [] })
  const input = { pod, shares: [{ container: 'agent', percent: 100 }], groups, settings: own }
  const { value, findings } = startWithin({ ...input, growth: { numerator: BigInt(percent), denominator: 100n } })
  return { value, findings, input }
}
const factors = (...args: Parameters<typeof startOn>) => {
  const { cpu, memory } = startOn(...args).value?.factors ?? {}
  return [cpu, memory]
}
const SMALL = type('small', 10, '4', '16Gi')
const LARGE = type('large', 5, '64', '256Gi')
const BOTH = { requests: { cpu: '100m', memory: '100Mi' } }
const CLOSED = { taints: [{ key: 'x', effect: 'NoSchedule' }] }

suite('how many times today’s amounts a node gets at most', (test) => {
  const cases: Array<[name: string, shapes: Shape[], pod: PodSpec, percent: number, want: [number, number]]> = [
    // 10 + 5k <= 18.75
    ['what the growth allows', [SMALL, LARGE], agent(BOTH), 25, [17, 17]],
    ['all of four times', [SMALL, LARGE], agent(BOTH), 100, [40, 40]],
    ['nothing where nothing may grow', [SMALL, LARGE], agent(BOTH), 0, [10, 10]],
    ['more where few nodes are large', [type('small', 100, '4', '16Gi'), LARGE], agent(BOTH), 25, [40, 40]],
    ['each resource by itself', [type('a', 10, '4', '16Gi'), type('b', 9, '64', '16Gi')], agent(BOTH), 25, [15, 40]],
    [
      'other containers count in what is requested',
      [SMALL, LARGE],
      agent(BOTH, { containers: [{ name: 'side', resources: { requests: { cpu: '900m' } } }] }),
      25,
      [40, 17],
    ],
    ['a limit where a request is missing', [SMALL, LARGE], agent({ limits: BOTH.requests }), 25, [17, 17]],
    [
      'limits beside requests do not',
      [SMALL, LARGE],
      agent({ requests: { cpu: 0, memory: '0' }, limits: { cpu: '1', memory: '1Gi' } }),
      25,
      [40, 40],
    ],
    [
      'nodes where a taint lets running pods stay, and the others without them',
      [SMALL, type('large', 5, '64', '256Gi', CLOSED)],
      agent(BOTH),
      25,
      [17, 17],
    ],
    [
      'the others, where those alone grow by more',
      [type('small', 10, '4', '16Gi'), LARGE, type('more', 90, '4', '16Gi', CLOSED)],
      agent(BOTH),
      25,
      [17, 17],
    ],
    [
      'closed nodes where there are no others',
      [
        { ...SMALL, ...CLOSED },
        { ...LARGE, ...CLOSED },
      ],
      agent(BOTH),
      25,
      [17, 17],
    ],
  ]
  for (const [name, shapes, pod, percent, want] of cases)
    test(name, () => assert.equal(factors(shapes, pod, percent), want))
  test('an amount of another container that is none is an error, not a crash', () => {
    const pod = agent(BOTH, { containers: [{ name: 'side', resources: { requests: { cpu: 'much' } } }] })
    assert.match(startOn([SMALL], pod).findings[0]?.sentence ?? '', /^a request cannot be read: /)
  })
  test('without a node that reports neither a value nor an error', () =>
    assert.equal([startOn([type('a', 3, '4', '16Gi', { allocatable: {} })], agent(BOTH)).value], [undefined]))
})

const drawnFleet = fc.array(
  fc.record({
    count: fc.integer({ min: 1, max: 40 }),
    cores: fc.integer({ min: 1, max: 96 }),
    gib: fc.integer({ min: 1, max: 384 }),
  }),
  { minLength: 1, maxLength: 7 },
)
const drawnAgent = fc.record({
  cpu: fc.integer({ min: 1, max: 900 }),
  mebi: fc.integer({ min: 1, max: 900 }),
  side: fc.integer({ min: 0, max: 500 }),
  isLimit: fc.boolean(),
})

/** Independent of how it is found: the printed size of a node by the rule alone, in millicores or Mi. */
const sizeOf = (percentage: number, allocatable: number, min: number, max: number) =>
  Math.max(min, Math.min(max, Math.floor((percentage * allocatable) / 100 + 1e-9)))

suite('a drawn agent on a drawn fleet', (test) => {
  test('grows by no more than the budget, and a tenth more would be too much', () => {
    fc.assert(
      fc.property(
        drawnFleet,
        drawnAgent,
        fc.integer({ min: 0, max: 120 }),
        (fleet, { cpu, mebi, side, isLimit }, percent) => {
          const amounts = { cpu: `${cpu}m`, memory: `${mebi}Mi` }
          const pod = agent(isLimit ? { limits: amounts } : { requests: amounts }, {
            containers: [{ name: 'side', resources: { requests: { cpu: `${side}m`, memory: `${side}Mi` } } }],
          })
          const shapes = fleet.map(({ count, cores, gib }, at) => type(`t${at}`, count, `${cores}`, `${gib}Gi`))
          const { value } = startOn(shapes, pod, percent)
          assert.ok(value)
          const { resourcePercentages, maxResources } = value.rule
          const place = isLimit ? 'limit' : 'request'
          for (const [own, suffix, resource, unit] of [
            [cpu, 'CPU', 'cpu', 1000],
            [mebi, 'Memory', 'memory', 1024],
          ] as const) {
            const percentage = Number(resourcePercentages[`${place}${suffix}`] ?? 0)
            const written = Quantity.parse(
              maxResources[isLimit ? (`limit${suffix}` as const) : resource] ?? maxResources[resource] ?? 0,
            )
            const max = resource === 'cpu' ? Number(written.milliValue()) : Number(written.value() >> 20n)
            const total = (most: number) =>
              fleet.reduce((sum, { count, cores, gib }) => {
                const allocatable = (resource === 'cpu' ? cores : gib) * unit
                return sum + count * (sizeOf(percentage, allocatable, own, Math.max(own, most)) + side)
              }, 0)
            const before = fleet.reduce((sum, { count }) => sum + count * (own + side), 0)
            const limit = (before * (100 + percent)) / 100
            assert.is(max, Math.max(own, Math.floor((own * value.factors[resource]) / 10)), resource)
            if (value.factors[resource] > 10)
              assert.ok(total(max) <= limit + 1e-6, `${resource}: ${total(max)} > ${limit}`)
            const next = Math.floor((own * (value.factors[resource] + 1)) / 10)
            if (value.factors[resource] < 40)
              assert.ok(total(next) > limit - 1e-6, `${resource}: a tenth more is ${total(next)} <= ${limit}`)
          }
        },
      ),
      { numRuns: 300 },
    )
  })
})

suite('groups of equal size', (test) => {
  const mem = (gib: number, count = 1, cpu = `${gib / 4}`) =>
    fleetShape({ mem: `${gib}` }, nodes(`m${gib}`, count), cpu, `${gib}Gi`)
  const merged = (shapes: Shape[], choice: Parameters<typeof mergeEqualGroups>[0]['choice'], percent = 300) => {
    const { value, input } = startOn(shapes, agent(BOTH), percent, choice)
    assert.ok(value)
    return mergeEqualGroups({ ...input, choice, rule: value.rule, placement: PLACEMENT })
  }
  const ranges = (shapes: Shape[], bounds: number[], percent?: number) => {
    const result = merged(shapes, { nodeGroupRanges: { label: 'mem', bounds } }, percent)
    return 'nodeGroupRanges' in result ? result.nodeGroupRanges.bounds : []
  }
  test('the bound between two ranges goes, above the maximum and below the minimum', () => {
    const fleet = [mem(4), mem(8), mem(16, 9), mem(32), mem(64), mem(128), mem(256)]
    assert.equal(ranges(fleet, [8, 16, 32, 64, 128, 256]), [32, 64])
  })
  test('a range without nodes, which is sized like the one below, is part of it', () =>
    assert.equal(ranges([mem(16, 9), mem(128)], [32, 64, 128]), [128]))
  test('one bound stays where all are equal, since ranges need one', () =>
    assert.equal(ranges([mem(16, 9), mem(128)], [32, 64, 128], 0), [128]))
  test('ranges that differ in one resource alone stay', () =>
    assert.equal(ranges([mem(16, 9, '4'), mem(18, 1, '8')], [17]), [17]))
  test('values stay: each is its own group', () =>
    assert.equal(merged([SMALL, LARGE], { nodeGroupLabel: TYPE }), { nodeGroupLabel: TYPE }))
  test('classes become as wide as all sizes allow', () => {
    const fleet = [2, 4, 8, 64, 128, 256].map((gib, at) => type(`t${at}`, gib === 8 ? 9 : 1, `${gib / 4}`, `${gib}Gi`))
    const choice = { nodeGroupLabel: TYPE, classes: { ratio: 2 } }
    const result = merged(fleet, choice)
    assert.ok('classes' in result && (result.classes?.ratio ?? 0) > 2, JSON.stringify(result))
    const sizesBy = (by: Record<string, unknown>) => {
      const { value, input } = startOn(fleet, agent(BOTH), 300, by)
      return { count: input.groups.length, rule: value?.rule }
    }
    assert.ok(sizesBy(result).count < sizesBy(choice).count)
  })
})
