/**
 * docs/kubescape/node-agent.md with the real helm, kubectl and kpt on a real control plane: every command as printed, from each way in which the chart runs its
 * agents, with each version of the chart, there and back, and how many nodes have none and two at every instant.
 */
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { SCHEDULED } from '../support/cluster.ts'
import { inFolder } from '../support/hosts.ts'
import { chartOf, differencesOf, VERSIONS } from '../support/kubescape/charts.ts'
import type { Count } from '../support/kubescape/tally.ts'
import { STARTS, type Walked, walk } from '../support/kubescape/walk.ts'
import { has } from '../support/program.ts'
import { isSampled } from '../support/sampled.ts'

const isHere = [...SCHEDULED, 'kwok', 'go', 'helm', 'kpt', 'kustomize'].map(has).every((is) => is)
/** Nodes that can have an agent. */
const NODES = 12
/** Of the walks CI runs two. */
const SAMPLED_ONE_OF = 10
const countText = ({ most, nodeSeconds }: Count) => `${most} (${nodeSeconds.toFixed(1)} node-seconds)`
const say = (text: string) => void process.stdout.write(`\n${text}\n`)

suite('the page about Kubescape, on a cluster', (test) => {
  test('it has versions and ways to start', () => assert.is(VERSIONS.length * STARTS.length, 20))
  if (!isHere) return
  const ran = { real: [] as string[], recorded: [] as string[] }
  const blocks = { real: 0, recorded: 0 }
  for (const [number, version] of VERSIONS.entries()) {
    test(`chart ${version} prints what is recorded of it`, () =>
      inFolder((folder) => {
        const chart = chartOf(version, folder)
        assert.equal(differencesOf(chart, folder), [], chart.isReal ? 'the chart' : 'the chart made of what it printed')
      }))
    const starts = STARTS.filter((_, index) => isSampled(number * STARTS.length + index, SAMPLED_ONE_OF))
    for (const start of starts)
      test(`from ${start}, chart ${version}: every block runs, and no node is without its agent on the way back`, async () => {
        const walked = await walk(version, start)
        const kind = walked.isReal ? 'real' : 'recorded'
        blocks[kind] += walked.blocks
        ran[kind].push(`${version} from ${start}`)
        const { there, back } = walked
        say(`${version}, ${start}: there none ${countText(there.none)}, two ${countText(there.two)}`)
        say(
          `${version}, ${start}: back none ${countText(back.none)}, two ${countText(back.two)}; replaced ${walked.replaced}`,
        )
        holds(walked, version, start)
      })
  }
  test('how many blocks ran with what', () => {
    assert.ok(blocks.real + blocks.recorded > 0)
    say(`ran: ${blocks.real} blocks of the page about Kubescape with the real chart (${ran.real.join(', ')})`)
    if (blocks.recorded > 0)
      say(
        `not run: ${blocks.recorded} blocks of it with the real chart, which KUBESCAPE_CHARTS does not have: ran with what it printed (${ran.recorded.join(', ')})`,
      )
  })
})

/** What the page says of each way. */
function holds({ there, back, replaced }: Walked, version: string, start: string): void {
  const isFromLoop = start === 'autoscaler' || start === 'in Git'
  if (isFromLoop) {
    const isFirst = version === '1.30.7' || version === '1.40.2'
    // the operator of these versions leaves nodes without the label alone, and none but that of main knows Bottlerocket
    assert.equal(replaced, version === 'main' ? ['bare'] : ['rocket', 'bare'])
    assert.ok(there.none.most <= (isFirst ? 3 : 2), countText(there.none))
    assert.is(there.two.most, 0)
    return
  }
  assert.is(there.none.most, NODES, 'the upgrade deletes the static agents')
  assert.is(there.two.most, 0)
  assert.equal(back.none, { most: 0, nodeSeconds: 0 })
  assert.is(back.two.most, NODES)
}
