/** `nodefit test`: what its page shows, the tests of golden packages, forms for CI, and what is refused. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { stringify } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { writePackage } from '../support/agent-package.ts'
import { COMMAND, filesOf, inFolder, ROOT, run } from '../support/hosts.ts'

const nodefit = (cwd: string, ...args: string[]) => run(process.execPath, [COMMAND, ...args], { cwd })
const GOLDEN = join(ROOT, 'testdata/golden')
const TESTED = readdirSync(GOLDEN).filter((name) => existsSync(join(GOLDEN, name, 'package/tests.yaml')))
const written = (expect: object, more: object = {}, name = 'a') =>
  stringify({ apiVersion: 'nodefit.dev/v1alpha1', kind: 'NodefitTest', metadata: { name }, spec: { expect, ...more } })
const GROUPS = { groups: { 'm5.large': 1, 'm5.xlarge': 1 } }

/** Runs on the package of an agent, with the files of tests beside its own. */
function inPackage(files: Record<string, string>, body: (folder: string) => void): void {
  inFolder((folder) => {
    writePackage(folder)
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, 'package', name), text)
    body(folder)
  })
}

suite('nodefit test', (test) => {
  test('prints what its page shows', () =>
    inPackage({}, (folder) => {
      copyFileSync(join(ROOT, 'testdata/pages/tests.yaml'), join(folder, 'package/tests.yaml'))
      const page = readFileSync(join(ROOT, 'docs/deliver/test.md'), 'utf8')
      const [held, failed] = [...page.matchAll(/^```\n((?:ok|FAIL) [^`]*)^```$/gm)].map(([, block]) => block)
      const files = filesOf(folder)
      const first = nodefit(folder, 'test', 'package')
      assert.is(first.stdout, held)
      assert.is(first.stderr, '')
      assert.is(first.status, 0)
      assert.equal(filesOf(folder), files, 'nothing is written')
      const policy = join(folder, 'package/policy.yaml')
      writeFileSync(policy, readFileSync(policy, 'utf8').replace('requestCPU: 2', 'requestCPU: 1'))
      const second = nodefit(folder, 'test', 'package')
      assert.is(second.stdout, failed)
      assert.is(second.status, 1)
    }))

  test('three golden packages have tests', () => assert.ok(TESTED.length >= 3, TESTED.join()))
  for (const name of TESTED)
    for (const folder of ['package', 'expected-1'])
      test(`${name}: the tests of its ${folder} hold, rendered objects beside them or not`, () => {
        const { status, stdout } = nodefit(ROOT, 'test', join(GOLDEN, name, folder))
        assert.is(status, 0, stdout)
        assert.match(stdout, /^nodefit: [2-9] tests hold$/m)
      })

  test('what is rendered does not hold tests: they stay in the package', () =>
    inPackage({ 'tests.yaml': written(GROUPS) }, (folder) => {
      const { status, stdout } = nodefit(folder, 'build', 'package')
      assert.is(status, 0)
      assert.not.match(stdout, 'NodefitTest')
    }))
  test('--output: TAP, JUnit and JSON, with the file and line of each test', () =>
    inPackage({ 'tests.yaml': `${written(GROUPS)}---\n${written({ groups: {} }, {}, 'b')}` }, (folder) => {
      const second = written(GROUPS).split('\n').length + 1
      const tap = nodefit(folder, 'test', 'package', '--output', 'tap')
      assert.is(tap.status, 1)
      assert.match(tap.stdout, /^TAP version 14\n1\.\.2\nok 1 - a\nnot ok 2 - b\n/)
      const { stdout } = nodefit(folder, 'test', 'package', '--output', 'junit')
      assert.match(stdout, `name="b" classname="nodefit" file="package/tests.yaml" line="${second}"`)
      const { tests } = JSON.parse(nodefit(folder, 'test', 'package', '--output', 'json').stdout)
      assert.equal(
        tests.map(({ name, file, line, holds }: Record<string, unknown>) => [name, file, line, holds]),
        [
          ['a', 'package/tests.yaml', 1, true],
          ['b', 'package/tests.yaml', second, false],
        ],
      )
      assert.is(nodefit(folder, 'test', 'package', '--only', 'a').stdout, 'ok    a\nnodefit: 1 test holds\n')
    }))
  test('a test beside the package, and one of each of two packages', () =>
    inFolder((folder) => {
      for (const name of ['one', 'two']) {
        mkdirSync(join(folder, name))
        writePackage(join(folder, name), { types: name === 'one' ? ['m5.large'] : ['m5.xlarge'] })
        writeFileSync(
          join(folder, name, 'package/Kptfile'),
          'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata: {name: x}\n',
        )
        const group = name === 'one' ? 'm5.large' : 'm5.xlarge'
        writeFileSync(join(folder, name, 'package/tests.yaml'), written({ groups: { [group]: 1 } }, {}, name))
      }
      assert.match(nodefit(folder, 'test', 'one', 'two').stdout, /ok {4}one\nok {4}two\nnodefit: 2 tests hold\n/)
      writeFileSync(join(folder, 'beside.yaml'), written({ groups: { 'm5.large': 1 } }, {}, 'beside'))
      assert.match(nodefit(folder, 'test', 'beside.yaml', 'one/package').stdout, /^ok {4}beside\n/)
      assert.match(nodefit(folder, 'test', 'beside.yaml', 'one', 'two').stdout, /^FAIL {2}beside/, 'of no package')
    }))
  test('earlier output counts only where the test says so', () =>
    inPackage({}, (folder) => {
      nodefit(folder, 'build', 'package', '--output-dir', 'out')
      nodefit(folder, 'build', 'package', '--output', 'package/rendered.yaml')
      const findings = [{ code: 'PolicySummary', says: '4 objects added' }]
      writeFileSync(
        join(folder, 'package/tests.yaml'),
        written({ findings: [...findings, { code: 'TotalGrows' }, { code: 'LimitAdded' }] }),
      )
      const first = nodefit(folder, 'test', 'package')
      assert.is(first.status, 0, first.stdout)
      writeFileSync(join(folder, 'package/tests.yaml'), written({ findings }, { earlier: true }))
      assert.match(nodefit(folder, 'test', 'package').stdout, /GOT\n +finding .* 0 objects added/)
    }))

  const REFUSED: Array<[what: string, files: Record<string, string>, args: string[], message: string]> = [
    ['no test', {}, [], 'nodefit: there is no NodefitTest in package: add one, or give its file as a PATH, too\n'],
    [
      'a wrong one',
      { 'tests.yaml': written({ group: {} }) },
      [],
      'nodefit: NodefitTest a: spec.expect.group is not a field (did you mean groups?). Correct the name, or remove it.\n',
    ],
    [
      'an unknown name',
      { 'tests.yaml': written(GROUPS) },
      ['--only', 'b'],
      'nodefit: there is no NodefitTest of the name b; there are a\n',
    ],
    ['an unknown form', {}, ['--output', 'xml'], 'nodefit: --output takes tap, junit, json, but is xml\n'],
    ['no file', {}, ['nowhere'], 'nodefit: there is no file or folder nowhere\n'],
  ]
  for (const [what, files, args, message] of REFUSED)
    test(`fails with exit code 2: ${what}`, () =>
      inPackage(files, (folder) => {
        const { status, stdout, stderr } = nodefit(folder, 'test', 'package', ...args)
        assert.is(status, 2)
        assert.is(stdout, '')
        assert.is(stderr, message)
      }))
})
