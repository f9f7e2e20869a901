import { execFileSync, spawnSync } from 'node:child_process'
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import * as assert from 'uvu/assert'
import type { Clock } from '../../src/host/cluster/clock.ts'
import { REASONS } from '../../src/host/sync/git/failure.ts'
import type { PushResult, RepositoryOptions } from '../../src/host/sync/git/repository.ts'
import { engineContext, silentMeter } from '../../test/support/engine-context.ts'
import { SAID } from '../../test/support/forge-wordings.ts'
import { suite } from '../../test/support/suite.ts'
import { BareRemote } from '../support/bare-remote.ts'
import { type Fault as Broken, faultyModule } from '../support/faulty-programs.ts'
import { type Fault, type GitHttp, serveGit } from '../support/git-http.ts'
import { gitOptions, PERSON } from '../support/git-options.ts'
import * as gitRoom from '../support/git-room.ts'

/**
 * The matrix of faults between nodefit sync and its remote. Whatever happens: nobody's update is lost, nobody else's file is changed, a shared
 * branch only ever moves forward, and in the end there is one commit with the state as it is then.
 */

const FILE = 'clusters/prod/nodes/inventory.yaml'
const FOREIGN = {
  'README.md': 'hello\n',
  'apps/one.yaml': 'one\n',
  'clusters/staging/nodes/inventory.yaml': 'theirs\n',
}
/** Pauses between tries, a hundred times shorter. */
const HASTY: Clock = {
  now: () => Date.now(),
  sleep: (milliseconds, signal) => pause(milliseconds / 100, undefined, { signal }).catch(() => {}),
}

type Result = PushResult | { readonly kind: 'nothing' }

/** A remote with other people's files, a state that is to be kept there, and one who keeps it. */
class World {
  readonly remote = new BareRemote(mkdtempSync(join(tmpdir(), 'nodefit-remote-')))
  /** The state as it is now. */
  state = 'three nodes\n'
  /** Commits of others, which must never be lost. */
  readonly theirs: string[] = []
  readonly outcomes: string[] = []
  readonly #foreign = new Map<string, string>()
  readonly #folder = mkdtempSync(join(tmpdir(), 'nodefit-clone-'))

  readonly #git: Pick<typeof gitRoom, 'openRepository' | 'commitAndPush'>

  constructor(git: Pick<typeof gitRoom, 'openRepository' | 'commitAndPush'> = gitRoom) {
    this.#git = git
    this.write(FOREIGN)
  }

  write(files: Readonly<Record<string, string>>): void {
    this.theirs.push(this.remote.commit(files))
    for (const [path, text] of Object.entries(files)) this.#foreign.set(path, text)
  }

  /** One evaluation, as the controller makes them again and again; `meanwhile` happens after each fetch. A process of its own each time. */
  async sync(
    url: string,
    {
      meanwhile = () => {},
      signal,
      ...more
    }: { meanwhile?: () => void; signal?: AbortSignal } & Partial<RepositoryOptions> = {},
  ): Promise<Result> {
    const repository = await this.#git.openRepository(gitOptions(url, { folder: this.#folder, ...more }))
    const make = (checkout: { commit: string }) => {
      meanwhile()
      const has = checkout.commit !== '' && this.remote.files(checkout.commit)[FILE] === this.state.trimEnd()
      return has ? undefined : { changes: { write: new Map([[FILE, this.state]]), remove: [] }, message: this.state }
    }
    const meter = {
      ...silentMeter,
      pushed: (outcome: string, reason: string) => this.outcomes.push(`${outcome} ${reason}`.trim()),
    }
    const result = await this.#git.commitAndPush(repository, make, {
      context: engineContext({ clock: HASTY, meter }),
      signal,
    })
    this.check()
    return result
  }

  /** What holds after every step: others' commits and files are all there, and each commit of ours lies on top of what was there. */
  check(): void {
    const { remote } = this
    if (remote.head() === undefined) return
    const history = remote.history()
    for (const commit of this.theirs) assert.ok(history.includes(commit), `${commit} is lost`)
    assert.ok(remote.isOnlyForward(), 'the branch was moved back')
    const files = remote.files()
    for (const [path, text] of this.#foreign) assert.is(files[path], text.trimEnd(), `${path} was changed`)
    for (const line of remote.git('log', '--format=%H %ce', 'main').split('\n')) {
      const [commit = '', email] = line.split(' ')
      if (email === PERSON.email)
        assert.is(remote.git('diff-tree', '--root', '--no-commit-id', '--name-only', '-r', commit), FILE)
    }
  }

  /** Evaluates until nothing is to be done any more, and looks at the end. */
  async settle(url: string, commits = 1): Promise<void> {
    for (let at = 0; at < 5; at++) {
      const { kind } = await this.sync(url)
      if (kind === 'nothing') break
      if (at === 4) throw new Error(`it does not settle: ${this.outcomes.join(', ')}`)
    }
    assert.is(this.remote.files()[FILE], this.state.trimEnd())
    assert.is(this.ours(), commits, 'commits of ours')
  }

  ours(): number {
    return this.remote
      .git('log', '--format=%ce', 'main')
      .split('\n')
      .filter((email) => email === PERSON.email).length
  }
}

