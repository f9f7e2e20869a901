/** The two ways to have a commit made, the git program and GitHub's interface, by one suite. */

import { generateKeyPairSync } from 'node:crypto'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { GitFailure } from '../../src/host/sync/git/failure.ts'
import { openRepository } from '../../src/host/sync/git/git-repository.ts'
import { commitAndPush } from '../../src/host/sync/git/push.ts'
import type { Repository, RepositoryOptions } from '../../src/host/sync/git/repository.ts'
import { engineContext } from '../../test/support/engine-context.ts'
import { suite } from '../../test/support/suite.ts'
import { BareRemote } from '../support/bare-remote.ts'
import { type GitHttp, serveGit } from '../support/git-http.ts'
import { commitOf, gitOptions, recordedLog, secretFolder } from '../support/git-options.ts'
import { type GitHubApi, serveGitHub } from '../support/github-api.ts'

const FILE = 'clusters/prod/nodes/inventory.yaml'
const OWNER = 'clusters'
const REVIEW = { prefix: 'nodefit/', cluster: 'prod-eu' }
const { publicKey, privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
})

interface Place {
  readonly remote: BareRemote
  readonly http: GitHttp
  readonly api: GitHubApi
  readonly open: (more?: Partial<RepositoryOptions>) => Promise<Repository>
}

/** A remote that is served as GitHub serves one. */
async function place(pushVia: 'git' | 'github', body: (place: Place) => Promise<void>): Promise<void> {
  const remote = new BareRemote(mkdtempSync(join(tmpdir(), 'nodefit-remote-')), `${OWNER}/fleet.git`)
  const http = await serveGit(remote)
  const api = await serveGitHub(remote, { owner: OWNER, name: 'fleet', publicKey })
  http.isAllowed = (authorization) => {
    const [user, token] = Buffer.from(authorization?.slice('Basic '.length) ?? '', 'base64')
      .toString()
      .split(':')
    return user === 'x-access-token' && api.tokens.has(token ?? '')
  }
  const credentials = secretFolder({
    githubAppID: '4711',
    githubAppInstallationID: '42',
    githubAppPrivateKey: privateKey,
    githubAppBaseURL: api.baseUrl,
  })
  try {
    await body({
      remote,
      http,
      api,
      open: (more) => openRepository(gitOptions(http.url, { pushVia, credentials, ...more })),
    })
  } finally {
    await http.stop()
    await api.stop()
  }
}

async function reasonOf(work: Promise<unknown>): Promise<string> {
  try {
    await work
    return 'none'
  } catch (error) {
    if (error instanceof GitFailure) return error.reason
    throw error
  }
}

