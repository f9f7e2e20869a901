/** What SECURITY.md says that the built programs can reach: the modules of Node.js that each may load. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { inFolder, ROOT, run } from '../support/hosts.ts'

const DIST = join(ROOT, 'dist')
const QUICKSTART = join(ROOT, 'testdata/quickstart')

/** Every module that a built file names, without node:. */
function modulesOf(file: string): string[] {
  const text = readFileSync(join(DIST, file), 'latin1')
  const calls = text.matchAll(/(?:\brequire|\bimport|getBuiltinModule)\(\s*["'`](?:node:)?([\w/]+)["'`]\s*\)/g)
  return [...new Set([...calls].map(([, name = '']) => name))].sort()
}

const computed = (file: string) =>
  [...readFileSync(join(DIST, file), 'latin1').matchAll(/\b(?:require|import)\((?!["'`])[^)]*\)/g)].map(
    ([call]) => call,
  )

suite('what the programs may load', (test) => {
  const HARMLESS = ['buffer', 'crypto', 'fs', 'path', 'v8', 'worker_threads']
  test('the function: no network, no processes, no variables of the environment', () => {
    assert.equal(modulesOf('fn.cjs.program'), HARMLESS)
    assert.equal(
      modulesOf('fn.cjs'),
      ['fs', 'vm', 'zlib'].filter((name) => modulesOf('fn.cjs').includes(name)),
    )
    const text = readFileSync(join(DIST, 'fn.cjs.program'), 'latin1')
    assert.not.match(text, /process\.(?:env|binding|dlopen)|\bfetch\(|\bWebSocket\b|\beval\(|new Function\(/)
  })
  test('the function and the command load no module by a name that is worked out', () => {
    for (const file of ['fn.cjs', 'fn.cjs.program']) assert.equal(computed(file), [], file)
  })
  test('the command without a cluster: git is its only program, and there is no network', () => {
    const modules = modulesOf('nodefit.cjs.program')
    for (const name of ['net', 'http', 'https', 'tls', 'dgram', 'dns', 'http2'])
      assert.not.ok(modules.includes(name), name)
    assert.ok(modules.includes('child_process'))
    assert.not.match(readFileSync(join(DIST, 'nodefit.cjs.program'), 'latin1'), /\bfetch\(|\bWebSocket\b/)
  })
  test('what reaches a cluster is a file of its own, and the controller another', () => {
    assert.ok(modulesOf('api.cjs').includes('https'))
    assert.ok(modulesOf('sync.cjs').includes('https'))
  })
  test('what is rendered is the same with an environment that is full of values, and with none', () =>
    inFolder((folder) => {
      const input = run('node', [join(DIST, 'nodefit.cjs'), 'build', QUICKSTART], { cwd: folder })
      const full = run('env', [
        'TZ=Asia/Tokyo',
        'LANG=tr_TR.UTF-8',
        'NOW=2000-01-01',
        'KUBECONFIG=/nowhere',
        'node',
        join(DIST, 'nodefit.cjs'),
        'build',
        QUICKSTART,
      ])
      assert.is(input.status, 0, input.stderr)
      assert.is(full.stdout, input.stdout)
    }))
})
