/** `nodefit build --argocd` where there is no network, as in the sidecar of Argo CD. */
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { COMMAND, ROOT } from '../support/hosts.ts'
import { has } from '../support/program.ts'

const PACKAGE = join(ROOT, 'testdata/quickstart')

suite('the plugin', (test) => {
  if (!has('unshare')) return
  test('needs no network: where there is none it does the same', () => {
    const { ARGOCD_APP_PARAMETERS: _, ...env } = process.env
    const build = (...before: string[]) => {
      const [program = '', ...args] = [...before, process.execPath, COMMAND, 'build', '--argocd']
      return spawnSync(program, args, { cwd: PACKAGE, env, encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] })
    }
    const alone = build('unshare', '-rn')
    // not everybody may make a namespace
    if (/unshare/.test(alone.stderr)) return
    const beside = build()
    assert.is(beside.status, 0, beside.stderr)
    assert.is(alone.stdout, beside.stdout)
  })
})
