/** Rounding to steps, and bounds of limits apart: what comes out of which, step by step. */
import * as assert from 'uvu/assert'
import { readSizingPolicy, rulesOf } from '../../../src/kinds/index.ts'
import { Quantity } from '../../../src/kube/index.ts'
import { budgetOf, deriveEnv, splitBudget } from '../../../src/plan/sizing/index.ts'
import { plan } from '../../../src/rules/run.ts'
import { codes, daemonSet, inventory, listOf, policy, settings, shape, TYPE } from '../../support/objects.ts'
import { said } from '../../support/rerender.ts'
import { suite } from '../../support/suite.ts'

const ONE = [{ container: 'agent', percent: 100 }]
const NO_BOUNDS = { minResources: { cpu: 0, memory: 0 }, maxResources: { cpu: 1000, memory: '100Ti' } }

function sizesOf(cpu: string, memory: string, spec: Record<string, unknown>, shares = ONE) {
  const own = settings(spec)
  const { rule } = rulesOf(own)([])
  if (rule === undefined) throw new Error('the rule is not valid')
  const budget = budgetOf({ cpu: Quantity.parse(cpu), memory: Quantity.parse(memory) }, rule, own.steps)
  const sizes = splitBudget(budget, shares)
  const text = sizes.map(({ printed }) => {
    const at = (name: Parameters<typeof printed.get>[0]) => printed.get(name) ?? '-'
    return `${at('requestCPU')}/${at('requestMemory')} - ${at('limitCPU')}/${at('limitMemory')}`
  })
  const decided = budget.traces.map(({ decidedBy }) => decidedBy ?? 'share')
  return { text: text.join(' + '), decided, sizes, own }
}

const STEPS: Array<[name: string, spec: Record<string, unknown>, cpu: string, memory: string, want: string]> = [
  [
    'requests up, limits down',
    { step: { cpu: '10m', memory: '16Mi' }, ...NO_BOUNDS },
    '5055m',
    '17Gi',
    '110m/352Mi - 250m/864Mi',
  ],
  [
    'what is a multiple stays',
    { step: { cpu: '20m', memory: '1Mi' }, ...NO_BOUNDS },
    '10',
    '5000Mi',
    '200m/100Mi - 500m/250Mi',
  ],
  ['of CPU alone', { step: { cpu: '50m' }, ...NO_BOUNDS }, '4', '16Gi', '100m/327Mi - 200m/819Mi'],
  ['of memory alone', { step: { memory: '100Mi' }, ...NO_BOUNDS }, '4', '16Gi', '80m/400Mi - 200m/800Mi'],
  ['a step as a number', { step: { cpu: 0.1 }, ...NO_BOUNDS }, '4', '16Gi', '100m/327Mi - 200m/819Mi'],
  [
    'after flooring to 1m and 1 byte',
    { step: { cpu: '1m', memory: 1 }, ...NO_BOUNDS },
    '1999m',
    '999',
    '39m/19 - 99m/49',
  ],
  [
    'decimal memory is printed as its step is',
    { step: { memory: '10M' }, ...NO_BOUNDS },
    '4',
    '16G',
    '80m/320M - 200m/800M',
  ],
  [
    'finer than Mi: the multiple, not whole Mi',
    { step: { memory: '768Ki' }, ...NO_BOUNDS },
    '4',
    '16Gi',
    '80m/335616Ki - 200m/819Mi',
  ],
  [
    'a bound that wins is not stepped',
    { step: { cpu: '30m', memory: '100Mi' } },
    '2',
    '8Gi',
    '100m/200Mi - 100m/400Mi',
  ],
  [
    'a maximum that wins is not stepped',
    { step: { cpu: '300m', memory: '300M' }, maxResources: { memory: '500M' } },
    '40',
    '64Gi',
    '900m/500M - 1800m/500M',
  ],
  [
    'a bound that is reached by a step is printed as a bound',
    { step: { memory: '100M' }, minResources: { memory: '0.4G' } },
    '4',
    '16G',
    '100m/400M - 200m/800M',
  ],
  [
    'a limit below its request is raised to it',
    { step: { cpu: '1', memory: '1Gi' }, ...NO_BOUNDS },
    '4',
    '16Gi',
    '1/1Gi - 1/1Gi',
  ],
  [
    'a limit stepped to nothing is raised to its minimum',
    { step: { cpu: '1' }, minResources: { cpu: '250m' } },
    '4',
    '16Gi',
    '1/327Mi - 1/819Mi',
  ],
  [
    'without a request a limit goes down to its minimum',
    { step: { cpu: '1' }, resourcePercentages: { requestCPU: null } },
    '4',
    '16Gi',
    '-/327Mi - 100m/819Mi',
  ],
]

