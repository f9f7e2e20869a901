/** What other systems measured or recommended: answers of Prometheus, VerticalPodAutoscalers, and the rows that are made of them. */
import * as assert from 'uvu/assert'
import { isPrometheusAnswer, readAutoscalers, readPrometheus, settleImported } from '../../../src/facts/usage/index.ts'
import { importedRows } from '../../../src/host/files/usage-rows.ts'
import { newItem } from '../../../src/krm/index.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { daemonSet, node, policy, TYPE } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'

const HOUR = 3600
const START = Date.parse('2026-11-01T00:00:00Z') / 1000
const LABELS = { namespace: 'logging', created_by_name: 'agent-small', container: 'agent' }
const series = (usage: string, value: string, hours = 15 * 24, labels: object = LABELS) => ({
  metric: { ...labels, usage },
  values: Array.from({ length: hours }, (_, hour) => [START + (hour + 1) * HOUR, value]),
})
const answer = (...result: object[]) => ({ status: 'success', data: { resultType: 'matrix', result } })
const MIB = 1024 * 1024
const WHOLE = answer(
  series('cpu', '0.0501'),
  series('memory', String(100 * MIB)),
  series('median', String(80 * MIB)),
  series('peak', String(200 * MIB)),
  series('pods', '12'),
)

suite('answers of Prometheus', (test) => {
  test('are hours of each container of each DaemonSet', () => {
    const [one, ...others] = readPrometheus(WHOLE) as Exclude<ReturnType<typeof readPrometheus>, string>
    assert.equal(others, [])
    assert.is(one?.hours.length, 360)
    assert.equal(one?.hours[0], {
      end: (START + HOUR) * 1000,
      hour: { used: { cpu: 51, memory: 100 }, medianMemory: 80, peakMemory: 200, shareAtLimit: 0, pods: 12 },
    })
    assert.equal([one?.namespace, one?.daemonSet, one?.container], ['logging', 'agent-small', 'agent'])
  })
  test('of several containers apart, in the order of time, with what a part lacks', () => {
    const beside = { ...LABELS, container: 'beside' }
    const cpu = series('cpu', '0.05', 3)
    const gap = { ...cpu, values: cpu.values.map((pair, index) => (index === 1 ? [pair[0], 'NaN'] : pair)) }
    const read = readPrometheus(
      answer(series('memory', String(MIB), 1, beside), gap, series('memory', String(100 * MIB), 3)),
    ) as Exclude<ReturnType<typeof readPrometheus>, string>
    assert.equal(
      read.map(({ container, hours }) => [
        container,
        hours.map(({ end, hour }) => [end / 1000 - START, hour.used.cpu]),
      ]),
      [
        [
          'agent',
          [
            [HOUR, 50],
            [2 * HOUR, undefined],
            [3 * HOUR, 50],
          ],
        ],
        ['beside', [[HOUR, undefined]]],
      ],
    )
  })
  test('are told from objects', () => {
    assert.ok(isPrometheusAnswer(WHOLE))
    for (const other of [null, [], 'x', { kind: 'List', items: [] }]) assert.not(isPrometheusAnswer(other))
  })
  test('in whatever order', () =>
    assert.equal(readPrometheus(answer(...[...WHOLE.data.result].reverse())), readPrometheus(WHOLE)))
  test('what is no number, below 0, more than a machine has, or no memory does not count', () => {
    const odd = ['NaN', '+Inf', '-1', '0', '1e300', String((10 ** 8 + 1) * MIB)].map((value) =>
      series('memory', value, 1),
    )
    for (const one of odd)
      assert.equal((readPrometheus(answer(one)) as unknown as Array<{ hours: unknown[] }>)[0]?.hours, [])
  })
  const partsOf = (usage: string, value: string) => {
    const read = readPrometheus(answer(series('memory', String(100 * MIB), 1), series(usage, value, 1)))
    return (read as Exclude<typeof read, string>)[0]?.hours[0]?.hour
  }
  test('cores and pods: as many as there may be, and whole pods', () => {
    assert.equal([partsOf('cpu', '100000')?.used.cpu, partsOf('cpu', '100001')?.used.cpu], [100_000_000, undefined])
    assert.equal([partsOf('pods', '2.5')?.pods, partsOf('pods', '1e300')?.pods], [3, 0])
    assert.equal([partsOf('median', '1e300')?.medianMemory, partsOf('peak', '1e300')?.peakMemory], [100, 100])
  })
  test('a time that no date has does not count', () => {
    const late = { metric: { ...LABELS, usage: 'memory' }, values: [[8.64e12, '1e9']] }
    assert.equal((readPrometheus(answer(late)) as unknown as Array<{ hours: unknown[] }>)[0]?.hours, [])
  })
  const BAD: ReadonlyArray<readonly [name: string, value: object, words: RegExp]> = [
    ['an error', { status: 'error', error: 'query timed out', data: null }, /error: query timed out/],
    ['an instant query', { status: 'success', data: { resultType: 'vector', result: [] } }, /vector, not a matrix/],
    ['no data', { status: 'success', data: null }, /not a matrix/],
    ['another query', answer({ metric: { pod: 'x' }, values: [] }), /lacks one of the labels/],
    ['an empty label', answer(series('cpu', '1', 1, { ...LABELS, container: '' })), /lacks one of the labels/],
    ['nothing', { status: 'success', data: {} }, /the answer is nothing, not a matrix/],
    ['another part', answer(series('disk', '1')), /lacks one of the labels/],
    ['no series', answer({}), /no labels or no values/],
    ['half a sample', answer({ metric: LABELS, values: [[1]] }), /no labels or no values/],
  ]
  for (const [name, value, words] of BAD)
    test(`${name}: said`, () => assert.match(String(readPrometheus(value)), words))
})

