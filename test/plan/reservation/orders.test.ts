/** What Orders are refused (section 5.1 E and 1.5 of the korder report), how both dialects read, and what Tickets are. */
import { readFileSync } from 'node:fs'
import { Ajv } from 'ajv'
import * as assert from 'uvu/assert'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { readOrder } from '../../../src/plan/reservation/order/read-order.ts'
import { plan } from '../../../src/rules/run.ts'
import { codes, inventory, listOf, policy, shape } from '../../support/objects.ts'
import { errorsOf, korder, NOON, nodes, nodesAt, order, recurring, runOrders, ticketsIn } from '../../support/orders.ts'
import { suite } from '../../support/suite.ts'

const T = 'spec.template.spec'
const tolerations = (...list: object[]) => ({ tolerations: list })
const affinity = (selector: object) => ({
  affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: selector } },
})
const term = (key: string, operator: string, values?: unknown) =>
  affinity({ nodeSelectorTerms: [{ matchExpressions: [{ key, operator, values }] }] })
const field = (key: string, operator: string) =>
  affinity({ nodeSelectorTerms: [{ matchFields: [{ key, operator, values: ['a'] }] }] })

const REQUIRED = 'requiredDuringSchedulingIgnoredDuringExecution'
const PREFERRED = 'preferredDuringSchedulingIgnoredDuringExecution'
const podAffinity = (name: string, list: 'required' | 'preferred', entry: object) => ({
  affinity: { [name]: { [`${list}DuringSchedulingIgnoredDuringExecution`]: [entry] } },
})
const spread = (...constraints: object[]) => ({
  topologySpreadConstraints: constraints.map((one) => ({
    maxSkew: 1,
    topologyKey: 'a',
    whenUnsatisfiable: 'DoNotSchedule',
    ...one,
  })),
})
/** Row, what is wrong, the Order's spec, its template, and the field that is named. */
const REFUSED: Array<[row: string, spec: object, template: object, path: string]> = [
  ['E76 a toleration without key and operator', {}, tolerations({ effect: 'NoSchedule' }), `${T}.tolerations.0`],
  ['E77 Exists with a value', {}, tolerations({ key: 'a', operator: 'Exists', value: 'x' }), `${T}.tolerations.0`],
  [
    'E78 seconds without NoExecute',
    {},
    tolerations({ key: 'a', operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 60 }),
    `${T}.tolerations.0`,
  ],
  ['E79 an unknown operator', {}, tolerations({ key: 'a', operator: 'In' }), `${T}.tolerations.0`],
  ['E79 an unknown effect', {}, tolerations({ key: 'a', operator: 'Exists', effect: 'NoEvict' }), `${T}.tolerations.0`],
  ['E80 Gt with text', {}, tolerations({ key: 'a', operator: 'Gt', value: 'abc' }), `${T}.tolerations.0`],
  ['E80 Lt with a leading zero', {}, tolerations({ key: 'a', operator: 'Lt', value: '007' }), `${T}.tolerations.0`],
  ['Gt, which needs a feature gate', {}, tolerations({ key: 'a', operator: 'Gt', value: '7' }), `${T}.tolerations.0`],
  ['E80 Gt without a value', {}, tolerations({ key: 'a', operator: 'Gt' }), `${T}.tolerations.0`],
  ['E81 a selector value that is a boolean', {}, { nodeSelector: { a: true } }, `${T}.nodeSelector.a`],
  ['E81 a selector value that is a number', {}, { nodeSelector: { a: 1 } }, `${T}.nodeSelector.a`],
  ['E82 required affinity without terms', {}, affinity({ nodeSelectorTerms: [] }), `${T}.affinity.nodeAffinity`],
  ['E82 In without values', {}, term('a', 'In'), `${T}.affinity.nodeAffinity`],
  ['E82 Exists with values', {}, term('a', 'Exists', ['b']), `${T}.affinity.nodeAffinity`],
  ['E82 another field', {}, field('spec.unschedulable', 'In'), `${T}.affinity.nodeAffinity`],
  [
    'E82 a field that Exists',
    {},
    {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: {
            nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'Exists' }] }],
          },
        },
      },
    },
    `${T}.affinity.nodeAffinity`,
  ],
  [
    'a weight of 0 for other pods',
    {},
    podAffinity('podAffinity', 'preferred', { weight: 0, podAffinityTerm: { topologyKey: 'a' } }),
    `${T}.affinity.podAffinity.${PREFERRED}.0`,
  ],
  [
    'other pods without a topologyKey',
    {},
    podAffinity('podAntiAffinity', 'required', { labelSelector: {} }),
    `${T}.affinity.podAntiAffinity.${REQUIRED}.0`,
  ],
  [
    'a preference for other pods without a topologyKey',
    {},
    podAffinity('podAntiAffinity', 'preferred', { weight: 1, podAffinityTerm: {} }),
    `${T}.affinity.podAntiAffinity.${PREFERRED}.0`,
  ],
  [
    'a malformed selector of other pods',
    {},
    podAffinity('podAffinity', 'required', { topologyKey: 'a', labelSelector: { matchLabels: { a: 'b c' } } }),
    `${T}.affinity.podAffinity.${REQUIRED}.0`,
  ],
  [
    'a list of other pods that is none',
    {},
    { affinity: { podAffinity: { [REQUIRED]: {} } } },
    `${T}.affinity.podAffinity.${REQUIRED}`,
  ],
  [
    'minDomains with ScheduleAnyway',
    {},
    spread({ whenUnsatisfiable: 'ScheduleAnyway', minDomains: 2 }),
    `${T}.topologySpreadConstraints.0`,
  ],
  ['a doubled constraint', {}, spread({}, { maxSkew: 2 }), `${T}.topologySpreadConstraints.1`],
  ['a constraint without skew', {}, spread({ maxSkew: 0 }), `${T}.topologySpreadConstraints.0`],
  [
    'a malformed selector of a constraint',
    {},
    spread({ labelSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } }),
    `${T}.topologySpreadConstraints.0`,
  ],
  ['a constraint that is nothing', {}, { topologySpreadConstraints: [{}] }, `${T}.topologySpreadConstraints.0`],
  ['keys of labels without a selector', {}, spread({ matchLabelKeys: ['a'] }), `${T}.topologySpreadConstraints.0`],
  ['an unknown field of a constraint', {}, spread({ skew: 1 }), `${T}.topologySpreadConstraints.0`],
  ['hugepages alone', {}, { resources: { limits: { 'hugepages-2Mi': '2Mi' } } }, `${T}.resources`],
  ['@every', recurring('@every 1h'), {}, 'spec.strategy.schedule'],
  ['a duration in days', {}, { duration: '1d' }, `${T}.duration`],
  ['a duration of nothing', {}, { duration: '0s' }, `${T}.duration`],
  ['an empty duration', {}, { duration: '' }, `${T}.duration`],
  ['a duration as a number', {}, { duration: 3600 }, `${T}.duration`],
  ['two durations', {}, { duration: '1h', window: { duration: '2h' } }, `${T}.duration`],
  [
    'two refresh policies',
    { refreshPolicy: 'Never', strategy: { type: 'Recurring', schedule: '0 * * * *', refreshPolicy: 'Always' } },
    {},
    'spec.refreshPolicy',
  ],
  ['a start time that is none', {}, { startTime: 'tomorrow' }, `${T}.startTime`],
  ['a time zone that is none', {}, { duration: undefined, window: { timeZone: 'Mars/Base' } }, `${T}.window.timeZone`],
  ['an unknown strategy', { strategy: { type: 'Sometimes' } }, {}, 'spec.strategy.type'],
  [
    'an unknown refresh policy',
    { strategy: { type: 'OneTime', refreshPolicy: 'Often' } },
    {},
    'spec.strategy.refreshPolicy',
  ],
  ['OneTime with a schedule', { strategy: { type: 'OneTime', schedule: '0 * * * *' } }, {}, 'spec.strategy.schedule'],
  ['Recurring without a schedule', { strategy: { type: 'Recurring' } }, {}, 'spec.strategy.schedule'],
  ['a schedule that is none', { strategy: { type: 'Scheduled', schedule: 'hourly' } }, {}, 'spec.strategy.schedule'],
  [
    'a time to live below zero',
    {},
    { lifecycle: { ttlSecondsAfterFinished: -1 } },
    `${T}.lifecycle.ttlSecondsAfterFinished`,
  ],
  [
    'a time to live beside Retain',
    {},
    { lifecycle: { cleanupPolicy: 'Retain', ttlSecondsAfterFinished: 1 } },
    `${T}.lifecycle.ttlSecondsAfterFinished`,
  ],
  [
    'a request above its limit',
    {},
    { resources: { requests: { cpu: '2' }, limits: { cpu: '1' } } },
    `${T}.resources.requests.cpu`,
  ],
  ['a negative request', {}, { resources: { requests: { cpu: '-1' } } }, `${T}.resources.requests.cpu`],
  ['a request that is no quantity', {}, { resources: { requests: { cpu: '1 core' } } }, `${T}.resources.requests.cpu`],
  ['resources that reserve nothing', {}, { resources: {} }, `${T}.resources`],
  ['claims', {}, { resources: { claims: [{ name: 'a' }] } }, `${T}.resources.claims`],
  [
    'a GPU without an equal limit',
    {},
    { resources: { requests: { 'nvidia.com/gpu': 1 } } },
    `${T}.resources.requests.nvidia.com/gpu`,
  ],
  ['amounts directly under resources', {}, { resources: { cpu: '1' } }, `${T}.resources.cpu`],
  ['a misspelt field', { daemonset: true }, {}, 'spec.daemonset'],
  ['a template with a name', { template: { metadata: { name: 'x' }, spec: {} } }, {}, 'spec.template.metadata.name'],
  [
    'a template with finalizers',
    { template: { metadata: { finalizers: ['x'] }, spec: {} } },
    {},
    'spec.template.metadata.finalizers',
  ],
  [
    'a label that is none',
    { template: { metadata: { labels: { a: 'b c' } }, spec: {} } },
    {},
    'spec.template.metadata.labels.a',
  ],
  ['no template', { template: undefined }, {}, 'spec.template'],
]

