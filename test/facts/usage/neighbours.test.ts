/** Sizes for a node group of which nothing is settled. */
import fc from 'fast-check'
import * as assert from 'uvu/assert'
import { type Amounts, borrow, type Loan, type NodeSize, type SettledRow } from '../../../src/facts/usage/index.ts'
import { suite } from '../../support/suite.ts'

const row = (node: NodeSize, cpu: number, memory: number | undefined, limit?: number): SettledRow => ({
  group: `value:${node.cpu}`,
  node,
  settled: {
    used: { cpu, ...(memory !== undefined && { memory }) },
    limits: limit === undefined ? {} : { memory: limit },
  },
})
const amounts = (loans: Amounts<Loan>) =>
  Object.fromEntries(Object.entries(loans).map(([resource, { amount }]) => [resource, amount]))
const NODE = { cpu: 4000, memory: 16_000, pods: 58 }

suite('borrowed from neighbours', (test) => {
  const small = row({ cpu: 2000, memory: 8000, pods: 29 }, 30, 60)
  const same = row({ cpu: 4000, memory: 16_000, pods: 58 }, 50, 90)
  const large = row({ cpu: 16_000, memory: 64_000, pods: 234 }, 150, 300)
  const rows: ReadonlyArray<
    readonly [string, lenders: readonly SettledRow[], NodeSize, cpu?: number, memory?: number]
  > = [
    ['no row', [], NODE],
    ['one smaller', [small], NODE, 30, 60],
    ['one larger', [large], NODE, 150, 300],
    ['the larger of the nearest two', [small, large], NODE, 150, 300],
    ['one of equal size is both', [small, same, large], NODE, 50, 90],
    ['not the farther one', [small, row({ cpu: 1000, memory: 4000, pods: 8 }, 900, 900)], NODE, 30, 60],
    ['beyond the largest', [small, same], { cpu: 64_000, memory: 250_000, pods: 250 }, 50, 90],
    ['below the smallest', [same, large], { cpu: 2000, memory: 8000, pods: 11 }, 50, 90],
    [
      'equal pods: the nearest by the amount itself',
      [row({ cpu: 3900, memory: 60_000, pods: 58 }, 40, 400), row({ cpu: 8000, memory: 15_000, pods: 58 }, 80, 90)],
      NODE,
      40,
      90,
    ],
    ['no pods said: by the amount itself', [small, same, large], { cpu: 3000, memory: 10_000 }, 50, 90],
    ['lenders without pods: by the amount itself', [row({ cpu: 4000, memory: 8000 }, 44, 66)], NODE, 44, 66],
    [
      'memory that follows its limit lends CPU only',
      [row({ cpu: 4000, memory: 16_000, pods: 58 }, 50, undefined)],
      NODE,
      50,
    ],
    ['a tenth of a smaller node at most', [large], { cpu: 1000, memory: 2000, pods: 30 }, 100, 200],
    ['of a larger node what it is', [row({ cpu: 1000, memory: 2000, pods: 30 }, 500, 900)], NODE, 500, 900],
  ]
  for (const [name, lenders, node, cpu, memory] of rows)
    test(name, () => {
      const used = { ...(cpu !== undefined && { cpu }), ...(memory !== undefined && { memory }) }
      assert.equal(amounts(borrow(lenders, node).used), used)
      assert.equal(amounts(borrow(lenders.toReversed(), node).used), used)
    })
  test('limits too, each from the rows that have one', () => {
    const lenders = [small, row({ cpu: 16_000, memory: 64_000, pods: 234 }, 150, 300, 1024)]
    assert.equal(borrow(lenders, NODE).limits, { memory: { amount: 1024, group: 'value:16000' } })
  })
  test('the limit is the largest of all rows, near or far, so that no row and no raise lowers it', () => {
    const near = row(NODE, 50, 90, 300)
    const far = row({ cpu: 1000, memory: 4000, pods: 8 }, 20, 40, 800)
    const limitOf = (...lenders: SettledRow[]) => borrow(lenders, NODE).limits.memory
    assert.equal(limitOf(far), { amount: 800, group: 'value:1000' })
    assert.equal(limitOf(near, far), { amount: 800, group: 'value:1000' })
    assert.equal(limitOf(row(NODE, 50, 90, 900), far), { amount: 900, group: 'value:4000' })
    assert.equal(limitOf(near, row({ cpu: 64_000, memory: 256_000, pods: 234 }, 20, 40, 9000)), {
      amount: 1600,
      group: 'value:64000',
    })
  })
  test('no row lowers it, whichever it is', () => {
    const lender = fc
      .record({
        cpu: fc.nat({ max: 64_000 }),
        memory: fc.nat({ max: 256_000 }),
        pods: fc.nat({ max: 250 }),
        limit: fc.option(fc.nat({ max: 9000 }), { nil: undefined }),
      })
      .map(({ limit, ...node }) => row(node, 1, 1, limit))
    fc.assert(
      fc.property(fc.array(lender), lender, (rows, more) => {
        const limit = (lenders: SettledRow[]) => borrow(lenders, NODE).limits.memory?.amount ?? 0
        assert.ok(limit([...rows, more]) >= limit(rows))
      }),
    )
  })
  test('says of each amount whose it is, of equal ones always the same', () => {
    const far = { ...large, settled: { used: { cpu: 20, memory: 300 }, limits: {} } }
    const equal = { ...far, group: 'value:0' }
    for (const lenders of [
      [small, far, equal],
      [equal, far, small],
    ])
      assert.equal(borrow(lenders, NODE).used, {
        cpu: { amount: 30, group: 'value:2000' },
        memory: { amount: 300, group: 'value:0' },
      })
  })
})