suite('imported hours', (test) => {
  const hours = (count: number) => {
    const read = readPrometheus(answer(series('cpu', '0.05', count), series('memory', String(100 * MIB), count)))
    return (read as Exclude<typeof read, string>)[0]?.hours ?? []
  }
  const inForce = { limits: { memory: 150 }, hasHeapByLimit: false }
  test('settle as the regular time would', () => {
    const { days, newest, seen, settled } = settleImported(hours(15 * 24), inForce)
    assert.equal([days, newest], [14, '2026-11-15'])
    assert.equal(seen?.used, { cpu: 50, memory: 102 })
    assert.equal(settled, {
      ...{ used: { cpu: 50, memory: 102 }, limits: { memory: 204 } },
      ...{ at: Date.parse('2026-11-16T00:00:00Z'), why: 'Imported', raisedAt: [] },
    })
  })
  test('nothing of fewer than seven days', () => {
    const { days, settled } = settleImported(hours(6 * 24), inForce)
    assert.equal([days, settled], [6, undefined])
  })
  test('nothing of none', () => assert.equal(settleImported([], inForce), { days: 0, pods: 0 }))
  test('memory near its limit: a request, no limit', () => {
    const { settled } = settleImported(hours(8 * 24), { limits: { memory: 104 }, hasHeapByLimit: true })
    assert.equal([settled?.used, settled?.limits], [{ cpu: 50, memory: 102 }, {}])
  })
})

const autoscaler = (name: string, spec: object, status: object): KubernetesObject => ({
  apiVersion: 'autoscaling.k8s.io/v1',
  kind: 'VerticalPodAutoscaler',
  metadata: { name: 'v', namespace: 'logging' },
  spec: { targetRef: { kind: 'DaemonSet', name }, ...spec },
  status: status as never,
})
const recommendation = (cpu: string, memory: string) => ({
  containerRecommendations: [{ containerName: 'agent', target: { cpu, memory } }],
})