const reasonOf = (result: Result) => ('reason' in result ? `${result.kind} ${result.reason}` : result.kind)

async function overHttp(body: (world: World, http: GitHttp) => Promise<void>): Promise<void> {
  const world = new World()
  const http = await serveGit(world.remote)
  try {
    await body(world, http)
  } finally {
    await http.stop()
  }
}

suite('what forges refuse', (test) => {
  test('each wording is known, nothing is changed, and when it is gone one commit has the state', async () => {
    const world = new World()
    const before = world.remote.head()
    for (const [name, { hook, reason }] of Object.entries(SAID)) {
      if (hook === undefined) continue
      world.remote.hook('pre-receive', `cat >&2 <<'END'\n${hook.join('\n')}\nEND\nexit 1`)
      assert.is(reasonOf(await world.sync(world.remote.url)), `${REASONS[reason].kind} ${reason}`, name)
      assert.is(world.remote.head(), before, name)
      world.state += `and ${name}\n`
    }
    assert.ok(world.outcomes.length > 25)
    world.remote.hook('pre-receive', undefined)
    await world.settle(world.remote.url)
  })
})

suite('races', (test) => {
  test('others push after each fetch: made again up to ten times, and later once more', async () => {
    const world = new World()
    let others = 0
    const meanwhile = () => world.write({ [`other-${others++}`]: 'theirs\n' })
    assert.is(reasonOf(await world.sync(world.remote.url, { meanwhile })), 'raced stale-info')
    assert.is(others, 10)
    await world.settle(world.remote.url)
  })
  test('the state changes between two tries: the commit has the last one', async () => {
    const world = new World()
    let others = 0
    const meanwhile = () => {
      if (others++ >= 2) return
      world.write({ [`other-${others}`]: 'theirs\n' })
      world.state = `${others} nodes more\n`
    }
    assert.is((await world.sync(world.remote.url, { meanwhile })).kind, 'pushed')
    await world.settle(world.remote.url)
  })
  test('others push while the server already reads what is pushed', async () => {
    const world = new World()
    const { remote } = world
    // a commit that is there already, made the branch's by the hook, outside of the push that it belongs to
    const next = remote.git('commit-tree', 'main^{tree}', '-p', 'main', '-m', 'by others meanwhile')
    remote.hook('pre-receive', `env -u GIT_QUARANTINE_PATH git update-ref refs/heads/main ${next} && rm -f "$0"`)
    world.theirs.push(next)
    assert.is((await world.sync(remote.url)).kind, 'pushed')
    assert.equal(world.outcomes, ['raced ref-locked', 'pushed'])
    await world.settle(remote.url)
  })
  test('the reference is locked by another program: raced until the lock is gone', async () => {
    const world = new World()
    const lock = join(world.remote.folder, 'refs/heads/main.lock')
    writeFileSync(lock, '')
    assert.is(reasonOf(await world.sync(world.remote.url)), 'raced ref-locked')
    assert.is(world.outcomes.length, 10)
    execFileSync('rm', [lock])
    await world.settle(world.remote.url)
  })
  test('several writers push to one branch at once, each its own folder: all get in', async () => {
    const world = new World()
    const writers = ['one', 'two', 'three', 'four']
    const results = await Promise.all(
      writers.map(async (name) => {
        const repository = await gitRoom.openRepository(gitOptions(world.remote.url))
        const make = () => ({
          changes: { write: new Map([[`clusters/${name}/inventory.yaml`, name]]), remove: [] },
          message: name,
        })
        return gitRoom.commitAndPush(repository, make, { context: engineContext({ clock: HASTY }) })
      }),
    )
    assert.equal(
      results.map(({ kind }) => kind),
      writers.map(() => 'pushed'),
    )
    assert.ok(world.remote.isOnlyForward())
    assert.is(world.ours(), 4)
    const files = world.remote.files()
    for (const name of writers) assert.is(files[`clusters/${name}/inventory.yaml`], name)
    assert.is(files['README.md'], 'hello')
  })
  test('history is rewritten between fetch and push: taken as it is then, and what was taken out does not come back', async () => {
    const world = new World()
    const { remote } = world
    remote.commit({ secret: 'by mistake\n' })
    let isDone = false
    const meanwhile = () => {
      if (isDone) return
      isDone = true
      remote.rewrite('main^')
    }
    assert.is((await world.sync(remote.url, { meanwhile })).kind, 'pushed')
    assert.equal(world.outcomes, ['raced stale-info', 'pushed'])
    assert.is(remote.files().secret, undefined)
    await world.settle(remote.url)
  })
  test('the branch is deleted between fetch and push: it is not begun anew, and when it is back all goes on', async () => {
    const world = new World()
    const { remote } = world
    const head = remote.head() ?? ''
    const meanwhile = () => remote.git('update-ref', '-d', 'refs/heads/main')
    assert.is(reasonOf(await world.sync(remote.url, { meanwhile })), 'refused no-branch')
    assert.equal(remote.branches(), [])
    assert.is(reasonOf(await world.sync(remote.url)), 'refused no-branch')
    assert.equal(remote.branches(), [])
    remote.git('update-ref', 'refs/heads/main', head)
    await world.settle(remote.url)
  })
})

