/** Nodes that a run leaves without an agent, held against a model of the DaemonSet controller. */
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import {
  lostNodes,
  ModelCluster,
  namedNodes,
  played,
  replacedNodes,
  type Sequence,
  sequences,
  type Taken,
} from '../support/agent-sequences.ts'
import { suite } from '../support/suite.ts'

const RUNS = 60

/** Plays drawn sequences and checks each render; at least half of what is drawn must be rendered. */
async function holds(
  drawn: fc.Arbitrary<Sequence>,
  withSnapshot: boolean,
  check: (taken: Taken) => void,
): Promise<void> {
  let count = 0
  let renders = 0
  let losses = 0
  await fc.assert(
    fc.asyncProperty(drawn, async (sequence) => {
      count += 1
      for (const taken of await played(sequence, new ModelCluster(), withSnapshot)) {
        renders += 1
        losses += lostNodes(taken).length
        check(taken)
      }
    }),
    { numRuns: RUNS },
  )
  assert.ok(renders > count, `${renders} renders`)
  assert.ok(losses > count / 2, `${losses} nodes without an agent`)
}

suite('agents that a run stops', (test) => {
  test('with a snapshot, exactly the nodes that end without an agent are named, and those that get a new pod', async () => {
    await holds(sequences(false), true, (taken) => {
      assert.equal(namedNodes(taken.stops, 'forGood', 'untilReady'), lostNodes(taken))
      assert.equal(namedNodes(taken.stops, 'oneStart', 'surge'), replacedNodes(taken))
    })
  })
  test('without one, all of these and nodes where an agent may run', async () => {
    await holds(sequences(true), false, (taken) => {
      const had = (node: string) => (taken.before.get(node) ?? []).length > 0
      assert.equal(namedNodes(taken.stops, 'forGood', 'untilReady').filter(had), lostNodes(taken))
      assert.equal(namedNodes(taken.stops, 'oneStart', 'surge').filter(had), replacedNodes(taken))
    })
  })
})
