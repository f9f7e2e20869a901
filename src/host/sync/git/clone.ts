import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isWithin } from '../../files/paths.ts'
import { GitFailure } from './failure.ts'
import { type Git, transferredBytes } from './git.ts'
import { IMPORT_REF } from './make-commit.ts'
import type { Remote } from './remote.ts'
import { parseTree, type Tree } from './repository.ts'

const BASE_REF = 'refs/nodefit/base'
/** Checks files out as they are in Git, whatever the attributes of the repository are. */
const ATTRIBUTES = '* -text -ident !filter !working-tree-encoding\n'

/** What a server of version 2 of the protocol says of its objects, though it has none. */
const SHA256 = /packet: .*< .*object-format=sha256/
/** As `git init` takes it; the other format is its default, and an older git has no such option. */
const OF_SHA256 = ['--object-format=sha256']
const SHA256_ID = /^[0-9a-f]{64}\t/m

/** A shallow clone of one branch. It is a cache: it may be deleted at any time. */
export class Clone {
  readonly #folder: string
  readonly #remote: Remote
  readonly #branch: string

  constructor(folder: string, remote: Remote, branch: string) {
    this.#folder = folder
    this.#remote = remote
    this.#branch = branch
  }

  get gitFolder(): string {
    return join(this.#folder, 'git')
  }

  get files(): string {
    return join(this.#folder, 'files')
  }

  /** The environment that points git to the clone. */
  get env(): Readonly<Record<string, string>> {
    return { GIT_DIR: this.gitFolder, GIT_WORK_TREE: this.files }
  }

  /**
   * Creates the clone if it is missing, or of another remote or branch. Removes the locks of a git that was killed: no
   * other process uses the clone, and no command runs in it now.
   */
  async prepare(git: Git): Promise<void> {
    await this.#removeLocks()
    const identity = createHash('sha256').update(`${this.#remote.address} ${this.#branch}`).digest('hex')
    const file = join(this.gitFolder, 'nodefit')
    if ((await readFile(file, 'utf8').catch(() => '')) === identity) return
    const format = await this.#objectFormat(git)
    await this.wipe()
    await mkdir(this.files, { recursive: true })
    await git.run(['init', '--quiet', '--template=', ...format], { env: this.env })
    // not in the session's configuration: the hooks of a file:// remote must run
    await git.run(['config', 'core.hooksPath', '/dev/null'], { env: this.env })
    await mkdir(join(this.gitFolder, 'info'), { recursive: true })
    await writeFile(join(this.gitFolder, 'info', 'attributes'), ATTRIBUTES)
    // last, so that an incomplete clone is created again
    await writeFile(file, identity)
  }

  /** Asks the server by which hash its objects are named, as options of `git init`: an empty one says so as well. */
  async #objectFormat(git: Git): Promise<readonly string[]> {
    const args = ['ls-remote', '--', this.#remote.address]
    const ids = (await git.run(args, { env: {} })).stdout.toString()
    if (ids !== '') return SHA256_ID.test(ids) ? OF_SHA256 : []
    // what git says of a failure would be hidden among the packets
    const { stderr } = await git.run(args, { env: { GIT_TRACE_PACKET: '1' } })
    return SHA256.test(stderr) ? OF_SHA256 : []
  }

  async #removeLocks(): Promise<void> {
    const refs = (await namesIn(join(this.gitFolder, 'refs'), true)).map((name) => join('refs', name))
    const stale = [...(await namesIn(this.gitFolder)), ...refs].filter(
      (name) => name.endsWith('.lock') || name === IMPORT_REF,
    )
    for (const name of stale) await rm(join(this.gitFolder, name), { force: true })
  }

  async wipe(): Promise<void> {
    for (const folder of [this.gitFolder, this.files]) await rm(folder, { recursive: true, force: true })
  }

  /**
   * Fetches the head of the branch; returns its ID, empty in an empty repository, and the bytes received. Rejects with
   * `GitFailure`.
   */
  async fetch(git: Git): Promise<{ commit: string; received: number }> {
    const { address } = this.#remote
    const objects = join(this.gitFolder, 'objects')
    const before = await folderSize(objects)
    const flags = ['--depth=1', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance', '--progress', '--force']
    try {
      const { stderr } = await git.run(['fetch', ...flags, '--', address, `+refs/heads/${this.#branch}:${BASE_REF}`], {
        env: this.env,
      })
      const commit = await git.line(['rev-parse', '--verify', BASE_REF], { env: this.env })
      // git says nothing of what it unpacks from a small pack
      return { commit, received: Math.max(transferredBytes(stderr), (await folderSize(objects)) - before) }
    } catch (error) {
      // a repository that was made anew, by another hash: the next round clones it
      if (error instanceof GitFailure && /mismatched algorithms/i.test(error.message)) await this.wipe()
      if (!(error instanceof GitFailure) || !/couldn't find remote ref/i.test(error.message)) throw error
    }
    // never recreate a branch that was deleted: Argo CD and Flux would prune everything that is not on the new one
    const wasFetched = await git.line(['for-each-ref', '--format=%(refname)', BASE_REF], { env: this.env })
    const { stdout, stderr } = await git.run(['ls-remote', '--heads', '--', address], {
      env: { ...this.env, GIT_TRACE_PACKET: '1' },
    })
    // a sign-in page has no branches either
    if (!/packet: .*</.test(stderr))
      throw new GitFailure('not-found', 'the response of git.url is not that of a Git server')
    if (wasFetched !== '' || stdout.length > 0)
      throw new GitFailure('no-branch', `the repository has no branch ${this.#branch}`)
    return { commit: '', received: 0 }
  }

  /** Makes more of the history known. Rejects with `GitFailure`. */
  async deepen(git: Git, depth: number): Promise<void> {
    const flags = [`--depth=${depth}`, '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance', '--force']
    const refs = `+refs/heads/${this.#branch}:${BASE_REF}`
    await git.run(['fetch', ...flags, '--', this.#remote.address, refs], { env: this.env })
  }

  /** The commits whose message has all of some lines, newest first, in the known part of the history. */
  async commitsWith(
    git: Git,
    lines: readonly string[],
    from: string,
  ): Promise<Array<{ commit: string; message: string }>> {
    // in a basic regular expression these characters alone are special
    const patterns = lines.map((line) => `--grep=^${line.replaceAll(/[\\.*[\]^$]/g, '\\$&')}$`)
    const flags = ['-z', '--format=%H%n%B', '--basic-regexp', '--all-match', ...patterns, '-n', '20']
    const { stdout } = await git.run(['log', ...flags, from, '--'], { env: this.env })
    const entries = stdout.toString().split('\0')
    return entries.flatMap((entry) => {
      const end = entry.indexOf('\n')
      return end < 0 ? [] : [{ commit: entry.slice(0, end), message: entry.slice(end + 1) }]
    })
  }

  /** The text of a file in a commit; undefined where it has none. */
  async fileIn(git: Git, commit: string, path: string): Promise<string | undefined> {
    const { entries } = await this.tree(git, commit)
    if (!entries.has(path)) return undefined
    return (await git.run(['show', `${commit}:${path}`], { env: this.env })).stdout.toString()
  }

  /** Checks a commit out, and removes symbolic links that lead out of the repository; returns their paths. */
  async checkout(git: Git, commit: string): Promise<readonly string[]> {
    if (commit === '') {
      await rm(this.files, { recursive: true, force: true })
      await rm(join(this.gitFolder, 'index'), { force: true })
      await mkdir(this.files, { recursive: true })
      return []
    }
    await mkdir(this.files, { recursive: true })
    await git.run(['checkout', '--quiet', '--force', '--detach', commit], { env: this.env })
    await git.run(['clean', '-ffdxq'], { env: this.env })
    const { entries } = await this.tree(git, commit)
    const removed: string[] = []
    for (const [path, { mode }] of entries) {
      if (mode !== '120000') continue
      const link = join(this.files, path)
      const target = await realpath(link).catch(() => undefined)
      if (target === undefined || isWithin(this.files, target)) continue
      await rm(link)
      removed.push(path)
    }
    return removed
  }

  /** The tree of a commit; an empty one for no commit. */
  async tree(git: Git, commit: string): Promise<Tree> {
    if (commit === '') return parseTree(Buffer.alloc(0))
    return parseTree((await git.run(['ls-tree', '-r', '-z', '--full-tree', commit], { env: this.env })).stdout)
  }

  /** Packs the objects of many fetches. */
  async pack(git: Git): Promise<void> {
    await git.run(['gc', '--auto', '--quiet'], { env: this.env })
  }

  /** Bytes on disk. */
  async size(): Promise<number> {
    return folderSize(this.#folder)
  }
}

/** The names in a folder; none where it does not exist. */
async function namesIn(folder: string, recursive = false): Promise<string[]> {
  return readdir(folder, { recursive, encoding: 'utf8' }).catch(() => [])
}

async function folderSize(folder: string): Promise<number> {
  let sum = 0
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) sum += await folderSize(path)
    else if (entry.isFile()) sum += (await stat(path).catch(() => ({ size: 0 }))).size
  }
  return sum
}
