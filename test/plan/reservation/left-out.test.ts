import fc from 'fast-check'
import * as assert from 'uvu/assert'
import type { Shape } from '../../../src/facts/inventory/index.ts'
import {
  type Ineligible,
  ineligible,
  leftLines,
  leftOut,
  nodesOf,
  RULES,
} from '../../../src/plan/reservation/ticket/eligibility.ts'
import { suite } from '../../support/suite.ts'

const value = fc.constantFrom('x', 'y')
const pods = fc.record(
  {
    nodeName: fc.constantFrom('', 'n0', 'n3', 'elsewhere'),
    nodeSelector: fc.dictionary(fc.constantFrom('pool', 'zone'), value),
    affinity: value.map((pool) => {
      const nodeSelectorTerms = [{ matchExpressions: [{ key: 'pool', operator: 'In' as const, values: [pool] }] }]
      return { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } }
    }),
  },
  { requiredKeys: [] },
)
const states = fc.record({
  labels: fc.dictionary(fc.constantFrom('pool', 'zone'), value),
  taints: fc.constantFrom([], [{ key: 'own', effect: 'NoSchedule' }]),
  ready: fc.constantFrom('True', 'True', 'True', 'False', undefined),
  unschedulable: fc.constantFrom(false, false, true),
  size: fc.integer({ min: 0, max: 3 }),
})
const fleets = fc.array(states, { maxLength: 5 }).map((all) =>
  all.map(({ size, ...state }, index): Shape => {
    const nodes = Array.from({ length: size }, (_, at) => `n${at * 5 + (4 - index)}`)
    return { ...state, osImage: '', capacity: {}, allocatable: {}, nodes, nodeCount: nodes.length }
  }),
)

suite('nodes without a Ticket', (test) => {
  test('are those of which each by itself is not eligible and not kept, for the reasons it has', () => {
    fc.assert(
      fc.property(fleets, pods, fc.constantFrom(undefined, 'n0', 'n4'), (shapes, pod, kept) => {
        const all = shapes
          .flatMap((shape) => shape.nodes.map((name) => ({ name, why: ineligible(name, shape, pod) })))
          .filter(({ name, why }) => why !== undefined && !(name === kept && why.rule === 'Ready'))
          .sort((a, b) => (a.name < b.name ? -1 : 1)) as ReadonlyArray<{ name: string; why: Ineligible }>
        const expected = RULES.flatMap((rule) => {
          const own = all.filter(({ why }) => why.rule === rule)
          if (own.length === 0) return []
          const reasons = [...new Set(own.map(({ why }) => why.reason))]
          const nodes = own.map(({ name }) => name)
          return [{ words: `left out by ${rule}`, reason: reasons.join(', '), nodes, first: nodes.slice(0, 3) }]
        })
        const fleet = nodesOf(shapes)
        const { nodes: near, others } = fleet.near(pod)
        const isNear = new Set(near.map(({ name }) => name))
        const judged = near.map((node) => {
          const why = ineligible(node.name, node.shape, pod)
          return { ...node, why: node.name === kept && why?.rule === 'Ready' ? undefined : why }
        })
        const lines = leftLines(leftOut(fleet, judged, others))
        // only a pod that may be on a node keeps its Ticket there
        if (kept !== undefined && !isNear.has(kept)) return
        assert.equal(
          lines.map(({ words, reason, nodes, first }) => ({ words, reason, nodes, first })),
          expected,
        )
        for (const line of lines) assert.is(line.nodeCount, line.nodes.length)
      }),
      { numRuns: 2000 },
    )
  })
})
