import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { build } from 'esbuild'
import * as assert from 'uvu/assert'
import { ScriptedApi } from '../../../e2e/support/scripted-api.ts'
import { ROOT } from '../../../tools/build/bundle.ts'
import { kubeconfigOnly } from '../../../tools/build/kubeconfig-only.ts'
import { suite } from '../../support/suite.ts'
import { NODES, node } from '../sync/api/reflecting.ts'

const PROGRAM = `
  import { connect } from './src/host/cluster/connection.ts'
  import { list } from './src/host/cluster/list.ts'
  const trim = ({ metadata }) => metadata.name
  const context = { clock: { now: Date.now, sleep: () => new Promise(() => {}) }, meter: { bytes() {} } }
  list(connect({ kubeconfig: process.argv[2] }, context), '/api/v1/nodes', { trim }).then(({ items }) => console.log(items.join()))
`

suite('the client of Kubernetes in a bundle', (test) => {
  test('is how a kubeconfig is read, and works', async () => {
    const { metafile, outputFiles } = await build({
      stdin: { contents: PROGRAM, resolveDir: ROOT },
      absWorkingDir: ROOT,
      write: false,
      metafile: true,
      bundle: true,
      platform: 'node',
      format: 'cjs',
      minifySyntax: true,
      minifyWhitespace: true,
      plugins: [kubeconfigOnly],
    })
    const inputs = Object.keys(metafile.inputs)
      .filter((file) => !file.startsWith('never-used:'))
      .join('\n')
    assert.not.match(
      inputs,
      /openid-client|oauth4webapi|node_modules\/ws\/|tar-fs|client-node\/dist\/gen|node-fetch|whatwg-url/,
    )
    assert.ok((outputFiles[0]?.text.length ?? 0) < 300_000)
    const api = await ScriptedApi.start()
    const folder = mkdtempSync(join(tmpdir(), 'nodefit-bundle-'))
    try {
      for (const name of ['n1', 'n2']) api.put(NODES, node(name))
      writeFileSync(join(folder, 'program.cjs'), outputFiles[0]?.text ?? '')
      writeFileSync(join(folder, 'config'), api.kubeconfig)
      const args = [join(folder, 'program.cjs'), join(folder, 'config')]
      assert.is((await promisify(execFile)(process.execPath, args)).stdout, 'n1,n2\n')
      assert.is(api.asked[0]?.headers.authorization, 'Bearer abc')
    } finally {
      rmSync(folder, { recursive: true })
      await api.close()
    }
  })
})
