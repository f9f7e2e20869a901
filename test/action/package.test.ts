import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as assert from 'uvu/assert'
import { suite } from '../support/suite.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const FOLDER = join(ROOT, 'testdata/actions')

/** The output of nodefit build over files of the package. */
const build = (...files: string[]) => {
  const args = [join(ROOT, 'dist/nodefit.cjs'), 'build', ...files.map((file) => join(FOLDER, file))]
  return spawnSync(process.execPath, args, { encoding: 'utf8' })
}
const PARTS = ['package/actions.yaml', 'package/policy.yaml', 'package/keyring.yaml']

suite('the package of the page about actions', (test) => {
  test('it renders what is committed, with keys that the package may hold', () => {
    const { stdout, stderr, status } = build('package/nodes.yaml', ...PARTS)
    assert.is(status, 0, stderr)
    const file = join(FOLDER, 'expected.yaml')
    if (process.env.UPDATE_GOLDEN === '1') writeFileSync(file, stdout)
    assert.is(stdout, readFileSync(file, 'utf8'))
    assert.match(stderr, /act-0101 \(drainNode Node small-000002\) applies until 2026-01-15T11:00:00Z, for platform/)
  })
  test('an hour later its actions have expired, and nothing is rendered', () => {
    const { stderr, status } = build('later/nodes.yaml', ...PARTS)
    assert.is(status, 0, stderr)
    assert.match(stderr, /drain-small-2 expired at 2026-01-15T11:00:00Z/)
  })
})
