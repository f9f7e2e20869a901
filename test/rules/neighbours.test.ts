/** Which agents are held to run beside each other. */
import * as assert from 'uvu/assert'
import { Quantity } from '../../src/kube/index.ts'
import type { Agent } from '../../src/rules/fit/agents.ts'
import { neighboursIn } from '../../src/rules/fit/other-pods.ts'
import { fleetShape } from '../support/objects.ts'
import { suite } from '../support/suite.ts'

const SHAPE = fleetShape({}, ['a', 'b'], '4', '16Gi')
const agent = (cpu: string) => ({ pod: { requests: { cpu: Quantity.parse(cpu) } } }) as unknown as Agent
const [ONE, TWO, LARGE] = [agent('1'), agent('2'), agent('8')]

const ROWS: Array<[name: string, lots: Array<[agent: Agent, nodes: string[]]>, onA: Agent[]]> = [
  ['one alone has none', [[ONE, ['a']]], []],
  [
    'one of another node is none',
    [
      [ONE, ['a']],
      [TWO, ['b']],
    ],
    [],
  ],
  [
    'two of one node',
    [
      [ONE, ['a', 'b']],
      [TWO, ['a']],
    ],
    [ONE, TWO],
  ],
  [
    'one that is too large for the node takes no room',
    [
      [ONE, ['a']],
      [LARGE, ['a']],
    ],
    [ONE],
  ],
]

suite('neighbours', (test) => {
  for (const [name, lots, onA] of ROWS)
    test(name, () => {
      const nodesOf = new Map(lots)
      const find = neighboursIn(
        lots.map(([one]) => one),
        (one) => [{ shape: SHAPE, nodes: nodesOf.get(one) ?? [], nodeCount: 1 }] as never,
      )
      assert.equal(find(SHAPE, 'a'), onA)
    })
})
