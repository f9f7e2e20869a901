/** The folder that `nodefit build --output-dir` writes, as kustomize reads it. */
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { writePackage } from '../support/agent-package.ts'
import { COMMAND, inFolder, run } from '../support/hosts.ts'
import { has } from '../support/program.ts'

suite('an output folder', (test) => {
  if (!has('kustomize')) return
  test('kustomize builds it to the same objects', () =>
    inFolder((folder) => {
      writePackage(folder)
      const made = run(process.execPath, [COMMAND, 'build', 'package', '--output-dir', 'out'], { cwd: folder })
      assert.is(made.status, 0, made.stderr)
      const { status, stdout, stderr } = run('kustomize', ['build', join(folder, 'out')])
      assert.is(status, 0, stderr)
      assert.is(stdout.match(/^kind: DaemonSet$/gm)?.length, 4)
    }))
})
