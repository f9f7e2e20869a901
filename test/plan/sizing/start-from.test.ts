/** The group and the rule that a first policy starts from: what runs today, byte for byte, and nowhere less. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { type PercentageName, rulesOf } from '../../../src/kinds/index.ts'
import { type PodSpec, Quantity } from '../../../src/kube/index.ts'
import { budgetOf, splitBudget, startFrom, startGroup } from '../../../src/plan/sizing/index.ts'
import { presentAmounts } from '../../../src/plan/sizing/start-from.ts'
import { groupsOf } from '../../support/grouping.ts'
import { fleetShape, settings, TYPE } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'

type Amounts = Record<string, string | number>
interface Resources {
  requests?: Amounts
  limits?: Amounts
}

const basisOf = (cpu: string, memory: string) => ({ cpu: Quantity.parse(cpu), memory: Quantity.parse(memory) })
const FOUR = { cpu: 40, memory: 40 }
const ruleFor = (resources: Resources, basis = basisOf('1930m', '7134856Ki'), factors = FOUR) => {
  const { value, findings } = startFrom(resources, basis, factors)
  if (value === undefined) throw new Error(findings.map(({ sentence }) => sentence).join())
  return value
}
/** What one container gets on nodes under a rule, as it is rendered. */
function sizesOn(basis: ReturnType<typeof basisOf>, rule: ReturnType<typeof ruleFor>): Map<PercentageName, string> {
  const { rule: read, findings } = rulesOf(settings({ ...rule }))([])
  if (read === undefined) throw new Error(findings.map(({ message }) => message).join())
  const [size] = splitBudget(budgetOf(basis, read), [{ container: 'agent', percent: 100 }])
  return new Map(size?.printed)
}
const canonical = (text: string | number | undefined) =>
  text === undefined ? undefined : Quantity.parse(text).toString()
const today = ({ requests, limits }: Resources) => [
  canonical(requests?.cpu),
  canonical(requests?.memory),
  canonical(limits?.cpu),
  canonical(limits?.memory),
]
const rendered = (sizes: Map<PercentageName, string>) =>
  (['requestCPU', 'requestMemory', 'limitCPU', 'limitMemory'] as const).map((name) => sizes.get(name))

