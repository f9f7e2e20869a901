/** What `npm run bench` measures is rendered, so that no row is lost when something it is made of changes. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import {
  notReadyNodes,
  ordersForPools,
  policiesOnOneTemplate,
  policiesWithTemplates,
  sizedOrderGroups,
} from '../../bench/doubled.ts'
import { inventoryFile, inventoryList, kubescapeList, nodesList } from '../../bench/inputs.ts'
import { viewPairs } from '../../bench/views.ts'
import { writeFunction } from '../../bench/without-coverage.ts'
import { suite } from '../../test/support/suite.ts'
import { FUNCTION, inFolder, run } from '../support/hosts.ts'

const count = (text: string, pattern: RegExp) => text.match(pattern)?.length ?? 0
const DAEMON_SET = /^ {0,2}-? ?kind: DaemonSet$/gm
const TICKET = /^ {0,2}-? ?kind: Ticket$/gm

/** Each input in small, and how many objects of its kind the output has; templates count where they are not JSON. */
const INPUTS: ReadonlyArray<readonly [string, string, RegExp, number]> = [
  ['one node in a shape', inventoryList(1), DAEMON_SET, 4],
  ['nodes in 40 shapes', inventoryList(400), DAEMON_SET, 13],
  ['raw Nodes', nodesList(20), DAEMON_SET, 13],
  ['the template of Kubescape’s chart', kubescapeList(3, 'ConfigMap'), DAEMON_SET, 5],
  ['its static DaemonSet', kubescapeList(3, 'DaemonSet'), DAEMON_SET, 6],
  ['nodes that are not ready', notReadyNodes(8), TICKET, 1],
  ['groups of a sized Order', sizedOrderGroups(4), TICKET, 4000],
  ['policies with a template each', policiesWithTemplates(4), DAEMON_SET, 16],
  ['policies on one template', policiesOnOneTemplate(4), DAEMON_SET, 12],
  ['Orders, each for a pool of its own', ordersForPools(4), TICKET, 4],
]

suite('what is measured', (test) => {
  for (const [name, input, kind, expected] of INPUTS)
    test(name, () => {
      const { status, stdout, stderr } = run(process.execPath, [FUNCTION], { input })
      assert.is(status, 0, stderr)
      assert.is(count(stdout, kind), expected)
    })
  test('the views of a package, and its render', () =>
    inFolder((folder) => {
      const pairs = viewPairs(folder, 80)
      assert.equal(
        pairs.map(({ what }) => what),
        ['explain', 'report', 'diff'].map((name) => `nodefit ${name}, 80 nodes in shapes`),
      )
      for (const { what, view, build } of pairs)
        for (const { command } of [view, build]) {
          const [program = '', ...args] = command
          const { status, stdout, stderr } = run(program, args)
          assert.is(status, 0, `${what}: ${stderr}`)
          if (what.startsWith('nodefit diff') && command === view.command) assert.match(stdout, /[1-9] changed/)
        }
      assert.equal(
        viewPairs(folder, 81, () => false),
        [],
      )
    }))
  test('an inventory as a file has its time where it is given one', () => {
    assert.match(inventoryFile(2, '2026-11-20T13:07:00Z'), /^ {2}observedAt: "2026-11-20T13:07:00Z"$/m)
  })
  test('without the proof of coverage less is run, and the same is rendered', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'nodefit-bench-'))
    try {
      const whole = await writeFunction(join(folder, 'whole.cjs'), { isProved: true })
      const less = await writeFunction(join(folder, 'less.cjs'), { isProved: false })
      const input = kubescapeList(3, 'DaemonSet')
      assert.equal(run(process.execPath, [less], { input }), run(process.execPath, [whole], { input }))
      assert.ok(readFileSync(less).length < readFileSync(whole).length)
    } finally {
      rmSync(folder, { recursive: true, force: true })
    }
  })
})
