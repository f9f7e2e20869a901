/** Fetching and pushing by SSH with the real sshd, with credentials as Flux and Argo CD keep them. */

import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { GitFailure } from '../../src/host/sync/git/failure.ts'
import { openRepository } from '../../src/host/sync/git/git-repository.ts'
import type { RepositoryOptions } from '../../src/host/sync/git/repository.ts'
import { engineContext } from '../../test/support/engine-context.ts'
import { suite } from '../../test/support/suite.ts'
import { BareRemote } from '../support/bare-remote.ts'
import { commitOf, gitOptions, recordedLog, secretFolder } from '../support/git-options.ts'
import { watchProcesses } from '../support/processes.ts'
import { has } from '../support/program.ts'
import { makeKey, type Sshd, startSshd } from '../support/sshd.ts'

const FILE = 'clusters/prod/nodes/inventory.yaml'
const PASSPHRASE = 'a-passphrase-of-the-key'

if (has('sshd') && has('ssh'))
  suite('git over SSH', (test) => {
    const folder = mkdtempSync(join(tmpdir(), 'nodefit-keys-'))
    const key = makeKey(folder, 'plain')
    const locked = makeKey(folder, 'locked', PASSPHRASE)
    const stranger = makeKey(folder, 'stranger')
    let sshd: Sshd

    const begin = (secret: Readonly<Record<string, string>>, more: Partial<RepositoryOptions> = {}) => {
      const remote = new BareRemote(mkdtempSync(join(tmpdir(), 'nodefit-remote-')))
      remote.commit({ 'README.md': 'hello\n' })
      return {
        remote,
        open: () => openRepository(gitOptions(sshd.url(remote.folder), { credentials: secretFolder(secret), ...more })),
      }
    }
    const fails = async (secret: Readonly<Record<string, string>>): Promise<GitFailure> => {
      const { remote, open } = begin(secret)
      const before = remote.head()
      try {
        const repository = await open()
        await repository.fetch()
      } catch (error) {
        assert.is(remote.head(), before)
        if (error instanceof GitFailure) return error
        throw error
      }
      throw new Error('nothing has failed')
    }

    test('the server starts', async () => {
      sshd = await startSshd()
      sshd.allow(key.publicKey, locked.publicKey)
    })
    const forms: Readonly<Record<string, () => Readonly<Record<string, string>>>> = {
      'as Flux keeps them': () => ({
        identity: key.privateKey,
        'identity.pub': key.publicKey,
        known_hosts: sshd.knownHosts,
      }),
      'as Flux keeps them, with a passphrase': () => ({
        identity: locked.privateKey,
        known_hosts: sshd.knownHosts,
        password: PASSPHRASE,
      }),
      'as Argo CD keeps them': () => ({
        type: 'git',
        url: 'git@127.0.0.1:clusters.git',
        sshPrivateKey: key.privateKey,
        ssh_known_hosts: sshd.knownHosts,
      }),
      'without the line end of the key': () => ({ identity: key.privateKey.trim(), known_hosts: sshd.knownHosts }),
      'with line ends of another system': () => ({
        identity: key.privateKey.replaceAll('\n', '\r\n'),
        known_hosts: `${sshd.knownHosts}\r\n`,
      }),
    }
    for (const [form, secret] of Object.entries(forms))
      test(`a commit is pushed with credentials ${form}`, async () => {
        const { remote, open } = begin(secret())
        const repository = await open()
        const result = await repository.push(await repository.fetch(), commitOf({ [FILE]: 'new\n' }))
        assert.is(result.kind, 'pushed', JSON.stringify(result))
        assert.equal(remote.files(), { 'README.md': 'hello', [FILE]: 'new' })
      })
    test('a server that is not known is not spoken to', async () => {
      const before = sshd.log()
      const failure = await fails({ identity: key.privateKey })
      assert.is(failure.reason, 'host-key')
      assert.is(sshd.log(), before)
    })
    test('a server with another key is refused', async () => {
      const failure = await fails({
        identity: key.privateKey,
        known_hosts: `[127.0.0.1]:${sshd.port} ${stranger.publicKey}`,
      })
      assert.is(failure.reason, 'host-key')
      assert.is(failure.kind, 'refused')
    })
    test('a server that known_hosts does not list is refused', async () => {
      assert.is(
        (await fails({ identity: key.privateKey, known_hosts: `example.com ${stranger.publicKey}` })).reason,
        'host-key',
      )
    })
    test('a key that is not let in is refused', async () => {
      assert.is((await fails({ identity: stranger.privateKey, known_hosts: sshd.knownHosts })).reason, 'authentication')
    })
    test('a key that is none, one whose passphrase is wrong, and none at all are told apart', async () => {
      const known_hosts = sshd.knownHosts
      const none = await fails({ identity: 'no key at all', known_hosts })
      assert.is(none.reason, 'key', none.message)
      // of a wrong passphrase ssh says nothing
      assert.is(
        (await fails({ identity: locked.privateKey, known_hosts, password: 'another-passphrase' })).reason,
        'authentication',
      )
      assert.is((await fails({ known_hosts })).reason, 'credentials')
    })
    test('a key that may only read', async () => {
      const reader = makeKey(mkdtempSync(join(tmpdir(), 'nodefit-keys-')), 'reader')
      const only = `case $SSH_ORIGINAL_COMMAND in git-receive-pack*) echo 'ERROR: The key you are authenticating with has been marked as read only.' >&2; exit 1;; *) eval $SSH_ORIGINAL_COMMAND;; esac`
      sshd.allow(key.publicKey, locked.publicKey, `command="${only}" ${reader.publicKey}`)
      const { remote, open } = begin({ identity: reader.privateKey, known_hosts: sshd.knownHosts })
      const repository = await open()
      const before = remote.head()
      const result = await repository.push(await repository.fetch(), commitOf({ [FILE]: 'new\n' }))
      assert.is(result.kind === 'refused' && result.reason, 'read-only', JSON.stringify(result))
      assert.is(remote.head(), before)
    })
    test('neither key nor passphrase is seen in arguments, environments, logs and errors, and nothing of them stays', async () => {
      const { log, lines } = recordedLog()
      const clone = mkdtempSync(join(tmpdir(), 'nodefit-clone-'))
      const secret = { identity: locked.privateKey, known_hosts: sshd.knownHosts, password: PASSPHRASE }
      const { remote, open } = begin(secret, { context: engineContext({ log }), folder: clone })
      remote.hook('pre-receive', `sleep 0.3; echo "you are ${PASSPHRASE} and $(sed -n 3p ${locked.file})"; exit 1`)
      const inKey = locked.privateKey.split('\n')[2] ?? ''
      const sight = watchProcesses([PASSPHRASE, inKey])
      const repository = await open()
      const result = await repository.push(await repository.fetch(), commitOf({ [FILE]: 'new\n' }))
      sight.stop()
      assert.equal(
        [...sight.seen].filter((one) => !one.includes('sleep') && !one.includes('pre-receive')),
        [],
      )
      assert.ok(sight.programs.has('ssh') && sight.programs.has('git'), [...sight.programs].join(' '))
      assert.is(result.kind === 'refused' && result.reason, 'hook')
      const said = `${JSON.stringify(result)}${lines.join('')}`
      assert.match(said, 'you are *** and ***')
      assert.not.ok(said.includes(PASSPHRASE) || said.includes(inKey))
      assert.equal(readdirSync(clone).sort(), ['files', 'git'])
    })
    test('what a killed process has left of secrets is taken away', async () => {
      const { pid } = spawnSync('true')
      const left = mkdtempSync(join(tmpdir(), `nodefit-private-${pid}-0123456789ab-`))
      writeFileSync(join(left, 'identity'), 'a key')
      await begin({}).open()
      assert.not.ok(existsSync(left))
    })
    test('the server ends', async () => {
      await sshd.stop()
    })
  })
