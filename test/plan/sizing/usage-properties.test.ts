/** What holds of sizes from usage whatever the rows are. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { podSpecOf } from '../../../src/core/object/index.ts'
import type { UsageRow } from '../../../src/facts/inventory/index.ts'
import type { KubernetesObject } from '../../../src/krm/types.ts'
import { type Container, Quantity } from '../../../src/kube/index.ts'
import { plan } from '../../../src/rules/run.ts'
import { listOf } from '../../support/objects.ts'
import { suite } from '../../support/suite.ts'
import {
  AGENT,
  LARGE_NODES,
  MIDDLE_NODES,
  type NodeType,
  nodeTypes,
  SMALL_NODES,
  settledRow,
  usagePolicy,
  usageSnapshot,
} from '../../support/usage.ts'

const TYPES: readonly NodeType[] = [SMALL_NODES, MIDDLE_NODES, LARGE_NODES]
const RUNS = { numRuns: 40 }

interface Amounts {
  readonly cpu: number
  readonly memory: number
  readonly limit?: number | undefined
}

const amounts: fc.Arbitrary<Amounts> = fc.record({
  cpu: fc.integer({ min: 1, max: 1200 }),
  memory: fc.integer({ min: 1, max: 6000 }),
  limit: fc.option(fc.integer({ min: 1, max: 20_000 }), { nil: undefined }),
})
/** For each type its amounts, or none: they fit on its nodes. */
const all = fc.tuple(...TYPES.map(() => fc.option(amounts, { nil: undefined })))
const spec = fc.record({
  minResources: fc.record({ cpu: fc.constantFrom('1m', '300m'), memory: fc.constantFrom('1Mi', '256Mi') }),
  maxResources: fc.record({ cpu: fc.constantFrom('1', '8'), memory: fc.constantFrom('1Gi', '64Gi') }),
  step: fc.constantFrom(undefined, { cpu: '10m', memory: '16Mi' }, { memory: '10M' }),
})

const rowsOf = (sizes: ReadonlyArray<Amounts | undefined>): UsageRow[] =>
  TYPES.flatMap((type, index) => {
    const size = sizes[index]
    if (size === undefined) return []
    const { cpu, memory, limit } = size
    const settled = { cpu: `${cpu}m`, memory: `${memory}Mi`, ...(limit !== undefined && { limitMemory: `${limit}Mi` }) }
    return [settledRow(type, settled)]
  })

function rendered(rows: readonly UsageRow[], more: object = {}, template = AGENT): KubernetesObject[] {
  const result = plan(
    listOf([nodeTypes(TYPES), usagePolicy({}, more as Record<string, unknown>), template, usageSnapshot(rows)]),
  )
  assert.not(result.failed, result.findings.map(({ message }) => message).join('\n'))
  return result.packages.flatMap(({ planned }) => planned.flatMap(({ objects }) => objects.map(({ object }) => object)))
}

function amountOf(object: KubernetesObject, part: 'requests' | 'limits', name: 'cpu' | 'memory'): bigint {
  const [container] = (podSpecOf(object).containers ?? []) as Container[]
  return Quantity.parse(container?.resources?.[part]?.[name] ?? 0).nanoValue()
}

suite('whatever the rows', (test) => {
  test('their order and notation change no byte', () =>
    fc.assert(
      fc.property(all, spec, fc.integer({ min: 0, max: 2 }), (sizes, more, turn) => {
        const rows = rowsOf(sizes)
        const turned = [...rows.slice(turn), ...rows.slice(0, turn)].reverse()
        const written = turned.map((row) => ({
          ...row,
          settled: row.settled && {
            ...row.settled,
            cpu: Number(Quantity.parse(row.settled.cpu ?? 0).milliValue()) / 1000,
            memory: Number(Quantity.parse(row.settled.memory ?? 0).value()),
          },
        }))
        assert.equal(rendered(written, more), rendered(rows, more))
      }),
      RUNS,
    ))
  test('more that is used never gives less, to any group', () =>
    fc.assert(
      fc.property(all, spec, fc.nat(2), fc.integer({ min: 1, max: 500 }), (sizes, more, index, extra) => {
        const size = sizes[index]
        if (size === undefined) return
        const larger = sizes.with(index, { ...size, cpu: size.cpu + extra, memory: size.memory + extra })
        const [before, after] = [rendered(rowsOf(sizes), more), rendered(rowsOf(larger), more)]
        for (const [at, object] of before.entries())
          for (const name of ['cpu', 'memory'] as const)
            assert.ok(amountOf(after[at] as KubernetesObject, 'requests', name) >= amountOf(object, 'requests', name))
      }),
      RUNS,
    ))
  test('no limit is below the template’s but by the maximum, none below its request, none outside the bounds', () =>
    fc.assert(
      fc.property(all, spec, (sizes, more) => {
        for (const object of rendered(rowsOf(sizes), more))
          for (const name of ['cpu', 'memory'] as const) {
            const [request, limit] = [amountOf(object, 'requests', name), amountOf(object, 'limits', name)]
            const most = Quantity.parse(more.maxResources[name]).nanoValue()
            const own = Quantity.parse(name === 'cpu' ? '500m' : '256Mi').nanoValue()
            assert.ok(limit >= (own < most ? own : most), `${object.metadata.name} ${name}`)
            assert.ok(limit >= request && limit <= most && request <= most)
            assert.ok(request >= Quantity.parse(more.minResources[name]).nanoValue())
          }
      }),
      RUNS,
    ))
  test('of several containers the one that uses more never gets less, and they share the maximum', () =>
    fc.assert(
      fc.property(amounts, amounts, fc.integer({ min: 1, max: 500 }), (one, two, extra) => {
        const template = {
          ...AGENT,
          spec: {
            selector: { matchLabels: { app: 'agent' } },
            template: {
              metadata: { labels: { app: 'agent' } },
              spec: { containers: [{ name: 'agent' }, { name: 'side' }] },
            },
          },
        }
        const more = {
          containers: [
            { name: 'agent', share: 60 },
            { name: 'side', share: 40 },
          ],
          maxResources: { cpu: '2', memory: '4Gi' },
        }
        const sized = (of: Amounts) => {
          const rows = [one, two].map((size, index) => ({
            ...settledRow(SMALL_NODES, { cpu: `${(index === 0 ? of : size).cpu}m`, memory: '10Mi' }),
            container: index === 0 ? 'agent' : 'side',
          }))
          const small = rendered(rows, more, template).find(({ metadata }) => metadata.name === 'agent-small')
          const containers = (small && podSpecOf(small).containers) ?? []
          return containers.map(({ resources }) => Quantity.parse(resources?.requests?.cpu ?? 0).milliValue())
        }
        const [before, after] = [sized(one), sized({ ...one, cpu: one.cpu + extra })]
        assert.ok((after[0] ?? 0n) >= (before[0] ?? 0n))
        for (const parts of [before, after]) assert.ok(parts.reduce((sum, part) => sum + part, 0n) <= 2000n)
      }),
      RUNS,
    ))
})
