/** The next instant at which the same input renders something else: nothing changes before it, and something does at it. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { untilOf } from '../src/face/index.ts'
import { newItem } from '../src/krm/index.ts'
import type { Item, KubernetesObject } from '../src/krm/types.ts'
import type { Plan } from '../src/rules/plan.ts'
import { plan } from '../src/rules/run.ts'
import { goldenLists, ownLists } from './support/lists.ts'
import { config, daemonSet, inventory, listOf, policy, SIZES, shape, sizedSpec, TYPE } from './support/objects.ts'
import { NOON, nodes, nodesAt, order, recurring, snapshot } from './support/orders.ts'
import { suite } from './support/suite.ts'

const SECOND = 1000
const HOUR = 3_600_000

/** The objects with another time of the run. */
function at(items: readonly Item[], time: number): Item[] {
  const now = new Date(time).toISOString()
  return items.map((item) => {
    const { kind, spec } = item.object
    const isSource = kind === 'NodeInventory' || kind === 'WorkloadSnapshot'
    const field = isSource
      ? 'observedAt'
      : kind === 'RenderConfig' && Object.hasOwn(spec as object, 'now')
        ? 'now'
        : undefined
    return field === undefined ? item : newItem({ ...item.object, spec: { ...(spec as object), [field]: now } })
  })
}

const run = (items: readonly Item[]): Plan => plan({ apiVersion: 'config.kubernetes.io/v1', items, results: [] })

/** All that is rendered, as one text. */
function output({ items, failed }: Plan): string {
  const own = items.filter(({ object }) => object.metadata.annotations?.['nodefit.dev/owner'] !== undefined)
  return failed ? 'failed' : JSON.stringify(own.map(({ object }) => object))
}

function nowOf(items: readonly Item[]): number | undefined {
  const times = items.flatMap(({ object: { kind, spec } }) => {
    const { observedAt, now } = (spec ?? {}) as { observedAt?: string; now?: string }
    const text =
      kind === 'RenderConfig' ? now : ['NodeInventory', 'WorkloadSnapshot'].includes(kind) ? observedAt : undefined
    return text === undefined ? [] : [Date.parse(text)]
  })
  return times.length === 0 ? undefined : Math.max(...times)
}

/** Renders, feeds the output back, and holds what is rendered later against it. Gives the instant. */
function check(items: readonly Item[]): Date | undefined {
  const now = nowOf(items)
  const first = run(items)
  if (first.failed || now === undefined) return undefined
  const until = untilOf(first)
  const second = run(at(first.items, now))
  if (second.failed) return undefined
  assert.equal(untilOf(second), until, 'fed back')
  const is = output(second)
  const quiet =
    until === undefined
      ? [1, 24, 24 * 40].map((hours) => now + hours * HOUR)
      : [until.getTime() - SECOND, (now + until.getTime()) / 2]
  for (const time of quiet.filter((one) => one > now))
    assert.is(output(run(at(second.items, time))), is, `the same at ${new Date(time).toISOString()}`)
  if (until !== undefined) {
    assert.ok(until.getTime() > now, 'in the future')
    assert.is.not(output(run(at(second.items, until.getTime()))), is, `another at ${until.toISOString()}`)
  }
  return until
}

const checked = (...objects: KubernetesObject[]) => check(listOf(objects).items)?.toISOString()
const renewal = (renewAfter: string) => config({ korder: { renewAfter } })
/** The name of the one Ticket of what is rendered from these. */
function ticketOf(...objects: KubernetesObject[]): string {
  const ticket = run(listOf(objects).items).items.find(({ object }) => object.kind === 'Ticket')
  return ticket?.object.metadata.name ?? ''
}

const CASES: Record<string, [objects: KubernetesObject[], until: string | undefined]> = {
  'an Order that is not refreshed': [[order()], undefined],
  'Recurring and Always: the next fire time': [[order(recurring('0 6 * * *', 'Always'))], '2025-01-02T06:00:00.000Z'],
  'Recurring and Never: no time': [[order(recurring('0 6 * * *', 'Never'))], undefined],
  'Recurring and OnClaim, nothing claimed: no time': [[order(recurring('0 6 * * *', 'OnClaim'))], undefined],
  'Scheduled, while its window is open: its end': [
    [order({ strategy: { type: 'Scheduled', schedule: '0 6 * * *' } }, { duration: '8h' })],
    '2025-01-01T14:00:00.000Z',
  ],
  'Scheduled, before its window: its begin': [
    [order({ strategy: { type: 'Scheduled', schedule: '0 18 * * *' } }, { duration: '8h' })],
    '2025-01-01T18:00:00.000Z',
  ],
  'Scheduled, with a window beyond the next fire time: that': [
    [order({ strategy: { type: 'Scheduled', schedule: '0 * * * *' } }, { duration: '8h' })],
    '2025-01-01T13:00:00.000Z',
  ],
  'Scheduled without any node: no time': [
    [
      order(
        { strategy: { type: 'Scheduled', schedule: '0 6 * * *' } },
        { nodeSelector: { 'kubernetes.io/os': 'none' } },
      ),
      config({ allow: ['NoEligibleNodes'] }),
    ],
    undefined,
  ],
  'an end that nobody sees: renewAfter past it': [
    [order({}, { duration: '24h' }), renewal('1m')],
    '2025-01-02T12:01:00.000Z',
  ],
  'an end of OneTime and Never: no time': [[order({ refreshPolicy: 'Never' }), renewal('1m')], undefined],
  'a paused Order: no time': [[order({ ...recurring('0 6 * * *', 'Always'), paused: true })], undefined],
}

