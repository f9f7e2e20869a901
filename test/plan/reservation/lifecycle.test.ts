/** The 20 life-cycle cases of the korder report (section 5.3), the generations of section 4.3, and what holds across Orders. */
import * as assert from 'uvu/assert'
import { render } from '../../../src/face/render.ts'
import { newItem, readResourceList, writeResourceList } from '../../../src/krm/index.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { formatDuration, parseDuration } from '../../../src/kube/index.ts'
import { plan } from '../../../src/rules/run.ts'
import { codes, config, listOf, SIZES, shape } from '../../support/objects.ts'
import {
  errorsOf,
  korder,
  marksOf,
  NOON,
  namesOf,
  nodes,
  nodesAt,
  order,
  recurring,
  rerun,
  runOrders,
  snapshot,
  ticketsIn,
} from '../../support/orders.ts'
import { suite } from '../../support/suite.ts'

const LINUX = { 'kubernetes.io/os': 'linux' }
const node = (name: string, more: object = {}, labels: Record<string, string> = LINUX) =>
  shape(labels, [name], '4', '16Gi', more)
const at = (time: string, ...shapes: object[]) => nodesAt(time, ...shapes)
const fleet = (...shapes: object[]) => nodesAt(NOON, ...shapes)
const bytes = (result: ReturnType<typeof plan>) =>
  Object.fromEntries(
    ticketsIn(result).map((object) => [
      object.metadata.name,
      JSON.stringify({ ...object, metadata: { ...object.metadata, annotations: own(object) } }),
    ]),
  )
const own = ({ metadata }: KubernetesObject) =>
  Object.fromEntries(Object.entries(metadata.annotations ?? {}).filter(([key]) => !key.startsWith('internal.')))
const selecting = order({}, { nodeSelector: LINUX })
const taint = (key: string, effect: string) => ({ taints: [{ key, effect }] })
const KEEP = korder({ keep: true })
const generations = (result: ReturnType<typeof plan>) =>
  Object.fromEntries(Object.entries(marksOf(result, 'generation')).map(([name, text]) => [name, text ?? '']))
const EVERY_6 = '0 */6 * * *'

