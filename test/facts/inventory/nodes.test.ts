import * as assert from 'uvu/assert'
import {
  namedNodes,
  nodesExcept,
  nodesText,
  type Shape,
  shapesThatMayMatch,
  sortedNodes,
} from '../../../src/facts/inventory/index.ts'
import { suite } from '../../support/suite.ts'

const NAMES = ['a', 'b', 'c', 'd', 'e']

const shape = (labels: Record<string, string>): Shape => ({
  labels,
  taints: [],
  unschedulable: false,
  osImage: '',
  capacity: {},
  allocatable: {},
  nodes: [],
  nodeCount: 0,
})

suite('nodes whose names are put together for who asks', (test) => {
  const rows: ReadonlyArray<readonly [string, readonly string[], readonly string[], string]> = [
    ['none is gone', [], NAMES, 'a, b, c and 2 more'],
    ['the first are gone', ['a', 'b'], ['c', 'd', 'e'], 'c, d, e'],
    ['the last is gone', ['e'], ['a', 'b', 'c', 'd'], 'a, b, c and 1 more'],
    ['all are gone', NAMES, [], '0 nodes'],
  ]
  for (const [what, gone, left, text] of rows)
    test(what, () => {
      const lot = nodesExcept(NAMES, new Set(gone))
      assert.equal(lot.nodes, left)
      assert.is(lot.nodeCount, left.length)
      assert.is(nodesText(lot), text)
    })
  test('several lots are in the order of their names', () => {
    const lot = sortedNodes([namedNodes(['d', 'e']), nodesExcept(['a', 'b', 'f'], new Set(['a']))])
    assert.equal(lot.nodes, ['b', 'd', 'e', 'f'])
    assert.is(nodesText(lot), 'b, d, e and 1 more')
  })
})

suite('shapes that may match a nodeSelector', (test) => {
  const one = shape({ pool: 'x', zone: 'a' })
  const two = shape({ pool: 'x', zone: 'b' })
  const three = shape({ zone: 'b' })
  const shapes = [one, two, three]
  const rows: ReadonlyArray<readonly [string, Record<string, unknown>, readonly Shape[]]> = [
    ['one that says nothing leaves all', {}, shapes],
    ['the label that fewest have decides', { zone: 'a', pool: 'x' }, [one]],
    ['those of one label, in order', { zone: 'b' }, [two, three]],
    ['a value that none has', { pool: 'y' }, []],
    ['a key that every map inherits', { constructor: 'x' }, []],
    ['a value that is no text', { pool: null }, []],
  ]
  for (const [what, selector, expected] of rows)
    test(what, () => assert.equal(shapesThatMayMatch(shapes, selector), expected))
})
