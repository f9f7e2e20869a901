/** Random fleets against a real API server and its DaemonSet controller, and the faults that such a run must find. */
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { type Fleets, startFleets } from '../fleets.ts'
import { CONTROL_PLANE } from '../support/cluster.ts'
import { Draw } from '../support/fleets/draw.ts'
import { FAULT } from '../support/fleets/faults.ts'
import { drawNodes } from '../support/fleets/nodes.ts'
import { plainScenario } from '../support/fleets/scenario.ts'
import { drawTemplate } from '../support/fleets/template.ts'
import { has } from '../support/program.ts'
import { sampled } from '../support/sampled.ts'

const FLEETS = sampled(60, 6)
const DRAWS = 200
/** A fault does not go away. */
const PATIENCE_MILLISECONDS = 500

/** Each fault, what the policy says so that it shows, and what the suite must say of it. */
const FAULTS: Array<[fault: string, spec: Parameters<typeof plainScenario>[1], said: RegExp]> = [
  ['a value is dropped from a NotIn', {}, /its groups: plain-0-0 has 3 agents \(.*remainder.*\) and should have 2/],
  ['the default group is gone', {}, /its groups: plain-1-unlabelled has 1 agent \(agent\) and should have 2/],
  ['the remainder is gone', {}, /nodes that join: plain-2-new has 0 agents and should have 1/],
  ['a toleration is dropped', {}, /its groups: plain-3-tainted has 1 agent \(agent\) and should have 2/],
  ['a group is there twice', {}, /its groups: plain-4-0 has 3 agents \(.*twin.*\) and should have 2/],
  ['what is gone stays', {}, /another render: plain-5-0 has 2 agents \(.*\) and should have 1/],
  [
    'no hole is said',
    { defaultNodeGroup: '' },
    /its groups: HoleOnPurpose counts 0 nodes, .* leaves out 1: plain-6-unlabelled/,
  ],
  ['a group is said to have a node more', {}, /its groups: agent-a is said to have 4 nodes, in the cluster it has 3/],
  ['a field is one that the API server does not know', {}, /its groups: PATCH .*unknownField/],
]

const fleets = CONTROL_PLANE.every(has) ? await startFleets() : undefined

suite('random fleets', (test) => {
  test('the same seed draws the same fleet, and all seeds together every operator', () => {
    const drawn = (seed: number) => {
      const draw = new Draw(String(seed))
      const nodes = drawNodes(draw, 'drawn')
      return { nodes, template: drawTemplate(draw, 'drawn', nodes) }
    }
    assert.equal(drawn(1), drawn(1))
    const text = JSON.stringify(Array.from({ length: DRAWS }, (_, seed) => drawn(seed).template))
    for (const operator of ['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt'])
      assert.ok(text.includes(`"operator":"${operator}"`), operator)
    assert.match(text, '"matchFields"')
  })
  if (fleets !== undefined) inCluster(test, fleets)
})

function inCluster(test: Parameters<Parameters<typeof suite>[1]>[0], { drawn, given, stop }: Fleets): void {
  for (let seed = 1; seed <= FLEETS; seed++)
    test(`fleet ${seed}: one agent on each node where the template may run, before, between and after two renders`, async () => {
      const { differences, renders, held } = await drawn(seed)
      assert.equal(differences, [])
      assert.is(renders, 2)
      assert.ok(held > 0)
    })
  test('a small fleet without a fault shows no difference', async () => {
    assert.equal((await given(plainScenario('plain'))).differences, [])
  })
  for (const [index, [fault, spec, said]] of FAULTS.entries())
    test(`found: ${fault}`, async () => {
      process.env[FAULT] = fault
      try {
        const { differences } = await given(plainScenario(`plain-${index}`, spec), PATIENCE_MILLISECONDS)
        const lines = differences.map(({ step, what }) => `${step}: ${what}`)
        assert.ok(
          lines.some((line) => said.test(line)),
          lines.join('\n'),
        )
      } finally {
        delete process.env[FAULT]
      }
    })
  test('what was started is stopped', stop)
}
