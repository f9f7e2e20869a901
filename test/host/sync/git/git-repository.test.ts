/** What is wrong with the options and the credentials of a repository, where, and the next step. */
import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { gitOptions, secretFolder } from '../../../../e2e/support/git-options.ts'
import { trailersText } from '../../../../src/host/sync/effect/trailers.ts'
import { GitFailure, type Reason } from '../../../../src/host/sync/git/failure.ts'
import { openRepository } from '../../../../src/host/sync/git/git-repository.ts'
import type { Repository, RepositoryOptions } from '../../../../src/host/sync/git/repository.ts'
import { engineContext, silentMeter } from '../../../support/engine-context.ts'
import { suite } from '../../../support/suite.ts'
import { recordedLog } from '../api/reflecting.ts'

const SSH = 'ssh://git@git.example.com/fleet.git'
const HTTPS = 'https://git.example.com/fleet.git'
const PERSON = { name: 'n', email: 'e@x' }
const FORM = 'git.url must be an https, http, ssh or file URL, or user@host:path'

type Case = readonly [name: string, url: string, options: Partial<RepositoryOptions>, reason: Reason, message: string]

const OPTIONS: readonly Case[] = [
  ['another scheme', 'ftp://h/a', {}, 'configuration', FORM],
  ['an option as host', 'ssh://-oProxyCommand=x/a', {}, 'configuration', FORM],
  [
    'file with a host',
    'file://h/a',
    {},
    'configuration',
    'git.url must have three slashes after file:, as in file:///srv/fleet.git',
  ],
  ['a branch that is an option', SSH, { branch: '-d' }, 'configuration', 'git.branch "-d" must be a valid branch name'],
  [
    'a prefix of no branch',
    SSH,
    { review: { prefix: 'a..b', cluster: 'c' } },
    'configuration',
    'review.prefix "a..b" must be a valid beginning of a branch name',
  ],
  [
    'an author without an address',
    SSH,
    { author: { ...PERSON, email: ' ' } },
    'configuration',
    'git.author and git.committer need a name and an email, each in one line and without < and >',
  ],
]

const SECRETS: ReadonlyArray<
  readonly [name: string, url: string, secret: Record<string, string>, reason: Reason, message: RegExp]
> = [
  [
    'SSH without a key',
    SSH,
    { known_hosts: 'h ssh-ed25519 A' },
    'credentials',
    /^git\.url is SSH, but the Secret has no private key: add identity or sshPrivateKey$/,
  ],
  [
    'SSH without known_hosts',
    SSH,
    { identity: 'a key' },
    'host-key',
    /^git\.url is SSH, but the Secret has no known_hosts to verify the server with$/,
  ],
  [
    'a Secret for another host',
    HTTPS,
    { url: 'https://other.example.com/a', password: 'token-1' },
    'credentials',
    /^the Secret is for other\.example\.com, but git\.url is on git\.example\.com$/,
  ],
  [
    'a password of two lines',
    HTTPS,
    { password: 'token\n1' },
    'credentials',
    /^password of the Secret in \S+ must be a single line$/,
  ],
  [
    'half a GitHub App',
    HTTPS,
    { githubAppID: '1' },
    'credentials',
    /^a GitHub App needs githubAppID, githubAppInstallationID and githubAppPrivateKey in the Secret in \S+$/,
  ],
  [
    'a GitHub App with another key',
    'https://github.com/acme/fleet',
    { githubAppID: '1', githubAppInstallationID: '2', githubAppPrivateKey: 'no key' },
    'credentials',
    /^githubAppPrivateKey of the Secret must be an RSA private key in PEM form$/,
  ],
  [
    'a GitHub App for a path that GitHub has not',
    'https://github.com/acme/fleet/more',
    { githubAppID: '1', githubAppInstallationID: '2', githubAppPrivateKey: 'no key' },
    'configuration',
    /^git\.url must end with OWNER\/NAME where git\.pushVia is github$/,
  ],
]

