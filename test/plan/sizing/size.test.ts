/** Rows R1 to R24, C1 to C24 and F1 to F9 of the Kubescape report, sections 3.3 to 3.5. */
import * as assert from 'uvu/assert'
import { readSizingPolicy, rulesOf } from '../../../src/kinds/index.ts'
import { Quantity } from '../../../src/kube/index.ts'
import { budgetOf, deriveEnv, printMemory, roundMemory, splitBudget } from '../../../src/plan/sizing/index.ts'
import { codes, policy, settings } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'

/** Sizes of one container under a policy with a GOMEMLIMIT of 0.8, as the report writes them. */
function sizesOf(cpu: string, memory: string, spec: Record<string, unknown> = {}) {
  const own = settings({ goMemLimitPercentage: 0.8, ...spec })
  const rule = ruleFor(own)
  const budget = budgetOf({ cpu: Quantity.parse(cpu), memory: Quantity.parse(memory) }, rule, own.steps)
  const sizes = splitBudget(budget, [{ container: 'agent', percent: 100 }])
  const derived = deriveEnv('g', sizes, own)
  const printed = sizes[0]?.printed
  const text = `${printed?.get('requestCPU')}/${printed?.get('requestMemory')} - ${printed?.get('limitCPU')}/${printed?.get('limitMemory')}`
  return { text, env: derived.env[0]?.value, findings: derived.findings }
}

const DEFAULTS: Array<[row: string, cpu: string, memory: string, want: string, goMemLimit: string]> = [
  ['R1', '4', '16Gi', '100m/327Mi - 200m/819Mi', '655MiB'],
  ['R2', '2', '8Gi', '100m/180Mi - 100m/409Mi', '327MiB'],
  ['R3', '8', '32Gi', '160m/655Mi - 400m/1638Mi', '1310MiB'],
  ['R4', '16', '64Gi', '320m/1310Mi - 800m/3276Mi', '2621MiB'],
  ['R5', '1930m', '7134856Ki', '100m/180Mi - 100m/348Mi', '278MiB'],
  ['R6', '3920m', '15338540Ki', '100m/299Mi - 196m/748Mi', '599MiB'],
  ['R7', '7910m', '31443124Ki', '158m/614Mi - 395m/1535Mi', '1228MiB'],
  ['R8', '15890m', '64283572Ki', '317m/1255Mi - 794m/3138Mi', '2511MiB'],
  ['R9', '940m', '1471156Ki', '100m/180Mi - 100m/180Mi', '144MiB'],
  ['R10', '40', '80Gi', '800m/1638Mi - 2/4Gi', '3276MiB'],
  ['R11', '48', '96Gi', '960m/1966Mi - 2/4Gi', '3276MiB'],
  ['R12', '64', '256Gi', '1280m/4Gi - 2/4Gi', '3276MiB'],
  ['R13', '191450m', '777832396Ki', '2/4Gi - 2/4Gi', '3276MiB'],
  ['R14', '4', '16773119Ki', '100m/327Mi - 200m/818Mi', '655MiB'],
  ['R15', '4', '17175674879', '100m/327Mi - 200m/818Mi', '655MiB'],
  ['R16', '4', '16773120Ki', '100m/327Mi - 200m/819Mi', '655MiB'],
  ['R17', '4', '16G', '100m/305Mi - 200m/762Mi', '610MiB'],
  ['R18', '4', '16374562816', '100m/312Mi - 200m/780Mi', '624MiB'],
  ['R19', '20', '20Gi', '400m/409Mi - 1/1Gi', '819MiB'],
  ['R20', '3.92', '15.5Gi', '100m/317Mi - 196m/793Mi', '634MiB'],
  ['R21', '4', '3625Mi', '100m/180Mi - 200m/181Mi', '145MiB'],
  ['R22', '31850m', '125736288Ki', '637m/2455Mi - 1592m/4Gi', '3276MiB'],
  ['R23', '3500m', '12880748Ki', '100m/251Mi - 175m/628Mi', '503MiB'],
  ['R24', '4', '8131972Ki', '100m/180Mi - 200m/397Mi', '317MiB'],
]

const all = (request: number, limit: number) => ({
  requestCPU: request,
  requestMemory: request,
  limitCPU: limit,
  limitMemory: limit,
})

const CONFIGURED: Array<
  [row: string, spec: Record<string, unknown>, cpu: string, memory: string, want: string, goMemLimit: string]
