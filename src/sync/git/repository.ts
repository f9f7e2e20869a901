import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Clone } from './clone.ts'
import { readCredentials } from './credentials.ts'
import { GitFailure } from './failure.ts'
import { Git } from './git.ts'
import { commitUrl, compareUrl, urlSaid } from './links.ts'
import { makeCommit } from './make-commit.ts'
import { signedOff } from './message.ts'
import { type Remote, remoteOf } from './remote-url.ts'
import { reviewBranch } from './review.ts'
import { headOf, send } from './send.ts'
import { openSession, PRIVATE } from './session.ts'
import type { Checkout, Commit, PushResult, Repository, RepositoryOptions } from './types.ts'

/** Failures of a fetch that can come from the clone rather than from the remote. */
const MAY_BE_THE_CLONE = new Set(['broken-cache', 'unknown', 'hook', 'disk-full'])

/** Opens one branch of a remote; nothing is asked of the remote yet. Throws `GitFailure` for an option that cannot be. */
export async function openRepository(options: RepositoryOptions): Promise<Repository> {
  const remote = remoteOf(options.url)
  for (const { name, email } of [options.author, options.committer])
    if (name.trim() === '' || email.trim() === '' || /[<>\p{Cc}]/u.test(name + email))
      throw new GitFailure(
        'configuration',
        'git.author and git.committer need a name and an email, without < and > and in one line',
      )
  if (!isBranch(options.branch))
    throw new GitFailure('configuration', `git.branch "${options.branch}" is no name of a branch`)
  if (options.review !== undefined && !isBranch(`${options.review.prefix}x`))
    throw new GitFailure('configuration', `review.prefix "${options.review.prefix}" begins no name of a branch`)
  await mkdir(options.folder, { recursive: true })
  for (const name of await readdir(options.folder))
    if (name.startsWith(PRIVATE)) await rm(join(options.folder, name), { recursive: true, force: true })
  return new GitRepository(remote, options)
}

/** https://git-scm.com/docs/git-check-ref-format */
const isBranch = (name: string): boolean =>
  !/[\p{Cc} ~^:?*[\\]|\.\.|@\{|\/\/|\/\.|^[/.-]|\.lock(?:\/|$)|[/.]$/u.test(name) && name !== '' && name !== '@'

class GitRepository implements Repository {
  readonly #options: RepositoryOptions
  readonly #remote: Remote
  readonly #clone: Clone

  constructor(remote: Remote, options: RepositoryOptions) {
    this.#options = options
    this.#remote = remote
    this.#clone = new Clone(options.folder, remote, options.branch)
  }

  async fetch(signal?: AbortSignal): Promise<Checkout> {
    const { meter, log } = this.#options
    try {
      const checkout = await this.#withGit(signal, async (git) => {
        try {
          return await this.#fetchOnce(git)
        } catch (error) {
          if (!(error instanceof GitFailure) || !(MAY_BE_THE_CLONE.has(error.reason) || error.kind === 'raced'))
            throw error
          log.warn('the clone cannot be used and is made anew', { reason: error.reason, text: error.message })
          await this.#clone.wipe()
          return await this.#fetchOnce(git)
        }
      })
      meter.component('git', true)
      meter.cloneSize(await this.size())
      return checkout
    } catch (error) {
      meter.component('git', false)
      throw error
    }
  }

  async #fetchOnce(git: Git): Promise<Checkout> {
    await this.#clone.prepare(git)
    const { commit, received } = await this.#clone.fetch(git)
    this.#options.meter.bytes('git', 'received', received)
    const out = await this.#clone.checkout(git, commit)
    if (out.length > 0)
      this.#options.log.warn('links that lead out of the repository are left out', { links: out.join(', ') })
    await this.#clone.tidy(git)
    return { commit, path: this.#clone.files }
  }

  async push(base: Checkout, commit: Commit, signal?: AbortSignal): Promise<PushResult> {
    const { meter } = this.#options
    try {
      const result = await this.#withGit(signal, (git) => this.#push(git, base, commit))
      meter.component('git', true)
      return result
    } catch (error) {
      if (!(error instanceof GitFailure)) throw error
      meter.component('git', error.kind === 'raced')
      return error.asRejected()
    }
  }

  async #push(git: Git, base: Checkout, { changes, message }: Commit): Promise<PushResult> {
    const { review, signOff, author, committer, signing, clock, meter, pushOptions } = this.#options
    const { env } = this.#clone
    const tree = await this.#clone.tree(git, base.commit)
    const branch = review === undefined ? this.#options.branch : reviewBranch(review, changes, tree)
    if (review !== undefined) {
      if (base.commit === '')
        throw new GitFailure('no-branch', `there is no branch ${this.#options.branch} that a review could be for`)
      const head = await headOf(git, { env, remote: this.#remote, branch })
      if (head !== undefined)
        return {
          kind: 'pushed',
          commit: head,
          branch,
          existed: true,
          url: compareUrl(this.#remote, this.#options.branch, branch),
        }
    }
    const made = await makeCommit(
      git,
      { changes, message: signOff ? signedOff(message, committer) : message },
      { env, base: base.commit, tree, author, committer, isSigned: signing !== undefined, now: clock.now() },
    )
    if (made === undefined) return { kind: 'pushed', commit: base.commit, branch: this.#options.branch, existed: true }
    const expected = review === undefined ? base.commit : ''
    const { sent, said } = await send(git, { env, remote: this.#remote, commit: made, branch, expected, pushOptions })
    meter.bytes('git', 'sent', sent)
    const url =
      review === undefined
        ? commitUrl(this.#remote, made)
        : (compareUrl(this.#remote, this.#options.branch, branch) ?? urlSaid(said))
    return { kind: 'pushed', commit: made, branch, ...(url === undefined ? {} : { url }) }
  }

  size(): Promise<number> {
    return this.#clone.size()
  }

  async #withGit<T>(signal: AbortSignal | undefined, work: (git: Git) => Promise<T>): Promise<T> {
    const { folder, credentials: secretFolder, secrets, signing, clock, timeout } = this.#options
    const credentials = await readCredentials(secretFolder, secrets)
    const session = await openSession({
      folder,
      remote: this.#remote,
      credentials,
      signingKey: signing === undefined ? undefined : await signingKey(signing.key, secrets),
      environment: process.env,
    })
    try {
      return await work(new Git({ env: session.env, cwd: folder, clock, timeout, secrets, signal }))
    } finally {
      await session.close()
    }
  }
}

async function signingKey(file: string, secrets: RepositoryOptions['secrets']): Promise<string> {
  const key = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new GitFailure('signing', `git.signing.key ${file} cannot be read (${error.code})`)
  })
  secrets.add(key)
  return key
}
