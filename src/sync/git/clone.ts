import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, realpath, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { isWithin } from '../../files/paths.ts'
import { GitFailure } from './failure.ts'
import { bytesSaid, type Git } from './git.ts'
import { MADE } from './make-commit.ts'
import type { Remote } from './remote.ts'
import { type Tree, treeOf } from './tree.ts'

const BASE = 'refs/nodefit/base'
/** Files are taken as they are in Git, whatever the repository's own attributes would make of them. */
const ATTRIBUTES = '* -text -ident !filter !working-tree-encoding\n'

/** A clone of one commit of one branch, which can be lost at any time. */
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

  /** Environment that tells git where the clone is. */
  get env(): Readonly<Record<string, string>> {
    return { GIT_DIR: this.gitFolder, GIT_WORK_TREE: this.files }
  }

  /**
   * Makes the clone if it is not there; one of another remote or branch is deleted first. Whatever a git that was killed has left half done is
   * taken away: nobody but this process uses the clone, and none of its commands runs now.
   */
  async prepare(git: Git): Promise<void> {
    await this.#unlock()
    const mark = createHash('sha256').update(`${this.#remote.address} ${this.#branch}`).digest('hex')
    const file = join(this.gitFolder, 'nodefit')
    if ((await readFile(file, 'utf8').catch(() => '')) === mark) return
    await this.wipe()
    await mkdir(this.files, { recursive: true })
    await git.run(['init', '--quiet', '--template='], { env: this.env })
    // here and not for all of git, since a remote of this machine has hooks of its own that have to run
    await git.run(['config', 'core.hooksPath', '/dev/null'], { env: this.env })
    await mkdir(join(this.gitFolder, 'info'), { recursive: true })
    await writeFile(join(this.gitFolder, 'info', 'attributes'), ATTRIBUTES)
    // last, so that half a clone is none
    await writeFile(file, mark)
  }

  async #unlock(): Promise<void> {
    const refs = (await namesIn(join(this.gitFolder, 'refs'), true)).map((name) => join('refs', name))
    const left = [...(await namesIn(this.gitFolder)), ...refs].filter((name) => name.endsWith('.lock') || name === MADE)
    for (const name of left) await rm(join(this.gitFolder, name), { force: true })
  }

  async wipe(): Promise<void> {
    for (const folder of [this.gitFolder, this.files]) await rm(folder, { recursive: true, force: true })
  }

  /** Fetches the branch's last commit: its id, empty in an empty repository, and the bytes received. Throws `GitFailure`. */
  async fetch(git: Git): Promise<{ commit: string; received: number }> {
    const { address } = this.#remote
    const flags = ['--depth=1', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance', '--progress', '--force']
    try {
      const { stderr } = await git.run(['fetch', ...flags, '--', address, `+refs/heads/${this.#branch}:${BASE}`], {
        env: this.env,
      })
      return { commit: await git.line(['rev-parse', '--verify', BASE], { env: this.env }), received: bytesSaid(stderr) }
    } catch (error) {
      if (!(error instanceof GitFailure) || !/couldn't find remote ref/i.test(error.message)) throw error
    }
    // whoever follows a branch would take one that begins anew for the wish to remove all the rest
    const wasThere = await git.line(['for-each-ref', '--format=%(refname)', BASE], { env: this.env })
    const { stdout, stderr } = await git.run(['ls-remote', '--heads', '--', address], {
      env: { ...this.env, GIT_TRACE_PACKET: '1' },
    })
    // a page to sign in on has no branches either
    if (!/packet: .*</.test(stderr))
      throw new GitFailure('not-found', 'the server does not answer as a server of Git does')
    if (wasThere !== '' || stdout.length > 0)
      throw new GitFailure('no-branch', `the repository has no branch ${this.#branch}`)
    return { commit: '', received: 0 }
  }

  /** Makes the folder of files that of a commit, without links that lead out of it; the names of those are given. */
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
    const out: string[] = []
    for (const [path, { mode }] of entries) {
      if (mode !== '120000') continue
      const link = join(this.files, path)
      const target = await realpath(link).catch(() => undefined)
      if (target === undefined || isWithin(this.files, target)) continue
      await rm(link)
      out.push(path)
    }
    return out
  }

  /** The entries of a commit; none of no commit. */
  async tree(git: Git, commit: string): Promise<Tree> {
    if (commit === '') return treeOf(Buffer.alloc(0))
    return treeOf((await git.run(['ls-tree', '-r', '-z', '--full-tree', commit], { env: this.env })).stdout)
  }

  /** Packs what many fetches have left, if there is much of it. */
  async tidy(git: Git): Promise<void> {
    await git.run(['gc', '--auto', '--quiet'], { env: this.env })
  }

  /** Bytes on disk. */
  async size(): Promise<number> {
    return sizeOf(this.#folder)
  }
}

/** The names in a folder, none where there is no such folder. */
async function namesIn(folder: string, recursive = false): Promise<string[]> {
  return readdir(folder, { recursive, encoding: 'utf8' }).catch(() => [])
}

async function sizeOf(folder: string): Promise<number> {
  let sum = 0
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) sum += await sizeOf(path)
    else if (entry.isFile()) sum += (await stat(path).catch(() => ({ size: 0 }))).size
  }
  return sum
}