suite('the percentages of a start', (test) => {
  const cases: Array<[name: string, resources: Resources, cpu: string, memory: string, want: Array<number | 'none'>]> =
    [
      // 100m of 1930m: 5.194 to 5.220; 128Mi of 7134856Ki: 1.8406 to 1.8478
      [
        'Fluent Bit on m5.large',
        { requests: { cpu: '100m', memory: '128Mi' } },
        '1930m',
        '7134856Ki',
        [5.2, 1.841, 'none', 'none'],
      ],
      // a quarter of a step above, so that the size is not lost to rounding
      [
        'a whole part of the node',
        { requests: { cpu: '1', memory: '1Gi' } },
        '10',
        '100Gi',
        [10.003, 1.0003, 'none', 'none'],
      ],
      ['limits alone', { limits: { cpu: '500m', memory: '256Mi' } }, '2', '8Gi', ['none', 'none', 25.02, 3.13]],
      // 500M are 476.84Mi: 499.21M to 499.74M of 8589934592 bytes
      ['no whole Mi: below it', { requests: { memory: '500M' } }, '2', '8Gi', ['none', 5.812, 'none', 'none']],
      // 500Mi, which would print as such
      [
        'whole Mi in other words: below it',
        { requests: { memory: '524288k' } },
        '2',
        '8Gi',
        ['none', 6.1, 'none', 'none'],
      ],
      [
        'request and limit the same',
        { requests: { cpu: '1' }, limits: { cpu: '1' } },
        '4',
        '8Gi',
        [25.01, 'none', 25.01, 'none'],
      ],
      ['all of the node', { requests: { cpu: '2', memory: '8Gi' } }, '2', '8Gi', [100, 100, 'none', 'none']],
      ['more than the node', { requests: { cpu: '4', memory: '9G' } }, '2', '8Gi', [100, 100, 'none', 'none']],
      [
        'nearly the node',
        { requests: { cpu: '1999m', memory: '8191Mi' } },
        '2',
        '8Gi',
        [99.97, 99.991, 'none', 'none'],
      ],
      ['a core in tenths', { requests: { cpu: 0.1 } }, '2', '8Gi', [5.02, 'none', 'none', 'none']],
      ['less than a step', { requests: { cpu: '100u', memory: '100Ki' } }, '2', '8Gi', [0.002, 0.0003, 'none', 'none']],
      ['nothing', {}, '2', '8Gi', ['none', 'none', 'none', 'none']],
      [
        'a limit of 0, which is none',
        { limits: { cpu: '0', memory: 0 } },
        '2',
        '8Gi',
        ['none', 'none', 'none', 'none'],
      ],
      ['a request of 0, which is none', { requests: { cpu: '0' } }, '2', '8Gi', ['none', 'none', 'none', 'none']],
    ]
  for (const [name, resources, cpu, memory, want] of cases) {
    test(name, () => {
      const { resourcePercentages: own } = ruleFor(resources, basisOf(cpu, memory))
      assert.equal([own.requestCPU, own.requestMemory, own.limitCPU, own.limitMemory], want)
    })
  }
  test('request and limit less than a step apart: the request’s percentage is not above the limit’s', () => {
    const resources = { requests: { memory: '100Mi' }, limits: { memory: '104900001' } }
    const rule = ruleFor(resources)
    assert.ok((rule.resourcePercentages.requestMemory ?? 0) <= (rule.resourcePercentages.limitMemory ?? 0))
    assert.equal(rendered(sizesOn(basisOf('1930m', '7134856Ki'), rule)), [undefined, '100Mi', undefined, '104900001'])
  })
})

suite('the bounds of a start', (test) => {
  test('minima as they are written, those of limits apart where they differ', () => {
    const { minResources } = ruleFor({
      requests: { cpu: 0.1, memory: '500M' },
      limits: { cpu: '1.5', memory: '500M' },
    })
    assert.equal(minResources, { cpu: 0.1, limitCPU: '1.5', memory: '500M' })
  })
  test('of what is not there none, so that a percentage which is written later meets no bound unseen', () => {
    assert.equal(ruleFor({}).minResources, {})
    assert.equal(ruleFor({ requests: { cpu: '250m' } }).minResources, { cpu: '250m' })
  })
  test('limits without requests bound limits alone', () => {
    const { minResources, maxResources } = ruleFor({ limits: { cpu: '3', memory: '1Gi' } })
    assert.equal(minResources, { limitCPU: '3', limitMemory: '1Gi' })
    assert.equal(maxResources, { limitCPU: '12', limitMemory: '4Gi' })
  })
  const MAXIMA: Array<[name: string, resources: Resources, tenths: number, want: object]> = [
    [
      'as many times as the factors say',
      { requests: { cpu: '100m', memory: '128Mi' } },
      40,
      { cpu: '400m', memory: '512Mi' },
    ],
    ['rounded down to 1m and 1Mi', { requests: { cpu: '33m', memory: '100M' } }, 13, { cpu: '42m', memory: '123Mi' }],
    [
      'never below what there is',
      { requests: { cpu: '100500u', memory: '500M' } },
      10,
      { cpu: '100500u', memory: '500M' },
    ],
    ['less than a step of more is none', { requests: { cpu: '1m', memory: '1Mi' } }, 19, { cpu: '1m', memory: '1Mi' }],
    [
      'limits apart',
      { requests: { cpu: 1, memory: '1Gi' }, limits: { cpu: '2', memory: '1Gi' } },
      25,
      { cpu: '2500m', limitCPU: '5', memory: '2560Mi' },
    ],
    [
      'a request of 0 is no request, and stays the least that can be rendered',
      { requests: { cpu: 0, memory: '0' }, limits: { cpu: '1', memory: '512Ki' } },
      40,
      { cpu: '1m', limitCPU: '4', memory: '512Ki', limitMemory: '2Mi' },
    ],
    ['of what is not there none', {}, 40, {}],
  ]
  for (const [name, resources, tenths, want] of MAXIMA)
    test(`maxima: ${name}`, () =>
      assert.equal(ruleFor(resources, undefined, { cpu: tenths, memory: tenths }).maxResources, want))
  test('one factor for each resource', () => {
    const { maxResources } = ruleFor({ requests: { cpu: 1, memory: '1Gi' } }, undefined, { cpu: 20, memory: 15 })
    assert.equal(maxResources, { cpu: '2', memory: '1536Mi' })
  })
})

