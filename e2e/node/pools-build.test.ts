/** The first day of a node pool with `nodefit build`: what the first error says to do is done, and works. */
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { COMMAND, filesOf, inFolder, ROOT, run } from '../support/hosts.ts'

const build = (cwd: string, ...args: string[]) => run(process.execPath, [COMMAND, 'build', 'fleet', ...args], { cwd })

suite('the first day of a node pool', (test) => {
  test('a stream that hides what was rendered before is refused, and each way that the error names works', () =>
    inFolder((folder) => {
      cpSync(join(ROOT, 'testdata/pools/small/package'), join(folder, 'fleet'), { recursive: true })
      const refused = build(folder)
      assert.is(refused.status, 1)
      assert.is(refused.stdout, '')
      assert.match(refused.stderr, /NeedsEarlierOutput[\s\S]*--output-dir DIR, with --earlier PATH/)
      const stream = build(folder, '--earlier', 'none')
      assert.is(stream.status, 0, stream.stderr)
      assert.match(stream.stdout, 'name: small-000001')
      const made = build(folder, '--output-dir', 'out')
      assert.is(made.status, 0, made.stderr)
      const files = filesOf(join(folder, 'out'))
      assert.ok(Object.keys(files).some((name) => name.includes('small-000001')))
      assert.match(files['configmap_kubenodesmith_small-next-claim.yaml'] ?? '', 'nextClaim: "3"')
      const again = build(folder, '--output-dir', 'out')
      assert.match(again.stderr, 'out is unchanged')
      // one node joins without the labels of its pool, and gets them as a partial Node
      cpSync(join(ROOT, 'testdata/pools/small/joined'), join(folder, 'fleet'), { recursive: true })
      const joined = build(folder, '--output-dir', 'out')
      assert.is(joined.status, 0, joined.stderr)
      assert.match(
        filesOf(join(folder, 'out'))['node_small-000002.yaml'] ?? '',
        'topology.kubenodesmith.io/pool: small',
      )
      assert.match(build(folder, '--output-dir', 'out').stderr, 'out is unchanged')
    }))
})
