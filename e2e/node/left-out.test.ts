/** What a command reads of a folder: what kpt leaves out is left out, and nothing else without a word. */
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { parseAllDocuments } from 'yaml'
import { suite } from '../../test/support/suite.ts'
import { writePackage } from '../support/agent-package.ts'
import { COMMAND, inFolder, run } from '../support/hosts.ts'

const MAP = (name: string) => `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n`

/** The names of the ConfigMaps and the other kinds that build prints for a package with these files. */
function built(folder: string, files: Record<string, string>, args = ['package']) {
  writePackage(folder)
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, 'package', name, '..'), { recursive: true })
    writeFileSync(join(folder, 'package', name), text)
  }
  const { status, stdout, stderr } = run(process.execPath, [COMMAND, 'build', ...args], { cwd: folder })
  const objects = parseAllDocuments(stdout).map((document) => document.toJS())
  const kinds = [...new Set(objects.map(({ kind }) => kind))].sort()
  const maps = objects.flatMap(({ kind, metadata }) => (kind === 'ConfigMap' ? [metadata.name] : [])).sort()
  return { status, stderr, kinds, maps }
}

suite('what is left out of a package', (test) => {
  test('what its .krmignore lists, except a package below with its own', () =>
    inFolder((folder) => {
      const { maps, stderr, status } = built(folder, {
        '.krmignore': 'ignored\n*.skip.yaml\n/top.yaml\n',
        'ignored/a.yaml': MAP('a'),
        'ignored/broken.yaml': 'a: {',
        'x/b.skip.yaml': MAP('b'),
        'top.yaml': MAP('c'),
        'x/top.yaml': MAP('d'),
        'ignored/.krmignore': '!a.yaml\n',
      })
      assert.is(status, 0, stderr)
      assert.equal(maps, ['d'])
      const kptfile = 'apiVersion: kpt.dev/v1\nkind: Kptfile\nmetadata:\n  name: below\n'
      const below = built(folder, {
        '.krmignore': 'ignored\n',
        'ignored/deep/Kptfile': kptfile,
        'ignored/deep/.krmignore': 'b.yaml\n',
        'ignored/deep/a.yaml': MAP('a'),
        'ignored/deep/b.yaml': MAP('b'),
        'ignored/c.yaml': MAP('c'),
      })
      assert.equal(below.maps, ['a'], below.stderr)
    }))
  test('what kpt writes for itself: the cluster does not know its kinds', () =>
    inFolder((folder) => {
      const group = 'apiVersion: kpt.dev/v1alpha1\nkind: ResourceGroup\nmetadata:\n  name: inv\n'
      const { kinds, stderr } = built(folder, { 'resourcegroup.yaml': group, 'x/other-name.yaml': group })
      assert.equal(kinds, ['DaemonSet'], stderr)
      assert.equal(built(folder, { 'resourcegroup.yaml': group }, ['package', '--output-dir', 'out']).status, 0)
    }))
  test('a link to a folder is refused, unless it is ignored, hidden, the output folder, or the argument itself', () =>
    inFolder((folder) => {
      mkdirSync(join(folder, 'shared'))
      writeFileSync(join(folder, 'shared/a.yaml'), MAP('a'))
      writePackage(folder)
      const link = () => symlinkSync('../shared', join(folder, 'package/linked'))
      const again = (...args: string[]) => {
        const { status, stdout, stderr } = run(process.execPath, [COMMAND, ...args], { cwd: folder })
        return { status, stderr, stdout }
      }
      link()
      for (const command of ['build', 'vet']) {
        const { status, stderr } = again(command, 'package')
        assert.ok(status !== 0)
        assert.match(
          stderr,
          'package/linked is a link to a folder, which is not followed: give the folder as a PATH of its own, put a copy there, or list linked in package/.krmignore',
        )
      }
      assert.is(again('build', 'package', '--output-dir', 'package/linked').status, 1, 'there are manifests in it')
      writeFileSync(join(folder, 'package/.krmignore'), 'linked\n')
      const { status, stdout } = again('build', 'package', 'shared')
      assert.is(status, 0)
      assert.match(stdout, 'name: a\n')
      symlinkSync('package', join(folder, 'way'))
      assert.is(again('build', 'way').status, 0)
    }))
})

suite('a file with the markers of a Git conflict', (test) => {
  const conflict = (text: string) => `<<<<<<< HEAD\n${text}=======\n${text}>>>>>>> theirs\n`
  for (const [name, file, text, next] of [
    ['an input', 'mine.yaml', conflict(MAP('a')), 'Merge it by hand'],
    [
      'a rendered file of the package',
      'agent-groups.yaml',
      `metadata:\n  annotations:\n    nodefit.dev/owner: SizingPolicy/agent\n${conflict('spec: {}\n')}`,
      'nodefit rendered it: take either side (git checkout --ours -- package/agent-groups.yaml), then build again',
    ],
  ] as const)
    test(`${name} is named with its line and the next step`, () =>
      inFolder((folder) => {
        const { status, stderr } = built(folder, { [file]: text })
        assert.is(status, 1)
        assert.match(stderr, `ConflictMarkers: package/${file} has the markers of a Git conflict, line `)
        assert.match(stderr, next)
      }))
  test('either side of an output folder will do: the next build makes it what it has to be', () =>
    inFolder((folder) => {
      const git = (...args: string[]) =>
        run('git', ['-c', 'user.name=a', '-c', 'user.email=a@b', ...args], { cwd: folder })
      const build = () => run(process.execPath, [COMMAND, 'build', 'package', '--output-dir', 'out'], { cwd: folder })
      const commit = (types: string[]) => {
        writePackage(folder, { types })
        const { status, stderr } = build()
        assert.is(status, 0, stderr)
        git('add', '-A')
        git('commit', '-qm', types.join())
      }
      git('init', '-q', '-b', 'main')
      commit(['m5.large', 'm5.xlarge'])
      git('checkout', '-qb', 'theirs')
      commit(['m5.large', 'm5.xlarge', 'r5.large'])
      git('checkout', '-q', 'main')
      commit(['m5.large', 'm5.xlarge', 'r4.large'])
      for (const side of ['--ours', '--theirs']) {
        git('reset', '-q', '--hard')
        git('merge', '-q', 'theirs')
        writePackage(folder, { types: ['m5.large', 'm5.xlarge', 'r5.large', 'r4.large'] })
        const { status, stderr } = build()
        assert.is(status, 1)
        assert.match(
          stderr,
          /ConflictMarkers: out\/\S+ has the markers .* take either side \(git checkout --ours -- out\)/,
        )
        git('checkout', side, '--', 'out')
        const after = build()
        assert.is(after.status, 0, after.stderr)
        assert.match(run('cat', ['kustomization.yaml'], { cwd: join(folder, 'out') }).stdout, /r4-large[\s\S]*r5-large/)
      }
    }))
})