suite('what a start refuses', (test) => {
  const cases: Array<[name: string, resources: unknown, said: RegExp]> = [
    ['no quantity', { requests: { cpu: 'abc' } }, /^requests\.cpu cannot be read: /],
    ['a map', { limits: { memory: {} } }, /^limits\.memory cannot be read: /],
    ['below zero', { limits: { memory: '-1Mi' } }, /^limits\.memory is -1Mi, below 0$/],
    [
      'a request above its limit',
      { requests: { cpu: '2' }, limits: { cpu: '1' } },
      /^requests\.cpu 2 is above limits\.cpu 1$/,
    ],
  ]
  for (const [name, resources, said] of cases) {
    test(name, () => {
      const basis = basisOf('2', '8Gi')
      const { value, findings } = startFrom(resources as Resources, basis, FOUR)
      assert.is(value, undefined)
      assert.match(findings[0]?.sentence ?? '', said)
    })
  }
  test('a request of 0 beside a limit cannot be rendered: the least that can', () => {
    const rule = ruleFor({ requests: { cpu: 0, memory: '0' }, limits: { cpu: '1', memory: '512Ki' } })
    assert.equal(rendered(sizesOn(basisOf('1930m', '7134856Ki'), rule)), ['1m', '512Ki', '1', '512Ki'])
  })
})

const CPU = ['100m', '0.1', 0.5, '1.5', 1, '2', '250m', '1e-1', '1333m', '3k', '100500u', '7']
const MEMORY = [
  '500M',
  '1Gi',
  '128Mi',
  '1.5Gi',
  '1G',
  '0.5Gi',
  268435456,
  '524288k',
  '300001Ki',
  '1e9',
  '1Mi',
  '100Ki',
  '3Ti',
  '64M',
  '123456789',
]
const drawn = (texts: Array<string | number>) =>
  fc.array(fc.constantFrom(...texts), { minLength: 0, maxLength: 2 }).map((some) => {
    const sorted = [...some].sort((a, b) => Quantity.parse(a).compare(Quantity.parse(b)))
    return { request: sorted[0], limit: sorted[1] }
  })
const template = fc
  .record({ cpu: drawn(CPU), memory: drawn(MEMORY), isLimit: fc.boolean() })
  .map(({ cpu, memory, isLimit }): Resources => {
    const some = (entries: Array<[string, string | number | undefined]>) =>
      Object.fromEntries(entries.filter(([, value]) => value !== undefined)) as Amounts
    // one amount alone may as well be a limit
    const flip = ({ request, limit }: typeof cpu) =>
      isLimit && limit === undefined ? { request: undefined, limit: request } : { request, limit }
    const [c, m] = [flip(cpu), flip(memory)]
    return {
      requests: some([
        ['cpu', c.request],
        ['memory', m.request],
      ]),
      limits: some([
        ['cpu', c.limit],
        ['memory', m.limit],
      ]),
    }
  })
const allocatable = fc.record({
  milli: fc.integer({ min: 100, max: 256_000 }),
  ki: fc.integer({ min: 1 << 18, max: 1 << 30 }),
})

