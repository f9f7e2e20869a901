/** What must hold of every render, whatever the nodes and the policy. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { render } from '../src/face/render.ts'
import { readResourceList, writeResourceList } from '../src/krm/index.ts'
import type { KubernetesObject } from '../src/krm/types.ts'
import { matchesLabels, Quantity } from '../src/kube/index.ts'
import type { DaemonSet } from '../src/plan/daemonset/index.ts'
import { daemonSet, inventory, listOf, policy, rendered, shape, TYPE } from './support/objects.ts'
import { suite } from './support/suite.ts'

const type = fc.constantFrom('m5.large', 'm5.xlarge', 'c5.large', undefined)
const nodes = fc
  .uniqueArray(
    fc.record({
      type,
      cpu: fc.integer({ min: 100, max: 64000 }),
      memory: fc.integer({ min: 1 << 18, max: 1 << 27 }),
      name: fc.nat(99),
    }),
    { minLength: 1, maxLength: 8, selector: ({ name }) => name },
  )
  .filter((all) => all.some((one) => one.type !== undefined))
/** Every way of grouping; `example.com/size` is an integer on each node. */
const grouping = fc.constantFrom<object>(
  {},
  { nodeGroupLabels: [TYPE, 'rack'] },
  { classes: { ratio: 2 } },
  { nodeGroupRanges: { label: 'example.com/size', bounds: [8, 32] } },
  { groups: [{ name: 'gpu', nodeSelector: { gpu: 'yes', rack: 'a' } }] },
)
const spec = fc
  .record({
    grouping,
    remainder: fc.boolean(),
    resourcePercentages: fc.record({
      requestCPU: fc.constantFrom(1, 2, 2.5),
      limitMemory: fc.constantFrom(5, 7.25, null),
    }),
    basis: fc.constantFrom('smallest', 'median'),
    step: fc.constantFrom({}, { cpu: '10m' }, { cpu: '70m', memory: '16Mi' }, { memory: '3M' }),
    goMemLimitPercentage: fc.constantFrom(undefined, 0.8),
  })
  .map(({ goMemLimitPercentage, grouping: own, ...rest }) =>
    rest.resourcePercentages.limitMemory === null ? { ...own, ...rest } : { ...own, ...rest, goMemLimitPercentage },
  )

type Drawn = { type?: string; cpu: number; memory: number; name: number }
const labels = ({ type: own, name }: Drawn): Record<string, string> => ({
  rack: name % 3 === 0 ? 'a' : 'b',
  'example.com/size': String(name),
  ...(own === undefined ? {} : { [TYPE]: own }),
})
const shapes = (all: readonly Drawn[], spell: (one: Drawn) => [string, string] = plain) =>
  all.map((one) => shape(labels(one), [`n${one.name}`], ...spell(one)))
const plain = ({ cpu, memory }: Drawn): [string, string] => [`${cpu}m`, `${memory}Ki`]
const bytes = (objects: KubernetesObject[]) =>
  [...rendered(render(listOf(objects)).items)]
    .sort()
    .map(([, object]) => JSON.stringify(object).replaceAll(/"internal[^,]*,/g, ''))

suite('every render', (test) => {
  test('does not depend on order, on how files are split, or on notation', () => {
    fc.assert(
      fc.property(nodes, spec, fc.nat(), (all, own, cut) => {
        const base = bytes([inventory(shapes(all)), policy(own), daemonSet()])
        assert.ok(base.length > 0)
        assert.equal(bytes([daemonSet(), policy(own), inventory(shapes([...all].reverse()))]), base, 'order')
        const at = cut % (all.length + 1)
        assert.equal(
          bytes([inventory(shapes(all.slice(0, at))), inventory(shapes(all.slice(at))), policy(own), daemonSet()]),
          base,
          'files',
        )
        const other = shapes(all, ({ cpu, memory }) => [String(cpu / 1000), String(memory * 1024)])
        assert.equal(bytes([inventory(other), policy(own), daemonSet()]), base, 'notation')
        assert.equal(
          bytes([inventory(shapes(all), { observedAt: '2030-01-01T00:00:00Z' }), policy(own), daemonSet()]),
          base,
          'time',
        )
      }),
      { numRuns: 150 },
    )
  })
  test('fed back as input gives identical bytes', () => {
    fc.assert(
      fc.property(nodes, spec, (all, own) => {
        const text = (list: Parameters<typeof writeResourceList>[0]) => writeResourceList({ ...list, results: [] })
        const once = text(render(listOf([inventory(shapes(all)), policy(own), daemonSet()])))
        assert.is(text(render(readResourceList(once))), once)
      }),
      { numRuns: 100 },
    )
  })
  test('a bigger node never gets less', () => {
    fc.assert(
      fc.property(nodes, spec, fc.integer({ min: 0, max: 64000 }), (all, own, more) => {
        // a value that grows may be of another class
        fc.pre(!('classes' in own))
        const grown = all.map((one) => ({ ...one, cpu: one.cpu + more, memory: one.memory + more }))
        const before = rendered(render(listOf([inventory(shapes(all)), policy(own), daemonSet()])).items)
        const after = rendered(render(listOf([inventory(shapes(grown)), policy(own), daemonSet()])).items)
        for (const [name, object] of before)
          for (const [key, text] of amounts(object))
            assert.ok(
              Quantity.parse(new Map(amounts(after.get(name))).get(key) ?? '0').compare(Quantity.parse(text)) >= 0,
              `${name} ${key}`,
            )
      }),
      { numRuns: 100 },
    )
  })
  test('no request is above its limit, and selectors are disjoint', () => {
    fc.assert(
      fc.property(nodes, spec, (all, own) => {
        const objects = [
          ...rendered(render(listOf([inventory(shapes(all)), policy(own), daemonSet()])).items).values(),
        ] as DaemonSet[]
        for (const object of objects) {
          const sizes = new Map(amounts(object))
          for (const resource of ['cpu', 'memory']) {
            const [request, limit] = [sizes.get(`requests.${resource}`), sizes.get(`limits.${resource}`)]
            if (request !== undefined && limit !== undefined)
              assert.ok(Quantity.parse(request).compare(Quantity.parse(limit)) <= 0)
          }
          const selected = objects.filter((other) =>
            matchesLabels(object.spec.selector, other.spec.template.metadata?.labels ?? {}),
          )
          assert.equal(selected, [object])
        }
      }),
      { numRuns: 100 },
    )
  })
})

function amounts(object: KubernetesObject | undefined): Array<[string, string]> {
  const { requests = {}, limits = {} } =
    (object as DaemonSet | undefined)?.spec.template.spec?.containers?.[0]?.resources ?? {}
  return [
    ...Object.entries(requests).map(([key, text]): [string, string] => [`requests.${key}`, String(text)]),
    ...Object.entries(limits).map(([key, text]): [string, string] => [`limits.${key}`, String(text)]),
  ]
}
