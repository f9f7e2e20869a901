/** docs/upgrading.md, followed to the letter with the package: what its commands say of equal bytes, and of others. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { COMMAND, functionsIn, inFolder, ROOT, run } from '../support/hosts.ts'
import { has } from '../support/program.ts'

const PAGE = readFileSync(join(ROOT, 'docs/upgrading.md'), 'utf8')
const [BESIDE = '', BEFORE = '', CONVERT = '', ...others] = [...PAGE.matchAll(/```sh\n([^`]*)```/g)].map(
  ([, text = '']) => text,
)
const NEXT = 'next/node_modules/.bin/nodefit'
const SAME = /^nodefit: 0 objects added, 0 changed, 0 removed$/m
const [VET = ''] = /nodefit vet package[^`]*/.exec(PAGE) ?? []

suite('docs/upgrading.md', (test) => {
  test('has the commands that are followed here', () => {
    assert.equal(others, [])
    assert.match(BESIDE, /^npm install --prefix next .*\nnext\/.* diff package --against rendered\n$/)
    assert.match(PAGE, '`nodefit: 0 objects added, 0 changed, 0 removed`')
    assert.is(VET, 'nodefit vet package --current rendered')
  })
  test('its commands show what a new version changes, and that nothing does', () =>
    inFolder((folder) => {
      // the version in use, which is this one as well
      const bin = join(folder, 'bin')
      mkdirSync(bin)
      symlinkSync(COMMAND, join(bin, 'nodefit'))
      const follows = (script: string) => {
        const env = { ...process.env, PATH: `${bin}:${process.env.PATH}` }
        const { status, stdout, stderr } = spawnSync('sh', ['-ec', script], { cwd: folder, env, encoding: 'utf8' })
        return { status, text: stdout + stderr }
      }
      const gives = (script: string, expected: RegExp, code = 0) => {
        const { status, text } = follows(script)
        assert.is(status, code, `${script}: ${text}`)
        assert.match(text, expected)
      }
      const packed = run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], { cwd: ROOT })
      assert.is(packed.status, 0, packed.stderr)
      cpSync(join(ROOT, 'testdata/quickstart'), join(folder, 'package'), { recursive: true })
      gives('nodefit build package --output-dir rendered', /files added/)

      gives(BESIDE, SAME)
      gives(VET, /^nodefit: ok: 4 objects of 1 policy$/m)
      gives(BEFORE, SAME)
      gives(CONVERT.replaceAll('policy', 'package/policy'), /^$/)
      writeFileSync(join(folder, 'package/policy.yaml'), readFileSync(join(folder, 'package/policy-v1beta1.yaml')))
      assert.match(readFileSync(join(folder, 'package/policy.yaml'), 'utf8'), 'apiVersion: nodefit.dev/v1beta1')
      follows('rm package/policy-v1beta1.yaml')
      gives(`${NEXT} diff package --against rendered`, SAME)

      // what an earlier version rendered otherwise
      const [file = ''] = readdirSync(join(folder, 'rendered')).filter((name) => name.includes('4xlarge'))
      const path = join(folder, 'rendered', file)
      const text = readFileSync(path, 'utf8')
      writeFileSync(path, text.replace('cpu: 317m', 'cpu: 300m'))
      gives(`${NEXT} diff package --against rendered`, /^nodefit: 0 objects added, 1 changed, 0 removed$/m)
      gives(`${NEXT} diff package --against rendered`, /^fluent-bit-m5-4xlarge +2 +300m -> 317m .* 2$/m)
      const { text: said } = follows(VET)
      gives(VET, /nodefit build package --output-dir rendered/, 1)
      const [command = ''] = /nodefit build package --output-dir rendered/.exec(said) ?? []
      gives(command, /1 changed/)
      assert.is(readFileSync(path, 'utf8'), text)
    }))
  test('for a package that kpt renders in place the command needs no folder', () => {
    if (!has('kpt')) return
    inFolder((folder) => {
      cpSync(join(ROOT, 'testdata/quickstart'), join(folder, 'package'), { recursive: true })
      const options = { bin: functionsIn(folder), cwd: folder }
      const rendered = run('kpt', ['fn', 'render', '--allow-exec', 'package'], options)
      assert.is(rendered.status, 0, rendered.stderr)
      const { status, stdout, stderr } = run(process.execPath, [COMMAND, 'diff', 'package'], options)
      assert.is(status, 0, stderr)
      assert.match(stdout + stderr, SAME)
    })
  })
})
