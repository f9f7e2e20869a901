/** What the API server makes of a pod's resources, and what it refuses; held against a real one by e2e/fit.ts. */
import * as assert from 'uvu/assert'
import {
  type AdmissionInput,
  admitPod,
  ambiguousDefaults,
  KubeError,
  type LimitRangeItem,
  type PodSpec,
  podLimits,
  podRequests,
  qosClass,
} from '../../src/kube/index.ts'
import { suite } from '../support/suite.ts'

type Sizes = Record<string, string | number>

const c = (requests?: Sizes, limits?: Sizes, more: object = {}) => ({
  name: 'c',
  resources: { ...(requests && { requests }), ...(limits && { limits }) },
  ...more,
})
const pod = (...containers: Array<ReturnType<typeof c>>): PodSpec => ({ containers })
const range = (...limits: LimitRangeItem[]) => ({ limitRanges: [{ name: 'l', limits }] })
const NONE: AdmissionInput = { limitRanges: [] }
const first = (spec: PodSpec, admitting: AdmissionInput = NONE) =>
  admitPod(spec, admitting).spec.containers?.[0]?.resources
const words = (spec: PodSpec, admitting: AdmissionInput = NONE) =>
  admitPod(spec, admitting).refusals.map((one) => one.words)

const DEFAULTS: Array<[name: string, spec: PodSpec, admitting: AdmissionInput, want: ReturnType<typeof first>]> = [
  ['nothing comes of nothing', { containers: [{ name: 'c' }] }, NONE, undefined],
  ['a missing request is the limit', pod(c({}, { cpu: '1' })), NONE, { requests: { cpu: '1' }, limits: { cpu: '1' } }],
  [
    'a request that is there stays',
    pod(c({ cpu: '1m' }, { cpu: '1' })),
    NONE,
    { requests: { cpu: '1m' }, limits: { cpu: '1' } },
  ],
  [
    'less than a thousandth is rounded up',
    pod(c({}, { cpu: '0.0005' })),
    NONE,
    { requests: { cpu: '1m' }, limits: { cpu: '0.0005' } },
  ],
  [
    'default and defaultRequest fill in what is missing',
    pod(c({ cpu: '2m' })),
    range({ type: 'Container', default: { cpu: '9m' }, defaultRequest: { cpu: '1m', memory: '1' } }),
    { requests: { cpu: '2m', memory: '1' }, limits: { cpu: '9m' } },
  ],
  [
    'a maximum is a default, and a default a defaultRequest',
    pod(c()),
    range({ type: 'Container', max: { cpu: '9m' } }),
    { requests: { cpu: '9m' }, limits: { cpu: '9m' } },
  ],
  [
    'a default counts before a maximum',
    pod(c()),
    range({ type: 'Container', max: { cpu: '9m' }, default: { cpu: '5m' } }),
    { requests: { cpu: '5m' }, limits: { cpu: '5m' } },
  ],
  [
    'a minimum is a defaultRequest',
    pod(c()),
    range({ type: 'Container', min: { cpu: '2m' } }),
    { requests: { cpu: '2m' }, limits: {} },
  ],
  [
    'the own limit counts before a defaultRequest',
    pod(c({}, { cpu: '4m' })),
    range({ type: 'Container', defaultRequest: { cpu: '1m' } }),
    { requests: { cpu: '4m' }, limits: { cpu: '4m' } },
  ],
  [
    'of several items the later one decides',
    pod(c()),
    range({ type: 'Container', default: { cpu: '1m' } }, { type: 'Container', default: { cpu: '2m' } }),
    { requests: { cpu: '2m' }, limits: { cpu: '2m' } },
  ],
  ['an item of type Pod fills in nothing', pod(c()), range({ type: 'Pod', max: { cpu: '9m' } }), {}],
]

