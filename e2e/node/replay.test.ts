/** `nodefit replay`, on commits as nodefit sync makes them. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { apiNode } from '../../test/support/api-nodes.ts'
import { daemonSet, policy, TYPE } from '../../test/support/objects.ts'
import { order } from '../../test/support/orders.ts'
import { suite } from '../../test/support/suite.ts'
import { HOUR, Scene } from '../../test/support/sync-repository.ts'
import { COMMAND, ROOT, run } from '../support/hosts.ts'

const VERSION = (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string }).version
const POLICIES = [
  policy({
    nodeGroupLabel: TYPE,
    resourcePercentages: { requestMemory: 10, requestCPU: 2, limitCPU: null, limitMemory: null },
  }),
  daemonSet(),
  order(),
]
const AUTHOR = ['-c', 'user.name=nodefit', '-c', 'user.email=nodefit@example.com', '-c', 'commit.gpgsign=false']

/** A repository with a commit of the policies, and one for each evaluation. */
class Repository {
  readonly scene: Scene

  constructor(settings: ConstructorParameters<typeof Scene>[0]) {
    this.scene = new Scene({ version: VERSION, ...settings }, POLICIES)
    this.git('init', '-q', '-b', 'main')
    this.commit('Add policies')
    this.scene.add(...Array.from({ length: 8 }, (_, index) => apiNode(`a${index + 1}`)))
  }