const APART: Array<[name: string, spec: Record<string, unknown>, want: string]> = [
  ['none: both are bound by one', { minResources: { memory: '1Gi' } }, '100m/1Gi - 200m/1Gi'],
  ['a minimum of limits', { minResources: { limitCPU: '300m', limitMemory: '1Gi' } }, '100m/327Mi - 300m/1Gi'],
  ['a maximum of limits', { maxResources: { limitCPU: '150m', limitMemory: '500M' } }, '100m/327Mi - 150m/500M'],
  [
    'a minimum of limits below that of requests',
    { minResources: { memory: '1Gi', limitMemory: '1Mi' } },
    '100m/1Gi - 200m/1Gi',
  ],
  [
    'a maximum of limits below the request: raised to it',
    { minResources: { cpu: 0, memory: 0 }, maxResources: { limitCPU: '50m', limitMemory: '300Mi' } },
    '80m/327Mi - 80m/327Mi',
  ],
  ['in an override the rest stays', { minResources: { limitCPU: '250m' }, overrides: [] }, '100m/327Mi - 250m/819Mi'],
]

const MEANT = ['requestCPU', 'requestMemory', 'limitCPU', 'limitMemory']

suite('steps', (test) => {
  for (const [name, spec, cpu, memory, want] of STEPS)
    test(name, () => assert.is(sizesOf(cpu, memory, spec).text, want))
  test('what decided is in the trace', () => {
    const { decided } = sizesOf('4', '16Gi', { step: { cpu: '1' }, maxResources: { limitMemory: '500Mi' } })
    assert.equal(decided, ['share', 'share', 'request', 'maximum'])
    assert.is(decided.length, MEANT.length)
  })
  test('the pod’s budget is stepped; its parts add up to it', () => {
    const thirds = [
      { container: 'a', percent: 33 },
      { container: 'b', percent: 33 },
      { container: 'c', percent: 34 },
    ]
    const { sizes } = sizesOf('4', '16Gi', { step: { cpu: '50m', memory: '16Mi' }, ...NO_BOUNDS }, thirds)
    const total = (name: 'requestCPU' | 'requestMemory' | 'limitCPU' | 'limitMemory') =>
      sizes
        .map(({ printed }) => Quantity.parse(printed.get(name) ?? ''))
        .reduce((sum, one) => sum.plus(one))
        .toString()
    assert.equal(
      MEANT.map((name) => total(name as 'limitCPU')),
      ['100m', '336Mi', '200m', '816Mi'],
    )
    assert.equal(
      sizes.map(({ printed }) => printed.get('requestMemory')),
      ['110Mi', '110Mi', '116Mi'],
    )
  })
  test('what is derived follows a limit that was raised', () => {
    const { sizes, own } = sizesOf('4', '16Gi', { step: { memory: '1Gi' }, ...NO_BOUNDS, goMemLimitPercentage: 0.5 })
    assert.is(deriveEnv('g', sizes, own).env[0]?.value, '512MiB')
  })
  for (const [name, step, path] of [
    ['nothing', { cpu: 0 }, 'spec.step.cpu'],
    ['less than nothing', { memory: '-1Mi' }, 'spec.step.memory'],
    ['no quantity', { memory: '16MB' }, 'spec.step.memory'],
    ['finer than a millicore', { cpu: '1500u' }, 'spec.step.cpu'],
    ['finer than a byte', { memory: '500m' }, 'spec.step.memory'],
  ] as const)
    test(`a step of ${name} is refused`, () => {
      const { findings } = readSizingPolicy(policy({ step }))
      assert.equal(
        findings.map(({ code, field }) => [code, field?.path]),
        [['StepInvalid', path]],
      )
    })
})

const NODES = inventory([shape({ [TYPE]: 'm5' }, ['a']), shape({ [TYPE]: 'c5' }, ['b'])])
const run = (spec: Record<string, unknown>) => plan(listOf([NODES, policy(spec), daemonSet()]))
const minAboveMax = (spec: Record<string, unknown>) =>
  readSizingPolicy(policy(spec)).findings.map(({ code, sentence }) => `${code} ${sentence.replace('agent: ', '')}`)