suite('VerticalPodAutoscalers', (test) => {
  test('their target less 15 %', () =>
    assert.equal(
      readAutoscalers([autoscaler('agent-small', {}, { recommendation: recommendation('115m', '241172480') })]),
      [{ namespace: 'logging', daemonSet: 'agent-small', container: 'agent', used: { cpu: 100, memory: 200 } }],
    ))
  test('scoped: each group', () => {
    const groups = [
      { scopeValue: 'small', recommendation: recommendation('23m', '115Mi') },
      { scopeValue: '__absent__', recommendation: recommendation('46m', '230Mi') },
    ]
    assert.equal(
      readAutoscalers([autoscaler('agent', { scope: TYPE }, { groups })]).map(({ scope, used }) => [
        scope?.value,
        used,
      ]),
      [
        ['small', { cpu: 20, memory: 100 }],
        [undefined, { cpu: 40, memory: 200 }],
      ],
    )
  })
  const NOTHING: ReadonlyArray<readonly [name: string, object: KubernetesObject]> = [
    ['of a Deployment', { ...autoscaler('x', {}, {}), spec: { targetRef: { kind: 'Deployment', name: 'x' } } }],
    ['without a recommendation', autoscaler('agent', {}, {})],
    ['with one that cannot be read', autoscaler('agent', {}, { recommendation: recommendation('much', '-1') })],
    ['with one of nothing', autoscaler('agent', {}, { recommendation: recommendation('0', '0') })],
    ['with more than a machine has', autoscaler('agent', {}, { recommendation: recommendation('1e6', '1e16') })],
  ]
  test('the floor of a recommender is no use', () => {
    const of = (cpu: string, memory: string) =>
      readAutoscalers([autoscaler('agent', {}, { recommendation: recommendation(cpu, memory) })]).map(
        ({ used, isFloor }) => [used, isFloor],
      )
    for (const memory of ['262144k', '250Mi', '250M']) assert.equal(of('25m', memory), [[{}, true]])
    assert.equal(of('25m', '500Mi'), [[{ memory: 435 }, undefined]])
    assert.equal(of('26m', '262144k'), [[{ cpu: 23 }, undefined]])
  })
  for (const [name, object] of NOTHING) test(`${name}: nothing`, () => assert.equal(readAutoscalers([object]), []))
})

