/** Commits that are signed with an SSH key, checked as a server checks them; and what a push for review says and is told. */

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { openRepository } from '../../src/host/sync/git/git-repository.ts'
import type { RepositoryOptions } from '../../src/host/sync/git/repository.ts'
import { engineContext } from '../../test/support/engine-context.ts'
import { suite } from '../../test/support/suite.ts'
import { BareRemote } from '../support/bare-remote.ts'
import { commitOf, gitOptions, PERSON, recordedLog } from '../support/git-options.ts'
import { watchProcesses } from '../support/processes.ts'
import { has } from '../support/program.ts'
import { makeKey } from '../support/sshd.ts'

const FILE = 'clusters/prod/nodes/inventory.yaml'

function begin(more: Partial<RepositoryOptions>) {
  const remote = new BareRemote(mkdtempSync(join(tmpdir(), 'nodefit-remote-')))
  const before = remote.commit({ 'README.md': 'hello\n' })
  const push = async () => {
    const repository = await openRepository(gitOptions(remote.url, more))
    return repository.push(
      await repository.fetch(),
      commitOf({ [FILE]: 'new\n' }, 'two nodes\n\nNodefit-Cluster: prod\n'),
    )
  }
  return { remote, before, push }
}

if (has('ssh-keygen'))
  suite('signed commits', (test) => {
    const folder = mkdtempSync(join(tmpdir(), 'nodefit-keys-'))
    const key = makeKey(folder, 'signing')
    const signers = join(folder, 'signers')
    writeFileSync(signers, `${PERSON.email} namespaces="git" ${key.publicKey}\n`)
    const verified = (remote: BareRemote, commit: string) =>
      spawnSync(
        'git',
        ['-c', 'gpg.format=ssh', '-c', `gpg.ssh.allowedSignersFile=${signers}`, 'verify-commit', '--raw', commit],
        { cwd: remote.folder, encoding: 'utf8' },
      )

    for (const [name, text] of Object.entries({
      'as it was made': key.privateKey,
      'without its last line end': key.privateKey.trim(),
    }))
      test(`a key ${name} signs what git and ssh-keygen verify`, async () => {
        const file = join(folder, 'mounted')
        // as a Secret is mounted: readable by its group, which ssh-keygen refuses
        writeFileSync(file, text, { mode: 0o644 })
        const { remote, push } = begin({ signing: { format: 'ssh', key: file }, signOff: true })
        const result = await push()
        assert.is(result.kind, 'pushed', JSON.stringify(result))
        const { status, stderr } = verified(remote, 'main')
        assert.is(status, 0, stderr)
        assert.match(stderr, `Good "git" signature for ${PERSON.email}`)
        assert.match(remote.messages()[0] ?? '', /Nodefit-Cluster: prod\nSigned-off-by: /)
      })
    test('an unsigned commit is told by the same check', async () => {
      const { remote, push } = begin({})
      await push()
      assert.is.not(verified(remote, 'main').status, 0)
    })
    const locked = makeKey(folder, 'locked', 'a-passphrase')
    const bad: Readonly<Record<string, string>> = {
      'is not there': join(folder, 'absent'),
      'has a passphrase': locked.file,
      'is a public one': `${key.file}.pub`,
      'is none': signers,
      'is empty': '/dev/null',
    }
    for (const [name, file] of Object.entries(bad))
      test(`a key that ${name} fails the push, and nothing is pushed unsigned`, async () => {
        const { remote, before, push } = begin({ signing: { format: 'ssh', key: file } })
        const result = await push()
        assert.is(result.kind === 'refused' && result.reason, 'signing', JSON.stringify(result))
        assert.is(remote.head(), before)
      })
    test('without ssh-keygen the push fails', async () => {
      const { remote, before, push } = begin({ signing: { format: 'ssh', key: key.file } })
      const bin = mkdtempSync(join(tmpdir(), 'nodefit-bin-'))
      for (const program of ['git', 'sh'])
        execFileSync('sh', ['-c', `ln -s "$(command -v ${program})" "$1"`, 'sh', bin])
      const { PATH } = process.env
      process.env.PATH = bin
      try {
        const result = await push()
        assert.is(result.kind === 'refused' && result.reason, 'signing', JSON.stringify(result))
      } finally {
        process.env.PATH = PATH
      }
      assert.is(remote.head(), before)
    })
    test('the key is seen in no arguments, environments, logs and errors', async () => {
      const { log, lines } = recordedLog()
      const secret = key.privateKey.split('\n')[2] ?? ''
      const { remote, push } = begin({ signing: { format: 'ssh', key: key.file }, context: engineContext({ log }) })
      remote.hook('pre-receive', `sed -n 3p ${key.file}; exit 1`)
      const sight = watchProcesses([secret])
      const result = await push()
      sight.stop()
      assert.equal([...sight.seen], [])
      assert.ok(sight.programs.has('git'))
      assert.is(result.kind === 'refused' && result.reason, 'hook')
      assert.match(JSON.stringify(result), /remote: \*\*\*/)
      assert.not.ok(JSON.stringify([result, lines]).includes(secret))
    })
  })

suite('a push for review', (test) => {
  const review = { prefix: 'nodefit/', cluster: 'prod-eu' }
  const pushOptions = ['merge_request.create', 'merge_request.title=Two nodes more']
  test('has its push options, and gives the address that the server says', async () => {
    const { remote, push } = begin({ review, pushOptions })
    const told = join(remote.folder, 'told')
    remote.hook('pre-receive', `echo "$GIT_PUSH_OPTION_COUNT $GIT_PUSH_OPTION_0 $GIT_PUSH_OPTION_1" > ${told}`)
    remote.hook('post-receive', `echo; echo "Create a pull request:"; echo "  https://git.example.com/a/b/pulls/new"`)
    const result = await push()
    assert.is(result.kind === 'pushed' && result.url, 'https://git.example.com/a/b/pulls/new')
    assert.is(readFileSync(told, 'utf8'), `2 ${pushOptions.join(' ')}\n`)
  })
  test('that the server takes no options with is refused', async () => {
    const { remote, push } = begin({ review, pushOptions })
    remote.git('config', 'receive.advertisePushOptions', 'false')
    const result = await push()
    assert.is(result.kind === 'refused' && result.reason, 'push-options')
    assert.equal(remote.branches(), ['main'])
  })
  test('has no branch to be for in an empty repository', async () => {
    const remote = new BareRemote(mkdtempSync(join(tmpdir(), 'nodefit-remote-')))
    const repository = await openRepository(gitOptions(remote.url, { review }))
    const result = await repository.push(await repository.fetch(), commitOf({ [FILE]: 'new\n' }))
    assert.is(result.kind === 'refused' && result.reason, 'no-branch')
    assert.not.ok(existsSync(join(remote.folder, 'refs/heads/main')))
  })
})