const REFUSED: Array<[name: string, spec: PodSpec, admitting: AdmissionInput, want: string[]]> = [
  [
    'request above limit',
    pod(c({ cpu: 2 }, { cpu: 1 })),
    NONE,
    ['container c: the request of cpu, 2, is above its limit 1'],
  ],
  ['request equal to limit', pod(c({ cpu: '1000m' }, { cpu: 1 })), NONE, []],
  [
    'a default request above the own limit of a LimitRange that gives limits',
    pod(c({ memory: '4Gi' })),
    range({ type: 'Container', default: { memory: '1Gi' } }),
    ['container c: the request of memory, 4Gi, is above its limit 1Gi'],
  ],
  [
    'hugepages without cpu or memory',
    pod(c({}, { 'hugepages-2Mi': '2Mi' })),
    NONE,
    ['container c: hugepages require cpu or memory as well'],
  ],
  ['hugepages with cpu', pod(c({ cpu: 1 }, { 'hugepages-2Mi': '2Mi' })), NONE, []],
  [
    'hugepages with less requested than the limit',
    pod(c({ cpu: 1, 'hugepages-2Mi': '2Mi' }, { 'hugepages-2Mi': '4Mi' })),
    NONE,
    ['container c: the request of hugepages-2Mi, 2Mi, must equal its limit 4Mi'],
  ],
  [
    'hugepages without limit',
    pod(c({ cpu: 1, 'hugepages-2Mi': '2Mi' })),
    NONE,
    ['container c: the request of hugepages-2Mi needs a limit'],
  ],
  [
    'half a page',
    pod(c({ cpu: 1 }, { 'hugepages-2Mi': '3Mi' })),
    NONE,
    [
      'container c: hugepages-2Mi is 3Mi, not a multiple of the page size',
      'container c: hugepages-2Mi is 3Mi, not a multiple of the page size',
    ],
  ],
  ...['0', '-2Mi', '500m'].map((size): (typeof REFUSED)[number] => [
    `pages of ${size}`,
    pod(c({ cpu: 1 }, { [`hugepages-${size}`]: '2Mi' })),
    NONE,
    Array(2).fill(`container c: hugepages-${size} is 2Mi, not a multiple of the page size`),
  ]),
  [
    'half a device',
    pod(c({}, { 'a.b/gpu': '500m' })),
    NONE,
    Array(2).fill('container c: a.b/gpu is 500m, not an integer'),
  ],
  ['less than nothing', pod(c({ cpu: '-1' })), NONE, ['container c: cpu is -1, below zero']],
  ['what nobody has', pod(c({ cpus: 1 })), NONE, ['container c: cpus cannot be requested here']],
  [
    'the pod as a whole asks for less than its containers',
    { ...pod(c({ cpu: 2 })), resources: { requests: { cpu: 1 } } },
    NONE,
    ['resources of the pod: the containers request cpu 2, above 1'],
  ],
  [
    'hugepages of the pod as a whole below those of its containers',
    {
      ...pod(c({ cpu: 1 }, { 'hugepages-2Mi': '4Mi' })),
      resources: { requests: { cpu: 1 }, limits: { 'hugepages-2Mi': '2Mi' } },
    },
    NONE,
    [
      'resources of the pod: the containers request hugepages-2Mi 4Mi, above 2Mi',
      'resources of the pod: the containers have limits of hugepages-2Mi 4Mi, above 2Mi',
      'resources of the pod: container c has a limit of hugepages-2Mi 4Mi, above 2Mi',
    ],
  ],
  [
    'an overhead without RuntimeClass',
    { ...pod(c()), overhead: { cpu: 1 } },
    NONE,
    ['the pod has overhead, but its RuntimeClass has none'],
  ],
  [
    'another overhead than the class’s',
    { ...pod(c()), overhead: { cpu: 1 } },
    { limitRanges: [], runtimeClass: { name: 'r', overhead: { cpu: 2 } } },
    ['the pod has overhead that differs from RuntimeClass r'],
  ],
  [
    'the same overhead in other words',
    { ...pod(c()), overhead: { cpu: '2000m' } },
    { limitRanges: [], runtimeClass: { name: 'r', overhead: { cpu: 2 } } },
    [],
  ],
  [
    'an overhead of a class that nobody has',
    { ...pod(c()), overhead: { cpu: 1 } },
    { limitRanges: [], runtimeClass: 'unknown' },
    [],
  ],
  [
    'a limit above the maximum',
    pod(c({}, { cpu: 3 })),
    range({ type: 'Container', max: { cpu: 2 } }),
    ['container c: cpu limit 3 is above the maximum 2'],
  ],
  [
    'an init container above the maximum',
    { ...pod(c({}, { cpu: 1 })), initContainers: [c({}, { cpu: 3 }, { name: 'i' })] },
    range({ type: 'Container', max: { cpu: 2 } }),
    ['container i: cpu limit 3 is above the maximum 2'],
  ],
  [
    'a request below the minimum',
    pod(c({ cpu: '1m' })),
    range({ type: 'Container', min: { cpu: '2m' } }),
    ['container c: cpu request 1m is below the minimum 2m'],
  ],
  [
    'more than the ratio',
    pod(c({ cpu: 1 }, { cpu: '2001m' })),
    range({ type: 'Container', maxLimitRequestRatio: { cpu: 2 } }),
    ['container c: cpu limit 2001m is more than 2 times the request 1'],
  ],
  [
    'just the ratio',
    pod(c({ cpu: 1 }, { cpu: 2 })),
    range({ type: 'Container', maxLimitRequestRatio: { cpu: 2 } }),
    [],
  ],
  [
    'a pod without limit where there is a maximum for pods',
    pod(c({ cpu: 1 })),
    range({ type: 'Pod', max: { cpu: 2 } }),
    ['pod: cpu has no limit, but the maximum is 2'],
  ],
  [
    'containers that are together above a pod’s maximum',
    pod(c({}, { cpu: 1 }), c({}, { cpu: 2 })),
    range({ type: 'Pod', max: { cpu: 2 } }),
    ['pod: cpu limit 3 is above the maximum 2'],
  ],
  [
    'a pod’s minimum does not count overhead',
    { ...pod(c({ cpu: 1 })), runtimeClassName: 'r' },
    { ...range({ type: 'Pod', min: { cpu: 2 } }), runtimeClass: { name: 'r', overhead: { cpu: 5 } } },
    ['pod: cpu request 1 is below the minimum 2'],
  ],
]