suite('the life of Tickets', (test) => {
  test('L1 a node appears: one Ticket more, all others byte-identical', () => {
    const first = runOrders(fleet(node('a'), node('b')), order())
    const second = rerun(first, fleet(node('a'), node('b'), node('c')))
    const [before, after] = [bytes(first), bytes(second)]
    assert.is(Object.keys(after).length, 3)
    for (const [name, text] of Object.entries(before)) assert.is(after[name], text)
  })
  test('L2 a node disappears: its Ticket is absent, the others identical', () => {
    const first = runOrders(fleet(node('a'), node('b'), node('c')), order())
    const second = rerun(first, fleet(node('a'), node('b')))
    assert.equal(Object.keys(namesOf(second)), ['a', 'b'])
    for (const [name, text] of Object.entries(bytes(second))) assert.is(text, bytes(first)[name])
  })
  test('L3 cordoned, then uncordoned: absent, then the same name', () => {
    const first = runOrders(fleet(node('a'), node('b')), order())
    const cordoned = rerun(first, fleet(node('a', { unschedulable: true }), node('b')))
    assert.equal(Object.keys(namesOf(cordoned)), ['b'])
    assert.equal(namesOf(rerun(cordoned, fleet(node('a'), node('b')))), namesOf(first))
  })
  test('L4 a NoExecute taint removes it, also where Tickets are kept', () => {
    for (const options of [[], [KEEP]]) {
      const first = runOrders(fleet(node('a'), node('b')), order(), ...options)
      assert.equal(Object.keys(namesOf(rerun(first, fleet(node('a', taint('x', 'NoExecute')), node('b'))))), ['b'])
    }
  })
  test('L5 a NoSchedule taint removes it, but not where Tickets are kept', () => {
    for (const [options, want] of [
      [[], ['b']],
      [[KEEP], ['a', 'b']],
    ] as const) {
      const first = runOrders(fleet(node('a'), node('b')), order(), ...options)
      assert.equal(Object.keys(namesOf(rerun(first, fleet(node('a', taint('x', 'NoSchedule')), node('b'))))), want)
    }
    const fresh = runOrders(fleet(node('a', taint('x', 'NoSchedule')), node('b')), order(), KEEP)
    assert.equal(Object.keys(namesOf(fresh)), ['b'], 'nothing is kept that was not there')
  })
  test('L6 a PreferNoSchedule taint changes nothing', () => {
    const first = runOrders(fleet(node('a')), order())
    assert.equal(bytes(rerun(first, fleet(node('a', taint('x', 'PreferNoSchedule'))))), bytes(first))
  })
  test('L7 a label that the selector needs is removed: absent, also where Tickets are kept', () => {
    for (const options of [[], [KEEP]]) {
      const first = runOrders(fleet(node('a'), node('b')), selecting, ...options)
      assert.equal(Object.keys(namesOf(rerun(first, fleet(node('a', {}, {}), node('b'))))), ['b'])
    }
  })
  test('L8 an unrelated label or the time changes nothing', () => {
    const first = runOrders(fleet(node('a')), selecting)
    assert.equal(bytes(rerun(first, at('2025-01-02T12:00:00Z', node('a', {}, { ...LINUX, extra: 'x' })))), bytes(first))
  })
  test('L9 the order of nodes changes nothing', () => {
    const [left, right] = [
      ['a', 'b', 'c'],
      ['c', 'a', 'b'],
    ].map((names) => runOrders(fleet(nodes(...names)), order()))
    assert.equal(bytes(left as never), bytes(right as never))
  })
  test('L10 output fed back gives identical bytes', () => {
    const once = writeResourceList({ ...render(listOf([fleet(nodes('a', 'b')), order()])), results: [] })
    assert.is(writeResourceList({ ...render(readResourceList(once)), results: [] }), once)
  })
  test('L11 paused: exactly the earlier Tickets, whatever the nodes do', () => {
    const first = runOrders(fleet(nodes('a', 'b')), order())
    const second = rerun(first, fleet(nodes('c')), order({ paused: true }))
    assert.equal(errorsOf(second), [])
    assert.equal(bytes(second), bytes(first))
  })
  test('L12 paused without earlier Tickets is an error, and nothing is rendered', () => {
    assert.equal(errorsOf(runOrders(fleet(nodes('a')), order({ paused: true }))), ['NeedsEarlierOutput'])
    const earlier = listOf(ticketsIn(runOrders(fleet(nodes('a')), order())))
    const given = plan(listOf([fleet(nodes('c')), order({ paused: true })]), { earlier })
    assert.equal(Object.keys(namesOf(given)), ['a'])
  })
  const live = (names: Record<string, string>, more: Record<string, object>) =>
    snapshot(
      ...Object.entries(names).map(([on, name]) => ({ namespace: 'ns', name, order: 'infra', node: on, ...more[on] })),
    )
  test('L13 OnClaim, claimed before the last fire: a new generation for that node only', () => {
    const first = runOrders(fleet(nodes('a', 'b')), order(recurring(EVERY_6, 'OnClaim')))
    const claimed = live(namesOf(first), {
      a: { phase: 'Claimed', claimedAt: '2025-01-01T13:00:00Z' },
      b: { phase: 'Ready' },
    })
    const second = rerun(first, at('2025-01-01T18:00:00Z', nodes('a', 'b')), claimed)
    assert.equal(generations(second), { a: '20250101T1800Z', b: '' })
    const third = rerun(
      second,
      at('2025-01-01T20:00:00Z', nodes('a', 'b')),
      live(namesOf(second), { a: { phase: 'Ready' } }),
    )
    assert.equal(namesOf(third), namesOf(second), 'the generation it has stays')
  })
  test('L14 OnClaim, claimed after the last fire: unchanged until the next one', () => {
    const first = runOrders(fleet(nodes('a')), order(recurring(EVERY_6, 'OnClaim')))
    const claimed = live(namesOf(first), { a: { phase: 'Claimed', claimedAt: '2025-01-01T13:00:00Z' } })
    const second = rerun(first, at('2025-01-01T17:59:59Z', nodes('a')), claimed)
    assert.equal(namesOf(second), namesOf(first))
    assert.is.not(namesOf(rerun(second, at('2025-01-01T18:00:00Z', nodes('a')), claimed)).a, namesOf(first).a)
  })
  test('OnClaim, claimed at the very instant of a fire: unchanged until the next one', () => {
    const first = runOrders(fleet(nodes('a')), order(recurring(EVERY_6, 'OnClaim')))
    const claimed = live(namesOf(first), { a: { phase: 'Claimed', claimedAt: '2025-01-01T18:00:00Z' } })
    const second = rerun(first, at('2025-01-01T18:00:00Z', nodes('a')), claimed)
    assert.equal(namesOf(second), namesOf(first))
    assert.equal(generations(rerun(second, at('2025-01-02T00:00:00Z', nodes('a')), claimed)), { a: '20250102T0000Z' })
  })
  test('L15 OnClaim without live Tickets is as Never, and says so', () => {
    const result = runOrders(fleet(nodes('a')), order(recurring(EVERY_6, 'OnClaim')))
    assert.ok(codes(result.findings).includes('LiveTicketsUnknown'))
    assert.equal(generations(result), { a: '' })
  })
  test('L16 a schedule without a time is an error', () => {
    assert.equal(errorsOf(runOrders(nodesAt(undefined, nodes('a')), order(recurring(EVERY_6, 'Always')))), ['NoTime'])
    const told = runOrders(nodesAt(undefined, nodes('a')), order(recurring(EVERY_6, 'Always')), config({ now: NOON }))
    assert.equal(generations(told), { a: '20250101T1200Z' })
  })
  test('L17 an empty or shrunken inventory is an error, and nothing is removed', () => {
    const first = runOrders(fleet(nodes('a', 'b', 'c')), order())
    assert.equal(errorsOf(rerun(first, fleet())), ['NoNodes'])
    const shrunk = rerun(first, fleet(nodes('a')))
    assert.equal(errorsOf(shrunk), ['GuardTripped'])
    assert.equal(Object.keys(namesOf(shrunk)), ['a', 'b', 'c'])
    assert.equal(errorsOf(rerun(first, fleet(nodes('a')), config({ guards: { maxShrinkPercent: null } }))), [])
    assert.equal(errorsOf(rerun(first, fleet(nodes('a')), config({ allow: ['GuardTripped'] }))), [])
    assert.equal(errorsOf(rerun(first, fleet(nodes('a', 'b')), config({ guards: { maxShrinkPercent: 10 } }))), [
      'GuardTripped',
    ])
  })
  test('L18 another dialect changes no name', () => {
    const first = runOrders(fleet(nodes('a', 'b')), order())
    assert.equal(namesOf(rerun(first, korder({ dialect: 'window' }))), namesOf(first))
  })
  const quota = (spec: object): KubernetesObject => ({
    apiVersion: 'core.korder.dev/v1alpha1',
    kind: 'Quota',
    metadata: { name: 'q' },
    spec,
  })
  const cluster = (hard: object) => quota({ scope: { type: 'Cluster' }, hard })
  test('L19 a Quota of two and three eligible nodes', () => {
    const result = runOrders(fleet(nodes('a', 'b', 'c')), order(), cluster({ tickets: 2 }))
    assert.equal(errorsOf(result), ['QuotaExceeded'])
    assert.match(
      result.findings.find(({ code }) => code === 'QuotaExceeded')?.message ?? '',
      'Quota q: tickets is 3, above its limit 2',
    )
  })
  test('L20 a request above what a node can give is rendered, with a warning', () => {
    const result = runOrders(
      fleet(node('a'), shape(LINUX, ['b'], '100m', '16Gi')),
      order({}, { resources: { requests: { cpu: '500m' } } }),
    )
    assert.equal(errorsOf(result), [])
    assert.is(ticketsIn(result).length, 2)
    const said = result.findings.find(({ code }) => code === 'RequestAboveAllocatable')?.message ?? ''
    assert.match(said, /infra reserves cpu 500m, but only 100m is allocatable on 1 node: b/)
  })
  const QUOTAS: Array<[name: string, spec: object, want: string[]]> = [
    ['exactly reached', { scope: { type: 'Cluster' }, hard: { tickets: '3', 'reserved.cpu': '300m' } }, []],
    ['a sum that is exceeded', { scope: { type: 'Cluster' }, hard: { 'reserved.cpu': '250m' } }, ['QuotaExceeded']],
    ['another namespace', { scope: { type: 'NamespaceList', namespaces: ['other'] }, hard: { tickets: 0 } }, []],
    [
      'the namespace',
      { scope: { type: 'NamespaceList', namespaces: ['ns'] }, hard: { tickets: 1 } },
      ['QuotaExceeded'],
    ],
    [
      'by labels of the Tickets',
      {
        scope: { type: 'ObjectSelector', objectSelector: { matchLabels: { 'korder.dev/node': 'a' } } },
        hard: { tickets: 0 },
      },
      ['QuotaExceeded'],
    ],
    [
      'by labels of other Tickets',
      { scope: { type: 'ObjectSelector', objectSelector: { matchLabels: { a: 'b' } } }, hard: { tickets: 1 } },
      [],
    ],
    [
      'by labels of a Namespace nobody knows',
      { scope: { type: 'NamespaceSelector', namespaceSelector: {} }, hard: {} },
      ['QuotaNotEvaluated'],
    ],
    ['the longest duration', { scope: { type: 'Cluster' }, hard: { 'max-duration': '3600' } }, ['QuotaExceeded']],
    [
      'an allocation',
      { scope: { type: 'Cluster' }, hard: {}, allocation: [{ namespace: 'ns', limits: { tickets: 2 } }] },
      ['QuotaExceeded'],
    ],
    [
      'a selector that cannot be read',
      {
        scope: { type: 'ObjectSelector', objectSelector: { matchExpressions: [{ key: 'a', operator: 'Like' }] } },
        hard: { tickets: 1 },
      },
      ['QuotaNotEvaluated'],
    ],
    ['time windows', { scope: { type: 'Cluster' }, hard: {}, timeWindows: [{ name: 'a' }] }, ['QuotaNotEvaluated']],
    ['a limit nobody knows', { scope: { type: 'Cluster' }, hard: { pods: 1 } }, ['QuotaNotEvaluated']],
  ]
  for (const [name, spec, want] of QUOTAS) {
    test(`a Quota: ${name}`, () => {
      const result = runOrders(fleet(nodes('a', 'b', 'c')), order(), quota(spec))
      assert.equal(
        codes(result.findings).filter((code) => code.startsWith('Quota')),
        want,
      )
    })
  }
  test('a Quota counts Tickets and Orders written by hand, and not earlier output twice', () => {
    const byHand = {
      apiVersion: 'core.korder.dev/v1alpha1',
      kind: 'Ticket',
      metadata: { name: 't', namespace: 'ns' },
      spec: {},
    }
    assert.equal(errorsOf(runOrders(fleet(nodes('a', 'b')), order(), byHand, cluster({ tickets: 2 }))), [
      'QuotaExceeded',
    ])
    const first = runOrders(fleet(nodes('a', 'b')), order(), cluster({ tickets: 2, orders: 0 }))
    assert.equal(errorsOf(plan(listOf(first.items.map(({ object }) => object)))), [])
  })
})