const ajv = new Ajv({ strict: false, formats: { 'date-time': /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/ } })
const schemaOf = (kind: 'ticket' | 'order', dialect: 'duration' | 'window') =>
  ajv.compile(
    JSON.parse(
      readFileSync(new URL(`../../../testdata/korder/${kind}-${dialect}.schema.json`, import.meta.url), 'utf8'),
    ),
  )

const FULL = {
  duration: '1440m',
  startTime: '2025-01-01T01:00:00+01:00',
  priorityClassName: 'low',
  resources: {
    requests: { cpu: 1, memory: '1024Mi', 'nvidia.com/gpu': '1' },
    limits: { cpu: '1000m', 'nvidia.com/gpu': 1 },
  },
  nodeSelector: { 'kubernetes.io/os': 'linux' },
  tolerations: [{ key: 'a', operator: 'Exists' }],
  topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'x', whenUnsatisfiable: 'DoNotSchedule' }],
  ...affinity({
    nodeSelectorTerms: [
      { matchExpressions: [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }] },
      { matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['z'] }] },
      {},
    ],
  }),
}
const ticketOf = (...objects: KubernetesObject[]) => {
  const result = runOrders(nodesAt(NOON, nodes('a')), ...objects)
  assert.equal(errorsOf(result), [])
  return ticketsIn(result)[0] as KubernetesObject & { spec: Record<string, never> }
}