suite('a pod of a template', (test) => {
  for (const [name, spec, admitting, want] of DEFAULTS) test(name, () => assert.equal(first(spec, admitting), want))
  test('where the pod as a whole has limits, its requests are what the containers ask for, else its limits', () => {
    const whole = { ...pod(c({ cpu: '1' })), resources: { limits: { cpu: '4', memory: '1Gi' } } }
    assert.equal(admitPod(whole, NONE).spec.resources, {
      requests: { cpu: '1', memory: '1Gi' },
      limits: { cpu: '4', memory: '1Gi' },
    })
  })
  const WHOLE: Array<[name: string, spec: PodSpec, want: PodSpec['resources']]> = [
    [
      'hugepages have the limits of the containers for a limit',
      { ...pod(c({ cpu: 1 }, { 'hugepages-2Mi': '4Mi' })), resources: { limits: { cpu: 2 } } },
      { requests: { cpu: '1', 'hugepages-2Mi': '4Mi' }, limits: { cpu: '2', 'hugepages-2Mi': '4Mi' } },
    ],
    [
      'hugepages that the pod requests itself have no limit of the containers',
      {
        ...pod(c({ cpu: 1 }, { 'hugepages-2Mi': '4Mi' })),
        resources: { requests: { 'hugepages-2Mi': '6Mi' }, limits: { cpu: 2 } },
      },
      { requests: { 'hugepages-2Mi': '6Mi', cpu: '1' }, limits: { cpu: '2' } },
    ],
    [
      'other resources have no limit of the containers',
      { ...pod(c({}, { memory: '1Gi' })), resources: { limits: { cpu: 2 } } },
      { requests: { memory: '1Gi', cpu: '2' }, limits: { cpu: '2' } },
    ],
  ]
  for (const [name, spec, want] of WHOLE)
    test(`the pod as a whole: ${name}`, () => assert.equal(admitPod(spec, NONE).spec.resources, want))
  test('overhead of the class comes on top of requests and of limits that are there', () => {
    const runtimeClass = { name: 'r', overhead: { cpu: '250m', memory: '1Mi' } }
    const { spec } = admitPod(pod(c({ memory: '1Mi' }, { cpu: '1' })), { limitRanges: [], runtimeClass })
    assert.equal(JSON.parse(JSON.stringify(podRequests(spec))), { memory: '2Mi', cpu: '1250m' })
    assert.equal(JSON.parse(JSON.stringify(podLimits(spec))), { cpu: '1250m' })
  })
  test('a malformed amount is an error', () => {
    assert.throws(
      () => admitPod(pod(c({ cpu: 'one' })), NONE),
      (error: unknown) => error instanceof KubeError,
    )
  })
})