for (const pushVia of ['git', 'github'] as const)
  suite(`commits made by ${pushVia}`, (test) => {
    const at = (name: string, body: (place: Place) => Promise<void>) => test(name, () => place(pushVia, body))

    at('write and remove what they say, and nothing else', async ({ remote, open }) => {
      const before = remote.commit({ 'README.md': 'hello\n', [FILE]: 'old\n', gone: 'gone\n', 'a b/ü.yaml': 'u\n' })
      const repository = await open()
      const commit = commitOf(
        { [FILE]: 'new ü\n', 'a b/ü.yaml': 'ü\n', same: 's' },
        'two nodes\n\nwhy\n\nNodefit-Cluster: prod\n',
        ['gone', 'was never there'],
      )
      const result = await repository.push(await repository.fetch(), commit)
      assert.is(result.kind === 'pushed' && result.commit, remote.head(), JSON.stringify(result))
      assert.equal(remote.files(), { 'README.md': 'hello', [FILE]: 'new ü', 'a b/ü.yaml': 'ü', same: 's' })
      assert.is(remote.messages()[0], 'two nodes\n\nwhy\n\nNodefit-Cluster: prod')
      assert.is(remote.git('rev-parse', 'main^'), before)
      assert.ok(remote.isOnlyForward())
    })
    at('are signed off beside their trailers', async ({ remote, open }) => {
      remote.commit({ 'README.md': 'hello\n' })
      const repository = await open({ signOff: true })
      await repository.push(
        await repository.fetch(),
        commitOf({ [FILE]: 'new\n' }, 'two nodes\n\nNodefit-Cluster: prod\n'),
      )
      assert.is(
        remote.messages()[0],
        'two nodes\n\nNodefit-Cluster: prod\nSigned-off-by: nodefit sync <nodefit@example.com>',
      )
    })
    at('do not overwrite what others have pushed since', async ({ remote, open }) => {
      remote.commit({ 'README.md': 'hello\n' })
      const repository = await open()
      const checkout = await repository.fetch()
      const theirs = remote.commit({ [FILE]: 'theirs\n' })
      const result = await repository.push(checkout, commitOf({ [FILE]: 'new\n' }))
      assert.is(result.kind, 'raced')
      assert.is(remote.head(), theirs)
    })
    at('are made again on top of what others push all the time', async ({ remote, open }) => {
      remote.commit({ 'README.md': 'hello\n' })
      const repository = await open()
      let others = 0
      const make = () => {
        if (others < 3) remote.commit({ [`other-${others++}`]: 'theirs\n' })
        return commitOf({ [FILE]: 'new\n' })
      }
      const clock = { now: () => Date.now(), sleep: async () => {} }
      const result = await commitAndPush(repository, make, { context: engineContext({ clock }) })
      assert.is(result.kind, 'pushed')
      assert.equal(Object.keys(remote.files()), ['README.md', FILE, 'other-0', 'other-1', 'other-2'].sort())
      assert.ok(remote.isOnlyForward())
    })
    at('that change nothing are not made', async ({ remote, open }) => {
      const before = remote.commit({ [FILE]: 'same\n' })
      const repository = await open()
      const result = await repository.push(await repository.fetch(), commitOf({ [FILE]: 'same\n' }, 'm', ['absent']))
      assert.is(result.kind === 'pushed' && result.existed, true)
      assert.is(remote.head(), before)
    })
    at('for review have a branch of their own, made once', async ({ remote, open }) => {
      const before = remote.commit({ 'README.md': 'hello\n' })
      const repository = await open({ review: REVIEW })
      const first = await repository.push(await repository.fetch(), commitOf({ [FILE]: 'new\n' }))
      if (first.kind !== 'pushed') throw new Error(JSON.stringify(first))
      assert.match(first.branch, /^nodefit\/prod-eu-[0-9a-f]{12}$/)
      assert.is(first.existed, undefined)
      assert.is(remote.head(), before)
      assert.equal(remote.files(first.branch), { 'README.md': 'hello', [FILE]: 'new' })
      const again = await repository.push(await repository.fetch(), commitOf({ [FILE]: 'new\n' }))
      assert.equal(again, { ...first, existed: true })
      assert.is(remote.git('rev-list', '--count', first.branch), '2')
      const other = await repository.push(await repository.fetch(), commitOf({ [FILE]: 'newer\n' }))
      assert.ok(other.kind === 'pushed' && other.branch !== first.branch)
      // the later change supersedes the earlier one
      assert.equal(remote.branches().length, 2)
      assert.not(remote.branches().some((name) => name.includes(first.branch)))
    })
    at('for review leave what others have put on their branch', async ({ remote, open }) => {
      remote.commit({ 'README.md': 'hello\n' })
      const repository = await open({ review: REVIEW })
      const first = await repository.push(await repository.fetch(), commitOf({ [FILE]: 'new\n' }))
      if (first.kind !== 'pushed') throw new Error(JSON.stringify(first))
      const theirs = remote.commit({ [FILE]: 'mended\n' }, first.branch)
      const again = await repository.push(await repository.fetch(), commitOf({ [FILE]: 'new\n' }))
      assert.is(again.kind === 'pushed' && again.existed, true)
      assert.is(remote.head(first.branch), theirs)
    })
    const merges: Readonly<Record<string, (remote: BareRemote, head: string) => void>> = {
      'by a merge': (remote, head) => {
        remote.commit({ 'README.md': 'moved on\n' })
        const tree = remote.git('merge-tree', '--write-tree', 'main', head)
        const merge = remote.git('commit-tree', tree, '-p', 'main', '-p', head, '-m', 'merge')
        remote.git('update-ref', 'refs/heads/main', merge)
      },
      'by moving the target to it': (remote, head) => void remote.git('update-ref', 'refs/heads/main', head),
    }
    for (const [name, merge] of Object.entries(merges))
      at(`for review that was merged ${name}, and undone, is asked for again`, async ({ remote, open }) => {
        remote.commit({ 'README.md': 'hello\n' })
        const repository = await open({ review: REVIEW })
        const first = await repository.push(await repository.fetch(), commitOf({ [FILE]: 'new\n' }))
        if (first.kind !== 'pushed') throw new Error(JSON.stringify(first))
        merge(remote, first.commit)
        const base = remote.commit({ [FILE]: undefined })
        const again = await repository.push(await repository.fetch(), commitOf({ [FILE]: 'new\n' }))
        if (again.kind !== 'pushed') throw new Error(JSON.stringify(again))
        assert.is(again.branch, first.branch)
        assert.is(again.existed, undefined)
        assert.is(remote.git('rev-parse', `${again.branch}^`), base)
        assert.is(remote.files(again.branch)[FILE], 'new')
        remote.commit({ other: 'theirs\n' })
        const third = await repository.push(await repository.fetch(), commitOf({ [FILE]: 'new\n' }))
        assert.equal(third, { ...again, existed: true })
      })
    at('for review that was not merged stays as it is, however the target moves on', async ({ remote, open }) => {
      remote.commit({ 'README.md': 'hello\n' })
      const repository = await open({ review: REVIEW })
      const first = await repository.push(await repository.fetch(), commitOf({ [FILE]: 'new\n' }))
      if (first.kind !== 'pushed') throw new Error(JSON.stringify(first))
      remote.commit({ other: 'theirs\n' }, 'main', `theirs\n\nparent ${first.commit}`)
      remote.commit({ other: 'more\n' })
      const again = await repository.push(await repository.fetch(), commitOf({ [FILE]: 'new\n' }))
      assert.equal(again, { ...first, existed: true })
    })
    at('with an App whose key is wrong are refused', async ({ remote, api, open }) => {
      const before = remote.commit({ 'README.md': 'hello\n' })
      const app = { githubAppID: '4711', githubAppInstallationID: '42', githubAppBaseURL: api.baseUrl }
      assert.is(
        await reasonOf((await open({ credentials: secretFolder({ ...app, githubAppPrivateKey: 'no key' }) })).fetch()),
        'credentials',
      )
      const other = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
        type: 'pkcs8',
        format: 'pem',
      })
      assert.is(
        await reasonOf(
          (await open({ credentials: secretFolder({ ...app, githubAppPrivateKey: String(other) }) })).fetch(),
        ),
        'authentication',
      )
      assert.is(remote.head(), before)
    })
    at('have a token of their own each, which is seen in no log', async ({ remote, api, open }) => {
      remote.commit({ 'README.md': 'hello\n' })
      const { log, lines } = recordedLog()
      const repository = await open({ context: engineContext({ log }) })
      for (const text of ['one', 'two']) await repository.push(await repository.fetch(), commitOf({ [FILE]: text }))
      assert.is(api.tokens.size, 4)
      api.tokens.clear()
      assert.is((await repository.push(await repository.fetch(), commitOf({ [FILE]: 'three' }))).kind, 'pushed')
      for (const token of api.tokens) assert.not.ok(lines.join('').includes(token))
    })
  })