async function failureOf(promise: Promise<unknown>): Promise<GitFailure> {
  const error = await promise.then(
    () => undefined,
    (failure: unknown) => failure,
  )
  assert.instance(error, GitFailure)
  return error as GitFailure
}

suite('a repository that cannot be opened', (test) => {
  for (const [name, url, options, reason, message] of OPTIONS)
    test(name, async () => {
      const failure = await failureOf(openRepository(gitOptions(url, options)))
      assert.equal([failure.reason, failure.message], [reason, message])
    })
})

suite('credentials that do not fit', (test) => {
  for (const [name, url, secret, reason, message] of SECRETS)
    test(name, async () => {
      const repository = await openRepository(gitOptions(url, { credentials: secretFolder(secret) }))
      const failure = await failureOf(repository.fetch())
      assert.is(failure.reason, reason)
      assert.match(failure.message, message)
      assert.match(failure.mend, /^[A-Z].*\.$/)
    })
  test('a signing key that cannot be read', async () => {
    const options = gitOptions(HTTPS, { signing: { format: 'ssh', key: '/nowhere/key' } })
    const result = await (await openRepository(options)).push(
      { commit: '', path: '/nowhere' },
      { changes: { write: new Map(), remove: [] }, message: 'm' },
    )
    assert.is(result.kind, 'refused')
    assert.is(result.kind === 'refused' && result.text, 'cannot read git.signing.key /nowhere/key (ENOENT)')
    assert.is(result.kind === 'refused' && result.reason, 'signing')
  })
})