> = [
  ['C3', { minResources: { memory: '600Mi' } }, '4', '16Gi', '100m/600Mi - 200m/819Mi', '655MiB'],
  ['C4', { minResources: { memory: '600Mi' } }, '2', '8Gi', '100m/600Mi - 100m/600Mi', '480MiB'],
  ['C7', { resourcePercentages: all(3, 7) }, '16', '64Gi', '480m/1966Mi - 1120m/4Gi', '3276MiB'],
  ['C10', { minResources: { memory: '500M' } }, '2', '2Gi', '100m/500M - 100m/500M', '381MiB'],
  ['C11', { maxResources: { memory: '1G' } }, '64', '256Gi', '1280m/1G - 2/1G', '762MiB'],
  [
    'C12',
    { maxResources: { cpu: '1500m', memory: '2500Mi' } },
    '64',
    '256Gi',
    '1280m/2500Mi - 1500m/2500Mi',
    '2000MiB',
  ],
  [
    'a minimum in a fraction of a unit',
    { minResources: { memory: '0.2Gi' } },
    '1',
    '1Gi',
    '100m/214748365 - 100m/214748365',
    '163MiB',
  ],
  [
    'a maximum in a fraction',
    { maxResources: { memory: '1.3Gi' } },
    '64',
    '256Gi',
    '1280m/1395864371 - 2/1395864371',
    '1064MiB',
  ],
  ['a half of a unit is whole', { minResources: { memory: '0.5Gi' } }, '2', '8Gi', '100m/512Mi - 100m/512Mi', '409MiB'],
  ['C13', { minResources: { cpu: '250m' } }, '2', '8Gi', '250m/180Mi - 250m/409Mi', '327MiB'],
  [
    'C15',
    { resourcePercentages: all(100, 100), maxResources: { cpu: '100', memory: '1Ti' } },
    '4',
    '16Gi',
    '4/16Gi - 4/16Gi',
    '13107MiB',
  ],
  ['C16', { goMemLimitPercentage: 0.9 }, '4', '16Gi', '100m/327Mi - 200m/819Mi', '737MiB'],
  ['C17', { goMemLimitPercentage: 1 }, '4', '16Gi', '100m/327Mi - 200m/819Mi', '819MiB'],
  [
    'C19',
    { goMemLimitPercentage: 0.7, minResources: { memory: '90Mi' } },
    '4',
    '1Gi',
    '100m/90Mi - 200m/90Mi',
    '63MiB',
  ],
  [
    'C24',
    { resourcePercentages: { requestCPU: 2.5, requestMemory: 2.5 } },
    '8',
    '32Gi',
    '200m/819Mi - 400m/1638Mi',
    '1310MiB',
  ],
]

const REFUSED: Array<[row: string, spec: Record<string, unknown>, code: string]> = [
  ['C8', { resourcePercentages: all(10, 5) }, 'RequestAboveLimit'],
  ['C9', { minResources: { cpu: '300m' }, maxResources: { cpu: '200m' } }, 'MinAboveMax'],
  ['C14', { resourcePercentages: all(0, 0) }, 'PercentageOutOfRange'],
  ['C18', { goMemLimitPercentage: 0 }, 'FractionOutOfRange'],
  ['C18 below', { goMemLimitPercentage: -0.5 }, 'FractionOutOfRange'],
  ['C18 above', { goMemLimitPercentage: 1.5 }, 'FractionOutOfRange'],
  ['C22', { minResources: { memory: 'abc' } }, 'BoundInvalid'],
]

suite('sizes', (test) => {
  for (const [row, cpu, memory, want, goMemLimit] of DEFAULTS) {
    test(`${row} ${cpu}, ${memory}`, () => assert.equal(pick(sizesOf(cpu, memory)), { text: want, env: goMemLimit }))
  }
  for (const [row, spec, cpu, memory, want, goMemLimit] of CONFIGURED) {
    test(`${row} ${JSON.stringify(spec)}`, () =>
      assert.equal(pick(sizesOf(cpu, memory, spec)), { text: want, env: goMemLimit }))
  }
  for (const [row, spec, code] of REFUSED) {
    test(`${row} is ${code}`, () => {
      const { findings } = readSizingPolicy(policy(spec))
      assert.ok(codes(findings).includes(code), codes(findings).join())
      if (row.startsWith('C18')) assert.match(findings[0]?.message ?? '', 'out of valid range')
    })
  }
  test('C1 percentages of odd notations', () => {
    assert.is(sizesOf('4', '8Gi', { minResources: { cpu: '1m', memory: '1' } }).text.split('/')[0], '80m')
    assert.is(
      sizesOf('1000m', '8Gi', { resourcePercentages: { requestCPU: 100, limitCPU: 100 } }).text.split('/')[0],
      '1',
    )
    assert.match(sizesOf('4', '8Gi').text, '409Mi')
  })
  test('C2 amounts are held between the bounds', () => {
    const bounds = {
      minResources: { cpu: '100m' },
      maxResources: { cpu: '1000m' },
      resourcePercentages: { requestCPU: 50, limitCPU: 50 },
    }
    assert.equal(
      ['1', '100m', '4'].map((cpu) => sizesOf(cpu, '8Gi', bounds).text.split('/')[0]),
      ['500m', '100m', '1'],
    )
  })
  test('C20 GOMEMLIMIT of round limits', () => {
    const limits = ['450Mi', '1Gi', '1800Mi', '900Mi'].map(
      (limit) => sizesOf('4', '1Gi', { minResources: { memory: limit } }).env,
    )
    assert.equal(limits, ['360MiB', '819MiB', '1440MiB', '720MiB'])
  })
  test('C21 a GOMEMLIMIT below 1MiB is an error; without it small sizes are whole Ki', () => {
    const tiny = { minResources: { cpu: '1m', memory: '1Ki' } }
    assert.equal(codes(sizesOf('100m', '16Mi', tiny).findings), ['DerivedTooSmall'])
    assert.is(sizesOf('100m', '16Mi', { ...tiny, goMemLimitPercentage: undefined }).text, '2m/327Ki - 5m/819Ki')
  })
  test('C23 the defaults', () => {
    const { ruleText, groupLabels, defaultNodeGroup, remainder, enabled } = settings()
    assert.equal(ruleText.resourcePercentages, { requestCPU: 2, requestMemory: 2, limitCPU: 5, limitMemory: 5 })
    assert.equal(ruleText.minResources, { cpu: '100m', memory: '180Mi' })
    assert.equal(ruleText.maxResources, { cpu: '2000m', memory: '4Gi' })
    assert.equal(
      [groupLabels, defaultNodeGroup, remainder, enabled],
      [['node.kubernetes.io/instance-type'], 'default', true, true],
    )
  })
  test('a percentage of null leaves the value unset', () => {
    assert.is(sizesOf('4', '16Gi', { resourcePercentages: { limitCPU: null } }).text, '100m/327Mi - undefined/819Mi')
    assert.equal(codes(sizesOf('4', '16Gi', { resourcePercentages: { limitMemory: null } }).findings), [
      'DerivedWithoutSize',
    ])
  })
  test('memory rounded down never falls below the minimum', () => {
    assert.is(sizesOf('4', '9025Mi', { minResources: { memory: '180.2Mi' } }).text, '100m/188953396 - 200m/451Mi')
  })
})