suite('Orders that are refused', (test) => {
  for (const [row, spec, template, path] of REFUSED) {
    test(row, () => {
      const list = listOf([
        nodesAt(NOON, nodes('a')),
        order(spec as Record<string, unknown>, template as Record<string, unknown>),
      ])
      const result = plan(list)
      const found = result.findings.find((one) => one.field?.path === path)
      assert.is(found?.severity, 'error', result.findings.map(({ code, field: at }) => `${code} ${at?.path}`).join())
      assert.equal(result.items, list.items)
    })
  }
  test('E83 a node that is named twice', () =>
    assert.equal(errorsOf(runOrders(nodesAt(NOON, nodes('a', 'a')), order())), ['DuplicateNode']))
  test('E84 an empty node selector is dropped', () => {
    const daemon = { ...order(), kind: 'DaemonOrder', spec: { template: { spec: { nodeSelector: {} } } } }
    assert.is(ticketOf(daemon).spec.nodeSelector, undefined)
  })
  test('a Ticket exported from a cluster', () => {
    const live = { ...order(), kind: 'Ticket', spec: {}, metadata: { name: 't', uid: 'u' } }
    assert.equal(errorsOf(runOrders(nodesAt(NOON, nodes('a')), order(), live)), ['LiveTicketInInput'])
  })
})