suite('generations', (test) => {
  const always = order(recurring(EVERY_6, 'Always'))
  const TIMES: Array<[time: string, want: string]> = [
    ['2025-01-01T13:07:00Z', '20250101T1200Z'],
    ['2025-01-01T12:00:00Z', '20250101T1200Z'],
    ['2025-01-01T11:59:59Z', '20250101T0600Z'],
  ]
  for (const [time, want] of TIMES)
    test(`every six hours at ${time}`, () =>
      assert.equal(generations(runOrders(at(time, nodes('a')), always)), { a: want }))
  test('weekly, on a Wednesday', () => {
    const weekly = order(recurring('0 0 * * 0', 'Always'), { duration: '200h' })
    assert.equal(generations(runOrders(at('2025-01-01T09:00:00Z', nodes('a')), weekly)), { a: '20241229T0000Z' })
  })
  test('in a time zone', () => {
    const zoned = order(recurring('0 0 * * *', 'Always'), {
      duration: undefined,
      window: { duration: '24h', timeZone: 'Europe/Berlin' },
    })
    assert.equal(errorsOf(runOrders(fleet(nodes('a')), zoned)), [])
    assert.equal(generations(runOrders(fleet(nodes('a')), zoned)), { a: '20241231T2300Z' })
  })
  test('Scheduled: within its duration after the fire, and not outside', () => {
    const nightly = order({ strategy: { type: 'Scheduled', schedule: '0 2 * * *' } }, { duration: '20h' })
    assert.equal(generations(runOrders(at('2025-01-01T21:59:00Z', nodes('a')), nightly)), { a: '20250101T0200Z' })
    for (const time of ['2025-01-01T22:00:00Z', '2025-01-01T23:00:00Z', '2025-01-02T01:59:00Z']) {
      const closed = runOrders(at(time, nodes('a')), nightly)
      assert.equal([ticketsIn(closed).length, errorsOf(closed)], [0, []])
      assert.ok(codes(closed.findings).includes('WindowClosed'))
    }
  })
  test('Never and OneTime do not move with the time', () => {
    for (const one of [order(recurring(EVERY_6, 'Never')), order()])
      assert.equal(
        namesOf(runOrders(at('2025-01-01T06:00:00Z', nodes('a')), one)),
        namesOf(runOrders(at('2025-02-01T06:00:00Z', nodes('a')), one)),
      )
  })
  test('an expired live Ticket counts as absent, once', () => {
    const first = runOrders(fleet(nodes('a')), order())
    const live = (state: object) =>
      snapshot({ namespace: 'ns', name: namesOf(first).a, order: 'infra', node: 'a', ...state })
    const expired = live({ phase: 'Expired', expiresAt: '2025-01-02T12:00:00Z' })
    const second = rerun(first, expired)
    assert.equal(generations(second), { a: '20250102T1200Z' })
    assert.equal(namesOf(rerun(second, expired)), namesOf(second))
    const claimed = live({ phase: 'Claimed', claimedAt: NOON })
    assert.equal(namesOf(rerun(first, claimed)), namesOf(first))
  })
  test('a field of a newer snapshot only warns', () => {
    const newer = {
      ...snapshot({ name: 't', mood: 'good' }),
      spec: { cluster: 'prod', pods: [], tickets: [{ name: 't', mood: 'good' }] },
    }
    const result = runOrders(fleet(nodes('a')), order(), newer)
    assert.equal(errorsOf(result), [])
    const paths = result.findings.filter(({ code }) => code === 'InventoryFieldUnknown').map(({ field }) => field?.path)
    assert.equal(paths, ['spec.pods', 'spec.tickets[].mood'])
  })
  test('a snapshot of another cluster is an error', () => {
    const other = { ...snapshot(), spec: { cluster: 'elsewhere', tickets: [] } }
    assert.equal(errorsOf(runOrders(fleet(nodes('a')), order(), other)), ['WrongCluster'])
  })
  test('what follows earlier Tickets fails on a host that does not show them', () => {
    const bare = (...objects: KubernetesObject[]) =>
      plan({ apiVersion: 'config.kubernetes.io/v1', items: objects.map((object) => newItem(object)), results: [] })
    assert.equal(errorsOf(bare(fleet(nodes('a')), order(), KEEP)), ['NeedsEarlierOutput'])
    assert.equal(errorsOf(bare(fleet(nodes('a')), order(recurring(EVERY_6, 'OnClaim')), snapshot())), [
      'NeedsEarlierOutput',
    ])
    assert.equal(errorsOf(bare(fleet(nodes('a')), order())), [])
  })
  const SCHEDULES: Array<[text: string, differs: boolean]> = [
    ['0 */6 * * *', false],
    ['*/15 0-6 * * 1,2', false],
    ['0 0 */2 * *', true],
    ['0 0 1 * 1', true],
    ['0 0 * * sun', true],
    ['0 0 * * 7', true],
    ['@daily', true],
    ['0 0-6/2 * * *', true],
    ['0 1-2,4-5 * * *', true],
  ]
  for (const [text, differs] of SCHEDULES) {
    const title = differs ? 'differs from korder' : 'is read alike'
    const valid = text !== '0 0 * * 7'
    test(`"${text}" ${title}`, () => {
      const result = runOrders(fleet(nodes('a')), order(recurring(text, 'Always'), { duration: '9000h' }))
      if (valid) assert.is(codes(result.findings).includes('ScheduleDiffers'), differs)
      else assert.equal(errorsOf(result), ['OrderInvalid'])
    })
  }
  test('a duration below the period leaves a gap', () => {
    const said = (duration: string) =>
      codes(runOrders(fleet(nodes('a')), order(recurring(EVERY_6, 'Always'), { duration })).findings)
    assert.ok(said('5h59m').includes('DurationBelowPeriod'))
    assert.not(said('6h').includes('DurationBelowPeriod'))
  })
  test('durations print as Go prints them', () => {
    for (const [text, want] of [
      ['24h', '24h0m0s'],
      ['90s', '1m30s'],
      ['1.5s', '1.5s'],
      ['300ms', '300ms'],
      ['1us', '1µs'],
      ['0', '0s'],
      ['-1h', '-1h0m0s'],
      ['1h0.001s', '1h0m0.001s'],
      ['2540400h10m10s', '2540400h10m10s'],
      ['1ns', '1ns'],
      ['1500us', '1.5ms'],
    ])
      assert.is(formatDuration(parseDuration(text as string)), want)
  })
})