suite('bounds of limits apart', (test) => {
  for (const [name, spec, want] of APART) test(name, () => assert.is(sizesOf('4', '16Gi', spec).text, want))
  for (const [name, spec, want] of [
    [
      'of limits alone',
      { minResources: { limitCPU: '2' }, maxResources: { limitCPU: '1' } },
      ['minimum limitCPU 2 is above the maximum 1'],
    ],
    [
      'a minimum of limits above the common maximum',
      { minResources: { limitMemory: '5Gi' } },
      ['minimum limitMemory 5Gi is above the maximum memory 4Gi'],
    ],
    [
      'a maximum of limits below the common minimum, said once',
      { maxResources: { limitCPU: '50m' } },
      ['minimum cpu 100m is above the maximum limitCPU 50m'],
    ],
    [
      'a request that could never be within its limit',
      { minResources: { cpu: '1', limitCPU: 0 }, maxResources: { limitCPU: '500m' } },
      ['minimum cpu 1 is above the maximum limitCPU 500m'],
    ],
    [
      'but not where no limit is set',
      {
        resourcePercentages: { limitCPU: null },
        minResources: { cpu: '1', limitCPU: 0 },
        maxResources: { limitCPU: '500m' },
      },
      [],
    ],
    [
      'nor between the common minimum and a maximum of limits that are not set',
      { resourcePercentages: { limitCPU: null }, maxResources: { limitCPU: '50m' } },
      [],
    ],
    [
      'one that is common to both is said once',
      { minResources: { cpu: '3' } },
      ['minimum cpu 3 is above the maximum 2'],
    ],
  ] as Array<[string, Record<string, unknown>, string[]]>)
    test(`MinAboveMax ${name}`, () =>
      assert.equal(
        minAboveMax(spec),
        want.map((text) => `MinAboveMax ${text}`),
      ))
  test('one that is no quantity is at its own field', () => {
    const { findings } = readSizingPolicy(policy({ maxResources: { limitMemory: 'much' } }))
    assert.equal(
      findings.map(({ code, field }) => [code, field?.path]),
      [['BoundInvalid', 'spec.maxResources.limitMemory']],
    )
  })
  test('groups and overrides have them, too', () => {
    const own = settings({
      minResources: { limitCPU: '250m' },
      overrides: [{ groups: ['m5'], minResources: { cpu: '120m' }, maxResources: { limitMemory: '600Mi' } }],
    })
    const { rule } = rulesOf(own)(['m5'], { minResources: { limitMemory: '500Mi' } })
    assert.equal([rule?.min.requestCPU, rule?.min.limitCPU, rule?.min.limitMemory, rule?.max.limitMemory].map(String), [
      '120m',
      '250m',
      '500Mi',
      '600Mi',
    ])
  })
  test('an override wins over the rule of a group, and the last of two', () => {
    const own = settings({
      minResources: { cpu: '10m' },
      overrides: [
        { groups: ['m5'], minResources: { cpu: '30m' } },
        { groups: ['c5', 'm5'], minResources: { cpu: '40m' } },
        { groups: ['c5'], minResources: { cpu: '50m' } },
      ],
    })
    const least = (names: string[], rule?: object) => String(rulesOf(own)(names, rule).rule?.min.requestCPU)
    assert.is(least(['m5'], { minResources: { cpu: '20m' } }), '40m')
    assert.is(least(['r5'], { minResources: { cpu: '20m' } }), '20m')
    assert.is(least(['r5']), '10m')
  })
  test('a limit that was raised is said, of which resource and of what', () => {
    const result = run({ remainder: false, maxResources: { limitMemory: '300Mi' } })
    assert.equal(said(result, 'LimitRaised').sort(), [
      'group default: the memory limit of the pod is raised to its request',
      'group value:c5: the memory limit of the pod is raised to its request',
      'group value:m5: the memory limit of the pod is raised to its request',
    ])
    assert.not(codes(result.findings).includes('SizeZero'))
  })
  test('the trace says step, bound and what a limit was raised to', () => {
    const spec = { remainder: false, step: { cpu: '30m', memory: '100Mi' }, maxResources: { limitMemory: '300Mi' } }
    assert.is(
      said(run(spec), 'GroupSized')[1],
      'agent-m5 for value:m5 (1 node): requestCPU 2% of 4 = 80m, in steps of 30m 90m, held at the minimum -> 100m; ' +
        'requestMemory 2% of 16Gi = 343597383 bytes, in steps of 100Mi 419430400 bytes -> 400Mi; ' +
        'limitCPU 5% of 4 = 200m, in steps of 30m 180m -> 180m; ' +
        'limitMemory 5% of 16Gi = 858993459 bytes, in steps of 100Mi 838860800 bytes, raised to the request -> 400Mi',
    )
  })
})