suite('dialects', (test) => {
  const window = order(
    { strategy: undefined, refreshPolicy: 'OnClaim' },
    { duration: undefined, window: { duration: '24h' } },
    { name: 'w' },
  )
  test('each is read as the same Order, and gives the same names', () => {
    const same = order(
      { strategy: undefined, refreshPolicy: 'OnClaim' },
      { duration: undefined, window: { duration: '1440m' } },
    )
    assert.is(ticketOf(order()).metadata.name, ticketOf(same).metadata.name)
    assert.is(ticketOf(order()).metadata.name, ticketOf(order(), korder({ dialect: 'window' })).metadata.name)
  })
  test('Tickets are written in the dialect of the Order', () => {
    assert.is(ticketOf(order()).spec.duration, '24h0m0s')
    assert.equal(ticketOf(window).spec.window, { duration: '24h0m0s', startTime: NOON, timeZone: 'UTC' })
  })
  test('mixed is an error, unless the run says which', () => {
    assert.equal(errorsOf(runOrders(nodesAt(NOON, nodes('a')), order(), window)), ['DialectMixed'])
    const result = runOrders(nodesAt(NOON, nodes('a')), order(), window, korder({ dialect: 'window' }))
    assert.equal(errorsOf(result), [])
    for (const { spec } of ticketsIn(result)) assert.ok((spec as { window?: unknown }).window)
  })
  test('a DaemonOrder is a window Order in DaemonSet mode', () => {
    const { value: settings } = readOrder({
      ...window,
      kind: 'DaemonOrder',
      spec: { template: { spec: {} } },
    } as KubernetesObject)
    assert.equal([settings?.dialect, settings?.strategy, settings?.refreshPolicy], ['window', 'OneTime', 'OnClaim'])
  })
  test('a DaemonOrder has no daemonSet: false, which nothing would read', () => {
    const of = (daemonSet: boolean) =>
      readOrder({ ...window, kind: 'DaemonOrder', spec: { daemonSet, template: { spec: {} } } } as KubernetesObject)
    assert.equal(
      of(false).findings.map(({ code, field }) => [code, field?.path]),
      [['UnknownField', 'spec.daemonSet']],
    )
    assert.equal(of(true).findings, [])
  })
  test('a plain Order passes through untouched', () => {
    const plain = { ...order(), spec: { anything: 'goes' } }
    const list = listOf([nodesAt(NOON, nodes('a')), plain, order({}, {}, { name: 'other' })])
    assert.is(plan(list).items[1], list.items[1])
  })
  test('an Order in DaemonSet mode leaves as local configuration where its Tickets are rendered', () => {
    const mark = (result: ReturnType<typeof plan>) =>
      result.items.find(({ object }) => object.kind === 'Order')?.object.metadata.annotations?.[
        'config.kubernetes.io/local-config'
      ]
    assert.is(mark(runOrders(nodesAt(NOON, nodes('a')), order())), 'true')
    const one = listOf([nodesAt(NOON, nodes('a')), order()], order())
    assert.is(mark(plan(one)), 'true')
    const another = listOf([nodesAt(NOON, nodes('a')), order()], order({}, {}, { name: 'other' }))
    assert.is(mark(plan(another)), undefined)
  })
})

