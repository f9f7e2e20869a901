/** `nodefit diff`: with a rendered folder, a revision of Git, and a package that is rendered in place. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { suite } from '../../test/support/suite.ts'
import { writeClusters, writePackage } from '../support/agent-package.ts'
import { COMMAND, filesOf, inFolder, ROOT, run } from '../support/hosts.ts'

const nodefit = (cwd: string, ...args: string[]) => run(process.execPath, [COMMAND, ...args], { cwd })
const TYPES = ['m5.large', 'm5.xlarge']
const LARGER = { retainGroups: '0s', overrides: [{ groups: ['m5.large'], minResources: { cpu: '300m' } }] }
const secret = (key: string) => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 's', namespace: 'ops' },
  stringData: { key, same: 'as it was' },
})
const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'commit.gpgsign=false', ...args], {
    cwd,
    encoding: 'utf8',
    env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' },
  })
const commit = (folder: string) => {
  git(folder, 'init', '-q', '-b', 'main')
  git(folder, 'add', '-A')
  git(folder, 'commit', '-q', '-m', 'x')
}
const last = (text: string) => text.trimEnd().split('\n').at(-1)
const NOTHING = 'nodefit: 0 objects added, 0 changed, 0 removed'

suite('nodefit diff', (test) => {
  test('--against DIR: sizes before and after, what restarts, and the lines that differ; no file is written', () =>
    inFolder((folder) => {
      writePackage(folder, { types: TYPES, more: [secret('before')] })
      nodefit(folder, 'build', 'package', '--output-dir', 'out')
      assert.is(last(nodefit(folder, 'diff', 'package', '--against', 'out').stdout), NOTHING)
      writePackage(folder, { types: ['m5.large', 'c5.large'], spec: LARGER, more: [secret('after')] })
      const files = filesOf(folder)
      const { status, stdout } = nodefit(folder, 'diff', 'package', '--against', 'out')
      assert.is(status, 0)
      assert.match(stdout, /agent-m5-large +1 +.* -> 300m/)
      assert.match(stdout, /^--- \/dev\/null\n\+\+\+ DaemonSet ops\/agent-c5-large\n@@/m)
      assert.match(stdout, /^--- DaemonSet ops\/agent-m5-xlarge\n\+\+\+ \/dev\/null\n@@/m)
      assert.match(stdout, /^\+ {12}cpu: 300m$/m)
      assert.is(last(stdout), 'nodefit: 1 object added, 3 changed, 1 removed')
      assert.equal(filesOf(folder), files)
    }))
  test('prints what its page shows', () =>
    inFolder((folder) => {
      writePackage(folder, { types: TYPES })
      nodefit(folder, 'build', 'package', '--output-dir', 'out')
      writePackage(folder, { types: TYPES, spec: LARGER })
      const { stdout } = nodefit(folder, 'diff', 'package', '--against', 'out')
      const page = readFileSync(join(ROOT, 'docs/deliver/diff.md'), 'utf8')
      assert.is(/^```\n(GROUP[\s\S]*?)^```$/m.exec(page)?.[1], stdout)
    }))
  test('of several clusters one table says what the change does where, and objects are compared within each', () =>
    inFolder((folder) => {
      const write = (spec: object) => writeClusters(folder, 'clusters', spec)
      write({})
      commit(folder)
      write({ minResources: { cpu: '300m' } })
      const page = readFileSync(join(ROOT, 'docs/deliver/diff.md'), 'utf8')
      const table = /^```\n(CLUSTER[\s\S]*?)^```$/m.exec(page)?.[1] ?? 'none'
      const { stdout, status, stderr } = nodefit(folder, 'diff', 'clusters', '--against', 'main')
      assert.is(status, 0, stderr)
      assert.ok(stdout.startsWith(table), stdout)
      assert.is(last(stdout), 'nodefit: 0 objects added, 7 changed, 0 removed')
      assert.match(
        stdout,
        '--- DaemonSet ops/agent-default in clusters/prod-us\n+++ DaemonSet ops/agent-default in clusters/prod-us',
      )
      assert.match(
        nodefit(folder, 'explain', 'clusters').stdout,
        /^CLUSTER .*\nprod-eu .*\nprod-us .*\ntotal .*\npolicy agent\n/,
      )
      assert.match(nodefit(folder, 'report', 'clusters').stdout, 'id=overview')
    }))
  test('values of a Secret are not shown, only that one differs', () =>
    inFolder((folder) => {
      writePackage(folder, { more: [secret('hunter1')] })
      nodefit(folder, 'build', 'package', '--output-dir', 'out')
      writePackage(folder, { more: [secret('hunter2')] })
      for (const form of [[], ['--markdown'], ['--json']]) {
        const { stdout } = nodefit(folder, 'diff', 'package', '--against', 'out', ...form)
        assert.not.match(stdout, 'hunter', form.join())
        assert.not.match(stdout, 'as it was', form.join())
        assert.match(stdout, /- {2}key: hidden(\\n|\n)\+ {2}key: hidden, differs/, form.join())
      }
    }))
  test('a package that is rendered in place is compared with the objects in it', () =>
    inFolder((folder) => {
      writePackage(folder, { types: TYPES })
      nodefit(folder, 'build', 'package', '--output', 'package/rendered.yaml')
      const first = nodefit(folder, 'diff', 'package')
      assert.is(first.stderr, '')
      const { stdout } = nodefit(folder, 'diff', 'package', '--against', 'package')
      assert.is(stdout, first.stdout)
      assert.not.match(stdout, '@@ -1,0', 'the rendered objects are there already')
      const rendered = join(folder, 'package/rendered.yaml')
      writeFileSync(rendered, readFileSync(rendered, 'utf8').replaceAll(/cpu: .*/g, 'cpu: 10m'))
      assert.match(nodefit(folder, 'diff', 'package').stdout, /^-.*cpu: 10m\n\+.*cpu: /m)
    }))
  test('of a package that was never rendered every object is new, which stderr says', () =>
    inFolder((folder) => {
      writePackage(folder, { types: TYPES })
      const { stdout, stderr } = nodefit(folder, 'diff', 'package')
      assert.match(stderr, 'there is nothing rendered to compare with, so every object is new: give --against')
      assert.is(last(stdout), 'nodefit: 4 objects added, 0 changed, 0 removed')
    }))
  test('--against REVISION: what the package of that revision renders to', () =>
    inFolder((folder) => {
      writePackage(folder, { types: TYPES })
      commit(folder)
      const diff = (against: string, ...more: string[]) =>
        nodefit(folder, 'diff', 'package', '--against', against, ...more)
      assert.is(last(diff('HEAD').stdout), NOTHING)
      writePackage(folder, { types: TYPES, spec: LARGER })
      const { status, stdout, stderr } = diff('main')
      assert.is(status, 0, stderr)
      assert.is(last(stdout), 'nodefit: 0 objects added, 1 changed, 0 removed')
      const elsewhere = join(folder, 'package')
      const below = nodefit(elsewhere, 'diff', '.', '--against', 'HEAD')
      assert.is(below.stdout, stdout, 'from any folder of the repository')
      writePackage(folder, { types: TYPES, spec: { nodeGroupLabel: 'example.com/typo' } })
      git(folder, 'commit', '-aqm', 'typo')
      writePackage(folder, { types: TYPES })
      const broken = diff('HEAD')
      assert.is(broken.status, 2)
      assert.match(broken.stderr, 'HEAD cannot be compared with, it does not render: ')
      assert.is(last(diff('HEAD~1').stdout), NOTHING)
    }))
  test('--against REVISION of a package that is rendered in place: the objects in it', () =>
    inFolder((folder) => {
      writePackage(folder, { types: TYPES })
      nodefit(folder, 'build', 'package', '--output', 'package/rendered.yaml')
      commit(folder)
      rmSync(join(folder, 'package'), { recursive: true })
      writePackage(folder, { types: TYPES, spec: LARGER })
      // the working tree need not be rendered, and its own output does not count
      for (const rendered of [false, true]) {
        if (rendered) nodefit(folder, 'build', 'package', '--output', 'package/rendered.yaml')
        const { stdout } = nodefit(folder, 'diff', 'package', '--against', 'HEAD')
        assert.match(stdout, /^\+ {12}cpu: 300m$/m, `rendered: ${rendered}`)
        assert.match(stdout, /nodefit: 0 objects added, \d changed, \d removed\n$/)
      }
    }))
  test('--against REVISION:DIR: the folder that was rendered there', () =>
    inFolder((folder) => {
      writePackage(folder, { types: TYPES })
      nodefit(folder, 'build', 'package', '--output-dir', 'out')
      commit(folder)
      rmSync(join(folder, 'out'), { recursive: true })
      assert.is(last(nodefit(folder, 'diff', 'package', '--against', 'HEAD:out').stdout), NOTHING)
      const missing = nodefit(folder, 'diff', 'package', '--against', 'HEAD:nowhere')
      assert.is(missing.status, 2)
      assert.match(missing.stderr, 'HEAD has no folder nowhere')
    }))
  test('a revision that lacks the package has nothing rendered', () =>
    inFolder((folder) => {
      writeFileSync(join(folder, 'readme'), '')
      commit(folder)
      writePackage(folder, { types: TYPES })
      const { stdout, stderr } = nodefit(folder, 'diff', 'package', '--against', 'HEAD')
      assert.match(stderr, 'HEAD does not have the package, so every object is new')
      assert.is(last(stdout), 'nodefit: 4 objects added, 0 changed, 0 removed')
    }))
  test('2 where there is no answer', () =>
    inFolder((folder) => {
      writePackage(folder, { types: TYPES })
      const answer = (...args: string[]) => nodefit(folder, 'diff', ...args)
      for (const [args, sentence] of [
        [['package', '--against', 'main'], 'package is not in a Git repository'],
        [['package', '--markdown', '--json'], '--markdown and --json exclude each other'],
        [['-', '--against', 'main'], 'stdin has no revision main'],
        [['nowhere'], 'there is no file or folder nowhere'],
      ] as const) {
        const { status, stdout, stderr } = answer(...args)
        assert.is(status, 2, args.join(' '))
        assert.is(stdout, '')
        assert.match(stderr, sentence)
      }
      commit(folder)
      const unknown = answer('package', '--against', 'nope')
      assert.is(unknown.status, 2)
      assert.match(unknown.stderr, 'there is neither a folder nor a commit nope')
    }))
  test('a render with errors: the findings in each form, and exit code 1', () =>
    inFolder((folder) => {
      writePackage(folder, { types: TYPES, spec: { nodeGroupLabel: 'example.com/typo' } })
      mkdirSync(join(folder, 'out'))
      const answer = (...form: string[]) => nodefit(folder, 'diff', 'package', '--against', 'out', ...form)
      for (const [form, text] of [
        [[], /^nodefit: error: Label/],
        [
          ['--markdown'],
          /^<!-- nodefit diff -->\n### nodefit: \d errors?, nothing is rendered\n\n- \*\*error\*\* `Label/,
        ],
        [['--json'], /"failed": true/],
      ] as const) {
        const { status, stdout } = answer(...form)
        assert.is(status, 1, form.join())
        assert.match(stdout, text)
      }
    }))
  test('--json: groups with amounts, totals, findings, and each object', () =>
    inFolder((folder) => {
      writePackage(folder, { types: TYPES })
      nodefit(folder, 'build', 'package', '--output-dir', 'out')
      writePackage(folder, { types: TYPES, spec: LARGER })
      const answer = JSON.parse(nodefit(folder, 'diff', 'package', '--against', 'out', '--json').stdout)
      const [subject] = answer.packages[0].subjects
      assert.equal([subject.kind, subject.namespace, subject.name], ['SizingPolicy', 'ops', 'agent'])
      const group = subject.groups.find(({ name }: { name: string }) => name === 'agent-m5-large')
      assert.is(group.change, 'changed')
      assert.is(group.podsRestarted, 1)
      assert.is(group.containers[0].amounts['requests.cpu'].after, '300m')
      assert.equal(
        answer.objects.map(({ change, kind, name }: Record<string, string>) => [change, kind, name]),
        [['changed', 'DaemonSet', 'agent-m5-large']],
      )
      assert.match(answer.objects[0].patch, /^--- DaemonSet ops\/agent-m5-large\n/)
      assert.ok(answer.findings.some(({ code }: { code: string }) => code === 'PolicySummary'))
    }))
})