suite('Tickets beside others', (test) => {
  const byHand = (name: string, spec: object): KubernetesObject => ({
    apiVersion: 'core.korder.dev/v1alpha1',
    kind: 'Ticket',
    metadata: { name, namespace: 'ns' },
    spec,
  })
  const field = { key: 'metadata.name', operator: 'In', values: ['a'] }
  const pinned = (term: object) => ({
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } } },
  })
  const DUPLICATES: Array<[name: string, spec: object, isOne: boolean]> = [
    ['by nodeName', { nodeName: 'a' }, true],
    ['by matchFields', pinned({ matchFields: [field] }), true],
    ['by the hostname in affinity', pinned({ matchExpressions: [{ ...field, key: 'kubernetes.io/hostname' }] }), true],
    ['by the hostname in the selector', { nodeSelector: { 'kubernetes.io/hostname': 'a' } }, true],
    ['on another node', { nodeName: 'z' }, false],
    ['on no node in particular', {}, false],
  ]
  for (const [name, spec, isOne] of DUPLICATES) {
    test(`written by hand ${name}`, () => {
      const result = runOrders(fleet(nodes('a')), order(), byHand('mine', spec))
      const said = result.findings.find(({ code }) => code === 'TicketDuplicated')?.message
      assert.is(said !== undefined, isOne)
      if (isOne) assert.match(said ?? '', 'kubectl -n ns delete ticket mine')
      assert.ok(result.items.some(({ object }) => object.metadata.name === 'mine'))
    })
  }
  test('live ones without an Order count, rendered ones do not', () => {
    const first = runOrders(fleet(nodes('a')), order())
    const live = snapshot(
      { namespace: 'ns', name: 'manual', node: 'a' },
      { namespace: 'ns', name: namesOf(first).a, node: 'a' },
    )
    const said = rerun(first, live).findings.find(({ code }) => code === 'TicketDuplicated')?.message ?? ''
    assert.match(said, /^manual reserves on a/)
  })
  test('each rule has one result, with count and names', () => {
    const result = runOrders(
      fleet(
        node('a'),
        node('b', { ready: 'False' }),
        node('c', { ready: 'Unknown' }),
        node('d', taint('x', 'NoSchedule')),
      ),
      order(),
    )
    const said = result.findings.filter(({ code }) => code === 'NodesNotEligible').map(({ message }) => message)
    assert.equal(said, [
      'infra: 2 nodes left out by Ready, its Ready condition is False, its Ready condition is Unknown: b, c',
      'infra: 1 node left out by taint, the taint x:NoSchedule is not tolerated: d',
    ])
  })
})