suite('Tickets', (test) => {
  for (const dialect of ['duration', 'window'] as const) {
    for (const pin of ['affinity', 'nodeName'] as const) {
      test(`${dialect}, ${pin}: valid against korder's schema, nothing unknown`, () => {
        const ticket = ticketOf(order({}, FULL), korder({ dialect, pin }))
        const validate = schemaOf('ticket', dialect)
        assert.ok(validate(ticket), JSON.stringify(validate.errors))
        const other = schemaOf('ticket', dialect === 'duration' ? 'window' : 'duration')
        assert.not(other(ticket))
      })
    }
  }
  test('every field that korder would default is written out', () => {
    const ticket = ticketOf(order({}, { duration: undefined, startTime: undefined }))
    const { affinity: _, ...spec } = ticket.spec
    assert.equal(spec, {
      duration: '24h0m0s',
      lifecycle: { cleanupPolicy: 'Delete', ttlSecondsAfterFinished: 3600 },
      resources: { requests: { cpu: '100m', memory: '128Mi' } },
      schedulerName: 'default-scheduler',
    })
  })
  test('quantities, durations and times are canonical', () => {
    const { spec } = ticketOf(order({}, FULL))
    assert.equal(spec.resources, {
      limits: { cpu: '1', 'nvidia.com/gpu': '1' },
      requests: { cpu: '1', memory: '1Gi', 'nvidia.com/gpu': '1' },
    })
    assert.equal([spec.duration, spec.startTime], ['24h0m0s', '2025-01-01T00:00:00Z'])
  })
  test('the pin joins every term, and an empty term is dropped', () => {
    const pin = { key: 'metadata.name', operator: 'In', values: ['a'] }
    const { affinity: found } = ticketOf(order({}, FULL)).spec as {
      affinity?: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: unknown[] } } }
    }
    assert.equal(found?.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution.nodeSelectorTerms, [
      { matchExpressions: [{ key: 'kubernetes.io/os', operator: 'In', values: ['linux'] }], matchFields: [pin] },
      { matchFields: [{ key: 'metadata.name', operator: 'NotIn', values: ['z'] }, pin] },
    ])
  })
  test('by nodeName the template’s selector and affinity stay', () => {
    const { spec } = ticketOf(order({}, FULL), korder({ pin: 'nodeName' }))
    assert.is(spec.nodeName, 'a')
    assert.ok(spec.affinity)
    assert.equal(spec.nodeSelector, { 'kubernetes.io/os': 'linux' })
  })
  test('empty texts of tolerations are left out, and mean nothing', () => {
    const bare = [{ key: 'a', operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 0 }, { operator: 'Exists' }]
    const [first, second] = bare
    const padded = [
      { ...first, value: '' },
      { ...second, key: '', value: '', effect: '' },
    ]
    const want = ticketOf(order({}, { tolerations: bare }))
    assert.equal(ticketOf(order({}, { tolerations: padded })), want)
    assert.equal(want.spec.tolerations, bare)
  })
  test('labels, annotations and provenance', () => {
    const template = { metadata: { labels: { tier: 'x' }, annotations: { 'example.com/a': 'b' } }, spec: {} }
    const { metadata } = ticketOf(order({ template }))
    assert.equal(metadata.labels, { 'korder.dev/node': 'a', tier: 'x' })
    const { 'nodefit.dev/spec-hash': hash, ...annotations } = Object.fromEntries(
      Object.entries(metadata.annotations ?? {}).filter(([key]) => !key.startsWith('internal.')),
    )
    assert.match(hash ?? '', /^[0-9a-f]{16}$/)
    assert.equal(annotations, {
      'example.com/a': 'b',
      'korder.dev/ticket-group': 'infra',
      'nodefit.dev/begun': NOON,
      'nodefit.dev/node': 'a',
      'nodefit.dev/owner': 'Order/infra',
    })
    assert.equal([metadata.ownerReferences, metadata.namespace], [undefined, 'ns'])
  })
  test('no schedule and no claims need no time', () =>
    assert.equal(errorsOf(runOrders(nodesAt(undefined, nodes('a')), order())), []))
})