const MEMORY: Array<[row: string, bytes: bigint, want: string]> = [
  ['F1', 200n << 20n, '200Mi'],
  ['F2', 1n << 30n, '1Gi'],
  ['F3', 1536n << 20n, '1536Mi'],
  ['F4', 2n << 30n, '2Gi'],
  ['F5', 661196472n, '630Mi'],
  ['F6', 1652991180n, '1576Mi'],
  ['F7', 4n << 30n, '4Gi'],
  ['F8', 512n << 10n, '512Ki'],
  ['F9', 1024n << 20n, '1Gi'],
  ['F9 below 1Ki', 1023n, '1023'],
  ['F9 nothing', 0n, '0'],
]

suite('memory in print', (test) => {
  for (const [row, bytes, want] of MEMORY)
    test(`${row} ${bytes}`, () => assert.is(printMemory(roundMemory(bytes)), want))
})

suite('shares', (test) => {
  const rule = ruleFor(settings())
  const shares = [
    { container: 'a', percent: 75 },
    { container: 'b', percent: 25 },
  ]
  const split = (cpu: string, memory: string) =>
    splitBudget(budgetOf({ cpu: Quantity.parse(cpu), memory: Quantity.parse(memory) }, rule), shares)
  test('parts of a bound add up to it', () => {
    const [a, b] = split('2', '8Gi')
    assert.equal([a?.printed.get('requestMemory'), b?.printed.get('requestMemory')], ['135Mi', '45Mi'])
    assert.equal([a?.printed.get('requestCPU'), b?.printed.get('requestCPU')], ['75m', '25m'])
  })
  test('a pod never falls below its minimum by rounding, and no part gets a request above its limit', () => {
    const thirds = [
      { container: 'a', percent: 45 },
      { container: 'b', percent: 45 },
      { container: 'c', percent: 10 },
    ]
    const own = ruleFor(
      settings({
        minResources: { cpu: '1m', memory: '343000000' },
        resourcePercentages: { requestCPU: 27.775, limitCPU: 27.8, requestMemory: 2 },
      }),
    )
    const sizes = splitBudget(
      budgetOf({ cpu: Quantity.parse('4050m'), memory: Quantity.parse('17153000000') }, own),
      thirds,
    )
    const total = sizes.reduce(
      (sum, { printed }) => sum + Quantity.parse(printed.get('requestMemory') ?? '0').value(),
      0n,
    )
    assert.ok(total >= 343000000n, String(total))
    for (const { printed } of sizes)
      assert.ok(
        Quantity.parse(printed.get('requestCPU') ?? '').compare(Quantity.parse(printed.get('limitCPU') ?? '')) <= 0,
      )
  })
  test('exact amounts add up to the budget, and no limit is below its request', () => {
    for (const memory of ['8Gi', '3625Mi', '3601Mi', '17175674879', '16G']) {
      const sizes = split('7910m', memory)
      for (const { printed } of sizes) {
        const [request, limit] = [printed.get('requestMemory') ?? '', printed.get('limitMemory') ?? '']
        assert.ok(Quantity.parse(request).compare(Quantity.parse(limit)) <= 0, `${memory}: ${request} ${limit}`)
      }
    }
  })
})

function pick({ text, env }: { text: string; env?: string }) {
  return { text, env }
}

function ruleFor(own: ReturnType<typeof settings>) {
  const { rule } = rulesOf(own)([])
  if (rule === undefined) throw new Error('the rule is not valid')
  return rule
}