/** A remote in a folder with one commit, and what a repository on it counts and logs. */
async function onRemote(
  options: Partial<RepositoryOptions>,
  body: (world: {
    remote: string
    git: (...args: string[]) => string
    open: (more?: Partial<RepositoryOptions>) => Promise<Repository>
    lines: string[]
    counted: string[]
  }) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'nodefit-remote-'))
  const remote = join(folder, 'remote.git')
  const git = (...args: string[]) =>
    execFileSync('git', ['-C', remote, ...args], {
      encoding: 'utf8',
      env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' },
    })
  const { lines, log } = recordedLog()
  const counted: string[] = []
  const meter = {
    ...silentMeter,
    pushed: (outcome: string) => void counted.push(outcome),
    bytes: (peer: string, direction: string, count: number) => {
      if (count > 0) counted.push(`${peer} ${direction}`)
    },
  }
  try {
    execFileSync('git', ['init', '-q', '--bare', '-b', 'main', remote])
    const tree = git('mktree').trim()
    const first = git('-c', 'user.name=n', '-c', 'user.email=e@x', 'commit-tree', '-m', 'first', tree).trim()
    git('update-ref', 'refs/heads/main', first)
    const given = { ...options, folder: join(folder, 'cache'), context: engineContext({ log, meter }) }
    const open = (more: Partial<RepositoryOptions> = {}) =>
      openRepository(gitOptions(`file://${remote}`, { ...given, ...more }))
    await body({ remote, git, open, lines, counted })
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
const commitOf = (text: string) => ({
  changes: { write: new Map([['a/b.yaml', text]]), remove: [] },
  message: `m ${text}\n`,
})

suite('a repository', (test) => {
  const remake = (remote: string, format: string) => {
    rmSync(remote, { recursive: true })
    execFileSync('git', ['init', '-q', '--bare', '-b', 'main', `--object-format=${format}`, remote])
  }
  for (const isEmpty of [false, true])
    test(`of SHA-256 is cloned and pushed to${isEmpty ? ', empty as well' : ''}`, () =>
      onRemote({}, async ({ remote, git, open }) => {
        remake(remote, 'sha256')
        if (!isEmpty) {
          const tree = git('mktree').trim()
          const made = git('-c', 'user.name=n', '-c', 'user.email=e@x', 'commit-tree', '-m', 'first', tree).trim()
          git('update-ref', 'refs/heads/main', made)
        }
        const repository = await open()
        const result = await repository.push(await repository.fetch(), commitOf('one'))
        assert.is(result.kind, 'pushed')
        assert.is(git('show', 'main:a/b.yaml'), 'one')
        assert.is(git('rev-parse', 'main').trim().length, 64)
      }))
  test('that was made anew by another hash is cloned again', () =>
    onRemote({}, async ({ remote, git, open }) => {
      const repository = await open()
      await repository.fetch()
      remake(remote, 'sha256')
      const tree = git('mktree').trim()
      const made = git('-c', 'user.name=n', '-c', 'user.email=e@x', 'commit-tree', '-m', 'first', tree).trim()
      git('update-ref', 'refs/heads/main', made)
      await repository.fetch().catch(() => undefined)
      assert.is((await repository.fetch()).commit, made)
    }))
  test('recognises a push whose answer was lost at the next fetch, logs and counts it', () =>
    onRemote({}, async ({ remote, git, open, lines, counted }) => {
      const repository = await open()
      const base = await repository.fetch()
      // the server takes the commit, and the client is told that the connection broke
      mkdirSync(join(remote, 'hooks'), { recursive: true })
      const hook = join(remote, 'hooks/post-receive')
      writeFileSync(hook, `#!/bin/sh\nmv '${remote}' '${remote}.away'\nkill -9 $PPID\n`, { mode: 0o755 })
      const result = await repository.push(base, commitOf('one'))
      assert.is.not(result.kind, 'pushed')
      renameSync(`${remote}.away`, remote)
      rmSync(hook)
      assert.equal(
        counted.filter((one) => one === 'pushed'),
        [],
      )
      const { message = '' } = await repository.fetch()
      assert.is(message.trim(), git('log', '-1', '--format=%B', 'main').trim())
      assert.equal(
        counted.filter((one) => one === 'pushed'),
        ['pushed'],
      )
      assert.ok(lines.some((line) => line.startsWith('an earlier push had no answer, and has arrived')))
      await repository.fetch()
      assert.equal(
        counted.filter((one) => one === 'pushed'),
        ['pushed'],
      )
    }))
  test('counts the bytes that it receives, of small commits too', () =>
    onRemote({}, async ({ open, counted }) => {
      await (await open()).fetch()
      assert.ok(counted.includes('git received'), counted.join())
    }))
  test('removes the branch of a review that a later one supersedes, unless somebody added to it', () =>
    onRemote({ review: { prefix: 'nodefit/', cluster: 'prod' } }, async ({ git, open, lines }) => {
      const repository = await open()
      const branches = () => git('for-each-ref', '--format=%(refname:short)', 'refs/heads/nodefit').trim().split('\n')
      const base = await repository.fetch()
      const first = await repository.push(base, commitOf('one'))
      assert.is(first.kind === 'pushed' && first.isReview, true)
      const second = await repository.push(base, commitOf('two'))
      assert.equal(branches(), second.kind === 'pushed' ? [second.branch] : [])
      // the same once more changes nothing
      await repository.push(base, commitOf('two'))
      assert.is(branches().length, 1)
      if (second.kind === 'pushed') git('update-ref', `refs/heads/${second.branch}`, base.commit)
      await repository.push(base, commitOf('three'))
      assert.is(branches().length, 2)
      assert.ok(lines.some((line) => line.startsWith('the branch of an earlier review stays')))
    }))
  test('finds the newest commit of its cluster and folder below those of others, and what it wrote', () =>
    onRemote({}, async ({ git, open }) => {
      const uid = '6b1f0d0e-7f43-4c1b-9a55-0d1c2f3e4a5b'
      const push = async (name: string, text: string, message: string) => {
        const repository = await open()
        const changes = { write: new Map([[name, text]]), remove: [] }
        await repository.push(await repository.fetch(), { changes, message })
        return repository
      }
      const own = (cluster: string, folder: string) =>
        `x\n\n${trailersText({ cluster, clusterUid: uid, effect: 'rendered', version: '1', folder, packages: [], inputDigest: 'x' })}`
      await push('a/inventory.yaml', 'first\n', own('prod', 'a'))
      await push('a/inventory.yaml', 'second\n', own('prod', 'a'))
      await push('b/inventory.yaml', 'other\n', own('dev', 'a'))
      await push('ab/inventory.yaml', 'other\n', own('prod', 'ab'))
      const head = await push('a/inventory.yaml', 'edited\n', 'by hand\n')
      for (let count = 0; count < 60; count++) {
        const tree = git('rev-parse', 'main^{tree}').trim()
        const message = count < 25 ? own('dev', 'a') : count < 50 ? own('prod', 'a.b') : `more ${count}`
        const next = ['commit-tree', '-p', 'main', '-m', message, tree]
        git('update-ref', 'refs/heads/main', git('-c', 'user.name=n', '-c', 'user.email=e@x', ...next).trim())
      }
      const of = { cluster: 'prod', folder: 'a', inventory: 'inventory.yaml' }
      const checkout = await head.fetch()
      assert.equal(await head.lastOwn(checkout, of), { clusterUid: uid, inventory: 'second\n' })
      assert.is(await head.lastOwn(checkout, { ...of, folder: 'c' }), undefined)
      assert.is(await head.lastOwn(checkout, { ...of, folder: 'a.*' }), undefined, 'a folder is no pattern')
      assert.equal(await head.lastOwn(checkout, { ...of, folder: 'a.b' }), { clusterUid: uid })
      assert.is((await head.fetch()).commit, checkout.commit, 'it goes on as a shallow clone')
      const reverted = await push('a/inventory.yaml', 'first\n', 'Revert "x"\n')
      assert.equal(await reverted.lastOwn(await reverted.fetch(), of), { clusterUid: uid }, 'nobody has cut it')
      await push('a/inventory.yaml', 'third\n', own('prod', 'a'))
      assert.equal(await head.lastOwn(await head.fetch(), of), { clusterUid: uid })
      assert.is(await head.lastOwn({ commit: '', path: '' }, of), undefined)
    }))
  test('removes it after a restart too, and no branch of another cluster, folder or person', () =>
    onRemote({ review: { prefix: 'nodefit/', cluster: 'prod' } }, async ({ git, open, lines }) => {
      const branches = () => git('for-each-ref', '--format=%(refname:short)', 'refs/heads/nodefit').trim().split('\n')
      const message = (cluster: string, folder: string) =>
        `${cluster}: change\n\n${trailersText({ cluster, effect: 'rendered', version: '1', folder, packages: [], inputDigest: 'x' })}`
      const push = async (text: string, cluster = 'prod', folder = 'nodes') => {
        const repository = await open({ review: { prefix: 'nodefit/', cluster } })
        const { changes } = commitOf(text)
        const pushed = await repository.push(await repository.fetch(), { changes, message: message(cluster, folder) })
        if (pushed.kind !== 'pushed') throw new Error(JSON.stringify(pushed))
        return pushed
      }
      const others = [await push('other', 'prod', 'elsewhere'), await push('other', 'prod-2')].map(
        ({ branch }) => branch,
      )
      const edited = await push('edited')
      git('update-ref', `refs/heads/${edited.branch}`, git('rev-parse', 'main').trim())
      git('update-ref', 'refs/heads/nodefit/prod-notes', 'main')
      const kept = [...others, edited.branch, 'nodefit/prod-notes']
      const first = await push('one')
      assert.equal(branches().sort(), [...kept, first.branch].sort())
      const second = await push('two')
      assert.equal(branches().sort(), [...kept, second.branch].sort())
      // the same once more, as where it waits
      await push('two')
      assert.equal(branches().sort(), [...kept, second.branch].sort())
      assert.is(lines.filter((line) => line.startsWith('removed the branch')).length, 1)
    }))
})
