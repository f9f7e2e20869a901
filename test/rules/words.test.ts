/** A node as the sentences of the proof name them. */
import * as assert from 'uvu/assert'
import { nodeText, todayText } from '../../src/rules/coverage-holes.ts'
import { suite } from '../support/suite.ts'

const ROWS: Array<[text: string, want: string]> = [
  [nodeText({ name: 'x', labels: { a: 'b' } }, 'n'), 'node n'],
  [nodeText({ name: 'x', labels: { a: 'b', c: '' } }), 'a node with a=b, c='],
  [nodeText({ name: 'x', labels: {} }), 'a node without labels'],
  [todayText({ nodes: [], nodeCount: 0 }), 'no node is affected today'],
  [todayText({ nodes: [], nodeCount: 1 }), '1 node affected today'],
  [todayText({ nodes: ['b', 'a'], nodeCount: 2 }), '2 nodes affected today: a, b'],
]

suite('the words of the proof', (test) => {
  for (const [text, want] of ROWS) test(want, () => assert.is(text, want))
})