suite('a drawn template', (test) => {
  test('is rendered byte for byte on the nodes it starts from, and those a few Ki smaller', () => {
    fc.assert(
      fc.property(template, allocatable, fc.integer({ min: 0, max: 200 }), (resources, { milli, ki }, less) => {
        const rule = ruleFor(resources, basisOf(`${milli}m`, `${ki}Ki`))
        for (const memory of [ki, ki - less]) {
          assert.equal(rendered(sizesOn(basisOf(`${milli}m`, `${memory}Ki`), rule)), today(resources))
        }
      }),
      { numRuns: 1000 },
    )
  })
  test('is nowhere less, and on twice the node about twice as much, unless that is above the maximum', () => {
    fc.assert(
      fc.property(template, allocatable, allocatable, (resources, start, other) => {
        const [own, two] = [
          basisOf(`${start.milli}m`, `${start.ki}Ki`),
          basisOf(`${start.milli * 2}m`, `${start.ki * 2}Ki`),
        ]
        const rule = ruleFor(resources, own)
        const before = today(resources)
        const elsewhere = rendered(sizesOn(basisOf(`${other.milli}m`, `${other.ki}Ki`), rule))
        const doubled = rendered(sizesOn(two, rule))
        for (const [index, text] of before.entries()) {
          if (text === undefined) {
            assert.is(elsewhere[index], undefined)
            continue
          }
          const amount = Quantity.parse(text)
          assert.ok(Quantity.parse(elsewhere[index] ?? '').compare(amount) >= 0)
          const isWithin = amount.compare(index % 2 === 0 ? own.cpu : own.memory) <= 0
          const step = index % 2 === 0 ? 1_000_000n : 1_048_576n * 1_000_000_000n
          const least = 2n * amount.nanoValue() - 3n * step
          if (isWithin)
            assert.ok(Quantity.parse(doubled[index] ?? '').nanoValue() >= least, `${text}: ${doubled[index]}`)
        }
      }),
      { numRuns: 500 },
    )
  })
  test('has percentages in the interval of the rule, and no decimal with fewer places lies there', () => {
    const places = (value: number) => (String(value).split('.')[1] ?? '').length
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3000 }), fc.integer({ min: 3001, max: 2_000_000 }), (mebi, total) => {
        const { resourcePercentages } = ruleFor({ requests: { memory: `${mebi}Mi` } }, basisOf('1', `${total}Mi`))
        const value = Number(resourcePercentages.requestMemory ?? 0)
        const [low, high] = [(100 * (mebi + 0.25)) / total, (100 * (mebi + 0.75)) / total]
        const slack = 1e-9
        assert.ok(value >= low - slack && value <= high + slack, `${value} in ${low} to ${high}`)
        const scale = 10 ** (places(value) - 1)
        if (places(value) > 0 && !String(value).includes('e')) {
          const shorter = Math.ceil(low * scale - slack) / scale
          assert.ok(shorter > high - slack, `${shorter} is shorter than ${value}`)
        }
      }),
    )
  })
})

type Shape = ReturnType<typeof fleetShape>
const type = (name: string, nodes: string[], cpu = '4', memory = '16Gi', more: object = {}) =>
  fleetShape({ [TYPE]: name }, nodes, cpu, memory, more)
const startOf = (shapes: Shape[]) => {
  const start = startGroup(groupsOf(shapes, { remainder: true, defaultNodeGroup: 'default' }).groups)
  return start && [start.group.id, `${start.basis.cpu} ${start.basis.memory}`]
}

