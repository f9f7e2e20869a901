/** The ways to fetch and to push, with the git program over a file and over HTTP. */

import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as assert from 'uvu/assert'
import { GitFailure } from '../../src/host/sync/git/failure.ts'
import { openRepository } from '../../src/host/sync/git/git-repository.ts'
import { commitAndPush } from '../../src/host/sync/git/push.ts'
import { InvalidPathError, type RepositoryOptions } from '../../src/host/sync/git/repository.ts'
import { engineContext, silentMeter } from '../../test/support/engine-context.ts'
import { suite } from '../../test/support/suite.ts'
import { BareRemote } from '../support/bare-remote.ts'
import { serveGit } from '../support/git-http.ts'
import { commitOf, gitOptions, recordedLog } from '../support/git-options.ts'

const FILE = 'clusters/prod/nodes/inventory.yaml'

/** A remote and its address by one way to reach it. */
interface Reached {
  readonly remote: BareRemote
  readonly url: string
  readonly stop: () => Promise<void>
}

const WAYS: Readonly<Record<string, () => Promise<Reached>>> = {
  async file() {
    const remote = new BareRemote(mkdtempSync(join(tmpdir(), 'nodefit-remote-')))
    return { remote, url: remote.url, stop: async () => {} }
  },
  async http() {
    const remote = new BareRemote(mkdtempSync(join(tmpdir(), 'nodefit-remote-')))
    const { url, stop } = await serveGit(remote)
    return { remote, url, stop }
  },
}

async function failureOf(work: Promise<unknown>): Promise<GitFailure> {
  try {
    await work
  } catch (error) {
    if (error instanceof GitFailure) return error
    throw error
  }
  throw new Error('nothing has failed')
}