suite('connections', (test) => {
  const steps = (['upload-pack', 'receive-pack'] as const).flatMap((service) =>
    (['refs', 'objects'] as const).map((step) => ({ service, step })),
  )
  const faults: Readonly<Record<string, { fault: Fault; reasons: readonly string[]; at?: typeof steps }>> = {
    'cut before': { fault: 'cut-before', reasons: ['unreachable disconnected', 'unreachable connection'] },
    'cut within': {
      fault: 'cut-within',
      reasons: ['unreachable disconnected', 'unreachable connection'],
      at: steps.slice(3),
    },
    'no answer': { fault: 'hang', reasons: ['unreachable timeout'] },
    'error 500': { fault: { status: 500 }, reasons: ['unreachable server-error'] },
    'error 502': {
      fault: { status: 502, body: '<html>bad gateway</html>' },
      reasons: ['unreachable server-error'],
      at: steps.slice(3),
    },
    'error 503': { fault: { status: 503 }, reasons: ['unreachable server-error'], at: steps.slice(2, 3) },
    'error 504': { fault: { status: 504 }, reasons: ['unreachable timeout'], at: steps.slice(3) },
    'error 429': { fault: { status: 429 }, reasons: ['unreachable rate-limited'], at: steps.slice(2, 3) },
    'error 413': { fault: { status: 413 }, reasons: ['refused size-limit'], at: steps.slice(3) },
    'a repository that may be read only': {
      fault: { status: 403 },
      reasons: ['refused permission'],
      at: steps.slice(2, 3),
    },
    'a repository that is hidden': { fault: { status: 404 }, reasons: ['refused not-found'], at: steps.slice(0, 1) },
    'a page in place of a repository': {
      fault: { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>sign in</html>' },
      reasons: ['refused not-found'],
      at: steps.slice(0, 1),
    },
  }
  for (const [name, { fault, reasons, at = steps }] of Object.entries(faults))
    for (const { service, step } of at)
      test(`${name}, when the ${step} of ${service} are asked for`, () =>
        overHttp(async (world, http) => {
          const before = world.remote.head()
          http.fault = (request) => (request.service === service && request.step === step ? fault : undefined)
          const said = reasonOf(await world.sync(http.url, { timeout: fault === 'hang' ? 3000 : 20_000 }))
          assert.ok(reasons.includes(said), said)
          assert.is(world.remote.head(), before)
          http.fault = () => undefined
          await world.settle(http.url)
        }))
  test('cut after the server has done it: that is seen at once, and there is one commit', () =>
    overHttp(async (world, http) => {
      http.fault = ({ service, step }) => (service === 'receive-pack' && step === 'objects' ? 'cut-after' : undefined)
      assert.is((await world.sync(http.url)).kind, 'pushed')
      http.fault = () => undefined
      await world.settle(http.url)
    }))
  test('cut after the server has done it, and then for good: the next evaluation has nothing to do', () =>
    overHttp(async (world, http) => {
      let isCut = false
      http.fault = ({ service, step }) => {
        if (isCut) return 'cut-before'
        isCut = service === 'receive-pack' && step === 'objects'
        return isCut ? 'cut-after' : undefined
      }
      assert.is((await world.sync(http.url)).kind, 'unreachable')
      assert.is(world.ours(), 1)
      http.fault = () => undefined
      assert.is((await world.sync(http.url)).kind, 'nothing')
      await world.settle(http.url)
    }))
  test('nobody listens', async () => {
    const world = new World()
    const http = await serveGit(world.remote)
    await http.stop()
    assert.is(reasonOf(await world.sync(http.url)), 'unreachable connection')
    assert.is(reasonOf(await world.sync('https://nowhere.invalid/a.git')), 'unreachable name-resolution')
    await world.settle(world.remote.url)
  })
  test('a token expires for an hour', () =>
    overHttp(async (world, http) => {
      http.isAllowed = () => false
      assert.is(reasonOf(await world.sync(http.url)), 'refused authentication')
      http.isAllowed = () => true
      await world.settle(http.url)
    }))
  for (const service of ['upload-pack', 'receive-pack'] as const)
    test(`stopped while ${service} waits: nothing is left that goes on, and the next process begins anew`, () =>
      overHttp(async (world, http) => {
        const stop = new AbortController()
        http.fault = (request) => {
          if (request.service !== service || request.step !== 'objects') return undefined
          stop.abort()
          return 'hang'
        }
        assert.is(reasonOf(await world.sync(http.url, { signal: stop.signal })), 'unreachable stopped')
        http.fault = () => undefined
        await world.settle(http.url)
      }))
})

suite('full disks', (test) => {
  /** A git whose files can be no longer than this, in place of the one that is found: writing fails as on a full disk. */
  async function withSmallFiles(kilobytes: number, body: () => Promise<void>): Promise<void> {
    const bin = mkdtempSync(join(tmpdir(), 'nodefit-bin-'))
    const git = execFileSync('sh', ['-c', 'command -v git'], { encoding: 'utf8' }).trim()
    writeFileSync(join(bin, 'git'), `#!/bin/sh\ntrap '' XFSZ\nulimit -f ${kilobytes * 2}\nexec ${git} "$@"\n`)
    chmodSync(join(bin, 'git'), 0o755)
    const { PATH } = process.env
    process.env.PATH = `${bin}:${PATH}`
    try {
      await body()
    } finally {
      process.env.PATH = PATH
    }
  }
  const long = Array.from(
    { length: 4000 },
    (_, at) => `${(at * 2_654_435_761) % 4_294_967_296}-${(at * 40_503) % 65_521}`,
  ).join('\n')

  test('of the cache: later, and whole', async () => {
    const world = new World()
    const before = world.remote.head()
    world.state = long
    await withSmallFiles(8, async () => {
      assert.is(reasonOf(await world.sync(world.remote.url)), 'unreachable disk-full')
    })
    assert.is(world.remote.head(), before)
    await world.settle(world.remote.url)
  })
  test('of the volume of the cache, a small one that is full: later, and whole', async () => {
    const volume = mkdtempSync(join(tmpdir(), 'nodefit-volume-'))
    if (spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', volume]).status !== 0) {
      process.stdout.write('not run: a file system of its own cannot be mounted\n')
      return
    }
    try {
      const world = new World()
      const before = world.remote.head()
      world.state = long
      writeFileSync(join(volume, 'filling'), Buffer.alloc(500 << 10))
      for (let attempt = 0; attempt < 2; attempt++)
        assert.is(reasonOf(await world.sync(world.remote.url, { folder: volume })), 'unreachable disk-full')
      assert.is(world.remote.head(), before)
      rmSync(join(volume, 'filling'))
      assert.is((await world.sync(world.remote.url, { folder: volume })).kind, 'pushed')
      await world.settle(world.remote.url)
    } finally {
      execFileSync('umount', [volume])
    }
  })
  test('of the server: later, and whole', () =>
    overHttp(async (world, http) => {
      const before = world.remote.head()
      world.state = long
      http.limit = 8
      assert.is(reasonOf(await world.sync(http.url)), 'unreachable disk-full')
      assert.is(world.remote.head(), before)
      http.limit = undefined
      await world.settle(http.url)
    }))
})

suite('the matrix can fail', (test) => {
  type Git = Pick<typeof gitRoom, 'openRepository' | 'commitAndPush'>
  const race = async (git: Git) => {
    const world = new World(git)
    let others = 0
    const meanwhile = () => {
      if (others++ < 2) world.write({ [`other-${others}`]: 'theirs\n' })
    }
    assert.is((await world.sync(world.remote.url, { meanwhile })).kind, 'pushed')
    await world.settle(world.remote.url)
  }
  const cut = async (git: Git) => {
    const world = new World(git)
    const http = await serveGit(world.remote)
    try {
      http.fault = ({ service, step }) => (service === 'receive-pack' && step === 'objects' ? 'cut-after' : undefined)
      assert.is((await world.sync(http.url)).kind, 'pushed')
    } finally {
      await http.stop()
    }
  }
  const faults: ReadonlyArray<readonly [name: string, scenario: (git: Git) => Promise<void>, fault: Broken]> = [
    [
      'a push that says nothing of what it lies on',
      race,
      {
        module: 'host/sync/git/push.ts',
        text: '`--force-with-lease=refs/heads/${branch}:${expected}`,',
        instead: "'--force',",
      },
    ],
    [
      'a lost race that is not run again',
      race,
      {
        module: 'host/sync/git/push.ts',
        text: "kind !== 'raced' || attempt >= maxAttempts",
        instead: 'true',
      },
    ],
    [
      'a lost connection that is believed to be a lost commit',
      cut,
      { module: 'host/sync/git/push.ts', text: 'if (head !== commit) throw error', instead: 'throw error' },
    ],
  ]
  for (const [name, scenario, fault] of faults)
    test(name, async () => {
      await scenario(gitRoom)
      const broken = await faultyModule<Git>(
        mkdtempSync(join(tmpdir(), 'nodefit-faulty-')),
        'e2e/support/git-room.ts',
        [fault],
      )
      let failure: unknown
      await scenario(broken).catch((error: unknown) => {
        failure = error
      })
      assert.instance(failure, Error, 'the matrix does not see it')
    })
})
