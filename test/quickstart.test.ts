import { spawnSync } from 'node:child_process'
import * as assert from 'uvu/assert'
import { suite } from './support/suite.ts'

suite('the command', (test) => {
  test('renders the quickstart', () => {
    const { stdout, status } = spawnSync(process.execPath, ['dist/nodefit.cjs', 'build', 'testdata/quickstart'], {
      encoding: 'utf8',
    })
    assert.is(status, 0)
    assert.match(stdout, 'name: fluent-bit-m5-4xlarge')
  })
})