suite('a refused pod', (test) => {
  for (const [name, spec, admitting, want] of REFUSED) test(name, () => assert.equal(words(spec, admitting), want))
})

suite('several LimitRanges', (test) => {
  const two = (a: Sizes, b: Sizes) => [
    { name: 'a', limits: [{ type: 'Container', defaultRequest: a }] },
    { name: 'b', limits: [{ type: 'Container', defaultRequest: b }] },
  ]
  const ambiguous = (spec: PodSpec, ...args: Parameters<typeof two>) => ambiguousDefaults(spec, two(...args))
  test('the first one fills in', () => {
    const [a, b] = two({ cpu: '1' }, { cpu: '2' })
    assert.ok(a && b)
    assert.equal(first(pod(c()), { limitRanges: [b, a] })?.requests, { cpu: '2' })
  })
  test('that differ are ambiguous where the container says nothing', () => {
    const want = [{ container: 'c', resource: 'requests.cpu', limitRanges: ['a', 'b'] }]
    assert.equal(ambiguous(pod(c()), { cpu: '1' }, { cpu: '2' }), want)
  })
  for (const [name, spec, a, b] of [
    ['that agree are not', pod(c()), { cpu: '1' }, { cpu: '1000m' }],
    ['about different resources are not', pod(c()), { cpu: '1' }, { memory: '2' }],
    ['are not where the container says it', pod(c({ cpu: 1 })), { cpu: '1' }, { cpu: '2' }],
    ['are not where its limit is its request', pod(c({}, { cpu: 1 })), { cpu: '1' }, { cpu: '2' }],
  ] as Array<[string, PodSpec, Sizes, Sizes]>)
    test(name, () => assert.equal(ambiguous(spec, a, b), []))
})

suite('qosClass', (test) => {
  const both = { cpu: '1', memory: '1Gi' }
  for (const [name, spec, want] of [
    ['nothing', { containers: [{ name: 'c' }] }, 'BestEffort'],
    ['zero is nothing', pod(c({ cpu: 0 })), 'BestEffort'],
    ['another resource is nothing', pod(c({ 'ephemeral-storage': '1Gi' })), 'BestEffort'],
    ['a request', pod(c({ cpu: 1 })), 'Burstable'],
    ['both limits and equal requests', pod(c(both, both)), 'Guaranteed'],
    ['one container without', pod(c(both, both), { name: 'd', resources: {} }), 'Burstable'],
    ['an init container without', { ...pod(c(both, both)), initContainers: [{ name: 'i' }] }, 'Burstable'],
    ['a request below its limit', pod(c({ ...both, cpu: '1m' }, both)), 'Burstable'],
    ['one limit only', pod(c({ cpu: 1 }, { cpu: 1 })), 'Burstable'],
    [
      'the pod as a whole decides',
      { ...pod(c({ cpu: 1 })), resources: { requests: both, limits: both } },
      'Guaranteed',
    ],
    ['requests of the pod as a whole', { ...pod(c(both, both)), resources: { requests: both } }, 'Burstable'],
  ] as Array<[string, PodSpec, string]>)
    test(name, () => assert.is(qosClass(spec), want))
})