const CASES: Array<[name: string, shapes: Shape[], want: string[] | undefined]> = [
  ['the most nodes', [type('a', ['1']), type('b', ['2', '3'], '8', '32Gi')], ['value:b', '8 32Gi']],
  ['of equals the first', [type('b', ['1'], '8', '32Gi'), type('a', ['2'])], ['value:a', '4 16Gi']],
  ['of as many nodes the smaller ones', [type('a', ['1'], '8', '32Gi'), type('b', ['2'])], ['value:b', '4 16Gi']],
  ['its smallest node', [type('a', ['1'], '4', '15Gi'), type('a', ['2'], '3', '16Gi')], ['value:a', '3 15Gi']],
  ['nodes without the label, too', [type('a', ['1']), fleetShape({}, ['2', '3'], '8', '64Gi')], ['default', '8 64Gi']],
  [
    'nodes that report nothing are not fitted to',
    [type('a', ['1']), type('b', ['2', '3'], '4', '16Gi', { allocatable: {} })],
    ['value:a', '4 16Gi'],
  ],
  ['no nodes at all', [type('b', [], '64', '256Gi')], undefined],
]

suite('the nodes that a first policy starts from', (test) => {
  for (const [name, shapes, want] of CASES) test(name, () => assert.equal(startOf(shapes), want))
})

suite('what several containers have, as the budget of one', (test) => {
  const has = (name: string, requests: Amounts = {}, limits: Amounts = {}) => ({
    name,
    resources: { requests, limits },
  })
  const shares = [
    { container: 'a', percent: 70 },
    { container: 'b', percent: 30 },
  ]
  const cases: Array<[name: string, a: object, b: object, want: object]> = [
    [
      'the one that needs most decides',
      has('a', { cpu: '100m' }),
      has('b', { cpu: '10m' }),
      { requests: { cpu: '143m' } },
    ],
    ['by its share', has('a', { cpu: '10m' }), has('b', { cpu: '100m' }), { requests: { cpu: '334m' } }],
    [
      'whole Mi, rounded up',
      has('a', { memory: '70Mi' }),
      has('b', { memory: '30721Ki' }),
      { requests: { memory: '104Mi' } },
    ],
    ['one with a request', has('a', { cpu: '70m' }), has('b'), { requests: { cpu: '100m' } }],
    ['a request of 0 is none', has('a', { cpu: '7m' }), has('b', { cpu: 0 }), { requests: { cpu: '10m' } }],
    ['requests of 0 are none', has('a', { cpu: 0 }), has('b', { cpu: 0 }), {}],
    [
      'a limit of one is no limit',
      has('a', { cpu: '7m' }, { cpu: '14m' }),
      has('b', { cpu: '3m' }),
      { requests: { cpu: '10m' } },
    ],
    ['nor one of 0', has('a', {}, { cpu: '14m' }), has('b', { cpu: '3m' }, { cpu: 0 }), { requests: { cpu: '20m' } }],
    [
      'limits of both',
      has('a', { cpu: '7m' }, { cpu: '14m' }),
      has('b', { cpu: '3m' }, { cpu: '6m' }),
      { requests: { cpu: '10m' }, limits: { cpu: '20m' } },
    ],
    ['limits alone', has('a', {}, { cpu: '14m' }), has('b', {}, { cpu: '6m' }), { limits: { cpu: '20m' } }],
    [
      'a limit that is a request, beside a request',
      has('a', { cpu: '7m' }),
      has('b', {}, { cpu: '30m' }),
      { requests: { cpu: '100m' } },
    ],
    [
      'a limit that is a request, beside nothing',
      has('a'),
      has('b', {}, { cpu: '30m' }),
      { requests: { cpu: '100m' } },
    ],
    ['nothing', has('a'), has('b'), {}],
  ]
  for (const [name, a, b, want] of cases)
    test(name, () =>
      assert.equal(presentAmounts({ containers: [a, b] } as PodSpec, shares), { requests: {}, limits: {}, ...want }),
    )
  test('a sidecar is found among the init containers', () => {
    const pod = { containers: [has('a', { cpu: '7m' })], initContainers: [has('b', { cpu: '6m' })] }
    assert.equal(presentAmounts(pod as PodSpec, shares), { requests: { cpu: '20m' }, limits: {} })
  })
  test('of one container they are as written', () => {
    const one = has('a', { cpu: '0.1' })
    assert.is(presentAmounts({ containers: [one] } as PodSpec, [{ container: 'a', percent: 100 }]), one.resources)
  })
})