suite('imported rows', (test) => {
  const nodes = [
    node('a', { [TYPE]: 'small' }, '2', '8Gi'),
    node('b', { [TYPE]: 'small' }, '1900m', '9Gi'),
    node('c', { [TYPE]: 'large' }, '16', '64Gi'),
  ].map((one) => newItem(one))
  const rendered = daemonSet(
    {
      nodeSelector: { [TYPE]: 'small' },
      containers: [{ name: 'agent', resources: { limits: { memory: '150Mi' } } }],
    },
    {
      ...{ name: 'agent-small', namespace: 'logging' },
      annotations: { 'nodefit.dev/owner': 'SizingPolicy/fluent-bit', 'nodefit.dev/group': 'value:small' },
    },
  )
  const subject = policy({}, 'fluent-bit', { namespace: 'logging' })
  const rows = (objects: KubernetesObject[], answers: object[] = []) =>
    importedRows(
      { answers: answers.map((one) => readPrometheus(one) as never), objects: objects.map((one) => newItem(one)) },
      nodes,
      Date.parse('2026-11-20T00:00:00Z'),
    )
  test('of what is rendered are its group’s, with its smallest node and its limit', () => {
    const { rows: made, unknown } = rows([rendered], [WHOLE])
    assert.equal(unknown, [])
    assert.equal(
      made.map(({ policy: of, group, node: smallest, days, pods }) => [of, group, smallest, days, pods]),
      [['logging/fluent-bit', 'value:small', { cpu: '1900m', memory: '8Gi' }, 14, 12]],
    )
    assert.equal(made[0]?.settled, {
      ...{ cpu: '53m', memory: '102Mi', limitMemory: '402Mi', at: '2026-11-16T00:00:00Z', why: 'Imported' },
    })
  })
  test('of what is rendered without a namespace are of that in which they were measured', () => {
    const { namespace: _, ...metadata } = rendered.metadata
    assert.is(rows([{ ...rendered, metadata }], [WHOLE]).rows[0]?.policy, 'logging/fluent-bit')
  })
  test('of a target are a group of their own, from which others borrow', () => {
    const autoscaled = autoscaler('agent', {}, { recommendation: recommendation('115m', '115Mi') })
    const [row] = rows([subject, autoscaled]).rows
    assert.equal(
      [row?.policy, row?.group, row?.node],
      ['logging/fluent-bit', 'target/agent', { cpu: '1900m', memory: '8Gi' }],
    )
    assert.equal(row?.settled, { cpu: '100m', memory: '100Mi', at: '2026-11-20T00:00:00Z', why: 'Imported' })
  })
  test('of scoped autoscalers are the groups of the policy’s label, of another label none', () => {
    const groups = [
      { scopeValue: 'large', recommendation: recommendation('115m', '115Mi') },
      { scopeValue: '__absent__', recommendation: recommendation('23m', '23Mi') },
    ]
    const of = (scope: string) => rows([subject, autoscaler('agent', { scope }, { groups })])
    assert.equal(
      of(TYPE).rows.map(({ group, node: smallest }) => [group, smallest]),
      [
        ['default', undefined],
        ['value:large', { cpu: '16', memory: '64Gi' }],
      ],
    )
    assert.equal(of('zone'), { rows: [], unknown: ['logging/agent by zone'], floors: [] })
  })
  const answerOf = (name: string) =>
    answer(
      ...(['memory', 'median', 'peak'] as const).map((part, index) =>
        series(part, String(([100, 80, 200][index] ?? 0) * MIB), 15 * 24, { ...LABELS, created_by_name: name }),
      ),
      series('cpu', '0.05', 15 * 24, { ...LABELS, created_by_name: name }),
    )
  const containers = (limits: object, more: object = {}) => [{ name: 'agent', resources: { limits }, ...more }]
  const settledOf = (objects: KubernetesObject[], name = 'agent-small') =>
    rows(objects, [answerOf(name)]).rows.map(({ settled: { at: _, why: __, ...sizes } = {} as never }) => sizes)
  const marks = rendered.metadata
  test('have the node of the nodes that their DaemonSet serves', () => {
    const annotations = { 'nodefit.dev/owner': 'SizingPolicy/fluent-bit', 'nodefit.dev/group': 'value:large' }
    const large = daemonSet({ nodeSelector: { [TYPE]: 'large' } }, { ...marks, name: 'agent-large', annotations })
    const [row] = rows([rendered, large], [answerOf('agent-large')]).rows
    assert.equal([row?.group, row?.node], ['value:large', { cpu: '16', memory: '64Gi' }])
  })
  const LIMITS: ReadonlyArray<readonly [name: string, pod: Record<string, unknown>, want: object]> = [
    [
      'twice the peak, where there is a limit',
      { containers: containers({ memory: '150Mi', cpu: '1' }) },
      { limitMemory: '402Mi' },
    ],
    ['none where there is none', { containers: containers({ cpu: '1' }) }, {}],
    ['none where that is 0, or open', { containers: containers({ memory: '0', cpu: 'x' }) }, {}],
    [
      'of a sidecar',
      { containers: [{ name: 'x' }], initContainers: containers({ memory: '150Mi' }) },
      { limitMemory: '402Mi' },
    ],
    [
      'that of another container is not its own',
      { containers: [{ name: 'x', resources: { limits: { memory: '1Gi' } } }, { name: 'agent' }] },
      {},
    ],
  ]
  for (const [name, pod, want] of LIMITS)
    test(`a limit: ${name}`, () =>
      assert.equal(settledOf([daemonSet(pod, marks)]), [{ cpu: '50m', memory: '102Mi', ...want }]))
  const HEAPS: ReadonlyArray<readonly [name: string, env: unknown, isHeap: boolean]> = [
    ['GOMEMLIMIT', [{ name: 'X' }, { name: 'GOMEMLIMIT', value: '1' }], true],
    [
      'a variable that is the limit',
      [{ name: 'X', valueFrom: { resourceFieldRef: { resource: 'limits.memory' } } }],
      true,
    ],
    ['another variable', [{ name: 'X', valueFrom: { resourceFieldRef: { resource: 'limits.cpu' } } }], false],
  ]
  for (const [name, env, isHeap] of HEAPS)
    test(`a heap: ${name}`, () => {
      // 80 of 104 MiB are 77 %
      const made = settledOf([daemonSet({ containers: containers({ memory: '104Mi' }, { env }) }, marks)])
      assert.equal([made[0]?.memory, made[0]?.limitMemory], ['102Mi', isHeap ? undefined : '402Mi'])
    })
  const elsewhere = { ...marks, namespace: 'other' }
  const template = daemonSet({ containers: containers({ memory: '150Mi' }) }, { namespace: 'logging' })
  const FOUND: ReadonlyArray<readonly [name: string, objects: KubernetesObject[], of: string, want: unknown]> = [
    ['not of another namespace', [daemonSet({}, elsewhere)], 'agent-small', []],
    ['not of an object of another kind', [{ ...rendered, kind: 'Deployment' }], 'agent-small', []],
    [
      'not of one without a group',
      [daemonSet({}, { ...marks, annotations: { 'nodefit.dev/owner': 'SizingPolicy/x' } })],
      'agent-small',
      [],
    ],
    [
      'not of one that another kind owns',
      [daemonSet({}, { ...marks, annotations: { ...marks.annotations, 'nodefit.dev/owner': 'Other/x' } })],
      'agent-small',
      [],
    ],
    ['not of another policy', [policy({ targetRef: { name: 'x' } }, 'x', { namespace: 'logging' })], 'agent', []],
    ['not of a policy of another namespace', [policy({}, 'x', { namespace: 'other' })], 'agent', []],
    ['of a target with the limits of its template', [subject, template], 'agent', ['logging/fluent-bit', '402Mi']],
    [
      'in the namespace of the template',
      [policy({}, 'fluent-bit'), template],
      'agent',
      ['logging/fluent-bit', '402Mi'],
    ],
    ['or of the policy', [subject, daemonSet({})], 'agent', ['logging/fluent-bit', undefined]],
    ['or in that where it was measured', [policy({}, 'fluent-bit')], 'agent', ['logging/fluent-bit', undefined]],
    [
      'not with those of a rendered one of its name',
      [daemonSet({ containers: containers({ memory: '1Gi' }) }, { ...elsewhere, name: 'agent' }), subject, template],
      'agent',
      ['logging/fluent-bit', '402Mi'],
    ],
  ]
  for (const [name, objects, of, want] of FOUND)
    test(`are found: ${name}`, () =>
      assert.equal(
        rows(objects, [answerOf(of)]).rows.flatMap(({ policy: found, settled }) => [found, settled?.limitMemory]),
        want,
      ))
  test('of scoped autoscalers of a policy with a label of its own', () => {
    const groups = [{ scopeValue: 'a', recommendation: recommendation('115m', '115Mi') }]
    const byZone = policy({ nodeGroupLabel: 'zone' }, 'fluent-bit', { namespace: 'logging' })
    const made = rows([byZone, autoscaler('agent', { scope: 'zone' }, { groups })]).rows
    assert.equal(
      made.map(({ policy: of, group }) => [of, group]),
      [['logging/fluent-bit', 'value:a']],
    )
  })
  test('measured ones count before recommended ones', () => {
    const autoscaled = autoscaler('agent-small', {}, { recommendation: recommendation('1', '1Gi') })
    assert.equal(rows([rendered, autoscaled], [WHOLE]), rows([rendered], [WHOLE]))
  })
  test('of DaemonSets that nothing tells of are left out', () =>
    assert.equal(rows([], [WHOLE]), { rows: [], unknown: ['logging/agent-small'], floors: [] }))
})
