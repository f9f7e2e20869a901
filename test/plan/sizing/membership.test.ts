/** Who is a member, and who goes without for which reason: each node is asked for itself here, and looked up there. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import { namedNodes, type Shape } from '../../../src/facts/inventory/index.ts'
import { membersOf } from '../../../src/plan/sizing/index.ts'
import { suite } from '../../support/suite.ts'

const EVICTING = { key: 'x', value: '', effect: 'NoExecute' } as const
const POOLS = ['a', 'b', 'c', 'd', 'e']

const shapes = fc.array(
  fc.record({
    pool: fc.constantFrom(...POOLS),
    zone: fc.constantFrom('1', '2'),
    count: fc.nat(3),
    evicts: fc.boolean(),
  }),
  { minLength: 1, maxLength: 9 },
)
const wanted = fc.record({
  labels: fc.record({ pool: fc.constantFrom(...POOLS), zone: fc.constantFrom('1', '2') }, { requiredKeys: [] }),
  names: fc.option(fc.constantFrom(['n0-0'], ['n1-1', 'n2-0'])),
})

suite('members of a policy', (test) => {
  test('and the nodes without, as if each was asked for itself', () =>
    fc.assert(
      fc.property(shapes, wanted, (drawn, { labels, names }) => {
        const fleet = drawn.map(
          ({ pool, zone, count, evicts }, index): Shape => ({
            labels: { pool, zone },
            taints: evicts ? [EVICTING] : [],
            ready: 'True',
            unschedulable: false,
            osImage: '',
            capacity: {},
            allocatable: {},
            ...namedNodes(Array.from({ length: count }, (_, node) => `n${index}-${node}`)),
          }),
        )
        const required = names && [
          { matchFields: [{ key: 'metadata.name', operator: 'In', values: names.slice(0, 1) }] },
        ]
        const affinity = required && {
          nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: required } },
        }
        const placement = { nodeSelector: labels, tolerations: [], hostNetwork: false, ...(affinity && { affinity }) }
        const { members, without } = membersOf(fleet, placement)
        const isWanted = (shape: Shape, node: string) =>
          Object.entries(labels).every(([key, value]) => shape.labels[key] === value) &&
          (names === null || node === names[0])
        const nodesOf = (filter: (shape: Shape, node: string) => boolean) =>
          fleet.flatMap((shape) => shape.nodes.filter((node) => filter(shape, node))).sort()
        const isEvicted = ({ taints }: Shape) => taints.length > 0
        assert.equal(
          members.flatMap(({ nodes }) => nodes).sort(),
          nodesOf((shape, node) => !isEvicted(shape) && isWanted(shape, node)),
        )
        const expected = [
          [
            'nodeSelector or affinity does not match',
            nodesOf((shape, node) => !isEvicted(shape) && !isWanted(shape, node)),
          ],
          ['the taint x:NoExecute is not tolerated', nodesOf(isEvicted)],
        ] as const
        assert.equal(
          without.map(({ reason, nodes, nodeCount, first }) => [reason, nodes, nodeCount, first]),
          expected
            .filter(([, nodes]) => nodes.length > 0)
            .map(([reason, nodes]) => [reason, nodes, nodes.length, nodes.slice(0, 3)]),
        )
      }),
      { numRuns: 500 },
    ))
})