suite("commits made by GitHub's interface", (test) => {
  const at = (name: string, body: (place: Place) => Promise<void>) => test(name, () => place('github', body))
  const faults: Readonly<
    Record<string, { fault: ReturnType<GitHubApi['fault']>; kind: string; reason: string; retryAfter?: number }>
  > = {
    'a rule that wants pull requests': {
      fault: {
        type: 'UNPROCESSABLE',
        message: 'Repository rule violations found\n\nChanges must be made through a pull request.',
      },
      kind: 'refused',
      reason: 'pull-request-required',
    },
    'an App that may not write': {
      fault: { type: 'FORBIDDEN', message: 'Resource not accessible by integration' },
      kind: 'refused',
      reason: 'permission',
    },
    'a branch that is gone': {
      fault: { type: 'NOT_FOUND', message: 'Something that is not there' },
      kind: 'refused',
      reason: 'not-found',
    },
    'a race': {
      fault: { type: 'STALE_DATA', message: 'Expected branch to point to "1" but it did not. Pull and try again.' },
      kind: 'raced',
      reason: 'old-value',
    },
    'a race in other words': {
      fault: { type: 'STALE_DATA', message: 'in other words' },
      kind: 'raced',
      reason: 'old-value',
    },
    'a second limit': {
      fault: {
        status: 403,
        headers: { 'retry-after': '60' },
        body: '{"message":"You have exceeded a secondary rate limit"}',
      },
      kind: 'unreachable',
      reason: 'rate-limited',
      retryAfter: 60_000,
    },
    'the first limit': {
      fault: {
        status: 403,
        headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '1' },
        body: '{"message":"spent"}',
      },
      kind: 'unreachable',
      reason: 'rate-limited',
      retryAfter: 0,
    },
    'trouble of its server': {
      fault: { status: 502, body: '<html>Bad gateway</html>' },
      kind: 'unreachable',
      reason: 'server-error',
    },
    'a token that has expired': {
      fault: { status: 401, body: '{"message":"Bad credentials"}' },
      kind: 'refused',
      reason: 'authentication',
    },
    'a connection that is cut before': { fault: 'cut-before', kind: 'unreachable', reason: 'disconnected' },
    'an answer that is no JSON': { fault: { status: 200, body: 'hello' }, kind: 'unreachable', reason: 'server-error' },
    'an answer with nothing': { fault: { status: 200, body: '{}' }, kind: 'unreachable', reason: 'server-error' },
  }
  for (const [name, { fault, ...expected }] of Object.entries(faults))
    at(`${name}: nothing is changed, and the next try succeeds`, async ({ remote, api, open }) => {
      const before = remote.commit({ 'README.md': 'hello\n' })
      const repository = await open()
      const checkout = await repository.fetch()
      api.fault = () => fault
      const result = await repository.push(checkout, commitOf({ [FILE]: 'new\n' }))
      if (result.kind === 'pushed') throw new Error('pushed')
      const { kind, reason, retryAfter } = result
      assert.equal({ kind, reason, ...(retryAfter === undefined ? {} : { retryAfter }) }, expected)
      assert.is(remote.head(), before)
      api.fault = () => undefined
      assert.is((await repository.push(checkout, commitOf({ [FILE]: 'new\n' }))).kind, 'pushed')
    })
  at(
    'a connection that is cut after: the next fetch has the commit, and nothing is to be done',
    async ({ remote, api, open }) => {
      remote.commit({ 'README.md': 'hello\n' })
      const repository = await open()
      api.fault = () => 'cut-after'
      const result = await repository.push(await repository.fetch(), commitOf({ [FILE]: 'new\n' }))
      assert.is(result.kind, 'unreachable')
      api.fault = () => undefined
      const again = await repository.push(await repository.fetch(), commitOf({ [FILE]: 'new\n' }))
      assert.is(again.kind === 'pushed' && again.existed, true)
      assert.is(remote.git('rev-list', '--count', 'main'), '2')
    },
  )
  at('what was ended between making the branch and its commit is completed', async ({ remote, api, open }) => {
    remote.commit({ 'README.md': 'hello\n' })
    const repository = await open({ review: REVIEW })
    api.fault = (name) => (name === 'createCommitOnBranch' ? 'cut-before' : undefined)
    assert.is((await repository.push(await repository.fetch(), commitOf({ [FILE]: 'new\n' }))).kind, 'unreachable')
    api.fault = () => undefined
    const [, branch = ''] = remote.branches()
    for (const isMoved of [false, true]) {
      if (isMoved) remote.commit({ 'README.md': 'moved on\n' })
      remote.git('update-ref', `refs/heads/${branch}`, remote.git('rev-list', '--max-parents=0', 'main'))
      const result = await repository.push(await repository.fetch(), commitOf({ [FILE]: 'new\n' }))
      assert.is(result.kind === 'pushed' && result.existed, undefined)
      assert.equal(remote.files(branch), { 'README.md': isMoved ? 'moved on' : 'hello', [FILE]: 'new' })
    }
  })
  at('an empty repository gets no commit', async ({ open }) => {
    const repository = await open()
    const result = await repository.push(await repository.fetch(), commitOf({ [FILE]: 'new\n' }))
    assert.is(result.kind === 'refused' && result.reason, 'no-branch')
  })
  at('without an App, a token is taken', async ({ remote, api, http, open }) => {
    remote.commit({ 'README.md': 'hello\n' })
    api.tokens.add('ghp_personal')
    http.isAllowed = (authorization) => authorization === `Basic ${Buffer.from('git:ghp_personal').toString('base64')}`
    const repository = await open({
      credentials: secretFolder({ password: 'ghp_personal', githubAppBaseURL: api.baseUrl }),
    })
    assert.is((await repository.push(await repository.fetch(), commitOf({ [FILE]: 'new\n' }))).kind, 'pushed')
  })
  at('without an App and a token, nothing is tried', async ({ remote, http, open }) => {
    remote.commit({ 'README.md': 'hello\n' })
    http.isAllowed = () => true
    const repository = await open({ credentials: undefined })
    const result = await repository.push(await repository.fetch(), commitOf({ [FILE]: 'new\n' }))
    assert.is(result.kind === 'refused' && result.reason, 'credentials')
  })
})