suite('Orders sized per group', (test) => {
  const sizing = (spec: object = {}) =>
    policy({ targetRef: { kind: 'Order', name: 'infra' }, ...spec }, 'infra', { namespace: 'ns' })
  const TYPE = 'node.kubernetes.io/instance-type'
  const fleet = inventory([
    shape({ [TYPE]: 'm5.large' }, ['a', 'b'], '2', '8Gi'),
    shape({ [TYPE]: 'm5.4xlarge' }, ['c'], '16', '64Gi'),
    shape({}, ['d']),
  ])
  const plain = order({ daemonSet: undefined, replicas: 7 })
  const ordersIn = (result: ReturnType<typeof plan>) =>
    result.items
      .map(({ object }) => object)
      .filter(({ kind, metadata }) => kind === 'Order' && metadata.name !== 'infra') as Array<
      KubernetesObject & {
        spec: { replicas?: number; template: { spec: { resources: { requests: object }; nodeSelector?: object } } }
      }
    >
  test('a plain one: replicas are the nodes of the group, no Tickets', () => {
    const result = runOrders(fleet, plain, sizing())
    assert.equal(errorsOf(result), [])
    assert.equal(
      ordersIn(result).map(({ metadata, spec }) => [
        metadata.name,
        spec.replicas,
        spec.template.spec.resources.requests,
      ]),
      [
        ['infra-default', 1, { cpu: '100m', memory: '327Mi' }],
        ['infra-m5-4xlarge', 1, { cpu: '320m', memory: '1310Mi' }],
        ['infra-m5-large', 2, { cpu: '100m', memory: '180Mi' }],
      ],
    )
    assert.equal(ticketsIn(result), [])
    const validate = schemaOf('order', 'duration')
    for (const one of ordersIn(result)) assert.ok(validate(one), JSON.stringify(validate.errors))
  })
  test('in DaemonSet mode only the Tickets are applied', () => {
    const result = runOrders(fleet, order(), sizing())
    assert.equal(errorsOf(result), [])
    assert.equal(
      ticketsIn(result).map(({ metadata }) => metadata.annotations?.['nodefit.dev/node']),
      ['d', 'c', 'a', 'b'],
    )
    for (const { metadata, spec } of ordersIn(result)) {
      assert.is(metadata.annotations?.['config.kubernetes.io/local-config'], 'true')
      assert.is(spec.replicas, undefined)
    }
    const again = plan(listOf(result.items.map(({ object }) => object)))
    assert.is(ticketsIn(again).length, 4)
    assert.ok(
      again.findings.some(({ message }) => message.includes('0 objects added, 0 changed, 0 removed, 7 unchanged')),
    )
  })
  test('fields about containers, and the remainder, are refused', () => {
    for (const spec of [{ containers: [{ name: 'a' }] }, { seLinuxType: 'a_t' }, { remainder: true }])
      assert.equal(errorsOf(runOrders(fleet, plain, sizing(spec))), ['InvalidField'])
  })
  test('names leave room for the index that korder adds', () => {
    const long = inventory([shape({ [TYPE]: 'a'.repeat(63) }, ['a'])])
    for (const { metadata } of ordersIn(runOrders(long, plain, sizing()))) assert.ok(metadata.name.length <= 57)
  })
  test('two policies of one Order on one node are an overlap', () => {
    const other = policy(
      { targetRef: { kind: 'Order', name: 'infra' }, names: { 'm5.large': 'x', 'm5.4xlarge': 'y', default: 'z' } },
      'two',
      { namespace: 'ns' },
    )
    assert.ok(errorsOf(runOrders(fleet, plain, sizing(), other)).includes('PolicyOverlap'))
  })
  test('disabled, the Order is applied again', () => {
    const first = runOrders(fleet, plain, sizing())
    const off = first.items.map(({ object }) => (object.kind === 'SizingPolicy' ? sizing({ enabled: false }) : object))
    const result = plan(listOf(off))
    assert.equal(ordersIn(result), [])
    const back = result.items.find(({ object }) => object.kind === 'Order')?.object.metadata.annotations ?? {}
    assert.is(back['config.kubernetes.io/local-config'], undefined)
    assert.ok(codes(result.findings).includes('TemplateReleased'))
  })
  test('a schedule is followed by the groups’ Tickets', () => {
    const timed = nodesAt(NOON, shape({ [TYPE]: 'x' }, ['a']))
    const [ticket] = ticketsIn(runOrders(timed, order(recurring('0 */6 * * *', 'Always')), sizing()))
    assert.is(ticket?.metadata.annotations?.['nodefit.dev/generation'], '20250101T1200Z')
  })
})
