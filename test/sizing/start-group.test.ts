/** The nodes that a first policy is fitted to. */
import * as assert from 'uvu/assert'
import { startGroup } from '../../src/sizing/index.ts'
import { groupsOf } from '../support/grouping.ts'
import { fleetShape, TYPE } from '../support/objects.ts'
import { suite } from '../support/suite.ts'

type Shape = ReturnType<typeof fleetShape>
const type = (name: string, nodes: string[], cpu = '4', memory = '16Gi', more: object = {}) =>
  fleetShape({ [TYPE]: name }, nodes, cpu, memory, more)
const startOf = (shapes: Shape[]) => {
  const start = startGroup(groupsOf(shapes, { remainder: true, defaultNodeGroup: 'default' }).groups)
  return (
    start && [
      start.group.id,
      `${start.basis.cpu} ${start.basis.memory}`,
      `${start.largest.cpu} ${start.largest.memory}`,
    ]
  )
}

const CASES: Array<[name: string, shapes: Shape[], want: string[] | undefined]> = [
  ['the most nodes', [type('a', ['1']), type('b', ['2', '3'], '8', '32Gi')], ['value:b', '8 32Gi', '8 32Gi']],
  ['of equals the first', [type('b', ['1'], '8', '32Gi'), type('a', ['2'])], ['value:a', '4 16Gi', '8 32Gi']],
  [
    'its smallest node',
    [type('a', ['1'], '4', '15Gi'), type('a', ['2'], '3', '16Gi')],
    ['value:a', '3 15Gi', '3 15Gi'],
  ],
  [
    'the largest of each resource',
    [type('a', ['1', '2']), type('b', ['3'], '32', '8Gi')],
    ['value:a', '4 16Gi', '32 16Gi'],
  ],
  ['a declared type is one', [type('a', ['1']), type('b', [], '64', '256Gi')], ['value:a', '4 16Gi', '64 256Gi']],
  [
    'nodes without the label are no type',
    [type('a', ['1', '2']), fleetShape({}, ['3'], '10000', '4Ti')],
    ['value:a', '4 16Gi', '4 16Gi'],
  ],
  [
    'unless they are the most',
    [type('a', ['1']), fleetShape({}, ['2', '3'], '8', '64Gi')],
    ['default', '8 64Gi', '8 64Gi'],
  ],
  [
    'nodes that report nothing are not fitted to',
    [type('a', ['1']), type('b', ['2', '3'], '4', '16Gi', { allocatable: {} })],
    ['value:a', '4 16Gi', '4 16Gi'],
  ],
  ['no nodes at all', [type('b', [], '64', '256Gi')], undefined],
]

suite('the nodes that a first policy starts from', (test) => {
  for (const [name, shapes, want] of CASES) test(name, () => assert.equal(startOf(shapes), want))
})
