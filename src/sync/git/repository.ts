import { mkdir } from 'node:fs/promises'
import type { Checkout, Commit } from '../commit.ts'
import { checkOptions } from './check-options.ts'
import { Clone } from './clone.ts'
import { effectiveChanges } from './effective.ts'
import { GitFailure } from './failure.ts'
import { GitHub } from './github-commit.ts'
import { commitUrl, compareUrl, urlSaid } from './links.ts'
import { signedOff } from './message.ts'
import { inOperation, type Operation } from './operation.ts'
import { requireApart, requireOwnPath, type Tree } from './paths.ts'
import { removeLeftovers } from './private-folder.ts'
import { type Remote, remoteOf } from './remote-url.ts'
import { digestOf, reviewBranch } from './review.ts'
import type { PushResult, Repository, RepositoryOptions } from './types.ts'
import { byGit, byGitHub, type Way } from './ways.ts'

/** Failures of a fetch that can come from the clone rather than from the remote. */
const MAY_BE_THE_CLONE = new Set(['broken-cache', 'unknown', 'hook', 'disk-full'])

/** Opens one branch of a remote; nothing is asked of the remote yet. Throws `GitFailure` for an option that cannot be. */
export async function openRepository(options: RepositoryOptions): Promise<Repository> {
  checkOptions(options)
  const remote = remoteOf(options.url)
  if (remote.password !== undefined) options.secrets.add(remote.password)
  if (remote.scheme === 'http' && options.credentials !== undefined)
    options.log.warn('git.url is http: credentials and content can be read and changed on the way', {
      host: remote.host,
    })
  await mkdir(options.folder, { recursive: true })
  await removeLeftovers()
  return new GitRepository(remote, options)
}

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
      const checkout = await inOperation(
        this.#remote,
        { ...this.#options, signing: undefined },
        signal,
        async (operation) => {
          try {
            return await this.#fetchOnce(operation)
          } catch (error) {
            if (!(error instanceof GitFailure) || !(MAY_BE_THE_CLONE.has(error.reason) || error.kind === 'raced'))
              throw error
            log.warn('the clone cannot be used and is made anew', { reason: error.reason, text: error.message })
            await this.#clone.wipe()
            return await this.#fetchOnce(operation)
          }
        },
      )
      meter.component('git', true)
      meter.cloneSize(await this.size())
      return checkout
    } catch (error) {
      meter.component('git', false)
      throw error
    }
  }

  async #fetchOnce({ git }: Operation): Promise<Checkout> {
    await this.#clone.prepare(git)
    const { commit, received } = await this.#clone.fetch(git)
    this.#options.meter.bytes('git', 'received', received)
    const links = (await this.#clone.checkout(git, commit)).join(', ')
    if (links !== '') this.#options.log.warn('links that lead out of the repository are left out', { links })
    // a clone that is not packed only takes more room
    await this.#clone.tidy(git).catch((error: Error) => {
      this.#options.log.warn('the clone could not be packed', { text: error.message })
    })
    return { commit, path: this.#clone.files }
  }

  async push(base: Checkout, commit: Commit, signal?: AbortSignal): Promise<PushResult> {
    const { meter } = this.#options
    try {
      const result = await inOperation(this.#remote, this.#options, signal, (operation) =>
        this.#push(operation, base, commit),
      )
      meter.component('git', true)
      return result
    } catch (error) {
      if (!(error instanceof GitFailure)) throw error
      meter.component('git', error.kind === 'raced')
      return error.asRejected()
    }
  }

  async #push(operation: Operation, base: Checkout, { changes, message, digest }: Commit): Promise<PushResult> {
    const { review, signOff, committer, meter, branch: target } = this.#options
    const tree = await this.#clone.tree(operation.git, base.commit)
    const paths = [...changes.write.keys()]
    for (const path of [...paths, ...changes.remove]) requireOwnPath(path, tree)
    requireApart(paths)
    const effective = effectiveChanges(changes, tree, base.commit)
    if (effective.write.size + effective.remove.length === 0)
      return { kind: 'pushed', commit: base.commit, branch: target, existed: true }
    if (review !== undefined && base.commit === '')
      throw new GitFailure('no-branch', `there is no branch ${target} that a review could be for`)
    const branch = review === undefined ? target : reviewBranch(review, digest ?? digestOf(effective, tree))
    const { commit, existed, sent, said } = await this.#way(
      operation,
      tree,
    )({
      commit: { changes: effective, message: signOff ? signedOff(message, committer) : message },
      base: base.commit,
      branch,
      target: review === undefined ? undefined : target,
    })
    meter.bytes('git', 'sent', sent)
    const url =
      review === undefined
        ? commitUrl(this.#remote, commit)
        : (compareUrl(this.#remote, target, branch) ?? urlSaid(said))
    return {
      kind: 'pushed',
      commit,
      branch,
      ...(url === undefined ? {} : { url }),
      ...(existed === true ? { existed } : {}),
    }
  }

  #way({ git, credentials, http }: Operation, tree: Tree): Way {
    const { author, committer, signing, clock, pushOptions, pushVia, folder } = this.#options
    const { env } = this.#clone
    if (pushVia === 'git')
      return byGit(
        git,
        { env, tree, author, committer, isSigned: signing !== undefined, now: clock.now() },
        { env, remote: this.#remote, pushOptions, folder },
      )
    const { token, apiUrl } = credentials
    if (token === undefined)
      throw new GitFailure('credentials', 'git.pushVia is github, and the Secret holds no App and no token')
    return byGitHub(git, new GitHub(this.#remote, token, apiUrl, http), { env, remote: this.#remote })
  }

  size(): Promise<number> {
    return this.#clone.size()
  }
}