suite('guards of groups', (test) => {
  const TYPE = 'node.kubernetes.io/instance-type'
  const types = (...all: string[]) => fleet(...all.map((type, index) => shape({ [TYPE]: type }, [`n${index}`])))
  const sized = (...more: KubernetesObject[]) => [
    {
      apiVersion: 'nodefit.dev/v1alpha1',
      kind: 'SizingPolicy',
      metadata: { name: 'p' },
      spec: { ...SIZES, targetRef: { name: 'agent' }, remainder: false, defaultNodeGroup: '', retainGroups: 0 },
    },
    {
      apiVersion: 'apps/v1',
      kind: 'DaemonSet',
      metadata: { name: 'agent' },
      spec: {
        selector: { matchLabels: { app: 'a' } },
        template: { metadata: { labels: { app: 'a' } }, spec: { containers: [{ name: 'agent' }] } },
      },
    },
    ...more,
  ]
  const shrink = (from: string[], to: string[], ...options: KubernetesObject[]) => {
    const first = runOrders(types(...from), ...sized())
    const kept = first.items.map(({ object }) => object).filter(({ kind }) => kind !== 'NodeInventory')
    return errorsOf(plan(listOf([types(...to), ...options, ...kept])))
  }
  test('half may go, more may not', () => {
    assert.equal(shrink(['a', 'b'], ['a']), [])
    assert.equal(shrink(['a', 'b', 'c'], ['a'], config({ guards: { maxNodesLost: null } })), ['GuardTripped'])
    assert.equal(shrink(['a', 'b', 'c'], ['a'], config({ guards: { maxGroupsRemoved: 2, maxNodesLost: null } })), [])
    assert.equal(
      shrink(['a', 'b', 'c'], ['a'], config({ guards: { maxGroupsRemoved: '70%', maxNodesLost: null } })),
      [],
    )
    assert.equal(shrink(['a', 'b', 'c'], ['a'], config({ guards: { maxGroupsRemoved: null, maxNodesLost: null } })), [])
    assert.equal(shrink(['a', 'b'], ['a'], config({ guards: { maxGroupsRemoved: 0, maxNodesLost: null } })), [
      'GuardTripped',
    ])
  })
  test('pods that a changed template would restart', () => {
    const first = runOrders(types('a', 'b'), ...sized())
    const changed = first.items.map(({ object }) =>
      object.kind === 'SizingPolicy'
        ? { ...object, spec: { ...(object.spec as object), maxResources: { ...SIZES.maxResources, cpu: '150m' } } }
        : object,
    )
    assert.equal(errorsOf(plan(listOf(changed))), [])
    assert.equal(errorsOf(plan(listOf([...changed, config({ guards: { maxPodsRestarted: 1 } })]))), ['GuardTripped'])
    assert.equal(errorsOf(plan(listOf([...changed, config({ guards: { maxPodsRestarted: 2 } })]))), [])
  })
  test('a guard that is none is refused', () =>
    assert.equal(errorsOf(runOrders(types('a'), ...sized(config({ guards: { maxGroupsRemoved: '200%' } })))), [
      'InvalidField',
    ]))
})
