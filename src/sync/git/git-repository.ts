import { mkdir, readFile } from 'node:fs/promises'
import { Clone } from './clone.ts'
import { type SignedIn, signIn } from './credentials.ts'
import { GitFailure } from './failure.ts'
import { Git } from './git.ts'
import { GitHub } from './github.ts'
import type { HttpOptions } from './http-json.ts'
import { signedOff } from './make-commit.ts'
import { byGit, byGitHub, type Way } from './push.ts'
import { commitUrl, compareUrl, type Remote, remoteOf, urlSaid } from './remote.ts'
import type { Checkout, Commit, PushResult, Repository, RepositoryOptions } from './repository.ts'
import { digestOf, reviewBranch } from './review.ts'
import { openSession, removeLeftovers } from './session.ts'
import { effectiveChanges, requireApart, requireOwnPath, type Tree } from './tree.ts'

/** Throws `GitFailure` with `configuration` for an option that cannot be. */
export function checkOptions({ author, committer, branch, review }: RepositoryOptions): void {
  for (const { name, email } of [author, committer])
    if (name.trim() === '' || email.trim() === '' || /[<>\p{Cc}]/u.test(name + email))
      throw new GitFailure(
        'configuration',
        'git.author and git.committer need a name and an email, without < and > and in one line',
      )
  if (!isBranch(branch)) throw new GitFailure('configuration', `git.branch "${branch}" is no name of a branch`)
  if (review !== undefined && !isBranch(`${review.prefix}x`))
    throw new GitFailure('configuration', `review.prefix "${review.prefix}" begins no name of a branch`)
}

/** https://git-scm.com/docs/git-check-ref-format */
const isBranch = (name: string): boolean =>
  !/[\p{Cc} ~^:?*[\\]|\.\.|@\{|\/\/|\/\.|^[/.-]|\.lock(?:\/|$)|[/.]$/u.test(name) && name !== '' && name !== '@'

/** What one fetch or push works with. */
export interface Operation {
  readonly git: Git
  readonly credentials: SignedIn
  readonly http: HttpOptions
}

/** Signs in, does the work, and takes away what it needed of secrets, however it ends. Throws what the work throws, and `GitFailure`. */
export async function inOperation<T>(
  remote: Remote,
  options: RepositoryOptions,
  signal: AbortSignal | undefined,
  work: (operation: Operation) => Promise<T>,
): Promise<T> {
  const { folder, secrets, signing, clock, meter, timeout } = options
  const http = { clock, meter, secrets, timeout, signal }
  const credentials = await signIn(options.credentials, remote, http)
  const signingKey = signing === undefined ? undefined : await readKey(signing.key, secrets)
  const session = await openSession({ remote, credentials, signingKey, environment: process.env })
  try {
    const git = new Git({ env: session.env, cwd: folder, clock, timeout, secrets, signal })
    return await work({
      git,
      credentials,
      http: { ...http, authority: credentials.authority, proxy: credentials.proxy },
    })
  } finally {
    await session.close()
  }
}

async function readKey(file: string, secrets: RepositoryOptions['secrets']): Promise<string> {
  const key = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    throw new GitFailure('signing', `git.signing.key ${file} cannot be read (${error.code})`)
  })
  secrets.add(key)
  return key
}

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