for (const [way, reach] of Object.entries(WAYS))
  suite(`git over ${way}`, (test) => {
    const at = (
      title: string,
      body: (
        reached: Reached & { open: (more?: Partial<RepositoryOptions>) => ReturnType<typeof openRepository> },
      ) => Promise<void>,
    ) =>
      test(title, async () => {
        const reached = await reach()
        try {
          await body({ ...reached, open: (more) => openRepository(gitOptions(reached.url, more)) })
        } finally {
          await reached.stop()
        }
      })

    at('a commit changes its own paths and no others', async ({ remote, open }) => {
      const before = remote.commit({
        'README.md': 'hello\n',
        'apps/one.yaml': 'one\n',
        [FILE]: 'old\n',
        'clusters/prod/nodes/gone.yaml': 'gone\n',
      })
      const repository = await open()
      const checkout = await repository.fetch()
      assert.is(checkout.commit, before)
      assert.is(readFileSync(join(checkout.path, 'apps/one.yaml'), 'utf8'), 'one\n')
      const result = await repository.push(
        checkout,
        commitOf({ [FILE]: 'new\n' }, 'two nodes\n\nNodefit-Cluster: prod\n', ['clusters/prod/nodes/gone.yaml']),
      )
      assert.is(result.kind, 'pushed')
      assert.equal(remote.files(), { 'README.md': 'hello', 'apps/one.yaml': 'one', [FILE]: 'new' })
      assert.is(remote.git('rev-parse', 'main^'), before)
      assert.is(
        remote.git('log', '-1', '--format=%an <%ae> %cn <%ce>%n%B', 'main'),
        'nodefit sync <nodefit@example.com> nodefit sync <nodefit@example.com>\ntwo nodes\n\nNodefit-Cluster: prod',
      )
      assert.ok(remote.isOnlyForward())
      const again = await repository.fetch()
      assert.is(again.commit, remote.head())
      assert.is(readFileSync(join(again.path, FILE), 'utf8'), 'new\n')
      assert.not.ok(existsSync(join(again.path, 'clusters/prod/nodes/gone.yaml')))
      assert.ok((await repository.size()) > 0)
    })
    at('an empty repository gets its branch', async ({ remote, open }) => {
      const repository = await open()
      const checkout = await repository.fetch()
      assert.is(checkout.commit, '')
      assert.equal(readdirSync(checkout.path), [])
      assert.is((await repository.push(checkout, commitOf({ [FILE]: 'first\n' }))).kind, 'pushed')
      assert.equal(remote.files(), { [FILE]: 'first' })
      assert.is(remote.git('rev-list', '--count', 'main'), '1')
    })
    at('a branch that others begin meanwhile is not overwritten', async ({ remote, open }) => {
      const repository = await open()
      const checkout = await repository.fetch()
      remote.commit({ 'README.md': 'hello\n' })
      const result = await repository.push(checkout, commitOf({ [FILE]: 'first\n' }))
      assert.is(result.kind, 'raced')
      assert.equal(remote.files(), { 'README.md': 'hello' })
    })
    at('a branch that is missing beside others is not begun', async ({ remote, open }) => {
      remote.commit({ 'README.md': 'hello\n' }, 'other')
      const failure = await failureOf((await open()).fetch())
      assert.is(failure.reason, 'no-branch')
      assert.equal(remote.branches(), ['other'])
    })
    at('what others have pushed since is not overwritten, and made anew on top of it', async ({ remote, open }) => {
      remote.commit({ 'README.md': 'hello\n' })
      const repository = await open()
      const bases: string[] = []
      const pushed: string[] = []
      const result = await commitAndPush(
        repository,
        (checkout) => {
          bases.push(checkout.commit)
          if (bases.length < 3) remote.commit({ [`other-${bases.length}`]: 'theirs\n' })
          return commitOf({ [FILE]: `on top of ${readdirSync(checkout.path).length - 0}\n` })
        },
        {
          context: engineContext({
            clock: { now: Date.now, sleep: async () => {} },
            meter: { ...silentMeter, pushed: (outcome, reason) => pushed.push(`${outcome} ${reason}`) },
          }),
        },
      )
      assert.is(result.kind, 'pushed')
      assert.equal(pushed, ['raced stale-info', 'raced stale-info', 'pushed '])
      assert.is(new Set(bases).size, 3)
      assert.equal(remote.files(), {
        'README.md': 'hello',
        'other-1': 'theirs',
        'other-2': 'theirs',
        [FILE]: 'on top of 3',
      })
      assert.ok(remote.isOnlyForward())
    })
    at('a commit that changes nothing is not made', async ({ remote, open }) => {
      const before = remote.commit({ [FILE]: 'same\n' })
      const repository = await open()
      const result = await repository.push(await repository.fetch(), commitOf({ [FILE]: 'same\n' }))
      assert.is(result.kind === 'pushed' && result.existed, true)
      assert.is(remote.head(), before)
    })
    at('paths that lead elsewhere are refused, and nothing is pushed', async ({ remote, open }) => {
      const before = remote.commit({
        folder: ['120000', '../outside'],
        file: 'a file\n',
        'apps/one.yaml': 'one\n',
        linked: ['120000', 'file'],
      })
      const repository = await open()
      const checkout = await repository.fetch()
      for (const path of [
        '../up',
        '/etc/passwd',
        'a/../../b',
        '.git/config',
        'a/.GIT/hooks/x',
        'git~1/config',
        'folder/x',
        'file/x',
        'linked',
        'apps',
        'a\\b',
        'a\nb',
        '',
        'a//b',
        './a',
      ]) {
        for (const commit of [commitOf({ [path]: 'x' }), commitOf({}, 'm', [path])]) {
          let refused: unknown
          await repository.push(checkout, commit).catch((error) => {
            refused = error
          })
          assert.instance(refused, InvalidPathError, path)
        }
      }
      assert.is(remote.head(), before)
    })
    at('a clone that is broken is made anew', async ({ remote, open }) => {
      remote.commit({ [FILE]: 'one\n' })
      const folder = mkdtempSync(join(tmpdir(), 'nodefit-clone-'))
      const breaks: Readonly<Record<string, (checkout: string) => void>> = {
        'lock of the index': () => writeFileSync(join(folder, 'git/index.lock'), ''),
        'lock of shallow': () => writeFileSync(join(folder, 'git/shallow.lock'), ''),
        'lock of the reference': () => writeFileSync(join(folder, 'git/refs/nodefit/base.lock'), ''),
        index: () => writeFileSync(join(folder, 'git/index'), 'no index'),
        HEAD: () => rmSync(join(folder, 'git/HEAD')),
        objects: () => rmSync(join(folder, 'git/objects'), { recursive: true }),
        config: () => writeFileSync(join(folder, 'git/config'), '[[['),
        'a file of the checkout': (path) => writeFileSync(join(path, FILE), 'changed\n'),
        'a file too many': (path) => writeFileSync(join(path, 'stray'), 'stray\n'),
        'the checkout': (path) => rmSync(path, { recursive: true }),
      }
      const repository = await open({ folder })
      for (const [name, broken] of Object.entries(breaks)) {
        broken((await repository.fetch()).path)
        const { commit, path } = await repository.fetch()
        assert.is(commit, remote.head(), name)
        assert.equal(readdirSync(path), ['clusters'], name)
        assert.is(readFileSync(join(path, FILE), 'utf8'), 'one\n', name)
      }
    })
    at('files are as they are in Git, and links that lead out are left out', async ({ remote, open }) => {
      const { log, lines } = recordedLog()
      remote.commit({
        '.gitattributes': '* text eol=crlf ident\n*.bin filter=lfs\n*.utf working-tree-encoding=UTF-16\n',
        'a.yaml': '$Id$\na\n',
        'b.bin': 'b\n',
        'c.utf': 'c\n',
        'd.yaml': 'd\r\n',
        inside: ['120000', 'a.yaml'],
        outside: ['120000', '/etc/hostname'],
        up: ['120000', '../..'],
        'dir/over': ['120000', '../outside'],
      })
      const { path } = await (await open({ context: engineContext({ log }) })).fetch()
      assert.is(readFileSync(join(path, 'a.yaml'), 'utf8'), '$Id$\na\n')
      assert.is(readFileSync(join(path, 'b.bin'), 'utf8'), 'b\n')
      assert.is(readFileSync(join(path, 'c.utf'), 'utf8'), 'c\n')
      assert.is(readFileSync(join(path, 'd.yaml'), 'utf8'), 'd\r\n')
      assert.is(readFileSync(join(path, 'inside'), 'utf8'), '$Id$\na\n')
      assert.equal(readdirSync(path).sort(), ['.gitattributes', 'a.yaml', 'b.bin', 'c.utf', 'd.yaml', 'dir', 'inside'])
      assert.equal(readdirSync(join(path, 'dir')), [])
      assert.match(lines.join('\n'), 'dir/over, outside, up')
    })
    at('neither the configuration nor the environment of who runs it counts', async ({ remote, open }) => {
      remote.commit({ [FILE]: 'one\n' })
      const home = mkdtempSync(join(tmpdir(), 'nodefit-home-'))
      writeFileSync(
        join(home, '.gitconfig'),
        '[core]\n\tautocrlf = true\n[url "file:///nowhere/"]\n\tinsteadOf = file://\n\tinsteadOf = http://\n',
      )
      const mine = {
        HOME: home,
        GIT_DIR: '/nowhere/at/all',
        GIT_INDEX_FILE: '/nowhere/at/all',
        GIT_OBJECT_DIRECTORY: '/nowhere/at/all',
        GIT_CONFIG_COUNT: '1',
        GIT_CONFIG_KEY_0: 'transfer.hideRefs',
        GIT_CONFIG_VALUE_0: 'refs',
      }
      const before = Object.keys(mine).map((name) => [name, process.env[name]] as const)
      Object.assign(process.env, mine)
      try {
        const repository = await open()
        const checkout = await repository.fetch()
        assert.is(readFileSync(join(checkout.path, FILE), 'utf8'), 'one\n')
        assert.is((await repository.push(checkout, commitOf({ [FILE]: 'two\n' }))).kind, 'pushed')
      } finally {
        for (const [name, value] of before)
          if (value === undefined) delete process.env[name]
          else process.env[name] = value
      }
    })
    at('no hook of the clone runs', async ({ remote, open }) => {
      remote.commit({ [FILE]: 'one\n' })
      const folder = mkdtempSync(join(tmpdir(), 'nodefit-clone-'))
      const repository = await open({ folder })
      await repository.fetch()
      mkdirSync(join(folder, 'git/hooks'))
      for (const name of ['post-checkout', 'pre-push', 'reference-transaction', 'post-index-change', 'pre-auto-gc'])
        writeFileSync(join(folder, 'git/hooks', name), `#!/bin/sh\necho ${name} >> ${folder}/ran\n`, { mode: 0o755 })
      remote.commit({ [FILE]: 'two\n' })
      await repository.push(await repository.fetch(), commitOf({ [FILE]: 'three\n' }))
      assert.equal(remote.files(), { [FILE]: 'three' })
      assert.not.ok(existsSync(join(folder, 'ran')))
    })
    at('history that was rewritten is taken as it is now', async ({ remote, open }) => {
      remote.commit({ 'README.md': 'hello\n' })
      remote.commit({ [FILE]: 'old\n' })
      const repository = await open()
      const old = await repository.fetch()
      remote.git('update-ref', 'refs/heads/main', 'main^')
      remote.commit({ 'README.md': 'again\n' })
      assert.is((await repository.push(old, commitOf({ [FILE]: 'new\n' }))).kind, 'raced')
      const result = await repository.push(await repository.fetch(), commitOf({ [FILE]: 'new\n' }))
      assert.is(result.kind, 'pushed')
      assert.equal(remote.files(), { 'README.md': 'again', [FILE]: 'new' })
    })
    at('a fetch that is stopped ends at once and leaves nothing behind', async ({ remote, open }) => {
      remote.commit({ [FILE]: 'old\n' })
      const folder = mkdtempSync(join(tmpdir(), 'nodefit-clone-'))
      const repository = await open({ folder })
      const stop = new AbortController()
      const failed = failureOf(repository.fetch(stop.signal))
      setTimeout(() => stop.abort(), 5)
      assert.is((await failed).reason, 'stopped')
      assert.equal(
        readdirSync(tmpdir()).filter((name) => name.startsWith(`nodefit-private-${process.pid}-`)),
        [],
      )
      assert.is((await repository.fetch()).commit, remote.head())
    })
    at('the same branch by another clone, and another branch by the same folder', async ({ remote, open }) => {
      remote.commit({ [FILE]: 'main\n' })
      remote.commit({ other: 'other\n' }, 'other')
      const folder = mkdtempSync(join(tmpdir(), 'nodefit-clone-'))
      await (await open({ folder })).fetch()
      const { path, commit } = await (await open({ folder, branch: 'other' })).fetch()
      assert.is(commit, remote.head('other'))
      assert.equal(readdirSync(path), ['other'])
    })
  })
