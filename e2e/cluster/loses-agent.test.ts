/** Nodes that a run leaves without an agent, on the real DaemonSet controller: exactly those that the run names. */
import { setTimeout as pause } from 'node:timers/promises'
import * as fc from 'fast-check'
import * as assert from 'uvu/assert'
import type { KubernetesObject } from '../../src/krm/types.ts'
import {
  type AgentCluster,
  type AgentPod,
  type DrawnNode,
  labelsOf,
  lostNodes,
  namedNodes,
  played,
  replacedNodes,
  type Sequence,
  sequences,
} from '../../test/support/agent-sequences.ts'
import { said } from '../../test/support/rerender.ts'
import { suite } from '../../test/support/suite.ts'
import { Agents } from '../support/agents.ts'
import { CONTROL_PLANE, startCluster } from '../support/cluster.ts'
import { Api } from '../support/fleets/api.ts'
import { Controller } from '../support/fleets/controller.ts'
import { nodeNamed, withTaints } from '../support/fleets/nodes.ts'
import { FleetSpace } from '../support/fleets/space.ts'
import { has } from '../support/program.ts'

const SEQUENCES = 2
const SEED = 25
const STILL_MILLISECONDS = 300
/** The controller never settles where pods wait for somebody to delete them. */
const drawn = sequences(true).filter(({ updateStrategy }) => updateStrategy?.type !== 'OnDelete')

const cluster = CONTROL_PLANE.every(has) ? await startCluster() : undefined

/** The real controller, with the nodes and DaemonSets of one sequence after another. */
class RealCluster implements AgentCluster {
  readonly #space: FleetSpace
  #present: readonly KubernetesObject[] = []

  constructor(space: FleetSpace) {
    this.#space = space
  }

  async change(all: readonly DrawnNode[]): Promise<void> {
    await this.#space.change(
      all.map(({ name, taints, ...node }) => withTaints(nodeNamed(name, labelsOf(node)), taints)),
    )
    await this.#space.pods()
  }

  async apply(daemonSets: readonly KubernetesObject[]): Promise<void> {
    const names = new Set(daemonSets.map(({ metadata }) => metadata.name))
    await this.#space.apply(daemonSets)
    await this.#space.pods()
    await this.#space.remove(this.#present.filter(({ metadata }) => !names.has(metadata.name)))
    this.#present = daemonSets
  }

  async pods(): Promise<ReadonlyMap<string, readonly AgentPod[]>> {
    await this.#space.pods()
    // with a surge the last pods go after all new ones are ready
    await pause(STILL_MILLISECONDS)
    const pods = await this.#space.pods()
    // the controller of the suite has a node of its own
    return new Map([...pods].filter(([node]) => /^n\d$/.test(node)))
  }

  async clear(): Promise<void> {
    await this.apply([])
    await this.change([])
  }
}

const DEDICATED = { key: 'dedicated', value: 'gpu', effect: 'NoSchedule' } as const
const NODES: readonly DrawnNode[] = ['n0', 'n1', 'n2', 'n3'].map((name) => ({ name, type: 'a', pool: 'p', taints: [] }))
/** The same nodes, two of which are tainted, and one is not ready. */
const LATER: readonly DrawnNode[] = NODES.map((one, index) =>
  index < 2
    ? { ...one, taints: [DEDICATED] }
    : index === 2
      ? { ...one, taints: [{ key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] }
      : one,
)
const IMAGE = { containers: [{ name: 'agent', image: 'agent:2' }] }
const TOLERATES = { tolerations: [{ key: 'dedicated', operator: 'Exists' }] }

type Change = Sequence['changes'][number]
const now = (more: Partial<Change> = {}): Change => ({ nodes: LATER, spec: {}, pod: {}, ...more })
const BEFORE = [now({ nodes: NODES })]
const SURGE = { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }

/** What is rendered before the taints come, what after them, the nodes that the latter takes away, and words of the run. */
const CASES: ReadonlyArray<readonly [name: string, sequence: Omit<Sequence, 'first'>, lost: string[], words: string]> =
  [
    [
      'adoption',
      { changes: [now()] },
      ['n0', 'n1', 'n2'],
      '2 nodes lose their agent: 1 until it is ready (1 by adoption): n2',
    ],
    [
      'a move between groups',
      { changes: [...BEFORE, now({ spec: { nodeGroupLabel: 'pool' } })] },
      ['n0', 'n1', 'n2'],
      '1 until it is ready (1 by a move): n2; 1 for one pod start at most (1 by a move): n3; 2 more if one runs there: 2 for good,',
    ],
    ['a new image', { changes: [...BEFORE, now({ pod: IMAGE })] }, ['n0', 'n1', 'n2'], '(2 by a restart): n0, n1'],
    [
      'a new image with a surge',
      { updateStrategy: SURGE, changes: [...BEFORE, now({ pod: IMAGE })] },
      ['n0', 'n1', 'n2'],
      '1 node loses its agent: 1 until it is ready (1 by a restart): n2; 2 more if one runs there: 2 for good,',
    ],
    [
      'the way back',
      { changes: [...BEFORE, now({ spec: { enabled: false } })] },
      ['n0', 'n1', 'n2'],
      '(2 by a move): n0, n1',
    ],
    [
      'a policy that tolerates the taint, as the warning says',
      { changes: [...BEFORE, now({ spec: TOLERATES, pod: IMAGE })] },
      ['n2'],
      '2 nodes lose their agent: 1 until it is ready',
    ],
    ['nothing but the taint', { changes: [...BEFORE, now()] }, [], ''],
  ]

suite('agents that a run takes away on a real cluster', (test) => {
  test('a sample is drawn', () => assert.ok(SEQUENCES > 0))
  if (cluster === undefined) return
  const api = new Api(cluster.folder)
  const controller = new Controller(api)
  const agents = new Agents(api, 0)
  const real = new RealCluster(new FleetSpace('default', api, controller))
  test('the controller is there', () => controller.start())
  for (const [name, sequence, lost, words] of CASES)
    test(name, async () => {
      const taken = (await played({ first: NODES, ...sequence }, real)).at(-1)
      assert.ok(taken)
      assert.equal(lostNodes(taken), lost)
      assert.equal(namedNodes(taken.stops, 'forGood', 'untilReady'), lost)
      assert.match(said(taken.result, 'LosesAgent').join('\n'), words)
      await real.clear()
    })
  for (const [index, sequence] of fc.sample(drawn, { numRuns: SEQUENCES, seed: SEED }).entries())
    test(`drawn sequence ${index + 1}: the nodes without an agent are those that the runs name`, async () => {
      for (const taken of await played(sequence, real, true)) {
        assert.equal(namedNodes(taken.stops, 'forGood', 'untilReady'), lostNodes(taken))
        assert.equal(namedNodes(taken.stops, 'oneStart', 'surge'), replacedNodes(taken))
      }
      await real.clear()
    })
  test('what was started is stopped', async () => {
    await agents.stop()
    api.close()
    await cluster.stop()
  })
})