suite('until', (test) => {
  for (const [name, [objects, wanted]] of Object.entries(CASES)) {
    test(name, () => {
      assert.is(checked(...objects, nodesAt(NOON, nodes('n1', 'n2'))), wanted)
    })
  }
  for (const [name, more, wanted] of [
    [
      'a live Ticket that says when it ends',
      { phase: 'Ready', expiresAt: '2025-01-01T12:30:00.500Z' },
      '2025-01-01T12:30:00.500Z',
    ],
    [
      'a claimed one: the later of its end and what it says',
      { phase: 'Claimed', claimedAt: NOON, expiresAt: '2025-01-01T12:30:00Z' },
      '2025-01-02T06:00:00.000Z',
    ],
    ['one that says nothing', { phase: 'Ready' }, undefined],
  ] as const) {
    test(`${name}, of an Order that is refreshed on claim`, () => {
      const objects = [order(recurring('0 6 * * *', 'OnClaim')), nodesAt(NOON, nodes('n1'))]
      const live = snapshot({ namespace: 'ns', name: ticketOf(...objects), order: 'infra', node: 'n1', ...more })
      assert.is(checked(...objects, live), wanted)
    })
  }

  test('every golden package and every list of ours, and some of them have one', () => {
    const found = [...goldenLists(), ...ownLists()].flatMap(({ name, items }) => {
      const until = check(items)
      return until === undefined ? [] : [name]
    })
    assert.ok(found.some((name) => name.includes('scheduled-maintenance')))
    assert.ok(found.length >= 5)
  })

  test('a paced rollout: when the first group follows, and then the next', () => {
    const GROUPS = ['a', 'b', 'c'].map((type) =>
      shape(
        { [TYPE]: type },
        [1, 2, 3].map((index) => `${type}${index}`),
      ),
    )
    const spec = { targetRef: { name: 'agent' }, nodeGroupLabel: TYPE, rollout: { maxNodes: 4, every: '10m' } }
    const first = run(listOf([policy(spec), daemonSet(), inventory(GROUPS, { observedAt: NOON })]).items)
    assert.is(untilOf(first), undefined)
    const later = Date.parse(NOON) + HOUR
    const changed = first.items.map((item) =>
      item.object.kind === 'SizingPolicy'
        ? newItem({
            ...item.object,
            spec: { ...sizedSpec(spec), resourcePercentages: { ...SIZES.resourcePercentages, requestMemory: 3 } },
          })
        : item,
    )
    assert.is(check(at(changed, later))?.toISOString(), '2025-01-01T13:10:00.000Z')
    const second = run(at(changed, later))
    assert.is(check(at(second.items, later + HOUR / 6))?.toISOString(), '2025-01-01T13:20:00.000Z')
    const third = run(at(second.items, later + HOUR / 6))
    assert.is(check(at(third.items, later + HOUR / 3)), undefined)
  })

  test('any Order, with any live Tickets', () => {
    const between = (min: number, max: number) =>
      fc.integer({ min, max }).map((hours) => new Date(Date.parse(NOON) + hours * HOUR + 500).toISOString())
    const instant = between(-30, 60)
    const strategy = fc.oneof(
      fc.constant({ strategy: { type: 'OneTime' } }),
      fc
        .record({
          type: fc.constantFrom('Recurring', 'Scheduled'),
          schedule: fc.constantFrom('0 6 * * *', '30 * * * *', '0 12 * * 3', '0 0 1 * *'),
        })
        .map((one) => ({ strategy: one })),
    )
    // one that is Expired says since when: else it ended at whatever time it is looked at
    const live = fc.oneof(
      fc.record(
        { phase: fc.constantFrom('Ready', 'Claimed', 'Pending'), claimedAt: instant, expiresAt: instant },
        { requiredKeys: ['phase'] },
      ),
      fc.record({ phase: fc.constant('Expired'), expiresAt: between(-30, -1) }),
    )
    fc.assert(
      fc.property(
        strategy,
        fc.constantFrom('Always', 'OnClaim', 'Never'),
        fc.constantFrom('30m', '1h', '24h', '90h', '1h0m0.5s'),
        fc.option(fc.constantFrom('0s', '1m', '1h0.5s'), { nil: undefined }),
        fc.array(live, { maxLength: 2 }),
        (how, refreshPolicy, duration, renewAfter, tickets) => {
          const own =
            how.strategy.type === 'Recurring'
              ? { strategy: { ...how.strategy, refreshPolicy } }
              : { ...how, refreshPolicy }
          const objects = [
            order(own, { duration }),
            nodesAt(NOON, nodes('n1', 'n2')),
            ...(renewAfter === undefined ? [] : [renewal(renewAfter)]),
          ]
          const made = run(listOf(objects).items).items.filter(({ object }) => object.kind === 'Ticket')
          const shown = tickets.map((one, index) => ({
            namespace: 'ns',
            name: made[index]?.object.metadata.name ?? 'x',
            order: 'infra',
            node: `n${index + 1}`,
            ...one,
          }))
          check(listOf([...objects, ...(shown.length > 0 ? [snapshot(...shown)] : [])]).items)
        },
      ),
      { numRuns: 300 },
    )
  })
})
