/** What must hold from one render to the next, however nodes are grouped and whatever they report meanwhile. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { writeResourceList } from '../../../src/krm/index.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { matchesNode } from '../../../src/kube/index.ts'
import type { DaemonSet } from '../../../src/plan/daemonset/index.ts'
import type { Plan } from '../../../src/rules/plan.ts'
import { plan } from '../../../src/rules/run.ts'
import { config, daemonSet, inventory, listOf, policy, rendered, shape, TYPE } from '../../support/objects.ts'
import { errorsOf, NOON } from '../../support/orders.ts'
import { rerender, withSpec } from '../../support/rerender.ts'
import { suite } from '../../support/suite.ts'

/** Every way of grouping; `example.com/size` is an integer on each node. */
const GROUPINGS = {
  label: {},
  labels: { nodeGroupLabels: [TYPE, 'rack'] },
  classes: { classes: { ratio: 2 } },
  ranges: { nodeGroupRanges: { label: 'example.com/size', bounds: [8, 32] } },
  groups: { groups: [{ name: 'gpu', nodeSelector: { gpu: 'yes', rack: 'a' } }] },
} as const

interface Drawn {
  readonly name: number
  readonly type?: string
  readonly gpu: boolean
  readonly cpu: number
  readonly memory: number
  /** By how much it changes meanwhile, in percent. */
  readonly drift: number
  /** What it reports of all that: at first, and later. */
  readonly reports: readonly [boolean, boolean]
}
/** Amounts near enough that the size of any node, which a large hysteresis keeps, fits on any other. */
const node: fc.Arbitrary<Drawn> = fc.record({
  name: fc.nat(99),
  type: fc.constantFrom('m5.large', 'm5.xlarge', 'c5.large', undefined),
  gpu: fc.boolean(),
  cpu: fc.integer({ min: 2000, max: 64000 }),
  memory: fc.integer({ min: 1 << 22, max: 1 << 27 }),
  drift: fc.integer({ min: -8, max: 8 }),
  reports: fc.tuple(fc.boolean(), fc.boolean()),
})
const fleet = fc
  .uniqueArray(node, { minLength: 1, maxLength: 7, selector: ({ name }) => name })
  // one that has the label, and reports
  .map((rest) => [
    { name: 100, type: 'm5.large', gpu: false, cpu: 4000, memory: 1 << 24, drift: 1, reports: [true, true] } as Drawn,
    ...rest,
  ])

const spec = fc.record({
  basis: fc.constantFrom('smallest', 'median'),
  step: fc.constantFrom({}, { cpu: '70m', memory: '16Mi' }),
  hysteresisPercent: fc.constantFrom(0, 3, 5, 100),
})

const labelsOf = ({ name, type, gpu }: Drawn): Record<string, string> => ({
  rack: name % 3 === 0 ? 'a' : 'b',
  'example.com/size': String(name),
  ...(gpu ? { gpu: 'yes' } : {}),
  ...(type === undefined ? {} : { [TYPE]: type }),
})
const nodesOf = (all: readonly Drawn[], time: 0 | 1) =>
  inventory(
    all.map((one) => {
      const grown = (amount: number) => Math.round(amount * (1 + (time * one.drift) / 100))
      const own = shape(labelsOf(one), [`n${one.name}`], `${grown(one.cpu)}m`, `${grown(one.memory)}Ki`)
      return one.reports[time] ? own : { ...own, allocatable: {} }
    }),
    { observedAt: NOON },
  )
/** A value that reports less than before may leave its class empty. */
const GUARDS = config({ guards: { maxGroupsRemoved: null } })
const text = ({ items }: Plan) => writeResourceList({ apiVersion: 'config.kubernetes.io/v1', items, results: [] })
const ours = ({ items }: Plan) =>
  [...rendered(items)].sort().map(([, object]) => JSON.stringify(object).replaceAll(/"internal[^,]*,/g, ''))
const same = (object: KubernetesObject) => object

/** Each node is served by one of the objects. */
function servedOnce(result: Plan, all: readonly Drawn[]): void {
  const objects = [...rendered(result.items).values()] as DaemonSet[]
  for (const one of all) {
    const at = { name: `n${one.name}`, labels: labelsOf(one) }
    const own = objects.filter(({ spec: { template } }) => matchesNode(at, template.spec ?? {}))
    assert.is(own.length, 1, at.name)
  }
}

for (const [name, grouping] of Object.entries(GROUPINGS))
  suite(`from render to render by ${name}`, (test) => {
    const start = (all: readonly Drawn[], own: object) =>
      plan(listOf([nodesOf(all, 0), policy({ ...grouping, ...own }), daemonSet(), GUARDS]))
    const later = (from: Plan, all: readonly Drawn[], spec: object = {}) =>
      rerender(from, (object) => {
        if (object.kind === 'NodeInventory') return nodesOf(all, 1)
        return object.kind === 'SizingPolicy' ? withSpec(object, spec) : object
      })

    test('fed back, and in any order, the same bytes; every node is served, whether it reports or not', () => {
      fc.assert(
        fc.property(fleet, spec, (all, own) => {
          const first = start(all, own)
          assert.equal(errorsOf(first), [])
          servedOnce(first, all)
          assert.is(text(rerender(first, same)), text(first))
          const second = later(first, all)
          assert.equal(errorsOf(second), [])
          servedOnce(second, all)
          assert.is(text(rerender(second, same)), text(second))
          assert.equal(ours(later({ ...first, items: [...first.items].reverse() }, [...all].reverse())), ours(second))
        }),
        { numRuns: 25 },
      )
    })
    test('within the hysteresis nothing changes but what groups have for nodes', () => {
      fc.assert(
        fc.property(fleet, spec, (drawn, own) => {
          const all = drawn.map((one) => ({ ...one, reports: [true, true] as const, drift: Math.sign(one.drift) }))
          const first = start(all, { ...own, hysteresisPercent: 2 })
          const second = later(first, all)
          assert.equal(errorsOf(second), [])
          assert.equal(ours(second), ours(first))
        }),
        { numRuns: 15 },
      )
    })
    test('suspended, it is as it was', () => {
      fc.assert(
        fc.property(fleet, spec, (all, own) => {
          const first = start(all, own)
          const held = later(first, all.slice(1), { suspend: true })
          assert.equal(errorsOf(held), [])
          assert.equal(ours(held), ours(first))
        }),
        { numRuns: 10 },
      )
    })
  })