  git(...args: string[]): string {
    const env = { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1' }
    return execFileSync('git', [...AUTHOR, ...args], { cwd: this.scene.path, encoding: 'utf8', env })
  }

  commit(message: string): void {
    this.git('add', '-A')
    this.git('commit', '-q', '--cleanup=verbatim', '-m', message)
  }

  evaluate(): void {
    const evaluation = this.scene.turn()
    if (evaluation.kind !== 'commit') throw new Error(`${evaluation.kind} is no commit`)
    this.commit(evaluation.commit.message)
    this.scene.now += HOUR
  }

  /** Takes the last commit back, changes its files, and makes it again. */
  amend(change: () => void): void {
    change()
    this.git('add', '-A')
    this.git('commit', '-q', '--amend', '--no-edit', '--cleanup=verbatim')
  }

  replay(...args: string[]) {
    return run(process.execPath, [COMMAND, 'replay', ...args, '--repository', this.scene.path])
  }
}

function inRepository(settings: ConstructorParameters<typeof Scene>[0], use: (repository: Repository) => void): void {
  const repository = new Repository(settings)
  try {
    use(repository)
  } finally {
    repository.scene.end()
  }
}

suite('nodefit replay', (test) => {
  for (const settings of [
    { output: 'rendered' },
    {},
    { output: 'clusters/prod/nodes/rendered' },
    { output: 'policies/out', folder: 'policies/nodes' },
  ])
    test(`gives the same bytes for each commit (${JSON.stringify(settings)})`, () =>
      inRepository(settings, (repository) => {
        repository.evaluate()
        repository.scene.add(apiNode('b1', 'm5.xlarge', 15_000_000))
        repository.evaluate()
        repository.scene.nodes.delete('a1')
        repository.evaluate()
        for (const commit of ['HEAD', 'HEAD~1', 'HEAD~2', repository.git('rev-parse', '--short', 'HEAD').trim()]) {
          const { status, stdout, stderr } = repository.replay(commit)
          assert.is(status, 0, `${commit} ${stdout}${stderr}`)
          assert.match(stdout, /^prod: the same \d+ objects, byte for byte\n$/)
        }
        assert.is(repository.git('status', '--porcelain'), '')
      }))
  test('a render that failed fails again', () =>
    inRepository({ output: 'rendered' }, (repository) => {
      repository.evaluate()
      const text = repository.scene.read('policies/policies.yaml')
      repository.scene.write('policies/policies.yaml', text.replace(TYPE, 'example.com/typo'))
      repository.commit('Break the policy')
      repository.scene.add(apiNode('b1', 'm5.xlarge', 15_000_000))
      repository.evaluate()
      const { status, stdout } = repository.replay('HEAD')
      assert.is(status, 0, stdout)
      assert.match(stdout, /^prod: the render fails now as it did then: Label/)
    }))
  const OUTPUT = 'rendered/daemonset.apps_agent-m5-large.yaml'
  const CHANGES: Record<string, [change: (scene: Scene) => void, said: RegExp]> = {
    'output that was edited': [
      (scene) => scene.write(OUTPUT, scene.read(OUTPUT).replace('696Mi', '697Mi')),
      /^rendered\/daemonset\.apps_agent-m5-large\.yaml differs$/m,
    ],
    'output that was removed': [(scene) => scene.remove(OUTPUT), /m5-large\.yaml is not in the commit$/m],
    'an inventory that was edited': [
      (scene) =>
        scene.write(
          'clusters/prod/nodes/inventory.yaml',
          scene.read('clusters/prod/nodes/inventory.yaml').replaceAll('7134856Ki', '6134856Ki'),
        ),
      /^the inputs differ from those that were rendered: the commit was amended or rebased[\s\S]*^the rendered manifests differ from those of the commit$/m,
    ],
    'a policy that was changed with it': [
      (scene) =>
        scene.write(
          'policies/policies.yaml',
          scene.read('policies/policies.yaml').replace('requestMemory: 10', 'requestMemory: 11'),
        ),
      /^the inputs differ from those that were rendered/,
    ],
  }
  for (const [name, [change, said]] of Object.entries(CHANGES)) {
    test(`1 and where for ${name}`, () =>
      inRepository({ output: 'rendered' }, (repository) => {
        repository.evaluate()
        repository.amend(() => change(repository.scene))
        const { status, stdout } = repository.replay('HEAD')
        assert.is(status, 1, stdout)
        assert.match(stdout, said)
      }))
  }
  test('of another version, what differs may be due to that, and is said with it', () =>
    inRepository({ output: 'rendered', version: '0.0.1' }, (repository) => {
      repository.evaluate()
      assert.is(repository.replay('HEAD').status, 0)
      repository.amend(() => repository.scene.write(OUTPUT, repository.scene.read(OUTPUT).replace('696Mi', '697Mi')))
      assert.match(
        repository.replay('HEAD').stdout,
        `nodefit 0.0.1 made the commit, and this is nodefit ${VERSION}: replay it with that version`,
      )
    }))
  test('2 where there is no answer', () =>
    inRepository({ output: 'rendered' }, (repository) => {
      repository.evaluate()
      const shallow = mkdtempSync(join(tmpdir(), 'nodefit-shallow-'))
      repository.git('clone', '-q', '--depth', '1', `file://${repository.scene.path}`, join(shallow, 'clone'))
      const elsewhere = run(process.execPath, [COMMAND, 'replay', 'HEAD', '--repository', join(shallow, 'clone')])
      assert.is(elsewhere.status, 2)
      assert.match(elsewhere.stderr, 'in a shallow clone, run git fetch --unshallow')
      for (const [args, sentence] of [
        [['HEAD~1'], 'HEAD~1 is not a commit of nodefit sync'],
        [['nowhere'], 'there is no commit nowhere'],
        [[], 'name one commit'],
        [['HEAD', 'HEAD'], 'name one commit'],
        [['--output=x'], 'has no option --output'],
      ] as const) {
        const { status, stdout, stderr } = repository.replay(...args)
        assert.is(status, 2, args.join(' '))
        assert.is(stdout, '')
        assert.match(stderr, sentence)
      }
      rmSync(shallow, { recursive: true })
    }))
  test('trailers that lead out of the repository, and links that do, are refused', () =>
    inRepository({ output: 'rendered' }, (repository) => {
      repository.evaluate()
      const message = repository.git('log', '-1', '--format=%B')
      const folderLink = join(repository.scene.path, 'policies/etc')
      symlinkSync('/etc', folderLink)
      repository.commit(message)
      assert.match(repository.replay('HEAD').stdout, 'is a link to a folder, which is not followed')
      rmSync(folderLink)
      symlinkSync('/etc/hostname', join(repository.scene.path, 'policies/x.yaml'))
      repository.commit(message)
      assert.match(repository.replay('HEAD').stdout, 'links to a place outside the repository')
      for (const [from, to] of [
        ['Package: policies', 'Package: ../../etc'],
        ['Folder: clusters/prod/nodes', 'Folder: /etc'],
        ['Output: rendered', 'Output: .git'],
      ] as const) {
        repository.git('commit', '-q', '--amend', '--cleanup=verbatim', '-m', message.replace(from, to))
        const { status, stderr } = repository.replay('HEAD')
        assert.is(status, 2, from)
        assert.match(stderr, 'must be a path from the root of the repository, without .. and .git')
      }
    }))
})
